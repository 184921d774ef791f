import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../command.ts'
import {ScentHelp} from '../terminal/help.ts'

export default class Help extends ScentCommand {
  static override summary = 'Show the help of a command or a topic.'
  static override strict = false
  static override args = {command: Args.string({description: 'Command or topic to show the help of.'})}
  static override flags = {
    'nested-commands': Flags.boolean({char: 'n', summary: 'Show all commands below it.'}),
    // A help is text; what fails is told as it was asked for.
    json: Flags.boolean({summary: 'Print an error as JSON.', hidden: true}),
  }

  async run(): Promise<void> {
    const {argv, flags} = await this.parse(Help)
    await new ScentHelp(this.config, {all: flags['nested-commands']}).showHelp(argv.map(String))
  }
}
