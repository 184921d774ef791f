import type {Command, Interfaces} from '@oclif/core'
import {CommandHelp, Help} from '@oclif/core/help'
import {isColoured} from './text.ts'

type Options = Partial<Interfaces.HelpOptions>
type Render = (text: string) => string

/** oclif's help of one command. */
class ScentCommandHelp extends CommandHelp {
  constructor(command: Command.Loadable, config: Interfaces.Config, options: Interfaces.HelpOptions) {
    super(command, config, options)
    this.render = withoutTemplates(this.render, config)
  }
}

/** oclif's help. Its library of colours also paints into pipes, where CI or COLORTERM is set: here it does not. */
export class ScentHelp extends Help {
  protected override CommandHelpClass = ScentCommandHelp

  constructor(config: Interfaces.Config, options: Options = {}) {
    super(config, {...options, stripAnsi: !isColoured(process.stdout)})
    this.render = withoutTemplates(this.render, config)
  }
}

/** Compiling a template for every sentence would be a third of the time that a help takes. */
function withoutTemplates(render: Render, config: Interfaces.Config): Render {
  return (text) => {
    const plain = text.replaceAll('<%= config.bin %>', config.bin)
    return plain.includes('<%') ? render(plain) : plain
  }
}
