import * as Args from '@oclif/core/args'
import {ScentCommand} from '../../command.ts'
import {salesReports} from '../../contract/reports.ts'
import {readSales} from '../../flows/reports.ts'
import {chart} from '../../terminal/chart.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {words} from '../../terminal/guess.ts'
import {neededPeriod, timeHelp, wholePeriodIn} from '../../terminal/times.ts'
import {anyView, rowsOf} from '../../terminal/views/any.ts'
import {seriesOf} from '../../terminal/views/reports.ts'

export default class ReportsSales extends ScentCommand {
  static override summary = 'Show a sales report.'
  static override description = `At most 400 days. ${timeHelp}

Which reports the service has is not documented: NAME is sent as it is. The sandbox knows ${salesReports.join(', ')}.

In a terminal, a report whose rows carry a date, such as by-day, is drawn as a chart too, and the others are not. In one by day, a day without a row counts as one that sold nothing.`
  static override examples = [
    '<%= config.bin %> reports sales --month 2026-10',
    '<%= config.bin %> reports sales --from 30d',
    '<%= config.bin %> reports sales by-day --from 2026-01-01 --to 2026-02-01',
    '<%= config.bin %> reports sales by-variant --from 2026-01-01 --to 2026-02-01 --output csv',
  ]
  static override args = {name: Args.string({description: 'Which report.', default: 'summary'})}
  static override flags = {
    ...apiFlags,
    ...neededPeriod,
  }

  async run(): Promise<unknown> {
    const {args, flags} = await this.parse(ReportsSales)
    const {client, lastNow} = await this.session(flags)
    const {from, to} = wholePeriodIn(flags, lastNow())
    const report = await readSales(client, args.name, {fromUtc: from, toUtc: to})
    const series = seriesOf(rowsOf(report ?? {}) ?? [], {report: args.name, from, to})
    if (series) {
      const {name, points, ends} = series
      const draw = (width: number) => chart(points, {width, ends, keep: 'highest'})
      this.picture(`${words(name)} over time`, draw)
    }
    this.show(anyView(report))
    return report
  }
}
