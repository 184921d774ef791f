import type {Evidence, Listening} from './evidence.ts'

// What the records can't know. An empty inbox means something only if these say nothing.

/** A reason why notices may exist that are not here. */
export interface Blindness {
  code:
    | 'nobody-listens'
    | 'gaps'
    | 'silent'
    | 'inactive'
    | 'missing'
    | 'no-type'
    | 'refused'
    | 'unreadable'
    | 'conflict'
    | 'unchecked'
    | 'clock'
    | 'store'
  since: string | null
  /** When it will hide nothing that can still be answered, if nothing else happens; null if it must be mended. */
  until: string | null
  says: string
  /** A command that tells more or mends it. */
  next: string
}

/** A subscription as the local record knows it. */
interface KnownSubscription {
  id: string
  eventTypes: readonly string[] | null
  isActive: boolean | null
}

const HOUR = 3_600_000
/** How long a notice can be answered (spec, Limits): older gaps hide nothing that is still open. */
const WINDOW_MS = 72 * HOUR
/** Gaps that are shorter in all are covered by the service's retries. */
const SHORT_MS = HOUR / 4
const CLOCK_MS = 60_000

const iso = (at: number) => new Date(at).toISOString()
const LISTEN = 'scent webhooks listen'

/** All reasons, at a moment of this machine's clock. */
export function blindness(
  evidence: Evidence,
  subscriptions: readonly KnownSubscription[],
  now: number,
): Blindness[] {
  const since = now - WINDOW_MS
  return [
    ...store(evidence),
    ...listening(evidence.listening, since, now),
    ...silence(evidence, now),
    ...subscribed(evidence, subscriptions),
    ...arrived(evidence, since),
    ...clock(evidence),
  ]
}

function store({damaged}: Evidence): Blindness[] {
  const [first] = damaged
  if (first === undefined) return []
  const says = `${damaged.length === 1 ? 'A file' : `${damaged.length} files`} of receipts can't be read to the end: ${first}.`
  return [{code: 'store', since: null, until: null, says, next: 'scent doctor'}]
}

/** The times within [since, now] at which no listener of this machine ran. */
function gapsOf(spans: readonly Listening[], since: number, now: number): {from: number; to: number}[] {
  const awake = spans.flatMap(({from, to, slept}) => {
    const parts: {from: number; to: number}[] = []
    let begin = from
    for (const nap of [...slept].sort((a, b) => a.from - b.from)) {
      parts.push({from: begin, to: nap.from})
      begin = Math.max(begin, nap.to)
    }
    return [...parts, {from: begin, to: Math.min(to, now)}]
  })
  const gaps: {from: number; to: number}[] = []
  let covered = since
  for (const {from, to} of awake.filter((part) => part.to > part.from).sort((a, b) => a.from - b.from)) {
    if (from > covered) gaps.push({from: covered, to: Math.min(from, now)})
    covered = Math.max(covered, to)
  }
  if (covered < now) gaps.push({from: covered, to: now})
  return gaps.filter(({from, to}) => to > from)
}

function listening(spans: readonly Listening[], since: number, now: number): Blindness[] {
  const isHeld = spans.some(({to}) => to === Number.POSITIVE_INFINITY)
  const gaps = gapsOf(spans, since, now)
  const found: Blindness[] = []
  const last = Math.max(...spans.map(({to}) => to))
  if (!isHeld) {
    const says =
      spans.length === 0
        ? 'Nothing has listened here yet: notices are known only if they are imported.'
        : 'Nothing listens now.'
    const since = spans.length === 0 ? null : iso(last)
    found.push({code: 'nobody-listens', since, until: null, says, next: LISTEN})
  }
  // While nothing listens, the time since then is told already.
  const inner = gaps.filter(({to}) => isHeld || to < now)
  const length = inner.reduce((sum, {from, to}) => sum + to - from, 0)
  const first = inner[0]
  const end = inner.at(-1)?.to
  if (first && end && length > SHORT_MS && spans.length > 0) {
    const times = inner.length === 1 ? 'a time' : `${inner.length} times`
    const says = `Within 72 hours there was ${times} at which nothing listened.`
    const until = iso(end + WINDOW_MS)
    found.push({code: 'gaps', since: iso(first.from), until, says, next: 'scent webhooks events --since 3d'})
  }
  return found
}

