import {apiFlags, ScentCommand} from '../../command.ts'
import {listWalletTransactions, type WalletTransaction} from '../../contract/wallet.ts'
import {balanceCard} from '../../terminal/wallet.ts'

export default class WalletBalance extends ScentCommand {
  static override summary = 'Show what the wallet holds.'
  static override description =
    'The service has no read of the balance: it is the balance after the newest ledger entry, which --json prints whole. A wallet without entries prints null.'
  static override examples = [
    '<%= config.bin %> wallet balance',
    '<%= config.bin %> wallet balance --query balanceAfter',
  ]
  static override flags = {...apiFlags}

  async run(): Promise<WalletTransaction | null> {
    const {flags} = await this.parse(WalletBalance)
    const {client} = await this.session(flags)
    const page = await client.call(listWalletTransactions, {query: {pageSize: 1}})
    const newest = page.items[0] ?? null
    if (!newest) this.note('The ledger has no entry yet, and nothing else tells the balance.')
    this.show(balanceCard(newest))
    return newest
  }
}
