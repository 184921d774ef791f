import {dirname} from 'node:path'
import {Config} from '@oclif/core/config'
import {handle} from '@oclif/core/handle'
import {run as runOclif} from '@oclif/core/run'

/** The package's folder: the bundle lies in its dist. */
const root = dirname(__dirname)

/** Runs one command line, without node and script name. Sets the process's exit code. */
export async function run(argv: string[]): Promise<void> {
  try {
    const config = await Config.load({root})
    await runOclif(argv, config)
  } catch (error) {
    await handle(error as Error)
  }
}
