import {Failure, isFailure} from '../../contract/failure.ts'
import type {Folders, Identity} from '../../store/paths.ts'
import {localTime} from '../../terminal/cells.ts'
import {encodeBody, keptHeaders, readBody, sha256} from '../receipts/body.ts'
import {openEvents} from '../receipts/events.ts'
import {readGlances, runningListeners, segmentsOf} from '../receipts/read.ts'
import {referenceOf} from '../receipts/reference.ts'
import {freeBytes, LEAST_FREE} from '../receipts/room.ts'
import {judge} from '../signature/judge.ts'
import {fingerprintOf} from '../signature/keys.ts'
import {parseScheme, type Scheme} from '../signature/schemes.ts'
import {type Arrival, openDoor} from './door.ts'
import {openExplainer} from './explainer.ts'
import {openHanding} from './handing.ts'
import {type Health, openHealth} from './health.ts'
import {type Keeper, type Kept, openKeeper} from './keeper.ts'
import {isSameServer} from './receiver.ts'
import {type ListenerEvent, NOT_STORED, now, type Whole} from './told.ts'

/** What it listens for. */
interface Subscribed {
  /** Any of them may have signed. Without one nothing is checked. */
  secrets: readonly string[]
  subscription: string | null
}

interface ListenerOptions {
  folders: Folders
  identity: Identity
  ports: readonly number[]
  publicUrl?: URL | undefined
  /** Called once the port is known, before anything is taken in. */
  begin(port: number): Promise<Subscribed>
  scheme?: Scheme | undefined
  /** Seconds. */
  tolerance: number
  forwardTo?: URL | undefined
  /** The address of its page, if it has one. */
  ui?: string | undefined
  /** Answered in the place of 200, to rehearse how the service repeats. */
  answer?: number | undefined
  /** What is shown and forwarded; everything is stored. */
  wanted(delivery: Whole): boolean
  tell(event: ListenerEvent, whole?: Whole): void
}

const RETRY_MS = 5_000
const ALIVE_MS = 300_000
const LOOK_MS = 5_000
const RECENT_MS = 14 * 24 * 3_600_000
/** A machine whose wall clock ran this much more than the other one has slept. */
const SLEPT_MS = 30_000

/** What a running listener knows, and what does its work. */
interface Running extends Subscribed {
  port: number
  scheme: Scheme | undefined
  received: number
  stored: number
  events: ReturnType<typeof openEvents>
  health: Health
  keeper: Keeper
  handing: ReturnType<typeof openHanding>
  explained: ReturnType<typeof openExplainer>
}

interface Listener {
  port: number
  /** Takes nothing in any more, hands on what waits, and closes its records. */
  close(): Promise<void>
}

/**
 * Listens for deliveries. A delivery that got 200 is on disk, whole; one that can't be written gets 503, and is sent again
 * by the service.
 */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const running = prepared(options)
  const {publicUrl} = options
  let isOpen = () => {}
  const opened = new Promise<void>((resolve) => {
    isOpen = resolve
  })
  // The port is in the first record, and no delivery is looked at before there is one.
  const take = (arrival: Arrival) => opened.then(() => taken(options, running, arrival))
  const door = await openDoor(options.ports, {publicUrl, take, isProbe: running.health.isProbe}).catch(
    (error: unknown) => {
      throw portHolder(options, error)
    },
  )
  running.port = door.port
  try {
    Object.assign(running, await begunAt(options, door.port))
    running.scheme ??= readBefore(options, running)
    await running.keeper.start()
  } catch (error) {
    await door.close()
    throw error
  }
  const timers = [...watched(options, running), ...saidReady(options, running)]
  isOpen()
  return {
    port: door.port,
    async close() {
      for (const timer of timers) clearInterval(timer)
      await door.close()
      await running.handing.close()
      await running.keeper.close(now())
      const {received, stored} = running
      options.tell({event: 'stopped', received, stored})
    },
  }
}

/** Fails with INVALID_INPUT if it would forward to itself. */
async function begunAt({forwardTo, begin}: ListenerOptions, port: number): Promise<Subscribed> {
  if (forwardTo && isSameServer(forwardTo, `http://127.0.0.1:${port}`))
    throw new Failure('INVALID_INPUT', {
      message: `--forward-to "${forwardTo.href}" is this listener itself.`,
      hint: 'Give the address of a receiver of yours.',
    })
  return begin(port)
}

/** The failure with the listener of ours that has the port, if it is one. */
function portHolder({folders, identity, ports: [wanted]}: ListenerOptions, error: unknown): unknown {
  if (!isFailure(error, 'INVALID_INPUT')) return error
  const holder = runningListeners(folders, identity).find(({port}) => port === wanted)
  if (holder === undefined) return error
  const message = `Port ${wanted} is taken by the listener that began at ${localTime(holder.at)}.`
  return new Failure(error.code, {...error.facts, message})
}

function prepared(options: ListenerOptions): Running {
  const {folders, identity, publicUrl, forwardTo, ui, answer, tell} = options
  const health = openHealth((state, why) => tell({event: 'state', state, why, since: now()}))
  const opened = () => ({
    ...{at: now(), port: running.port, public: publicUrl?.href ?? null, subscription: running.subscription},
    secret: running.secrets.length === 0 ? null : running.secrets.map(fingerprintOf).join(' '),
    scheme: running.scheme?.name ?? null,
    ...(ui !== undefined && {uiPort: Number(new URL(ui).port)}),
    ...(answer !== undefined && {answer}),
  })
  const keeper = openKeeper({folders, identity, health, opened})
  const running: Running = {
    ...{port: 0, secrets: [], subscription: null, scheme: options.scheme, received: 0, stored: 0},
    ...{events: openEvents(), health, keeper, explained: openExplainer()},
    handing: openHanding({forwardTo, health, note: keeper.note, tell}),
  }
  return running
}

