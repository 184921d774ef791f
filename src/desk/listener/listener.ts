import {statfsSync} from 'node:fs'
import {isFailure} from '../../contract/failure.ts'
import type {Folders, Identity} from '../../store/paths.ts'
import {encodeBody, keptHeaders, readBody, sha256} from '../receipts/body.ts'
import {openEvents} from '../receipts/events.ts'
import {readSegments, segmentsOf} from '../receipts/read.ts'
import type {ReceiptRecord, Received} from '../receipts/records.ts'
import {openReceipts, type Receipts} from '../receipts/segment.ts'
import {judge} from '../signature/judge.ts'
import {fingerprintOf} from '../signature/keys.ts'
import {parseScheme, type Scheme} from '../signature/schemes.ts'
import {type Arrival, type Door, openDoor} from './door.ts'
import {type Forwarded, forward} from './forward.ts'
import {type Health, openHealth} from './health.ts'

/** What a person or a script is told of, in the order in which it happens. */
export type ListenerEvent =
  | {event: 'ready'; url: string; public: string | null; pid: number; known: number; checked: boolean}
  | ({event: 'delivery'} & Delivered)
  | ({event: 'forward'; eventId: string | null; receivedAt: string} & Forwarded)
  | {event: 'state'; state: 'ready' | 'degraded' | 'failed'; why: string | null; since: string}
  | {event: 'stopped'; received: number; stored: number}

/** A copy that arrived. */
export interface Delivered {
  eventId: string | null
  eventType: string | null
  at: string
  trust: Received['trust']
  why: string | null
  scheme: string | null
  /** Which copy of its event it is, from 1, and whether its bytes are others than those of the copy that counts. */
  copy: number
  differs: boolean
  notices: string[]
  bytes: number
  answered: number
}

/** A delivery with its bytes, for those who hand it on. */
export interface Whole extends Delivered {
  headers: [string, string][]
  body: Buffer
}

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
  /** Answered in the place of 200, to rehearse how the service repeats. */
  answer?: number | undefined
  /** What is shown and forwarded; everything is stored. */
  wanted(delivery: Whole): boolean
  tell(event: ListenerEvent, whole?: Whole): void
}

/** What was refused is kept within these bounds of one run; beyond them it is counted. */
const QUARANTINE = {bytes: 64 * 1024 * 1024, copies: 5_000}
/** Deliveries that wait to be forwarded. */
const LONGEST_QUEUE = 1_000
const RETRY_MS = 5_000
const ALIVE_MS = 300_000
const LOOK_MS = 5_000
const RECENT_MS = 14 * 24 * 3_600_000
/** A machine whose wall clock ran this much more than the other one has slept. */
const SLEPT_MS = 30_000
const LEAST_DISK = 200 * 1024 * 1024

const now = () => new Date().toISOString()

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
  const {folders, identity, publicUrl, tell} = options
  const health = openHealth((state, why) => tell({event: 'state', state, why, since: now()}))
  const events = openEvents()
  const scheme: {pinned: Scheme | undefined} = {pinned: options.scheme}
  let {secrets, subscription}: Subscribed = {secrets: [], subscription: null}
  const counts = {received: 0, stored: 0, quarantined: 0, bytes: 0, dropped: 0}
  let door: Door | undefined
  let receipts: Receipts | undefined
  const open = () =>
    openReceipts(folders, identity, () => ({
      at: now(),
      port: door?.port ?? 0,
      public: publicUrl?.href ?? null,
      subscription,
      secret: secrets.length === 0 ? null : secrets.map(fingerprintOf).join(' '),
      scheme: scheme.pinned?.name ?? null,
    }))
  const note = (record: Parameters<Receipts['note']>[0]) => {
    // What is lost with it says only what the listener did; a disk that fails is told by the next delivery.
    receipts?.note(record).catch(() => {})
  }
  const queue = openQueue(options, health, note)

  /** Writes a receipt; false if the disk refuses. A disk that failed is tried again later, with a new file. */
  const keep = async (record: Omit<Received, 'kind' | 'n'>, sync: boolean): Promise<boolean> => {
    const store = receipts
    if (store === undefined) return false
    try {
      await store.keep(record, {sync})
      return true
    } catch (error) {
      if (!isFailure(error)) throw error
      if (receipts === store) receipts = undefined
      health.fail('store', true)
      return false
    }
  }

  let isOpen = () => {}
  const opened = new Promise<void>((resolve) => {
    isOpen = resolve
  })

  const take = async ({remote, path, headers, body}: Arrival) => {
    await opened
    counts.received += 1
    const at = Date.now()
    const id = readBody(body.toString('utf8'))
    const verdict = judge(
      {headers, body, path},
      {secrets, scheme: scheme.pinned, tolerance: options.tolerance, now: at},
    )
    const isTaken = verdict.trust === 'verified' || verdict.trust === 'unchecked'
    const record = {
      ...{at: new Date(at).toISOString(), remote, path: path.slice(0, 2_000), headers: keptHeaders(headers)},
      ...{...encodeBody(body), bytes: body.length, sha256: sha256(body)},
      ...{eventId: id.eventId, eventType: id.eventType, notices: id.notices.map((notice) => notice.id)},
      ...{trust: verdict.trust, scheme: verdict.scheme?.name ?? null, why: verdict.why},
    }
    const isKept = isTaken ? await keep(record, true) : await quarantine(record)
    if (isKept) counts.stored += 1
    if (isKept && isTaken) pin(verdict)
    health.took(isTaken)
    const status = isTaken ? (isKept ? (options.answer ?? 200) : 503) : 401
    const delivered = {...facts(record), ...events.add(record), answered: status}
    // The answer first: whoever looks on must not hold up the service.
    setImmediate(() => show({...delivered, headers, body}, isTaken && isKept))
    return {
      status,
      says: status === 200 ? 'stored' : status === 401 ? (verdict.why ?? 'refused') : 'not stored',
    }
  }

  const quarantine = async (record: Omit<Received, 'kind' | 'n'>) => {
    const isFull = counts.quarantined >= QUARANTINE.copies || counts.bytes + record.bytes > QUARANTINE.bytes
    if (isFull) {
      counts.dropped += 1
      return false
    }
    counts.quarantined += 1
    counts.bytes += record.bytes
    return keep(record, false)
  }

  const pin = ({trust, scheme: fitting}: ReturnType<typeof judge>) => {
    if (trust !== 'verified' || scheme.pinned) return
    scheme.pinned = fitting
    note({kind: 'pinned', at: now(), scheme: fitting.name})
  }

  const show = (whole: Whole, isForwarded: boolean) => {
    if (!options.wanted(whole)) return
    const {headers: _, body: __, ...delivered} = whole
    tell({event: 'delivery', ...delivered}, whole)
    if (isForwarded) queue.add(whole)
  }

  // The port is in the first record, and no delivery is looked at before there is one.
  door = await openDoor(options.ports, {publicUrl, take, isProbe: health.isProbe})
  const closeDoor = door.close
  const subscribed = await options.begin(door.port).catch(async (error: unknown) => {
    await closeDoor()
    throw error
  })
  secrets = subscribed.secrets
  subscription = subscribed.subscription
  const before = readBefore(options, secrets, events)
  scheme.pinned ??= before
  receipts = await open()
  const timers = [
    setInterval(async () => {
      if (receipts !== undefined) return
      receipts = await open().catch(() => undefined)
      if (receipts) health.fail('store', false)
    }, RETRY_MS),
    setInterval(() => {
      const {dropped} = counts
      note({kind: 'alive', at: now(), ...(dropped > 0 && {dropped})})
    }, ALIVE_MS),
    setInterval(
      watchSleep((from, to) => {
        health.fail('slept', true)
        note({kind: 'slept', at: now(), from, to})
      }),
      LOOK_MS,
    ),
    setInterval(() => health.fail('disk-low', isDiskLow(folders.state)), 12 * LOOK_MS),
  ]
  const url = `http://127.0.0.1:${door.port}/`
  const ready = {url, public: publicUrl?.href ?? null, pid: process.pid, known: events.size()}
  const sayReady = () => tell({event: 'ready', ...ready, checked: secrets.length > 0})
  // Ready means that the world reaches it.
  if (publicUrl) timers.push(health.probe(publicUrl, sayReady))
  else sayReady()
  isOpen()
  return {
    port: door.port,
    async close() {
      for (const timer of timers) clearInterval(timer)
      await door?.close()
      await queue.close()
      await receipts?.close().catch(() => {})
      tell({event: 'stopped', received: counts.received, stored: counts.stored})
    },
  }
}

