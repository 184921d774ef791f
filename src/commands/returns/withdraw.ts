import * as Args from '@oclif/core/args'
import {ScentCommand} from '../../command.ts'
import {findReturn, withdraw} from '../../flows/returns.ts'
import {apiFlags} from '../../terminal/flags.ts'

type Withdrawn = Awaited<ReturnType<typeof withdraw>>

export default class ReturnsWithdraw extends ScentCommand {
  static override confirms = true
  static override summary = 'Withdraw a return request that is still Requested.'
  static override description =
    "Once the service has decided on a request, it can't be withdrawn any more. Asks once; --yes answers."
  static override examples = [
    '<%= config.bin %> returns withdraw RMA-000001',
    '<%= config.bin %> returns withdraw 7bbaabd5-dca4-489e-b6b7-a564c57406bf --yes',
  ]
  static override args = {
    id: Args.string({description: 'Number or id of the return request.', required: true}),
  }
  static override flags = {...apiFlags}

  async run(): Promise<Withdrawn> {
    const {args, flags} = await this.parse(ReturnsWithdraw)
    const {client} = await this.session(flags)
    const {id: found, number} = await findReturn(client, args.id)
    await this.confirm(`Withdraw return request ${number ?? found}?`)
    const request = await withdraw(client, found)
    await this.showAnswer(request, (one) => [
      {
        rows: [one],
        upright: true,
        columns: [
          {key: 'id', header: 'Return', get: ({id}: Withdrawn) => id ?? found},
          {key: 'status', header: 'Status', get: ({status}: Withdrawn) => status},
        ],
      },
    ])
    return request
  }
}
