import {randomBytes} from 'node:crypto'
import {once, setMaxListeners} from 'node:events'
import {mkdtempSync, rmSync} from 'node:fs'
import type {Server} from 'node:http'
import type {AddressInfo} from 'node:net'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {Failure} from '../../contract/failure.ts'
import {limits} from '../../contract/limits.ts'
import type {HttpRequest, HttpResponse, Send} from '../../contract/wire.ts'
import {createAdmin} from '../controls/admin.ts'
import {createTokens} from '../door/auth.ts'
import {maxBodyBytes} from '../door/body.ts'
import {createDoor, type Door} from '../door/door.ts'
import {createFaults} from '../door/faults.ts'
import {createServer} from '../door/http.ts'
import {createLimiter} from '../door/limits.ts'
import {createRequests} from '../door/requests.ts'
import {createDeliverer} from '../rules/deliveries.ts'
import {eventTypes} from '../rules/events.ts'
import {type Credential, credentialsOf} from '../rules/partners.ts'
import {openClock} from '../time/clock.ts'
import {createTicker} from '../time/ticker.ts'
import {assume, turned} from './assumptions.ts'
import {seedWorld} from './seed.ts'
import type {Environment, State} from './state.ts'
import {openWorld} from './world.ts'

interface SandboxOptions {
  /** The database file, which no other process may use; in memory by default. */
  file?: string
  /** What a new database holds; `demo` by default. */
  seed?: string
  /** The base of client secrets and token signatures; a random one by default. */
  secret?: string
  /** Rate limits, as the service has them; on by default. */
  limits?: boolean
  /** The environment that it serves (G02); `staging` by default. */
  environment?: Environment
  /** A certificate and its key in PEM, to serve https (G03). */
  tls?: {cert: string; key: string}
  /** Refuses webhook URLs that are http or lead to this machine. */
  strict?: boolean
  /** Decisions turned the other way, as `ID=alternative`. */
  assume?: readonly string[]
}

interface Sandbox {
  /** Carries a request into the sandbox without a network; broken answers fail as NO_ANSWER. */
  send: Send
  state: State
  credentials: Credential[]
  /** The types of its events. */
  eventTypes: readonly string[]
  /** Where a database of another version was put aside, if the file held one. */
  aside?: string | undefined
  /** The bearer token of the controls below /__sandbox/v1. */
  adminToken: string
  /**
   * Serves on 127.0.0.1 and returns the base URL. Port 0 picks a free one; of several ports the first free one is
   * taken. Fails with INVALID_INPUT if the port is taken.
   */
  listen(ports?: number | readonly number[]): Promise<string>
  /** Lets running requests end, then closes the server and the database. */
  close(): Promise<void>
}

const idSeed = 'scent-sandbox'

/** Opens a sandbox: its database, its rules and its doors. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const closing = new AbortController()
  // Any number of requests may be held up at once.
  setMaxListeners(0, closing.signal)
  const state = onDisk(options.file, () => openState(options, closing.signal))
  const adminToken = randomBytes(24).toString('base64url')
  const scratch = options.file === undefined ? mkdtempSync(join(tmpdir(), 'scent-sandbox-')) : undefined
  const folder = join(scratch ?? dirname(options.file ?? ''), 'snapshots')
  const admin = createAdmin(state, {token: adminToken, folder})
  const api = createDoor(state)
  const door: Door = (incoming) => (incoming.target.startsWith('/__sandbox/') ? admin : api)(incoming)
  let server: Server | undefined
  return {
    send: (request) => inProcess(door, request),
    adminToken,
    aside: state.world.aside,
    state,
    credentials: credentialsOf(state),
    eventTypes,
    listen: async (ports = 0) => {
      const {tls} = options
      server = createServer(door, state, tls)
      const port = await listening(server, [ports].flat())
      return `${tls ? 'https' : 'http'}://127.0.0.1:${port}`
    },
    close: async () => {
      if (server !== undefined) await drain(server)
      closing.abort()
      onDisk(options.file, () => state.world.close())
      if (scratch !== undefined) rmSync(scratch, {recursive: true, force: true})
    },
  }
}

/** What SQLite says if the disk fails it, and no statement of ours is wrong. */
const DISK = /disk|unable to open|readonly|malformed/

