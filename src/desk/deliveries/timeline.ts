import {millis} from '../../contract/forms.ts'
import type {Delivery} from '../../contract/webhooks.ts'
import {momentOf} from '../../flows/webhooks.ts'
import {type Received, trusts} from '../receipts/records.ts'
import type {Run} from '../receipts/runs.ts'
import type {Arrived, Here} from './here.ts'
import {isAt, isAwake, isOf, isSureOf, type Known, urlAt} from './whose.ts'

// Both sides of each event: what the service says that it sent, and what is here. It depends on its arguments alone.

/** What the service says that it sent to a subscription. */
export interface Sent {
  subscription: Known
  attempts: readonly Delivery[]
}

/** An event, on both sides. */
export interface TimelineItem {
  eventId: string | null
  eventType: string | null
  subscriptionId: string
  /** `unknown`: it failed, and nothing says whether it will be sent again; or the service has no record of it. */
  state: 'delivered' | 'retrying' | 'dead' | 'unknown'
  /** The oldest first, as the service records them; none if it is only here. */
  attempts: Omit<Delivery, 'eventId' | 'eventType'>[]
  nextAttemptAt: string | null
  /** When the service forgets it. */
  forgottenAt: string | null
  here: {copies: number; firstAt: string | null; trust: Received['trust'] | 'imported'} | null
  finding: Because['finding'] | null
}

/** What does not fit together, and what shows it. */
export type Because =
  /** The service was told that it arrived, by something that is not the listener which had the URL then. */
  | {finding: 'delivered-not-here'; at: number; listener: Run; refused: Arrived | null}
  /** It arrived, and the service does not know: it was told otherwise of the try that brought it, if that is recorded. */
  | {finding: 'here-not-delivered'; copy: Arrived; attempt: Delivery | null}
  /** It arrived, and no record of the service speaks of it. */
  | {finding: 'here-only'; copy: Arrived}
  | {finding: 'bodies-differ'}
  | {finding: 'late'; byMs: number}
  /** The service's own record of an attempt is missing. */
  | {finding: 'gap'; attempt: number}

export interface Row {
  item: TimelineItem
  /** Those of it that came here, the first one first. */
  copies: readonly Arrived[]
  subscription: Known
  because: Because | null
  /** Whether all was read that the service keeps of it. */
  isWhole: boolean
}

/** How long the service keeps a record of an attempt (spec, Limits). */
export const KEPT_MS = 30 * 86_400_000
/** Attempts before one that is younger than this are not forgotten yet: no schedule of retries takes half a month. */
const WHOLE_MS = KEPT_MS / 2
/** Clocks that are less apart count as one. */
const CLOCKS_MS = 5_000
const LATE_MS = 5 * 60_000
/** No date is later, but for a month. */
const LAST_MS = 8.63e15
/** An attempt is recorded once it has ended: what has just arrived may belong to one that is still to be told. */
const UNTOLD_MS = 60_000
/** What came no longer after the first moment that was asked for may have been sent before it, and be late. */
const BEFORE_MS = 30 * 60_000
/** How much earlier a retry may come than it was announced. */
const EARLY_MS = 30_000

interface Around extends Here {
  /** All subscriptions that are known, whether they are looked at or not. */
  known: readonly Known[]
  /** When the service was asked, in milliseconds of this machine's clock. */
  now: number
  /** Whether everything was read that the service keeps. */
  isWhole: boolean
  /** The moment of this machine's clock since which each attempt was asked for, and is not forgotten. */
  askedFrom: number
}

/** One row for each event of each subscription, the last sent first. */
export function timeline(sent: readonly Sent[], around: Around): Row[] {
  const ids = new Set(sent.flatMap(({attempts}) => attempts.map(({eventId}) => eventId)))
  const rows = sent.flatMap((one) => [
    ...[...groups(one.attempts)].map((all) => rowOf(all, one.subscription, around)),
    ...onlyHere(one, ids, around),
  ])
  const lastOf = ({item, copies}: Row) =>
    item.attempts.length > 0 ? around.localOf(momentOf(item.attempts.at(-1))) : (copies.at(-1)?.at ?? 0)
  return rows.sort((a, b) => lastOf(b) - lastOf(a))
}

