import {ScentCommand} from '../../command.ts'
import {isFailure} from '../../contract/failure.ts'
import {PROBE, probe} from '../../flows/probe.ts'
import type {Session} from '../../session.ts'
import type {Setting} from '../../store/settings.ts'
import {type FailureDocument, failureDocument} from '../../terminal/failure.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {type SettingRow, settingTable} from '../../terminal/views/auth.ts'

type Status = {
  usable: boolean
  settings: SettingRow[]
  configDir: string
  stateDir: string
} & Partial<FailureDocument>

export default class AuthStatus extends ScentCommand {
  static override summary = 'Show which credential and host are in use, and whether they work.'
  static override description =
    'Each setting with where it came from and what it won over. One entry of the wallet is read with it; the exit code is 0 if the service answers that, and otherwise that of the failure.'
  static override examples = [
    '<%= config.bin %> auth status',
    '<%= config.bin %> auth status --profile staging --json',
  ]
  static override flags = {...apiFlags}

  async run(): Promise<Status> {
    const {flags} = await this.parse(AuthStatus)
    const session = await this.session(flags)
    const problem = await problemOf(session)
    const settings = rowsOf(session)
    this.show(settingTable(settings))
    const {config: configDir, state: stateDir} = session.folders
    if (problem === undefined) {
      this.said(`The service accepts this credential: it answered ${PROBE}.`)
      return {usable: true, settings, configDir, stateDir}
    }
    if (!flags.json) {
      this.note(`Not usable: ${problem.message} (${problem.code})`)
      this.note(`Next: ${problem.hint}`)
    }
    process.exitCode = problem.exitCode
    return {usable: false, settings, configDir, stateDir, ...failureDocument(problem)}
  }
}

/** This command's outcome is whether the service takes the credential: only here a failure is an answer. */
async function problemOf({client}: Session) {
  try {
    await probe(client)
    return undefined
  } catch (error) {
    if (isFailure(error)) return error
    throw error
  }
}

function rowsOf({settings, folders}: Session): SettingRow[] {
  const {profile, baseUrl, clientId, secret, onBehalfOf, currency, rateShare} = settings
  const row = (setting: string, found: Setting | undefined): SettingRow => ({
    setting,
    value: found?.value,
    source: found?.source,
    beat: found?.beat ?? [],
  })
  const secretRow =
    secret.kind === 'environment'
      ? {value: 'set', source: 'SCENT_CLIENT_SECRET'}
      : {value: 'stored', source: secret.kind === 'keychain' ? 'keychain' : folders.config}
  return [
    row('profile', profile),
    row('base-url', baseUrl),
    row('client-id', clientId),
    {setting: 'client-secret', ...secretRow, beat: []},
    row('as', onBehalfOf),
    row('currency', currency),
    {setting: 'rate-share', value: String(rateShare), source: undefined, beat: []},
  ]
}