/** Fails with FILE_FAILED, naming the database, if the disk refuses. */
function onDisk<T>(file = 'The database', step: () => T): T {
  try {
    return step()
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'SQLite3Error' || !DISK.test(error.message)) throw error
    throw new Failure(
      'FILE_FAILED',
      {message: `${file} could not be used (${error.message}).`},
      {cause: error},
    )
  }
}

function openState(options: SandboxOptions, closing: AbortSignal): State {
  const world = openWorld(options.file ?? ':memory:', idSeed)
  const clock = openClock(world)
  const secret = options.secret ?? randomBytes(32).toString('hex')
  const environment = options.environment ?? 'staging'
  const assumptions = assume(options.assume)
  const strict = options.strict ?? false
  const ticker = createTicker(() => state)
  const faults = createFaults()
  const state: State = {
    seed: idSeed,
    secret,
    world,
    clock,
    environment,
    closing,
    tokens: createTokens(secret),
    assumptions,
    assumed: turned(assumptions).join(' ') || 'default',
    limits: {
      enabled: options.limits ?? true,
      token: createLimiter(limits.tokens),
      rest: createLimiter(limits.requests),
    },
    faults,
    requests: createRequests(),
    inFlight: [],
    strict,
    deliverer: createDeliverer({world, clock, closing, strict, assumptions, ticker, faults}),
    ticker,
  }
  const kept = world.meta('seed')
  if (kept === undefined) seedWorld(state, options.seed ?? 'demo')
  else if (options.seed !== undefined && options.seed !== kept) {
    world.close()
    throw new Failure('INVALID_INPUT', {
      message: `The data is of the seed ${kept} already.`,
      hint: `Start without --seed, then \`scent sandbox reset --seed ${options.seed}\`; or choose another --data folder.`,
    })
  }
  ticker.catchUp()
  return state
}

async function inProcess(door: Door, request: HttpRequest): Promise<HttpResponse> {
  const cut = request.url.indexOf('/', request.url.indexOf('//') + 2)
  const headers = new Map(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]))
  const sent = await door({
    method: request.method,
    target: cut < 0 ? '/' : request.url.slice(cut),
    origin: cut < 0 ? request.url : request.url.slice(0, cut),
    ip: '127.0.0.1',
    header: (name) => headers.get(name),
    body: async () => (Buffer.byteLength(request.body ?? '') > maxBodyBytes ? null : (request.body ?? '')),
  })
  if (sent.broken === 'hang') await gone(request)
  if (sent.broken !== undefined) throw new Failure('NO_ANSWER', {effect: 'unknown'})
  return {status: sent.status, headers: sent.headers, body: sent.body}
}

/** Until the caller has given up. */
function gone({signal, timeoutMs}: HttpRequest): Promise<void> {
  return new Promise((resolve) => {
    signal?.addEventListener('abort', () => resolve())
    if (timeoutMs !== undefined) setTimeout(resolve, timeoutMs)
  })
}

async function listening(server: Server, [port = 0, ...others]: number[]): Promise<number> {
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    if (others.length > 0) return listening(server, others)
    throw new Failure('INVALID_INPUT', {
      message: `Port ${port} ${code === 'EADDRINUSE' ? 'is taken' : `can't be opened (${code})`}.`,
      hint: 'Choose another, or 0 for a free one.',
    })
  }
  return (server.address() as AddressInfo).port
}

/** Requests that are running may end within 5 s. */
function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), 5_000)
    server.close(() => {
      clearTimeout(force)
      resolve()
    })
    server.closeIdleConnections()
  })
}
