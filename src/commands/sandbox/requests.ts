import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {foldersOf} from '../../store/paths.ts'
import {requireSandbox} from '../../store/sandbox.ts'
import {outputFlags} from '../../terminal/flags.ts'
import {requestColumns} from '../../terminal/views/sandbox.ts'

export default class SandboxRequests extends ScentCommand {
  static override summary = 'Show the requests that reached the sandbox, oldest first.'
  static override description =
    'The last 1,000 exchanges; --json has their bodies too. Secrets and tokens are redacted.'
  static override examples = [
    '<%= config.bin %> sandbox requests --limit 20',
    '<%= config.bin %> sandbox requests --clear',
  ]
  static override flags = {
    ...outputFlags,
    since: Flags.integer({
      summary: 'Only those after this number, which each request has.',
      min: 0,
      default: 0,
      helpValue: 'N',
    }),
    limit: Flags.integer({summary: 'Only the last N.', min: 1, helpValue: 'N'}),
    clear: Flags.boolean({summary: 'Forget them.', exclusive: ['limit']}),
  }

  async run(): Promise<object> {
    const {flags} = await this.parse(SandboxRequests)
    const {callAdmin} = await import('../../sandbox/controls/remote.ts')
    const running = requireSandbox(foldersOf())
    if (flags.clear) await callAdmin(running, 'DELETE', 'requests')
    const {items: all} = await callAdmin<{items: object[]}>(running, 'GET', `requests?since=${flags.since}`)
    const items = flags.limit === undefined ? all : all.slice(-flags.limit)
    this.show({columns: requestColumns, rows: items, empty: 'No request has come.'})
    return {items}
  }
}