/** Events of a subscription that came here, and of which the service has no record; `ids`: those of which it has one, of any. */
function onlyHere({subscription, attempts}: Sent, ids: ReadonlySet<unknown>, around: Around): Row[] {
  const sent = new Set(attempts.map(({eventId}) => eventId))
  const rows: Row[] = []
  for (const [eventId, all] of around.copies) {
    if (sent.has(eventId)) continue
    const copies = all.filter((copy) => isOf(copy, subscription, around.known) !== 'other')
    const copy = copies.find(
      (one) =>
        one.at > around.askedFrom + BEFORE_MS &&
        isSentHere(one, subscription, around) &&
        isSureOf(one.run, subscription, around.known) &&
        isOf(one, subscription, around.known) === 'own' &&
        // One that another subscription has a record of is of that one, unless its signature proves that it is of this one.
        (!ids.has(eventId) || (one.trust === 'verified' && one.run.subscription !== null)),
    )
    if (copy === undefined) continue
    const isTold = copy.at <= around.now - UNTOLD_MS
    const because: Because | null = isTold ? {finding: 'here-only', copy} : null
    const item: TimelineItem = {
      ...{eventId, eventType: copy.eventType, subscriptionId: subscription.id, state: 'unknown'},
      ...{attempts: [], nextAttemptAt: null, forgottenAt: null},
      ...{here: hereOf(copies, around.imported.has(eventId)), finding: because?.finding ?? null},
    }
    rows.push({item, copies, subscription, because, isWhole: around.isWhole})
  }
  return rows
}

/** Whether its signature proves it to be of the service, or it came where the subscription's deliveries go. */
const isSentHere = ({trust, run, at}: Arrived, subscription: Known, {isWhole}: Around) =>
  // How long an unchecked one was on its way nobody knows.
  trust === 'verified' || (trust === 'unchecked' && isWhole && isAt(run, urlAt(subscription, at)))

/** Whether it was stored as an event of the service. */
export const isKept = ({trust}: Arrived) => trust === 'verified' || trust === 'unchecked'

/** The attempts of each event, the oldest first. One without an event stands for itself. */
function groups(attempts: readonly Delivery[]): Iterable<Delivery[]> {
  const events = new Map<unknown, Delivery[]>()
  for (const one of attempts) {
    const key = typeof one.eventId === 'string' ? one.eventId : one
    const all = events.get(key)
    if (all) all.push(one)
    else events.set(key, [one])
  }
  const byNumber = (a: Delivery, b: Delivery) => Number(a.attemptNumber) - Number(b.attemptNumber)
  const byTime = (a: Delivery, b: Delivery) => momentOf(a) - momentOf(b) || byNumber(a, b)
  for (const all of events.values()) all.sort(all.every(momentOf) ? byTime : byNumber)
  return events.values()
}

function rowOf(all: Delivery[], subscription: Known, around: Around): Row {
  const last = all.at(-1)
  const {eventId: id, eventType: type} = last ?? {}
  const eventId = typeof id === 'string' ? id : null
  // What came to a listener of another subscription says nothing of this one.
  const copies = (around.copies.get(eventId ?? '') ?? []).filter(
    (copy) => isOf(copy, subscription, around.known) !== 'other',
  )
  const isImported = eventId !== null && around.imported.has(eventId)
  const state = stateOf(all)
  const because = becauseOf({all, state, copies, isImported, subscription}, around)
  const lastAt = momentOf(last)
  const item: TimelineItem = {
    ...{eventId, eventType: typeof type === 'string' ? type : null, subscriptionId: subscription.id, state},
    attempts: all.map(({eventId: _, eventType: __, ...attempt}) => attempt),
    nextAttemptAt: state === 'retrying' ? String(last?.nextAttemptAt) : null,
    forgottenAt: lastAt > 0 && lastAt < LAST_MS ? new Date(lastAt + KEPT_MS).toISOString() : null,
    here: hereOf(copies, isImported),
    finding: because?.finding ?? null,
  }
  return {item, copies, subscription, because, isWhole: around.isWhole}
}

function stateOf(all: readonly Delivery[]): TimelineItem['state'] {
  const {deadLetteredAt, nextAttemptAt} = all.at(-1) ?? {}
  if (all.some(({succeeded}) => succeeded === true)) return 'delivered'
  if (typeof deadLetteredAt === 'string') return 'dead'
  return typeof nextAttemptAt === 'string' ? 'retrying' : 'unknown'
}

function hereOf(copies: readonly Arrived[], isImported: boolean): TimelineItem['here'] {
  const [first] = copies
  const trust = trusts.find((one) => copies.some((copy) => copy.trust === one))
  if (!first || !trust) return isImported ? {copies: 0, firstAt: null, trust: 'imported'} : null
  const isWorthLess = trust === 'stale' || trust === 'refused'
  const firstAt = new Date(first.at).toISOString()
  return {copies: copies.length, firstAt, trust: isImported && isWorthLess ? 'imported' : trust}
}

interface Event {
  all: readonly Delivery[]
  state: TimelineItem['state']
  copies: readonly Arrived[]
  isImported: boolean
  subscription: Known
}

