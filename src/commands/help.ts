import * as Flags from '@oclif/core/flags'
import {commands} from '@oclif/plugin-help'
import {ScentCommand} from '../command.ts'
import {ScentHelp} from '../terminal/help.ts'

/** oclif's own help command, with our help behind it and our way of telling what fails. */
export default class Help extends ScentCommand {
  static override summary = 'Show the help of a command or a topic, or a guide.'
  static override strict = false
  static override args = commands.help.args
  static override flags = {
    ...commands.help.flags,
    // A help is text; what fails is told as it was asked for.
    json: Flags.boolean({summary: 'Print an error as JSON.', hidden: true}),
  }

  async run(): Promise<void> {
    const {argv, flags} = await this.parse(Help)
    await new ScentHelp(this.config, {all: flags['nested-commands']}).showAsked(argv.map(String))
  }
}
