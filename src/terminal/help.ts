import type {Interfaces} from '@oclif/core'
import {Help} from '@oclif/core/help'

/** oclif's help. Its library of colours also paints into pipes, where CI or COLORTERM is set: here it does not. */
export class ScentHelp extends Help {
  constructor(config: Interfaces.Config, options: Partial<Interfaces.HelpOptions> = {}) {
    super(config, {...options, stripAnsi: !coloured(process.stdout)})
  }
}

function coloured(stream: {isTTY?: boolean}): boolean {
  const {FORCE_COLOR, NO_COLOR, TERM} = process.env
  if (NO_COLOR) return false
  return FORCE_COLOR ? !['0', 'false'].includes(FORCE_COLOR) : stream.isTTY === true && TERM !== 'dumb'
}