/** A listener that has heard nothing for a day, and for four times its longest usual pause. */
function silence({listening: spans, receipts}: Evidence, now: number): Blindness[] {
  const taken = receipts.filter(({trust}) => trust !== 'refused').map(({at}) => at)
  const last = taken.at(-1)
  if (last === undefined || !spans.some(({to}) => to === Number.POSITIVE_INFINITY)) return []
  const pauses = taken.slice(1).map((at, index) => at - (taken[index] ?? at))
  const usual = pauses.reduce((longest, pause) => Math.max(longest, pause), 0)
  if (now - last <= Math.max(24 * HOUR, 4 * usual)) return []
  const says = 'A listener runs, and no event has come for longer than usual.'
  return [{code: 'silent', since: iso(last), until: null, says, next: 'scent webhooks list'}]
}

function subscribed({receipts}: Evidence, subscriptions: readonly KnownSubscription[]): Blindness[] {
  const off = subscriptions.filter(({isActive}) => isActive === false)
  const on = subscriptions.filter(({isActive}) => isActive !== false)
  const found: Blindness[] = []
  const [first] = off
  if (first && on.length === 0) {
    const says = 'Every subscription that is known here is inactive.'
    found.push({code: 'inactive', since: null, until: null, says, next: `scent webhooks enable ${first.id}`})
  }
  const carried = new Set(receipts.filter(({notices}) => notices.length > 0).map(({eventType}) => eventType))
  const missing = [...carried].filter(
    (type) => type !== null && on.every(({eventTypes}) => eventTypes !== null && !eventTypes.includes(type)),
  )
  if (on.length > 0 && missing.length > 0) {
    const says = `No active subscription has the type ${missing.join(', ')}, which has told of notices before.`
    found.push({code: 'no-type', since: null, until: null, says, next: 'scent webhooks list'})
  }
  return found
}

/** What arrived within the window, and could not be used for what it is. */
function arrived({receipts, listening: spans}: Evidence, since: number): Blindness[] {
  const recent = receipts.filter(({at}) => at >= since)
  const found: Blindness[] = []
  const add = (code: Blindness['code'], list: typeof recent, says: string, next: string) => {
    const [first, last] = [list[0], list.at(-1)]
    if (first && last) found.push({code, since: iso(first.at), until: iso(last.at + WINDOW_MS), says, next})
  }
  const refused = recent.filter(({trust}) => trust === 'refused')
  const speaking = refused.filter(({notices, unreadable}) => notices.length > 0 || unreadable).length
  const many = refused.length === 1 ? '1 delivery was refused' : `${refused.length} deliveries were refused`
  add('refused', refused, `${many} for the signature; ${speaking} spoke of notices.`, 'scent webhooks verify')
  const unreadable = recent.filter((one) => one.unreadable && one.trust !== 'refused')
  const speak = unreadable.length === 1 ? '1 delivery speaks' : `${unreadable.length} deliveries speak`
  add('unreadable', unreadable, `${speak} of a notice in a form that can't be read.`, 'scent webhooks events')
  const conflicts = recent.filter((one) => one.notices.length > 0 && differs(one, receipts))
  const events = [...new Set(conflicts.map(({eventId}) => eventId))].length
  const named = events === 1 ? '1 event' : `${events} events`
  add('conflict', conflicts, `${named} came with different notices.`, 'scent webhooks events --differs')
  if (spans.length > 0 && spans.every(({hasSecret}) => !hasSecret)) {
    const says = 'Signatures are not checked: anybody who reaches the listener can tell it anything.'
    found.push({code: 'unchecked', since: null, until: null, says, next: `${LISTEN} --secret-stdin`})
  }
  return found
}

type Receipt = Evidence['receipts'][number]

const differs = (one: Receipt, all: readonly Receipt[]) =>
  one.eventId !== null &&
  all.some(
    ({eventId, sha256, notices}) =>
      eventId === one.eventId && sha256 !== one.sha256 && String(notices) !== String(one.notices),
  )

function clock({offsetMs}: Evidence): Blindness[] {
  if (Math.abs(offsetMs) <= CLOCK_MS) return []
  const minutes = Math.round(Math.abs(offsetMs) / 60_000)
  const says = `This machine's clock is ${minutes} min ${offsetMs > 0 ? 'behind' : 'ahead of'} the service's.`
  return [{code: 'clock', since: null, until: null, says, next: 'scent doctor'}]
}

/** When an empty inbox will mean something again, if nothing else happens; null if something must be mended before. */
export function clearAt(blind: readonly Blindness[]): string | null {
  const ends = blind.map(({until}) => until)
  return ends.includes(null) ? null : (ends.sort().at(-1) ?? null)
}
