import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {foldersOf} from '../../store/paths.ts'
import {requireSandbox} from '../../store/sandbox.ts'
import {outputFlags} from '../../terminal/flags.ts'
import {clockCard, type SandboxInfo, sandboxCard} from '../../terminal/views/sandbox.ts'

export default class SandboxReset extends ScentCommand {
  static override summary = 'Put the sandbox back to its first data, or to a snapshot.'
  static override description =
    'Carts, orders, ledger, faults, journal and limits start anew and the clock runs with this machine. --save keeps the present state under a name, --to goes back to it.'
  static override examples = [
    '<%= config.bin %> sandbox reset',
    '<%= config.bin %> sandbox reset --save before',
    '<%= config.bin %> sandbox reset --to before',
  ]
  static override flags = {
    ...outputFlags,
    seed: Flags.string({
      summary: 'What to start with: demo, empty, or bulk:wallet=N for a long ledger; as before by default.',
      helpValue: 'SEED',
    }),
    save: Flags.string({summary: 'Only save a snapshot.', helpValue: 'NAME', exclusive: ['seed', 'to']}),
    to: Flags.string({summary: 'Go back to a snapshot.', helpValue: 'NAME', exclusive: ['seed']}),
  }

  async run(): Promise<object> {
    const {flags} = await this.parse(SandboxReset)
    const running = requireSandbox(foldersOf())
    const {callAdmin} = await import('../../sandbox/controls/remote.ts')
    if (flags.save !== undefined) {
      const saved = await callAdmin<{name: string}>(
        running,
        'POST',
        `snapshots/${encodeURIComponent(flags.save)}`,
      )
      this.show({columns: [{key: 'name', header: 'Snapshot', get: ({name}) => name}], rows: [saved]})
      return saved
    }
    if (flags.to !== undefined) {
      const path = `snapshots/${encodeURIComponent(flags.to)}/restore`
      const clock = await callAdmin<SandboxInfo['clock']>(running, 'POST', path)
      this.show(clockCard(clock))
      return clock
    }
    const info = await callAdmin<SandboxInfo>(running, 'POST', 'reset', flags.seed ? {seed: flags.seed} : {})
    this.show(sandboxCard({...info, baseUrl: running.baseUrl}))
    return info
  }
}
