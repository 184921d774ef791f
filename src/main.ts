import {dirname} from 'node:path'
import {Config} from '@oclif/core/config'
import {handle} from '@oclif/core/handle'
import {run as runOclif} from '@oclif/core/run'
import {printJson} from './contract/money.ts'
import {failureDocument, failureText} from './terminal/failure.ts'
import {paintFor} from './terminal/text.ts'
import {unknownCommand, wantsJson} from './terminal/usage.ts'

/** The package's folder: the bundle lies in its dist. */
const root = dirname(__dirname)

/** Runs one command line, without node and script name. Sets the process's exit code. */
export async function run(argv: string[]): Promise<void> {
  const config = await Config.load({root})
  try {
    await runOclif(argv, config)
  } catch (error) {
    const failure = unknownCommand(error, config.commandIDs)
    if (!failure) return handle(error as Error)
    process.exitCode = failure.exitCode
    if (wantsJson(argv)) process.stdout.write(`${printJson(failureDocument(failure))}\n`)
    else process.stderr.write(failureText(failure, paintFor(process.stderr)))
  }
}