/** Judges a delivery and writes it down; what is answered waits for that, and what is shown for the answer. */
async function taken(options: ListenerOptions, running: Running, arrival: Arrival) {
  const {headers, body, path} = arrival
  running.received += 1
  const {secrets, scheme, keeper} = running
  const judging = {secrets, scheme, tolerance: options.tolerance, now: Date.now()}
  const verdict = judge({headers, body, path}, judging)
  const record = recordOf(arrival, verdict, judging.now)
  const isTaken = verdict.trust === 'verified' || verdict.trust === 'unchecked'
  const isKept = isTaken ? await keeper.keep(record) : await keeper.quarantine(record)
  if (isKept) running.stored += 1
  if (isKept && isTaken) pin(running, verdict)
  const status = isTaken ? (isKept ? (options.answer ?? 200) : 503) : 401
  const copy = running.events.add(record)
  // The answer first: whoever looks on must not hold up the service.
  setImmediate(() => {
    const why = isTaken && !isKept ? NOT_STORED : running.explained({headers, body, path}, judging, verdict)
    const receipt = isKept ? referenceOf(record) : null
    const whole = {receipt, ...factsOf(record), why, ...copy, answered: status, headers, body}
    show(options, running, whole, isTaken && isKept)
    running.health.took(isTaken)
  })
  return {status, says: !isTaken ? (verdict.why ?? '') : isKept ? 'stored' : NOT_STORED}
}

function recordOf(
  {remote, path, headers, body}: Arrival,
  verdict: ReturnType<typeof judge>,
  at: number,
): Kept {
  const {eventId, eventType, notices} = readBody(body.toString('utf8'))
  return {
    ...{at: new Date(at).toISOString(), remote, path: path.slice(0, 2_000), headers: keptHeaders(headers)},
    ...{...encodeBody(body), bytes: body.length, sha256: sha256(body)},
    ...{eventId, eventType, notices: notices.map(({id}) => id)},
    ...{trust: verdict.trust, scheme: verdict.scheme?.name ?? null, why: verdict.why},
  }
}

function factsOf({eventId, eventType, at, trust, scheme, notices, bytes}: Kept) {
  return {eventId, eventType, at, trust, scheme, notices, bytes}
}

/** The scheme that fitted first is from then on the only one that counts. */
function pin(running: Running, {trust, scheme}: ReturnType<typeof judge>): void {
  if (trust !== 'verified' || running.scheme) return
  running.scheme = scheme
  running.keeper.note({kind: 'pinned', at: now(), scheme: scheme.name})
}

function show({wanted, tell}: ListenerOptions, {handing}: Running, whole: Whole, isForwarded: boolean): void {
  if (!wanted(whole)) return
  const {headers: _, body: __, ...delivered} = whole
  tell({event: 'delivery', ...delivered}, whole)
  if (isForwarded) handing.add(whole)
}

/** Ready means that the world reaches it. */
function saidReady({publicUrl, ui, tell}: ListenerOptions, running: Running): NodeJS.Timeout[] {
  const {port, secrets, events, health} = running
  const url = `http://127.0.0.1:${port}/`
  const ready = {url, ui: ui ?? null, public: publicUrl?.href ?? null, pid: process.pid, known: events.size()}
  const say = () => tell({event: 'ready', ...ready, checked: secrets.length > 0})
  if (publicUrl) return [health.probe(publicUrl, say)]
  say()
  return []
}

/** Looks after the disk, the clock and the records from time to time. */
function watched({folders}: ListenerOptions, {health, keeper}: Running): NodeJS.Timeout[] {
  const lookAtDisk = () => health.fail('disk-low', (freeBytes(folders.state) ?? LEAST_FREE) < LEAST_FREE)
  const alive = () => {
    const dropped = keeper.dropped()
    keeper.note({kind: 'alive', at: now(), ...(dropped > 0 && {dropped})})
    // It was told, and nothing more was missed since.
    health.fail('slept', false)
  }
  const slept = (from: string, to: string) => {
    health.fail('slept', true)
    keeper.note({kind: 'slept', at: now(), from, to})
  }
  lookAtDisk()
  return [
    setInterval(() => void keeper.retry(), RETRY_MS),
    setInterval(alive, ALIVE_MS),
    setInterval(watchSleep(slept), LOOK_MS),
    setInterval(lookAtDisk, 12 * LOOK_MS),
  ]
}

/** Takes in the events of earlier runs. Returns the scheme that fitted with the same secret, if there was one. */
function readBefore({folders, identity}: ListenerOptions, {secrets, events}: Running): Scheme | undefined {
  const ours = secrets.map(fingerprintOf).join(' ')
  let isOurs = false
  let pinned: string | undefined
  for (const {record} of readGlances(segmentsOf(folders, identity, Date.now() - RECENT_MS), identity)) {
    if (record.kind === 'opened') isOurs = record.secret === ours
    if (record.kind === 'opened' && isOurs && record.scheme) pinned = record.scheme
    if (record.kind === 'pinned' && isOurs) pinned = record.scheme
    if (record.kind === 'received') events.add(record)
  }
  return pinned === undefined ? undefined : parseScheme(pinned)
}

/** Milliseconds that this process has run: `performance` would take long to load. */
const ranMs = () => process.uptime() * 1_000

/** Calls `slept` if the wall clock ran on without this process. */
function watchSleep(slept: (from: string, to: string) => void): () => void {
  let wall = Date.now()
  let ticks = ranMs()
  return () => {
    const away = Date.now() - wall - (ranMs() - ticks)
    if (away > SLEPT_MS) slept(new Date(wall).toISOString(), now())
    wall = Date.now()
    ticks = ranMs()
  }
}
