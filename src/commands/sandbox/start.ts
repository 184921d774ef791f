import {dirname, join} from 'node:path'
import type {Interfaces} from '@oclif/core'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {ownFolder} from '../../store/files.ts'
import {tryLock} from '../../store/lock.ts'
import {type Folders, foldersOf} from '../../store/paths.ts'
import {findSandbox, type Locator, removeLocator, sandboxSecret, saveLocator} from '../../store/sandbox.ts'
import {type OutputFlags, outputFlags} from '../../terminal/flags.ts'
import {jsonText, Outlet} from '../../terminal/output.ts'
import {showViews} from '../../terminal/show.ts'
import {credentialColumns} from '../../terminal/views/sandbox.ts'

/** Tried first, so that a profile keeps its base URL over restarts. */
const usualPort = 4747

export default class SandboxStart extends ScentCommand {
  static override summary = 'Serve the whole API on this machine.'
  static override description =
    'Runs until Ctrl-C or `sandbox stop`; --detach leaves it running in the background. What happens in it is kept in a database, and is there again at the next start. With --json, and with --detach in a pipe, one line says how it is reached, once it accepts requests.'
  static override examples = [
    '<%= config.bin %> sandbox start --detach',
    '<%= config.bin %> sandbox start --memory --port 0 --no-limits --json',
    '<%= config.bin %> sandbox start --assume L04=allowed',
  ]
  static override flags = {
    ...outputFlags,
    port: Flags.integer({
      summary: 'Port on 127.0.0.1; 0 picks a free one. By default 4747, or a free one if that is taken.',
      min: 0,
      max: 65_535,
      helpValue: 'N',
    }),
    data: Flags.directory({
      summary: 'Folder of the database; by default one in the state folder.',
      helpValue: 'DIR',
      exclusive: ['memory'],
    }),
    memory: Flags.boolean({summary: 'Keep nothing: the database lives in memory.'}),
    seed: Flags.string({
      summary: 'What a new database holds: demo (by default), empty, or bulk:wallet=N for a long ledger.',
      helpValue: 'SEED',
    }),
    env: Flags.option({options: ['staging', 'production'] as const})({
      summary: 'Which environment it plays.',
      default: 'staging',
    }),
    'no-limits': Flags.boolean({
      summary: 'Answer any number of requests; the commands then do not pace themselves either.',
    }),
    'tls-cert': Flags.file({
      summary: 'PEM certificate to serve https with; give it to clients in NODE_EXTRA_CA_CERTS.',
      helpValue: 'FILE',
      dependsOn: ['tls-key'],
    }),
    'tls-key': Flags.file({
      summary: 'PEM key of that certificate.',
      helpValue: 'FILE',
      dependsOn: ['tls-cert'],
    }),
    strict: Flags.boolean({
      summary: 'Take webhook URLs as the service does: https only, and none that leads to this machine.',
    }),
    assume: Flags.string({
      summary: 'Turn one assumption of the sandbox, such as L04=allowed; repeatable. A wrong one prints all.',
      helpValue: 'ID=ALTERNATIVE',
      multiple: true,
      multipleNonGreedy: true,
    }),
    detach: Flags.boolean({summary: 'Leave it running in the background.'}),
  }

  async run(): Promise<unknown> {
    const {flags, raw} = await this.parse(SandboxStart)
    const folders = foldersOf()
    await refuseSecond(folders)
    if (flags.detach) return this.background(flags, argumentsOf(raw))
    // Ctrl-C is the usual way to end it, SIGTERM that of `sandbox stop`; closing waits for nobody.
    const stop = this.interrupts.until('unheard')
    const stopped = new Promise((resolve) => stop.addEventListener('abort', resolve))
    const unlock = tryLock(join(folders.state, 'sandbox.lock')) ?? refuseRunning(findSandbox(folders))
    const file = flags.memory ? undefined : join(flags.data ?? dataFolder(folders, flags.env), 'sandbox.db')
    const release = file === undefined ? undefined : claim(file)
    const {createSandbox} = await import('../../sandbox/core/sandbox.ts')
    const sandbox = await createSandbox({
      ...(file === undefined ? {} : {file}),
      ...(flags.seed === undefined ? {} : {seed: flags.seed}),
      secret: sandboxSecret(folders),
      limits: !flags['no-limits'],
      strict: flags.strict,
      ...(await this.tls(flags['tls-cert'], flags['tls-key'])),
      environment: flags.env,
      assume: flags.assume ?? [],
    })
    if (sandbox.aside !== undefined)
      this.note(`Another version of the sandbox made the data. It is kept as ${sandbox.aside}.`)
    const baseUrl = await sandbox.listen(flags.port ?? [usualPort, 0])
    const {adminToken, credentials} = sandbox
    const eventTypes = [...sandbox.eventTypes]
    const adminUrl = `${baseUrl}/__sandbox/v1`
    const how = {limits: !flags['no-limits'], environment: flags.env}
    const running = {baseUrl, adminUrl, adminToken, pid: process.pid, credentials, eventTypes, ...how}
    saveLocator(folders, running)
    await this.say(running, flags, 'Ctrl-C stops it.')
    await stopped
    await sandbox.close()
    removeLocator(folders, process.pid)
    release?.()
    unlock()
    return undefined
  }

