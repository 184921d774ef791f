import {join} from 'node:path'
import {ScentCommand} from '../command.ts'
import {type Failure, isFailure} from '../contract/failure.ts'
import {openDesk} from '../desk/desk.ts'
import {PROBE, probe} from '../flows/probe.ts'
import type {Session} from '../session.ts'
import {removeOwn, writeOwn} from '../store/files.ts'
import {removeKeychain, saveKeychain} from '../store/keychain.ts'
import {configFile, foldersOf} from '../store/paths.ts'
import {readConfig} from '../store/profiles.ts'
import {leftBehind} from '../store/remains.ts'
import {type FailureDocument, failureDocument} from '../terminal/failure.ts'
import {apiFlags, type SessionFlags} from '../terminal/flags.ts'
import {counted} from '../terminal/text.ts'
import {type Check, checkTable, remainsText, removalText} from '../terminal/views/doctor.ts'

/** What a check found; `next` is what to do although nothing has failed. */
interface Found {
  detail: string
  next?: string | null
  isWell?: boolean
}

/** No profile can have this name. */
const PROBED = 'doctor probe'

export default class Doctor extends ScentCommand {
  static override summary = 'Check this installation, from its files to the service.'
  static override description =
    'Each check by itself; of the service it reads one entry of the wallet. Nothing is changed but two probes, which are taken away again: a file in the state folder, and an entry in the keychain where the profile uses it. The exit code is 0, or that of the first failure; a warning is something to look at. The last line names all that stays on this machine if the program is removed, and the commands that remove it.'
  static override examples = ['<%= config.bin %> doctor', '<%= config.bin %> doctor --profile staging --json']
  static override flags = {...apiFlags}

  private readonly checks: Check[] = []
  private first: Failure | undefined

  async run(): Promise<{items: Check[]} & Partial<FailureDocument>> {
    const {flags} = await this.parse(Doctor)
    const folders = foldersOf()
    const {version, platform, arch} = process
    await this.check(
      'program',
      () => `scent ${this.config.version}, Node.js ${version}, ${platform} ${arch}, in ${this.config.root}`,
    )
    await this.check(
      'settings',
      () => `${counted(Object.keys(readConfig(folders).profiles).length, 'profile')}, ${configFile(folders)}`,
    )
    await this.check('state folder', () => probeFolder(folders.state))
    const session = await this.credential(flags)
    if (session && session.settings.secret.kind !== 'keychain') this.skip('keychain', 'Not needed here.')
    else await this.check('keychain', probeKeychain)
    if (session) await this.service(session)
    else for (const check of ['service', 'orders']) this.skip(check, 'Needs a credential.')
    const {reportInbox, reportReceipts} = await import('../desk/report.ts')
    await this.check('receipts', () => reportReceipts(openDesk(flags)))
    await this.check('inbox', () => reportInbox(openDesk(flags)))
    const keychain = this.checks.find(({check}) => check === 'keychain')
    await this.check('left behind', async () => {
      const remains = await leftBehind(folders, this.config.root, keychain?.state === 'ok')
      return {detail: remainsText(remains), next: removalText(remains)}
    })
    this.show(checkTable(this.checks))
    if (this.first === undefined) return {items: this.checks}
    process.exitCode = this.first.exitCode
    return {items: this.checks, ...failureDocument(this.first)}
  }

  private async credential(flags: SessionFlags): Promise<Session | undefined> {
    let session: Session | undefined
    await this.check('credential', async () => {
      session = await this.session(flags)
      const {clientId, baseUrl} = session.settings
      return `${clientId.value} (${clientId.source}) at ${baseUrl.value} (${baseUrl.source})`
    })
    return session
  }

  private async service(session: Session): Promise<void> {
    await this.check('service', async () => {
      return `It accepts the credential: it answered ${PROBE} with ${await probe(session.client)}.`
    })
    await this.check('orders', async () => {
      const all = await (await session.orders()).all()
      const open = all.filter(({settled}) => !settled).length
      return `${all.length} recorded beside those of jobs, ${open} not settled${open > 0 ? ': `scent orders list` names them' : ''}.`
    })
  }

  /** A failure is this check's outcome; the others go on. */
  private async check(check: string, work: () => Found | string | Promise<Found | string>): Promise<void> {
    try {
      const found = await work()
      const facts: Found = typeof found === 'string' ? {detail: found} : found
      const {detail, next = null, isWell = true} = facts
      this.checks.push({check, state: isWell ? 'ok' : 'warning', detail, next})
    } catch (error) {
      if (!isFailure(error) || error.code === 'INTERRUPTED') throw error
      this.checks.push({check, state: 'failed', detail: `${error.message} (${error.code})`, next: error.hint})
      this.first ??= error
    }
  }

  private skip(check: string, detail: string): void {
    this.checks.push({check, state: 'skipped', detail, next: null})
  }
}

function probeFolder(folder: string): string {
  const probe = join(folder, `.doctor-${process.pid}`)
  writeOwn(probe, 'probe\n')
  removeOwn(probe)
  return folder
}

async function probeKeychain(): Promise<string> {
  await saveKeychain(PROBED, `probe ${process.pid}`)
  await removeKeychain(PROBED)
  return 'It keeps a secret from one process for the next.'
}
