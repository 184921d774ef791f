import fc from 'fast-check'
import type {Delivery} from '../../src/contract/webhooks.ts'
import type {Arrived} from '../../src/desk/deliveries/here.ts'
import type {timeline} from '../../src/desk/deliveries/timeline.ts'

// A service that sends events to the URLs of up to three subscriptions, each of which may be moved to another URL or share
// its URLs with an earlier one, and repeats what failed; roads on which things happen to them; listeners that come, sleep and go, at a URL or where nothing is sent to any
// more; and another receiver. The model says what must be found from what has happened, and never looks at a
// record.

const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
export const NOW = Date.parse('2026-11-22T12:00:00.000Z')

/** What was sent before is forgotten. */
const ASKED_FROM = NOW - 30 * DAY

/** When the service makes each attempt, after the first. */
const SCHEDULE = [0, 5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR]

/** What happens to an attempt, if somebody of ours is there; `self`: something in between answers 200 by itself. */
const fates = [
  ...(['fine', 'twice', 'cut', 'broken', 'changed', 'stale', 'lost', 'elsewhere'] as const),
  ...(['self-changed', 'held-short', 'held-long'] as const),
] as const
type Fate = (typeof fates)[number]

interface Listener {
  sub: number
  from: number
  to: number
  nap: {from: number; to: number} | null
  /** It is where the subscription's URL was before it was moved; if it was not, nothing comes there. */
  isOld: boolean
  /** What its record says of the subscription that it serves; a port says it of a local URL alone, `none` of none. */
  declared: 'id' | 'id-public' | 'public' | 'port' | 'none'
}

interface Sub {
  isLocal: boolean
  /** It has the URLs of the first subscription, of which either may be moved without the other. */
  isTwin: boolean
  /** When its URL was changed. */
  movedAt: number | null
  /** Since when this machine knows of it: then, and at each change, it sees the URL. */
  seenAt: number
}

interface Event {
  at: number
  /** What happens on the way to each of the subscriptions it is for. */
  ways: {sub: number; fates: Fate[]; unrecorded: number | null}[]
  isImported: boolean
}

export interface History {
  subs: Sub[]
  offsetMs: number
  listeners: Listener[]
  events: Event[]
}

const minutes = (least: number, most: number) => fc.integer({min: least, max: most}).map((n) => n * MINUTE)
const attempts = fc.array(fc.constantFrom(...fates), {minLength: 1, maxLength: 5})
const way = (sub: number) =>
  fc.record({sub: fc.constant(sub), fates: attempts, unrecorded: fc.option(fc.nat({max: 4}))})

/** Any moment of three days; one of whose attempts one is just on its way; and one that is half forgotten. */
const moment = fc.oneof(
  {weight: 6, arbitrary: minutes(10, 72 * 60).map((ago) => NOW - ago)},
  {weight: 2, arbitrary: fc.constantFrom(...SCHEDULE.slice(2)).map((pause) => NOW - pause - 10 * SECOND)},
  {weight: 1, arbitrary: minutes(1, 100).map((ago) => NOW - 30 * DAY - ago)},
)

/** No attempt is made at such a moment. */
const oddMoment = minutes(10, 72 * 60).map((ago) => NOW - ago + 555)
const often = <T>(value: T, other: fc.Arbitrary<T>) =>
  fc.oneof({weight: 3, arbitrary: fc.constant(value)}, {weight: 1, arbitrary: other})
const subs: fc.Arbitrary<Sub> = fc.record({
  isLocal: fc.boolean(),
  isTwin: often(false, fc.constant(true)),
  movedAt: often<number | null>(null, oddMoment),
  seenAt: often(NOW - 40 * DAY, oddMoment),
})

export const histories: fc.Arbitrary<History> = fc.integer({min: 1, max: 3}).chain((count) =>
  fc.record({
    // Nobody could tell copies of a subscription from those of one that is not known yet.
    subs: fc
      .array(subs, {minLength: count, maxLength: count})
      .map(([first, ...others]) => [
        ...(first ? [first] : []),
        ...others.map((sub) => (sub.isTwin && first ? {...sub, seenAt: first.seenAt} : sub)),
      ]),
    offsetMs: fc.constantFrom(0, 0, 3 * SECOND, -2 * HOUR, 7 * HOUR),
    listeners: fc.array(listenerOf(count), {maxLength: 6}),
    events: fc.array(
      fc.record({
        at: moment,
        ways: fc.oneof(
          ...Array.from({length: count}, (_, sub) => fc.tuple(way(sub))),
          ...(count > 1 ? [fc.tuple(way(0), way(1))] : []),
          ...(count > 2 ? [fc.tuple(way(0), way(1), way(2))] : []),
        ),
        isImported: fc.integer({min: 0, max: 9}).map((n) => n === 0),
      }),
      {minLength: 1, maxLength: 6},
    ),
  }),
)

