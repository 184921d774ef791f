import {userInfo} from 'node:os'
import {dirname} from 'node:path'
import type {Interfaces} from '@oclif/core'
import {Config} from '@oclif/core/config'
import {run as runOclif} from '@oclif/core/run'
import manifest from '../package.json' with {type: 'json'}

/** The package's folder: the bundle lies in its dist. */
const root = dirname(__dirname)

/** Runs one command line, without node and script name. Sets the process's exit code. */
export async function run(argv: string[]): Promise<void> {
  if (!process.env.HOME || !process.env.SHELL) haveHome()
  const config = await Config.load({root, pjson: manifest as unknown as Interfaces.PJSON})
  try {
    await runOclif(argv, config)
  } catch (error) {
    await refuse(error, argv, config)
  }
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

/** A command shows its own failures; what arrives here names no command, or is a bug. */
async function refuse(error: unknown, argv: string[], config: Config): Promise<void> {
  const {isFailure} = await import('./contract/failure.ts')
  const {unknownCommand, wantsJson} = await import('./terminal/usage.ts')
  const failure = isFailure(error) ? error : unknownCommand(error, config.commandIDs)
  if (!failure) return (await import('@oclif/core/handle')).handle(error as Error)
  const {failureDocument, failureTexts} = await import('./terminal/failure.ts')
  process.exitCode = failure.exitCode
  if (wantsJson(argv)) {
    const {printJson} = await import('./contract/money.ts')
    process.stdout.write(`${printJson(failureDocument(failure))}\n`)
  } else {
    const {paintFor, roomOf} = await import('./terminal/text.ts')
    const {stderr} = process
    for await (const text of failureTexts(failure, {paint: paintFor(stderr), room: roomOf(stderr)}))
      stderr.write(text)
  }
}
