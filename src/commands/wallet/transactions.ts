import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {listWalletTransactions} from '../../contract/wallet.ts'
import {checkLedger} from '../../flows/wallet.ts'
import {apiFlags, listFlags} from '../../terminal/flags.ts'
import type {Listing} from '../../terminal/output.ts'
import {periodFlags, periodIn, timeHelp} from '../../terminal/times.ts'
import {chainText, gapTable, transactionColumns} from '../../terminal/views/wallet.ts'

type Checked = Awaited<ReturnType<typeof checkLedger>>

export default class WalletTransactions extends ScentCommand {
  static override summary = 'List the ledger entries of the wallet, newest first.'
  static override description =
    `${timeHelp} --type takes the kind of reference an entry is for; several match any of them.\n\n--check prints the gaps and ends with exit code 8 (LEDGER_GAP) where there is one.`
  static override examples = [
    '<%= config.bin %> wallet transactions --from 2026-01-01 --to 2026-02-01 --all --output csv',
    '<%= config.bin %> wallet transactions --month 2026-10 --all --output csv',
    '<%= config.bin %> wallet transactions --from 7d --type Refund',
    '<%= config.bin %> wallet transactions --from 2026-01-01 --check',
  ]
  static override flags = {
    ...apiFlags,
    ...listFlags,
    ...periodFlags,
    type: Flags.option({
      options: listWalletTransactions.query.referenceType.values,
      multiple: true,
      multipleNonGreedy: true,
    })({summary: 'What an entry is for; repeatable.'}),
    check: Flags.boolean({
      summary: 'Follow the chain of balances instead, and name its gaps.',
      exclusive: ['type', 'page', 'page-size', 'all', 'limit'],
    }),
  }

  async run(): Promise<Listing | Checked> {
    const {flags} = await this.parse(WalletTransactions)
    const {client, lastNow} = await this.session(flags, {job: flags.all || flags.check})
    const {from: fromUtc, to: toUtc} = periodIn(flags, lastNow())
    if (flags.check) {
      const checked = await checkLedger(client, {fromUtc, toUtc})
      if (checked.unbroken) this.note(chainText(checked))
      else this.finding(new Failure('LEDGER_GAP', {message: chainText(checked)}))
      this.show(gapTable(checked))
      return checked
    }
    const query = {fromUtc, toUtc, referenceType: flags.type}
    const columns = transactionColumns(flags.currency !== undefined)
    return this.list(client, listWalletTransactions, {query}, flags, {
      columns,
      empty: 'The ledger has no such entry.',
    })
  }
}