function listenerOf(count: number): fc.Arbitrary<Listener> {
  return fc
    .record({
      sub: fc.nat({max: count - 1}),
      ago: fc.oneof(minutes(0, 72 * 60), fc.constant(31 * DAY)),
      length: minutes(1, 48 * 60),
      runs: fc.integer({min: 0, max: 3}).map((n) => n === 0),
      nap: fc.option(fc.record({after: minutes(1, 600), length: minutes(1, 300)})),
      isOld: fc.integer({min: 0, max: 3}).map((n) => n === 0),
      declared: fc.constantFrom('id', 'id-public', 'public', 'port', 'none'),
    })
    .map(({sub, ago, length, runs, nap, isOld, declared}) => {
      // Odd seconds, so that no attempt meets an edge.
      const from = NOW - ago + 777
      const to = runs ? Number.POSITIVE_INFINITY : from + length
      const slept = nap && {from: from + nap.after, to: from + nap.after + nap.length}
      return {sub, from, to, nap: slept && slept.to < to ? slept : null, isOld, declared} as Listener
    })
}

const isAwake = ({from, to, nap}: Listener, at: number) =>
  at >= from && at <= to && !(nap && at >= nap.from && at <= nap.to)

/** The subscription after which the URLs of a subscription are named. */
const ownerOf = (sub: number, {subs}: History) => (subs[sub]?.isTwin ? 0 : sub)
const isMoved = (sub: number, at: number, {subs}: History) => at >= (subs[sub]?.movedAt ?? 0)

/** Whether what is sent to the subscription comes to it, wherever the records say that it is. */
const isThere = (listener: Listener, sub: number, at: number, history: History) =>
  ownerOf(listener.sub, history) === ownerOf(sub, history) && listener.isOld !== isMoved(sub, at, history)

/** Whether the records say so. */
function isKnownThere(listener: Listener, sub: number, at: number, history: History): boolean {
  if (at < (history.subs[sub]?.seenAt ?? 0) || !isThere(listener, sub, at, history)) return false
  const {isLocal} = history.subs[ownerOf(sub, history)] ?? {}
  return (isLocal ? ['id', 'port'] : ['id-public', 'public']).includes(listener.declared)
}

const isDeclared = ({declared}: Listener) => declared === 'id' || declared === 'id-public'

/** Whether the records have a URL that both subscriptions had, at whatever time. */
function shareUrl(one: number, other: number, history: History): boolean {
  const places = [one, other].map((sub) => {
    const {movedAt, seenAt = 0} = history.subs[sub] ?? {}
    return [seenAt, Math.max(seenAt, movedAt ?? 0)].map((at) => isMoved(sub, at, history))
  })
  const isSame = ownerOf(one, history) === ownerOf(other, history)
  return isSame && places[0]?.some((place) => places[1]?.includes(place)) === true
}

/** Whether the records tell that a copy is of the subscription, or that it is of another one. */
function tells({listener, at, trust}: Copy, wanted: number, history: History): 'own' | 'other' | 'unknown' {
  const declared = isDeclared(listener) && (listener.sub === wanted ? 'own' : 'other')
  // It was signed for the subscription that its listener has the secret of.
  if (declared && trust === 'verified') return declared
  const there = history.subs.flatMap((_, sub) => (isKnownThere(listener, sub, at, history) ? [sub] : []))
  if (there.length > 0) return !there.includes(wanted) ? 'other' : there.length === 1 ? 'own' : 'unknown'
  const isShared = history.subs.some(
    (_, sub) =>
      sub !== listener.sub && (declared === 'own' || sub === wanted) && shareUrl(sub, listener.sub, history),
  )
  if (declared && isShared) return 'unknown'
  // It was told nothing, and there is no other subscription.
  return declared || (history.subs.length === 1 ? 'own' : 'unknown')
}

interface Copy {
  at: number
  listener: Listener
  trust: 'verified' | 'stale' | 'refused'
  isChanged: boolean
  /** It is of an attempt that is on its way just now. */
  isUntold: boolean
  /** It was held back for longer than is usual, after an attempt that is recorded. */
  isLate: boolean
}

interface Made {
  at: number
  number: number
  ends: 'taken' | 'refused' | 'failed' | 'unanswered'
  nextAt: number | null
  isRecorded: boolean
}

interface Way {
  sub: number
  made: Made[]
  copies: Copy[]
}

const held: {[fate in Fate]?: number} = {'held-short': 3 * MINUTE, 'held-long': 47 * MINUTE}

