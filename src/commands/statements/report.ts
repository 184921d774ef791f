import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {reportStatement, type StatementDocument} from '../../contract/statements.ts'
import {reconcile} from '../../flows/ledger.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {mismatchText, statementCard, statementLines} from '../../terminal/views/statements.ts'

export default class StatementsReport extends ScentCommand {
  static override summary = 'Show the provisional billing document of a period.'
  static override description =
    'Dates are UTC; a date alone means its first moment. The shape of the answer is not documented beyond its name: --json prints it as it came.\n\nIf its totals are not the sums of its lines, it is printed all the same, and the exit code is 8 (STATEMENT_MISMATCH).'
  static override examples = ['<%= config.bin %> statements report --from 2026-11-01 --to 2026-11-20']
  static override flags = {
    ...apiFlags,
    from: Flags.string({summary: 'Start of the period.', helpValue: 'TIME', required: true}),
    to: Flags.string({summary: 'End of the period.', helpValue: 'TIME', required: true}),
  }

  async run(): Promise<unknown> {
    const {flags} = await this.parse(StatementsReport)
    const {client} = await this.session(flags)
    const report = await client.call(reportStatement, {query: {from: flags.from, to: flags.to}})
    await this.showMentioned(reportStatement, report, (read) => {
      const inner = (read as {document?: StatementDocument | null}).document
      const document = inner ?? read
      if (!Array.isArray(document.lines)) return [statementCard(document)]
      const mismatches = reconcile(document)
      if (mismatches.length === 0) this.aside('Its totals are the sums of its lines.')
      else this.finding(new Failure('STATEMENT_MISMATCH', {message: mismatchText(mismatches)}))
      return [statementCard(document), statementLines(document)]
    })
    return report
  }
}
