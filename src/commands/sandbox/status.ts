import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {foldersOf} from '../../store/paths.ts'
import {requireSandbox} from '../../store/sandbox.ts'
import {outputFlags} from '../../terminal/flags.ts'
import {partnerColumns, type SandboxInfo, sandboxCard} from '../../terminal/views/sandbox.ts'

interface Checked {
  violations: Violation[]
}

interface Violation {
  invariant: string
  ids: string[]
}

export default class SandboxStatus extends ScentCommand {
  static override summary = 'Show how the running sandbox is reached and how it stands.'
  static override description =
    '--check goes through its whole database: every balance, lock, reference, stock and cart must add up. --all prints every cart, lock and order of every partner.'
  static override examples = [
    '<%= config.bin %> sandbox status',
    '<%= config.bin %> sandbox status --check',
    '<%= config.bin %> sandbox status --all --json',
  ]
  static override flags = {
    ...outputFlags,
    check: Flags.boolean({summary: 'Check the invariants of its database; exit code 1 if one is broken.'}),
    all: Flags.boolean({summary: 'With everything in its database, in the JSON.'}),
  }

  async run(): Promise<object> {
    const {flags} = await this.parse(SandboxStatus)
    const running = requireSandbox(foldersOf())
    const {callAdmin} = await import('../../sandbox/controls/remote.ts')
    const info = await callAdmin<SandboxInfo & {partners: object[]}>(running, 'GET', 'info')
    const {baseUrl, adminUrl} = running
    this.show(sandboxCard({...info, baseUrl}), {columns: partnerColumns, rows: info.partners})
    const checked = flags.check ? await callAdmin<Checked>(running, 'GET', 'check') : undefined
    if (checked && checked.violations.length > 0) this.finding(broken(checked.violations))
    else if (checked) this.said('Checked: every balance, lock, reference, stock and cart adds up.')
    const state = flags.all ? await callAdmin<object>(running, 'GET', 'state') : {}
    return {...info, ...checked, ...state, baseUrl, adminUrl}
  }
}

function broken(violations: Violation[]): Failure {
  const named = violations.map(({invariant, ids}) => `${invariant} (${ids.join(', ')})`).join('; ')
  return new Failure('SANDBOX_BROKEN', {
    message: `The database of the sandbox breaks its own rules: ${named}.`,
  })
}