/** Plays what happens to an event on its way to one subscription. */
function playWay(history: History, {at: first}: Event, {sub, fates: all, unrecorded}: Event['ways'][0]): Way {
  const [made, copies]: [Made[], Copy[]] = [[], []]
  const there = (at: number) =>
    history.listeners.find((one) => isThere(one, sub, at, history) && isAwake(one, at))
  for (const [index, pause] of SCHEDULE.entries()) {
    const at = first + pause
    if (at > NOW) break
    const fate = all[index % all.length] ?? 'fine'
    const isUnderWay = at > NOW - MINUTE
    const isForgotten = at <= NOW - 30 * DAY
    const isRecorded = !isUnderWay && !isForgotten && index !== unrecorded
    const ours = there(at)
    const isFitting = (one: Listener | undefined) => !one || !isDeclared(one) || one.sub === sub
    const ends = endOf(fate, ours !== undefined, isFitting(ours))
    const put = (trust: Copy['trust'], isChanged: boolean, when = at, listener = ours) =>
      listener &&
      copies.push({
        ...{at: when + 40, listener, isChanged, isUntold: isUnderWay, isLate: false},
        // The secret of a listener that shares the URL is another one.
        trust: isFitting(listener) ? trust : 'refused',
      })
    if (fate === 'fine' || fate === 'cut' || fate === 'broken' || fate === 'twice') put('verified', false)
    if (fate === 'twice') put('verified', false)
    if (fate === 'stale') put('stale', false)
    if (fate === 'changed' || fate === 'self-changed') put('refused', true)
    const delay = held[fate]
    if (delay !== undefined && at + delay < NOW && put('stale', false, at + delay, there(at + delay)))
      Object.assign(copies.at(-1) ?? {}, {isLate: delay > 5 * MINUTE && isRecorded})
    const next = SCHEDULE[index + 1]
    const nextAt = ends === 'taken' || next === undefined ? null : first + next
    made.push({at, number: index + 1, ends, nextAt, isRecorded})
    if (ends === 'taken') break
  }
  return {sub, made, copies: copies.sort((a, b) => a.at - b.at)}
}

function endOf(fate: Fate, isThere: boolean, isFitting: boolean): Made['ends'] {
  if (fate === 'lost' || fate === 'elsewhere' || fate === 'self-changed' || held[fate]) return 'taken'
  if (!isThere || fate === 'cut') return 'unanswered'
  if (fate === 'changed' || fate === 'stale' || !isFitting) return 'refused'
  return fate === 'broken' ? 'failed' : 'taken'
}

export interface Expected {
  state: string
  finding: string | null
  /** How many copies there are that may be of it. */
  copies: number
  isHere: boolean
}

/** What must be said of an event and a subscription; undefined if the service has no record of it. */
function expected(history: History, event: Event, ways: readonly Way[], way: Way): Expected | undefined {
  const known = way.made.filter(({isRecorded}) => isRecorded)
  const last = known.at(-1)
  const all = ways.flatMap((one) => one.copies).filter((copy) => tells(copy, way.sub, history) !== 'other')
  const own = way.copies.filter((copy) => tells(copy, way.sub, history) === 'own')
  if (last === undefined) return onlyHere(all, own, history)
  const isDelivered = known.some(({ends}) => ends === 'taken')
  const isGood = event.isImported || all.some(({trust}) => trust === 'verified')
  const isWatched = known
    .filter(({ends}) => ends === 'taken')
    .some(({at}) =>
      history.listeners.some((one) => isKnownThere(one, way.sub, at, history) && isAwake(one, at)),
    )
  const first = own.find(({trust}) => trust !== 'refused')
  const isGap = known.some(
    ({number}, index) =>
      number - (known[index - 1]?.number ?? 0) > 1 && (index > 0 || event.at > NOW - 15 * DAY),
  )
  const finding = () => {
    if (isDelivered && !isGood && !first?.isLate && isWatched) return 'delivered-not-here'
    // Of one that came before all that is recorded nobody knows what was said of it.
    const isJudged = ({isUntold, at}: Copy) => !isUntold && known.some((made) => made.at <= at)
    if (!isDelivered && own.some(isJudged)) return 'here-not-delivered'
    if (new Set(own.map(({isChanged}) => isChanged)).size > 1) return 'bodies-differ'
    if (first?.isLate) return 'late'
    return isGap ? 'gap' : null
  }
  const state = isDelivered ? 'delivered' : last.nextAt === null ? 'dead' : 'retrying'
  return {state, finding: finding(), copies: all.length, isHere: event.isImported || all.length > 0}
}