const facts = ({
  at,
  eventId,
  eventType,
  trust,
  why,
  scheme,
  notices,
  bytes,
}: Omit<Received, 'kind' | 'n'>) => ({
  ...{eventId, eventType, at, trust, why, scheme, notices, bytes},
})

/** Takes in the events of earlier runs. Returns the scheme that fitted with the same secret, if there was one. */
function readBefore(
  {folders, identity}: ListenerOptions,
  secrets: readonly string[],
  events: ReturnType<typeof openEvents>,
): Scheme | undefined {
  const ours = secrets.map(fingerprintOf).join(' ')
  let isOurs = false
  let pinned: string | undefined
  for (const {record} of readSegments(segmentsOf(folders, identity, Date.now() - RECENT_MS), identity)) {
    if (record.kind === 'opened') isOurs = record.secret === ours
    if (record.kind === 'opened' && isOurs && record.scheme) pinned = record.scheme
    if (record.kind === 'pinned' && isOurs) pinned = record.scheme
    if (record.kind === 'received') events.add(record)
  }
  return pinned === undefined ? undefined : parseScheme(pinned)
}

type Handed = Extract<ReceiptRecord, {kind: 'forwarded'}>

/** Hands deliveries on, one after the other in their order, to one receiver. */
function openQueue({forwardTo, tell}: ListenerOptions, health: Health, note: (record: Handed) => void) {
  const waiting: Whole[] = []
  let running: Promise<void> | undefined
  const run = async (to: URL) => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const done = await forward(to, next)
      health.forwarded(done.status !== null && done.status < 300)
      health.fail('behind', waiting.length > LONGEST_QUEUE / 2)
      const {body: _, ...facts} = done
      note({kind: 'forwarded', at: now(), receivedAt: next.at, sha256: sha256(next.body), ...facts})
      tell({event: 'forward', eventId: next.eventId, receivedAt: next.at, ...done})
    }
    running = undefined
  }
  return {
    add(whole: Whole) {
      if (!forwardTo) return
      // The oldest go: they are stored, and can be replayed.
      if (waiting.length >= LONGEST_QUEUE) waiting.shift()
      waiting.push(whole)
      running ??= run(forwardTo)
    },
    close: async () => running,
  }
}

/** Calls `slept` if the wall clock ran on without this process. */
function watchSleep(slept: (from: string, to: string) => void): () => void {
  let wall = Date.now()
  let ticks = performance.now()
  return () => {
    const away = Date.now() - wall - (performance.now() - ticks)
    if (away > SLEPT_MS) slept(new Date(wall).toISOString(), now())
    wall = Date.now()
    ticks = performance.now()
  }
}

function isDiskLow(folder: string): boolean {
  try {
    const {bavail, bsize} = statfsSync(folder)
    return bavail * bsize < LEAST_DISK
  } catch {
    return false
  }
}
