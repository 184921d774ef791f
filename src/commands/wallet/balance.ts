import {ScentCommand} from '../../command.ts'
import {itemsOf} from '../../contract/paging.ts'
import {listWalletTransactions, type WalletTransaction} from '../../contract/wallet.ts'
import {localTime} from '../../terminal/cells.ts'
import {chart} from '../../terminal/chart.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {rowsOf} from '../../terminal/table.ts'
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
    const page = await client.call(listWalletTransactions, {query: {pageSize}}, {onlyShown: true})
    const items = itemsOf(page) as (WalletTransaction | null)[] | undefined
    // What is not a list is printed as it came.
    const newest = items ? (items[0] ?? null) : (page as unknown as WalletTransaction)
    const points = rowsOf(items)
      .map((entry) => Number(String(entry?.balanceAfter)))
      .reverse()
    const ends = [items?.at(-1), newest].map((entry) =>
      localTime(String(entry?.timestamp ?? '')).slice(0, 16),
    ) as [string, string]
    this.picture(`Balance over the last ${points.length} entries`, (width) => chart(points, {width, ends}))
    if (items && items.length > 0 && !newest)
      this.note('The newest entry of the ledger came empty, and nothing else tells the balance.')
    if (items?.length === 0) this.note('The ledger has no entry yet, and nothing else tells the balance.')
    this.show(balanceCard(newest))
    return newest
  }
}