/** What no record of the service speaks of is named if it must have one, and shown if it is to have one. */
function onlyHere(all: readonly Copy[], own: readonly Copy[], {subs}: History): Expected | undefined {
  const sure = own.filter(
    ({trust, at, listener}) =>
      trust === 'verified' &&
      at > ASKED_FROM + 30 * MINUTE &&
      // Otherwise it may be of another subscription.
      (isDeclared(listener) || subs.length === 1),
  )
  if (sure.length === 0) return undefined
  const finding = sure.some(({isUntold}) => !isUntold) ? 'here-only' : null
  return {state: 'unknown', finding, copies: all.length, isHere: true}
}

type Input = Parameters<typeof timeline>

/** The records that a history leaves, in any order, and what must be said of each event for each subscription. */
export function played(history: History): {input: Input; expected: Map<string, Expected>} {
  const {offsetMs} = history
  const stamp = (at: number) => new Date(at + offsetMs).toISOString()
  const placeOf = (sub: number, isOld: boolean) => 4750 + ownerOf(sub, history) + (isOld ? 10 : 0)
  const urlOf = (sub: number, isOld: boolean) =>
    history.subs[ownerOf(sub, history)]?.isLocal
      ? `http://127.0.0.1:${placeOf(sub, isOld)}/hook`
      : `https://hooks.example.com/${placeOf(sub, isOld)}`
  const known = history.subs.map(({movedAt, seenAt}, sub) => {
    const seen = [seenAt, ...(movedAt !== null && movedAt > seenAt ? [movedAt] : [])]
    return {
      id: `sub-${sub}`,
      urls: seen.map((from) => ({url: urlOf(sub, !isMoved(sub, from, history)), from})),
    }
  })
  const runs = new Map(
    history.listeners.map((one) => [
      one,
      {
        ...{
          from: one.from,
          to: one.to,
          slept: one.nap ? [one.nap] : [],
          hasSecret: true,
          pid: 1,
          answer: null,
          dropped: 0,
          isFailing: false,
        },
        // Otherwise it is behind something that nothing is known of.
        port: ['id', 'port'].includes(one.declared) ? placeOf(one.sub, one.isOld) : 9999,
        publicUrl: /public/.test(one.declared)
          ? `https://hooks.example.com/${placeOf(one.sub, one.isOld)}`
          : null,
        subscription: isDeclared(one) ? `sub-${one.sub}` : null,
      },
    ]),
  )
  const sent = known.map((subscription) => ({subscription, attempts: [] as Delivery[]}))
  const copies = new Map<string, Arrived[]>()
  const imported = new Set<string>()
  const wanted = new Map<string, Expected>()
  for (const [index, event] of history.events.entries()) {
    const eventId = `event-${index}`
    if (event.isImported) imported.add(eventId)
    const ways = event.ways.map((one) => playWay(history, event, one))
    for (const way of ways) {
      for (const one of way.made.filter(({isRecorded}) => isRecorded))
        sent[way.sub]?.attempts.unshift(recordOf(eventId, one, stamp))
      const must = expected(history, event, ways, way)
      if (must) wanted.set(`${eventId} sub-${way.sub}`, must)
    }
    const arrived = ways
      .flatMap((one) => one.copies)
      .map((copy): Arrived => {
        const {at, listener, trust, isChanged} = copy
        const run = runs.get(listener)
        if (run === undefined) throw new Error('a copy came to nobody')
        return {
          at,
          trust,
          run,
          why: null,
          eventType: 'order.completed',
          sha256: isChanged ? 'changed' : 'as it was',
        }
      })
    if (arrived.length > 0)
      copies.set(
        eventId,
        arrived.sort((a, b) => a.at - b.at),
      )
  }
  const around = {
    ...{copies, imported, runs: [...runs.values()], known, now: NOW, isWhole: true, askedFrom: ASKED_FROM},
    localOf: (at: number) => at - offsetMs,
  }
  return {input: [sent, around], expected: wanted}
}

function recordOf(
  eventId: string,
  {at, number, ends, nextAt}: Made,
  stamp: (at: number) => string,
): Delivery {
  const outcome = {
    taken: [200, null],
    refused: [401, 'Destination rejected'],
    failed: [503, 'Delivery failed'],
    unanswered: [null, 'Connection failed'],
  }[ends]
  return {
    ...{id: `${eventId} ${number}`, eventId, eventType: 'order.completed', attemptNumber: number},
    ...{sentAt: stamp(at), succeeded: ends === 'taken'},
    ...{httpStatus: outcome[0], errorSummary: outcome[1], nextAttemptAt: nextAt && stamp(nextAt)},
    deadLetteredAt: ends !== 'taken' && nextAt === null ? stamp(at) : null,
  } as Delivery
}
