import {ScentCommand} from '../../command.ts'
import {listWalletTransactions, type WalletTransaction} from '../../contract/wallet.ts'
import {localTime} from '../../terminal/cells.ts'
import {chart} from '../../terminal/chart.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {balanceCard} from '../../terminal/views/wallet.ts'

export default class WalletBalance extends ScentCommand {
  static override summary = 'Show what the wallet holds.'
  static override description =
    'The service has no read of the balance: it is the balance after the newest ledger entry, which --json prints whole. In a terminal its course is drawn. A wallet without entries prints null.'
  static override examples = [
    '<%= config.bin %> wallet balance',
    '<%= config.bin %> wallet balance --query balanceAfter',
  ]
  static override flags = {...apiFlags}

  async run(): Promise<WalletTransaction | null> {
    const {flags} = await this.parse(WalletBalance)
    const {client} = await this.session(flags)
    // A picture of the last entries costs no request more.
    const pageSize = process.stdout.isTTY ? 100 : 1
    const {items} = await client.call(listWalletTransactions, {query: {pageSize}})
    const newest = items[0] ?? null
    const points = items.map(({balanceAfter}) => Number(String(balanceAfter))).reverse()
    const ends = [items.at(-1), newest].map((entry) =>
      localTime(String(entry?.timestamp ?? '')).slice(0, 16),
    ) as [string, string]
    this.picture(`Balance over the last ${points.length} entries`, (width) => chart(points, {width, ends}))
    if (!newest) this.note('The ledger has no entry yet, and nothing else tells the balance.')
    this.show(balanceCard(newest))
    return newest
  }
}
