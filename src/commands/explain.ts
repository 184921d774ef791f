import * as Args from '@oclif/core/args'
import {outputFlags, ScentCommand} from '../command.ts'
import {catalogue, entryOf, exitOf} from '../contract/errors.ts'
import {Failure} from '../contract/failure.ts'
import {nearest} from '../contract/nearest.ts'
import type {Listing} from '../terminal/output.ts'
import {type Explained, explainedCard, explainedColumns} from '../terminal/views/explain.ts'

export default class Explain extends ScentCommand {
  static override summary = 'Explain an error code: what happened, and what to do.'
  static override description =
    'Lists every code without STATE. The remedy tells a script what to do: fix (change the request), login, settle (something exists already: read it), wait (safe to repeat later), decide (a person must choose) or support.'
  static override examples = [
    '<%= config.bin %> explain VALIDATION_PRICE_LOCK_EXPIRED',
    `<%= config.bin %> explain --query "items[?remedy=='wait'].state"`,
  ]
  static override args = {
    state: Args.string({description: 'Code of an error, as `state` or a message names it.'}),
  }
  static override flags = {...outputFlags}

  async run(): Promise<Explained | Listing> {
    const {args} = await this.parse(Explain)
    const codes = Object.keys(catalogue)
    if (args.state === undefined) {
      const items = codes.map(explained)
      this.show({rows: items, columns: explainedColumns})
      return {items}
    }
    const state = args.state.toUpperCase()
    if (!codes.includes(state)) throw unknown(args.state, codes)
    this.show(explainedCard(explained(state)))
    return explained(state)
  }
}

function explained(state: string): Explained {
  const {http, remedy, says, next} = entryOf(state)
  return {state, httpStatus: http ?? null, exitCode: exitOf(state), remedy, message: says, hint: next}
}

function unknown(state: string, codes: string[]): Failure {
  const near = nearest(state, codes)
  const others = '`scent explain` lists all; a service may answer codes that are newer than this program.'
  return new Failure('INVALID_INPUT', {
    message: `There is no code "${state}" in the catalogue.`,
    hint: near.length > 0 ? `Did you mean ${near.join(', ')}?` : others,
  })
}
