import {Config} from '@oclif/core/config'
import {handle} from '@oclif/core/handle'
import {normalizeArgv} from '@oclif/core/help'
import {helpAddition, run} from '@oclif/core/run'
import {isFailure} from './contract/failure.ts'
import {printJson} from './contract/money.ts'
import {type Commands, load, place} from './start.ts'
import {failureDocument, failureTexts} from './terminal/failure.ts'
import {guideIds} from './terminal/guide.ts'
import {ScentHelp} from './terminal/help.ts'
import {paintFor, roomOf} from './terminal/text.ts'
import {unknownCommand, wantsJson} from './terminal/usage.ts'

/**
 * Runs one command line by oclif's own way, which loads what there is to know of all commands and then finds the one
 * that is meant. Help and the commands are started from here: oclif would load them by path, a second time.
 */
export async function runThroughOclif(argv: string[], commands: Commands): Promise<void> {
  const config = await Config.load(place)
  try {
    const [id = '', ...rest] = normalizeArgv(config, [...argv])
    if (argv[0] === '--version') await run(argv, config)
    else if (helpAddition(argv, config)) await new ScentHelp(config).showHelp(argv)
    else if (config.findCommand(id)) await new (await load(id, commands))(rest, config)._run()
    else if (config.findTopic(id)) await new ScentHelp(config).showHelp([id])
    else await run(argv, config)
  } catch (error) {
    await refuse(error, argv, config)
  }
}

/** A command shows its own failures; what arrives here names no command, or is a bug. */
async function refuse(error: unknown, argv: string[], config: Config): Promise<void> {
  const known = [...config.commandIDs, ...guideIds(config.root)]
  const flagsOf = (id: string) => Object.keys(config.findCommand(id)?.flags ?? {})
  const failure = isFailure(error) ? error : unknownCommand(error, known, flagsOf)
  if (!failure) return handle(error as Error)
  process.exitCode = failure.exitCode
  if (wantsJson(argv)) {
    process.stdout.write(`${printJson(failureDocument(failure))}\n`)
  } else {
    const {stderr} = process
    for await (const text of failureTexts(failure, {paint: paintFor(stderr), room: roomOf(stderr)}))
      stderr.write(text)
  }
}
