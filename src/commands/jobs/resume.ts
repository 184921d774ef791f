import {ScentCommand} from '../../command.ts'
import {apiFlags, concurrencyFlag, jobArg, refusedFlag} from '../../terminal/flags.ts'

export default class JobsResume extends ScentCommand {
  static override async shows() {
    const [orders, carts] = await Promise.all([
      import('../../bulk/orders/screen.ts'),
      import('../../bulk/carts/screen.ts'),
    ])
    return [...orders.verdictTable([], '', '').columns, ...carts.importedTable([], '', '').columns]
  }
  static override summary = 'Go on with a bulk job where it stopped.'
  static override description =
    `Settles first what was sent and not answered, with the same references, locks and bodies; then does what was not begun. What was charged stays charged, and nothing is ordered twice. A cart import reads each cart again and sends only what differs from its targets. The job asks nothing again: it goes on under what was approved when it began.

A second process on the same job is refused.`
  static override examples = [
    '<%= config.bin %> jobs resume',
    '<%= config.bin %> jobs resume 20261120-030000-k3vq',
    '<%= config.bin %> jobs resume 20261120-030000-k3vq --refused refused.csv --json',
  ]
  static override args = {job: jobArg}
  static override flags = {
    ...apiFlags,
    concurrency: concurrencyFlag,
    refused: refusedFlag,
  }

  async run(): Promise<unknown> {
    const {args, flags} = await this.parse(JobsResume)
    const {openJobs} = await import('../../bulk/journal.ts')
    const {requireNew} = await import('../../bulk/screen.ts')
    const {runJob, staySmall} = await import('../../bulk/run.ts')
    staySmall()
    if (flags.refused !== undefined) requireNew(flags.refused)
    const session = await this.session(flags, {job: true, board: true})
    const job = openJobs(session.folders, session.identity).open(args.job)
    if (args.job !== job.head.id) this.note(`Job ${job.head.id}.`)
    return runJob(this, session, job, flags)
  }
}
