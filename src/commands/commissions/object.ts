import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import type {CommissionPeriod} from '../../contract/commissions.ts'
import {Failure} from '../../contract/failure.ts'
import {objectTo} from '../../flows/commissions.ts'
import {readInput} from '../../store/input.ts'
import {apiFlags, requireUuid} from '../../terminal/flags.ts'
import {card} from '../../terminal/table.ts'
import {commissionColumns} from '../../terminal/views/commissions.ts'

export default class CommissionsObject extends ScentCommand {
  static override confirms = true
  static override summary = 'Object to a provisional commission period.'
  static override description =
    'Once a period, and only until its issue date. The reason has 1 to 1000 characters; - reads it from stdin. Asks once; --yes answers.'
  static override examples = [
    '<%= config.bin %> commissions object a6b23fd1-e4ce-41eb-a0bf-2561b34d328b --reason "Order SCN-0000000004 is missing."',
    '<%= config.bin %> commissions object a6b23fd1-e4ce-41eb-a0bf-2561b34d328b --reason - --yes < reason.txt',
  ]
  static override args = {id: Args.string({description: 'Period id, a UUID.', required: true})}
  static override flags = {
    ...apiFlags,
    reason: Flags.string({summary: 'Why; - reads stdin.', helpValue: 'TEXT|-', required: true}),
  }

  async run(): Promise<CommissionPeriod> {
    const {args, flags} = await this.parse(CommissionsObject)
    requireUuid('ID', args.id)
    const reason = flags.reason === '-' ? (await readInput('-')).trim() : flags.reason
    if (reason.trim() === '' || [...reason].length > 1000) {
      const message = `The reason has ${[...reason].length} characters; it must have 1 to 1000, not only blanks.`
      throw new Failure('INVALID_INPUT', {message})
    }
    await this.confirm(`Object to commission period ${args.id}? It can be done once.`)
    const {client} = await this.session(flags)
    const period = await objectTo(client, args.id, reason)
    await this.showAnswer(period, (one) => [card(one, commissionColumns)])
    return period
  }
}
