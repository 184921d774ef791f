import {dirname} from 'node:path'
import type {Interfaces} from '@oclif/core'
import {Config} from '@oclif/core/config'
import {handle} from '@oclif/core/handle'
import {run} from '@oclif/core/run'
import manifest from '../package.json' with {type: 'json'}

/** The package's folder: the bundle lies in its dist. */
const root = dirname(__dirname)

/** Runs one command line by oclif's own way: it loads what there is of every command, and finds the one that is meant. */
export async function runThroughOclif(argv: string[]): Promise<void> {
  const config = await Config.load({root, pjson: manifest as unknown as Interfaces.PJSON})
  try {
    await run(argv, config)
  } catch (error) {
    await refuse(error, argv, config)
  }
}

/** A command shows its own failures; what arrives here names no command, or is a bug. */
async function refuse(error: unknown, argv: string[], config: Config): Promise<void> {
  const {isFailure} = await import('./contract/failure.ts')
  const {unknownCommand, wantsJson} = await import('./terminal/usage.ts')
  const failure = isFailure(error) ? error : unknownCommand(error, config.commandIDs)
  if (!failure) return handle(error as Error)
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
