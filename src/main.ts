import {userInfo} from 'node:os'

/** Runs one command line, without node and script name. Sets the process's exit code. */
export async function run(argv: string[]): Promise<void> {
  if (!process.env.HOME || !process.env.SHELL) haveHome()
  // Some of the libraries ask for a home when they are loaded.
  const {runThroughOclif} = await import('./oclif.ts')
  await runThroughOclif(argv)
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
