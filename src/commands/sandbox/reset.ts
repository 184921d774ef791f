import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {millis} from '../../contract/forms.ts'
import {noteClock} from '../../desk/desk.ts'
import {setRecordsAside} from '../../store/aside.ts'
import {type Folders, foldersOf} from '../../store/paths.ts'
import {type Locator, requireSandbox} from '../../store/sandbox.ts'
import {outputFlags} from '../../terminal/flags.ts'
import {clockCard, type SandboxInfo, sandboxCard, snapshotTable} from '../../terminal/views/sandbox.ts'

export default class SandboxReset extends ScentCommand {
  static override confirms = true
  static override summary = 'Put the sandbox back to its first data, or to a snapshot.'
  static override description =
    'Carts, orders, ledger, faults, journal and limits start anew and the clock runs with this machine. What this machine has noted of orders, webhooks and jobs there is set aside. --save keeps the present state under a name, --to goes back to it. Asks once; --yes answers.'
  static override examples = [
    '<%= config.bin %> sandbox reset',
    '<%= config.bin %> sandbox reset --save before',
    '<%= config.bin %> sandbox reset --to before --yes',
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
    const folders = foldersOf()
    const running = requireSandbox(folders)
    const {callAdmin} = await import('../../sandbox/controls/remote.ts')
    if (flags.save !== undefined) {
      const saved = await callAdmin<{name: string}>(
        running,
        'POST',
        `snapshots/${encodeURIComponent(flags.save)}`,
      )
      this.show(snapshotTable(saved))
      return saved
    }
    if (flags.seed !== undefined) await requireSeed(flags.seed)
    const target = flags.to === undefined ? 'its first data' : `the snapshot ${flags.to}`
    await this.confirm(
      `Put the sandbox at ${running.baseUrl} back to ${target}? Its carts, orders and webhooks of now will be gone.`,
    )
    if (flags.to !== undefined) {
      const path = `snapshots/${encodeURIComponent(flags.to)}/restore`
      const clock = await callAdmin<SandboxInfo['clock']>(running, 'POST', path)
      noteClock(running.baseUrl, millis(clock.now))
      this.setAside(folders, running)
      this.show(clockCard(clock))
      return clock
    }
    const info = await callAdmin<SandboxInfo>(running, 'POST', 'reset', flags.seed ? {seed: flags.seed} : {})
    noteClock(running.baseUrl, millis(info.clock.now))
    this.setAside(folders, running)
    this.show(sandboxCard({...info, baseUrl: running.baseUrl}))
    return info
  }

  private setAside(folders: Folders, {baseUrl}: Locator): void {
    const aside = setRecordsAside(folders, baseUrl, new Date())
    if (aside !== undefined)
      this.note(`What this machine had noted of its orders, webhooks and jobs was moved to ${aside}.`)
  }
}

async function requireSeed(seed: string): Promise<void> {
  const {isSeed, seedsKnown} = await import('../../sandbox/core/seed.ts')
  if (!isSeed(seed))
    throw new Failure('INVALID_INPUT', {message: `"${seed}" is not a valid seed.`, hint: seedsKnown})
}
