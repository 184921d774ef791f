import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {reportStatement} from '../../contract/statements.ts'
import {reconcile} from '../../flows/ledger.ts'
import {apiFlags, checkFlag} from '../../terminal/flags.ts'
import {neededPeriod, timeHelp, wholePeriodIn} from '../../terminal/times.ts'
import {mismatchText, statementViews} from '../../terminal/views/statements.ts'

export default class StatementsReport extends ScentCommand {
  static override summary = 'Show the provisional billing document of a period.'
  static override description =
    `${timeHelp} The shape of the answer is not documented beyond its name: --json prints it as it came.\n\nIf its totals are not the sums of its lines, a warning on stderr says so.`
  static override examples = [
    '<%= config.bin %> statements report --month 2026-10',
    '<%= config.bin %> statements report --from 2026-11-01 --to 2026-11-20',
  ]
  static override flags = {
    ...apiFlags,
    check: checkFlag,
    ...neededPeriod,
  }

  async run(): Promise<unknown> {
    const {flags} = await this.parse(StatementsReport)
    const {client, lastNow} = await this.session(flags)
    const report = await client.call(reportStatement, {query: wholePeriodIn(flags, lastNow())})
    const mismatches = reconcile(report)
    if (mismatches?.length === 0) this.said('Its totals are the sums of its lines.')
    else if (mismatches)
      this.finding(new Failure('STATEMENT_MISMATCH', {message: mismatchText(mismatches)}), !flags.check)
    await this.showAnswer(report, statementViews)
    return report
  }
}
