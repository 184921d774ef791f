import {userInfo} from 'node:os'
import type {Commands} from './start.ts'

/** They read what there is of all commands. */
const needAll = ['help', 'autocomplete']

/** Who is told how far a start is. */
interface Start {
  /** Before anything of the command is loaded; undefined if oclif must find out what is meant. */
  begin(id: string | undefined): void
  /** The command is loaded, and runs now. */
  begun(): void
}

/** Runs one command line, without node and script name. Sets the process's exit code. */
export async function run(
  argv: string[],
  commands: Commands,
  progress: Start = {begin: () => {}, begun: () => {}},
): Promise<void> {
  if (!process.env.HOME || !process.env.SHELL) haveHome()
  const id = commandOf(argv, Object.keys(commands))
  progress.begin(id)
  // Some of the libraries ask for a home when they are loaded.
  const {load, runDirectly, takes} = await import('./start.ts')
  const command = id === undefined ? undefined : await load(id, commands)
  const rest = argv.slice(id?.split(':').length)
  if (command && takes(command, rest[0])) {
    progress.begun()
    return runDirectly(command, rest)
  }
  const {runThroughOclif} = await import('./oclif.ts')
  progress.begun()
  await runThroughOclif(argv, commands)
}

/**
 * The command that the leading words name, if oclif would surely find the same one: no help is asked for, and the words
 * do not go on towards a longer id.
 */
function commandOf(argv: string[], ids: string[]): string | undefined {
  const end = argv.indexOf('--')
  const given = end < 0 ? argv : argv.slice(0, end)
  if (given.includes('--help') || given.includes('-h')) return undefined
  let found = ''
  for (const word of argv) {
    const longer = found === '' ? word : `${found}:${word}`
    if (!/^[a-z-]+$/.test(word) || !ids.some((id) => id === longer || id.startsWith(`${longer}:`))) break
    found = longer
  }
  return ids.includes(found) && !needAll.includes(found) ? found : undefined
}

/**
 * A container's user may stand in no list of users, and oclif asks there for home and shell. Below this home nothing
 * can be written, and whatever tries says so.
 */
function haveHome(): void {
  try {
    userInfo()
  } catch {
    process.env.HOME ||= '/nonexistent'
    process.env.SHELL ||= '/bin/sh'
  }
}
