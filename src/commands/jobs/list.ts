import {ScentCommand} from '../../command.ts'
import {apiFlags, recordFlags} from '../../terminal/flags.ts'
import {firstOf, type Listing} from '../../terminal/output.ts'

export default class JobsList extends ScentCommand {
  static override summary = 'List the bulk jobs of this machine.'
  static override description =
    "A job is `running` in a process, `interrupted` and to be resumed, `unsettled` if rows are unknown, `finished`, or `damaged` if its records can't be read. This is the local record of the profile in use, newest first."
  static override examples = [
    '<%= config.bin %> jobs list',
    '<%= config.bin %> jobs list --limit 5',
    `<%= config.bin %> jobs list --query "items[?state=='interrupted'].id"`,
  ]
  static override flags = {...apiFlags, ...recordFlags}

  async run(): Promise<Listing> {
    const {flags} = await this.parse(JobsList)
    const session = await this.session(flags)
    const {openJobs} = await import('../../bulk/journal.ts')
    const {jobColumns, jobStanding} = await import('../../bulk/standing.ts')
    const jobs = openJobs(session.folders, session.identity).list()
    const {items: shown, told} = firstOf(jobs, flags, 'jobs of this machine')
    const items = [...shown].map(jobStanding)
    this.note(told)
    this.show({rows: items, columns: jobColumns, empty: 'No job has been run from here.'})
    return {items}
  }
}