  private async tls(cert: string | undefined, key: string | undefined): Promise<object> {
    if (cert === undefined || key === undefined) return {}
    const {readInput} = await import('../../store/input.ts')
    return {tls: {cert: await readInput(cert), key: await readInput(key)}}
  }

  private async background(flags: Saying, args: string[]): Promise<undefined> {
    const {startDetached} = await import('../../sandbox/controls/detach.ts')
    const ready = await startDetached(['sandbox', 'start', ...args, '--json'])
    await this.say(ready as Locator, flags, 'It runs in the background until `scent sandbox stop`.')
  }

  /** How it is reached: as a document in one line, as rows of its credentials if these are asked for, or to a person. */
  private async say(running: Locator, {query, columns, detach, port}: Saying, end: string): Promise<void> {
    const {mode} = this
    const {host} = new URL(running.baseUrl)
    if (port === undefined && !host.endsWith(`:${usualPort}`))
      this.note(
        `Port ${usualPort} is taken, and a free one was chosen: ${host}. A profile of an earlier start names the old one; \`scent auth login --sandbox\` renews it.`,
      )
    const isAsked = mode === 'csv' || columns !== undefined
    if (mode === 'json' || mode === 'ndjson' || (detach && !this.inTerminal && !isAsked)) {
      const {openQuery} = await import('../../terminal/query/query.ts')
      const document = query === undefined ? running : openQuery(query)(running)
      this.put(`${jsonText(document, 0)}\n`)
      return
    }
    const rows = {columns: credentialColumns, rows: running.credentials}
    if (isAsked) {
      await showViews(new Outlet(process.stdout), [rows], mode, columns)
      return
    }
    await this.screen({...rows, title: `Serving ${running.baseUrl}`})
    this.note(`Log in with \`scent auth login --sandbox\`. ${end}`)
  }
}

type Saying = Pick<OutputFlags, 'query' | 'columns'> & {detach: boolean; port?: number | undefined}

/** The flags that were given, without those that say how to print. */
function argumentsOf(raw: Interfaces.ParserOutput['raw']): string[] {
  return raw.flatMap((token) => {
    if (token.type !== 'flag' || token.flag === 'detach' || token.flag in outputFlags) return []
    const {type} = SandboxStart.flags[token.flag as keyof typeof SandboxStart.flags]
    return type === 'boolean' ? [`--${token.flag}`] : [`--${token.flag}=${token.input}`]
  })
}

async function refuseSecond(folders: Folders): Promise<void> {
  const {isAnswering} = await import('../../sandbox/controls/remote.ts')
  const found = findSandbox(folders)
  if (found !== undefined && (await isAnswering(found))) refuseRunning(found)
}

function refuseRunning(found: Locator | undefined): never {
  throw new Failure(
    'SANDBOX_RUNNING',
    found && {message: `A sandbox is running already at ${found.baseUrl}.`},
  )
}

const dataFolder = (folders: Folders, environment: string) => join(folders.state, 'sandbox', environment)

/** Makes the database's folder and keeps other sandboxes out of it. */
function claim(file: string): () => void {
  ownFolder(dirname(file))
  const release = tryLock(`${file}.owner`)
  if (release !== undefined) return release
  throw new Failure('SANDBOX_RUNNING', {message: `Another sandbox is using ${file}.`})
}
