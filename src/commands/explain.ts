import * as Args from '@oclif/core/args'
import {ScentCommand} from '../command.ts'
import {catalogue} from '../contract/errors.ts'
import {type Explained, explain, explainedCode} from '../flows/explain.ts'
import {outputFlags} from '../terminal/flags.ts'
import {codesView, operationTable, operationViews} from '../terminal/views/explain.ts'

export default class Explain extends ScentCommand {
  static override summary = 'Explain an error code, or an operation of the API.'
  static override description =
    'Lists every code without STATE. The remedy tells a script what to do: fix (change the request), login, settle (something exists already: read it), wait (safe to repeat later), decide (a person must choose) or support. Of an operation, by its name or its path, it tells what is sent, what is done after a lost answer, and what it can be refused with; `scent api` lists them all.'
  static override examples = [
    '<%= config.bin %> explain VALIDATION_PRICE_LOCK_EXPIRED',
    '<%= config.bin %> explain 429',
    '<%= config.bin %> explain createOrder',
    '<%= config.bin %> explain POST scent/cart/items',
    `<%= config.bin %> explain --query "items[?remedy=='wait'].state"`,
  ]
  static override args = {
    state: Args.string({
      description: 'Error code or part of it, HTTP status, exit code, operation, path or method of a path.',
    }),
    path: Args.string({description: 'Path of an operation, behind its method.'}),
  }
  static override flags = {...outputFlags}

  async run(): Promise<unknown> {
    const {args} = await this.parse(Explain)
    const {state, path = ''} = args
    return this.showExplained(
      state === undefined
        ? {kind: 'codes', codes: Object.keys(catalogue).map(explainedCode)}
        : await explain(`${state} ${path}`.trim()),
    )
  }

  private showExplained(explained: Explained): unknown {
    switch (explained.kind) {
      case 'operation':
        this.show(...operationViews(explained.operation))
        return explained.operation
      case 'operations':
        this.show(operationTable(explained.operations))
        return {items: explained.operations}
      case 'codes':
        this.show(codesView(explained.codes))
        return explained.codes.length === 1 ? explained.codes[0] : {items: explained.codes}
    }
  }
}
