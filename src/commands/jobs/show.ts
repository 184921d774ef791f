import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {apiFlags, jobArg, refusedFlag} from '../../terminal/flags.ts'

export default class JobsShow extends ScentCommand {
  static override summary = 'Show what became of each row of a bulk job.'
  static override description =
    `One verdict a row: CHARGED ONCE, NOT CHARGED with why that is certain, or UNKNOWN with what would settle it and when. In a terminal only the rows that were not charged are listed; a pipe, --json and --output csv get them all. Of a cart import it shows each line, what it held and what it is to hold.

It reads local records and asks the service nothing. --watch follows a job that another process runs.`
  static override examples = [
    '<%= config.bin %> jobs show',
    '<%= config.bin %> jobs show 20261120-030000-k3vq',
    '<%= config.bin %> jobs show 20261120-030000-k3vq --watch',
    '<%= config.bin %> jobs show 20261120-030000-k3vq --output csv > verdicts.csv',
    '<%= config.bin %> jobs show 20261120-030000-k3vq --refused refused.csv',
  ]
  static override args = {job: jobArg}
  static override flags = {
    ...apiFlags,
    watch: Flags.boolean({summary: 'Follow it until it ends, or until Ctrl-C.'}),
    refused: refusedFlag,
  }

  async run(): Promise<unknown> {
    const {args, flags} = await this.parse(JobsShow)
    const {requireNew} = await import('../../bulk/screen.ts')
    if (flags.refused !== undefined) requireNew(flags.refused)
    // The quota of a job is not that of a command.
    const session = await this.session(flags, {job: flags.watch})
    const {openJobs} = await import('../../bulk/journal.ts')
    const {showJob} = await import('../../bulk/run.ts')
    const job = openJobs(session.folders, session.identity).open(args.job)
    if (args.job !== job.head.id) this.note(`Job ${job.head.id}.`)
    return showJob(this, session, job, {
      refused: flags.refused,
      ...(flags.watch && {watch: this.interrupts.until()}),
    })
  }
}
