import type {Interfaces} from '@oclif/core'
import {Help} from '@oclif/core/help'
import {isColoured} from './text.ts'

/** oclif's help. Its library of colours also paints into pipes, where CI or COLORTERM is set: here it does not. */
export class ScentHelp extends Help {
  constructor(config: Interfaces.Config, options: Partial<Interfaces.HelpOptions> = {}) {
    super(config, {...options, stripAnsi: !isColoured(process.stdout)})
  }
}