/** What is wrong with an event: the first that is true, from what costs most to what costs least. */
function becauseOf(event: Event, around: Around): Because | null {
  const {all, state, copies, isImported, subscription} = event
  // What may be of another subscription is no cause for a finding, and hides one.
  const own = copies.filter((copy) => isOf(copy, subscription, around.known) === 'own')
  const late = lateBy(all, own, around)
  const isHere = isImported || copies.some(isKept)
  if (state === 'delivered' && !isHere && late === null) {
    const taken = all.filter(({succeeded}) => succeeded === true).map((one) => around.localOf(momentOf(one)))
    for (const listener of around.runs) {
      const at = taken.find((one) => isAwake(listener, one) && isAt(listener, urlAt(subscription, one)))
      if (at !== undefined) return {finding: 'delivered-not-here', at, listener, refused: own[0] ?? null}
    }
  }
  const told = state === 'delivered' ? undefined : toldOtherwise(all, own, around)
  if (told) return {finding: 'here-not-delivered', ...told}
  if (new Set(own.map(({sha256}) => sha256)).size > 1) return {finding: 'bodies-differ'}
  if (late !== null) return {finding: 'late', byMs: late}
  const attempt = missingAttempt(all, around)
  return attempt === undefined ? null : {finding: 'gap', attempt}
}

/** The best copy of those that a failed try brought, unless the service was told what its listener has answered. */
function toldOtherwise(
  all: readonly Delivery[],
  own: readonly Arrived[],
  around: Around,
): {copy: Arrived; attempt: Delivery | null} | undefined {
  const found = own.flatMap((copy): {copy: Arrived; attempt: Delivery | null}[] => {
    const attempt = isUntold(copy, all, around) ? undefined : tryOf(copy, all, around)
    if (attempt?.succeeded !== false) return []
    const {answer} = copy.run
    if (attempt === all.at(-1) && isOfNext(copy, attempt, around.localOf))
      return answer === null || !isKept(copy) ? [{copy, attempt: null}] : []
    return isKept(copy) && (answer ?? 200) === attempt.httpStatus ? [] : [{copy, attempt}]
  })
  const worth = ({copy}: {copy: Arrived}) => trusts.indexOf(copy.trust)
  return found.sort((a, b) => worth(a) - worth(b))[0]
}

/** The try that brought a copy, of those that are recorded, the oldest first; undefined if it came before all of them. */
export function tryOf<A extends Pick<Delivery, 'sentAt' | 'attemptNumber'>>(
  {at}: Arrived,
  attempts: readonly A[],
  {localOf, isWhole}: Pick<Around, 'localOf' | 'isWhole'>,
): A | undefined {
  const [first] = attempts
  // Nothing comes before the first try: that is between two clocks. If not all was read, it may be of an earlier sending.
  const isFirst = first?.attemptNumber === 1 && (isWhole || localOf(momentOf(first)) - at < CLOCKS_MS)
  return attempts.findLast((one) => localOf(momentOf(one)) <= at) ?? (isFirst ? first : undefined)
}

/** Whether a copy may be of an attempt that the service has not recorded yet. */
function isUntold(copy: Arrived, all: readonly Delivery[], {now, localOf}: Around): boolean {
  return copy.at > now - UNTOLD_MS && isOfNext(copy, all.at(-1), localOf)
}

/** Whether a copy came when the attempt after that one was announced. */
function isOfNext({at}: Arrived, one: Delivery | undefined, localOf: Here['localOf']): boolean {
  const next = localOf(millis(String(one?.nextAttemptAt)))
  const pause = next - localOf(momentOf(one))
  return at >= next - Math.min(EARLY_MS, pause / 2)
}

/** By how much the first copy came too late after the attempt that it is of. */
function lateBy(all: readonly Delivery[], own: readonly Arrived[], {localOf}: Around): number | null {
  const first = own.find(({trust}) => trust !== 'refused')
  if (first === undefined) return null
  const sender = all.findLast((one) => momentOf(one) > 0 && localOf(momentOf(one)) <= first.at)
  // It may be of the next attempt, of which there is no record.
  if (sender === undefined || isOfNext(first, sender, localOf)) return null
  const byMs = first.at - localOf(momentOf(sender))
  return byMs > LATE_MS ? byMs : null
}

/** The number of the first attempt that has no record, though a later one has. */
function missingAttempt(all: readonly Delivery[], {now, isWhole, localOf}: Around): number | undefined {
  const numbers = new Set(all.map(({attemptNumber}) => Number(attemptNumber)).filter(Number.isSafeInteger))
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)]
  // Those before the first one may be forgotten, or were not asked for.
  const isRecent = isWhole && localOf(momentOf(all[0])) > now - WHOLE_MS
  let number = isRecent ? 1 : Math.max(least, 1)
  while (numbers.has(number)) number += 1
  return number < most ? number : undefined
}
