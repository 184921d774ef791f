import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import type {ReturnRequest} from '../../contract/returns.ts'
import {foldersOf} from '../../store/paths.ts'
import {requireSandbox} from '../../store/sandbox.ts'
import {outputFlags} from '../../terminal/flags.ts'
import {card} from '../../terminal/table.ts'
import {returnColumns} from '../../terminal/views/returns.ts'

const steps = ['accept', 'reject', 'dispatch', 'receive', 'refund'] as const

export default class SandboxReturn extends ScentCommand {
  static override summary = "Move a return request of the sandbox on, as the service's operator would."
  static override description =
    'accept, dispatch, receive and refund follow each other, and one that is asked for takes those before it too. reject declines the request, or the goods after they were received.'
  static override examples = [
    '<%= config.bin %> sandbox return RMA-000001 refund',
    '<%= config.bin %> sandbox return RMA-000001 reject --reason "Seal is broken"',
  ]
  static override args = {
    id: Args.string({description: 'Id or number of the return request.', required: true}),
    step: Args.option({options: steps})({description: 'What the operator does.', required: true}),
  }
  static override flags = {
    ...outputFlags,
    reason: Flags.string({summary: 'Why it is declined, for reject.', helpValue: 'TEXT'}),
    sound: Flags.boolean({summary: 'For refund: the goods have no defect, so the shipping fee stays.'}),
  }

  async run(): Promise<ReturnRequest> {
    const {args, flags} = await this.parse(SandboxReturn)
    if (flags.reason !== undefined && args.step !== 'reject')
      throw new Failure('INVALID_INPUT', {message: '--reason goes with reject.'})
    if (flags.sound && args.step !== 'refund')
      throw new Failure('INVALID_INPUT', {message: '--sound goes with refund.'})
    const {callAdmin} = await import('../../sandbox/controls/remote.ts')
    const path = `returns/${encodeURIComponent(args.id)}/${args.step}`
    const moved = await callAdmin<ReturnRequest>(requireSandbox(foldersOf()), 'POST', path, {
      ...(flags.reason === undefined ? {} : {reason: flags.reason}),
      ...(flags.sound ? {defect: false} : {}),
    })
    this.show(card(moved, returnColumns))
    return moved
  }
}
