import {noticeWindowMs} from '../../contract/limits.ts'
import type {Run} from '../receipts/runs.ts'
import {type Blindness, HOUR, iso, type KnownSubscription} from './blindness.ts'
import type {Evidence} from './evidence.ts'

// When this machine listened, and what it may have missed while it did not.

/** Gaps that are shorter in all are covered by the service's retries. */
const SHORT_MS = HOUR / 4
/** No more than a listener that was started again. */
const RESTART_MS = HOUR / 60

interface Gap {
  from: number
  to: number
}

const isHeld = (spans: readonly Run[]) => spans.some(({to}) => to === Number.POSITIVE_INFINITY)

/** What makes this machine listen again. */
export const listenAgain = (subscriptions: readonly KnownSubscription[]) =>
  `scent webhooks listen${subscriptions.length === 0 || subscriptions.some(({own}) => own) ? ' --subscribe' : ''}`

/** The times within [since, now] at which no listener of this machine ran. */
function gapsOf(spans: readonly Run[], since: number, now: number): Gap[] {
  const awake = spans.flatMap(({from, to, slept}) => {
    const parts: Gap[] = []
    let begin = from
    for (const nap of [...slept].sort((a, b) => a.from - b.from)) {
      parts.push({from: begin, to: nap.from})
      begin = Math.max(begin, nap.to)
    }
    return [...parts, {from: begin, to: Math.min(to, now)}]
  })
  const gaps: Gap[] = []
  let covered = since
  for (const {from, to} of awake.filter((part) => part.to > part.from).sort((a, b) => a.from - b.from)) {
    if (from > covered) gaps.push({from: covered, to: Math.min(from, now)})
    covered = Math.max(covered, to)
  }
  if (covered < now) gaps.push({from: covered, to: now})
  return gaps.filter(({from, to}) => to > from)
}

/** What is to be said of a listener that runs and does not write; undefined if there is none. */
export function failingText(spans: readonly Run[]): string | undefined {
  const failing = spans.findLast(({isFailing}) => isFailing)
  return (
    failing &&
    `The listener on port ${failing.port} does not write down what is sent to it: the disk refuses that, or the listener was stopped.`
  )
}

/** What the service said when it was asked what it sent. */
interface Asked {
  /** Subscriptions that it does not know. */
  gone: readonly string[]
  /** Whether something of it is not here. */
  isLacking: boolean
}

/** Subscriptions that bring notices, and of which the service has told what it sent. */
function telling(
  {receipts}: Evidence,
  subscriptions: readonly KnownSubscription[],
  {gone, isLacking}: Asked,
): KnownSubscription[] {
  if (isLacking) return []
  const types = new Set(receipts.flatMap(({notices, eventType}) => (notices.length > 0 ? [eventType] : [])))
  const isTelling = (type: string) => types.has(type) || /notice/i.test(type)
  return subscriptions.filter(
    ({id, eventTypes}) => !gone.includes(id) && (eventTypes === null || eventTypes.some(isTelling)),
  )
}

/**
 * Whether somebody listens, and whether somebody did all the time. A time at which nothing listened hides nothing if all
 * that the service sent is here, and a subscription to notices was active then.
 */
export function listening(
  evidence: Evidence,
  subscriptions: readonly KnownSubscription[],
  now: number,
  asked?: Asked,
): Blindness[] {
  const {listening: spans} = evidence
  const next = listenAgain(subscriptions)
  if (spans.length === 0) {
    const says =
      'Nothing has listened for this inbox in the last 14 days: notices are known only if they are imported.'
    return [{code: 'nobody-listens', since: null, until: null, says, next}]
  }
  const found: Blindness[] = []
  const last = Math.max(...spans.map(({to}) => to))
  const failing = failingText(spans)
  if (!isHeld(spans)) {
    const since = iso(last)
    const says = 'Nothing listens on this machine now: what is sent meanwhile is not seen.'
    if (failing) found.push({code: 'failed', since, until: null, says: failing, next: 'scent doctor'})
    else found.push({code: 'nobody-listens', since, until: null, says, next})
  }
  const sure = asked ? telling(evidence, subscriptions, asked) : []
  const isTold = (at: number) => sure.some(({activeSince}) => activeSince !== undefined && activeSince <= at)
  // While nothing listens, the time since then is told already.
  const inner = gapsOf(spans, now - noticeWindowMs, now).filter(
    ({from, to}) => to - from > RESTART_MS && (isHeld(spans) || to < now) && !isTold(from),
  )
  const length = inner.reduce((sum, {from, to}) => sum + to - from, 0)
  const [first, end] = [inner[0], inner.at(-1)]
  if (!first || !end || length <= SHORT_MS) return found
  const times = inner.length === 1 ? 'for a time' : `${inner.length} times`
  const lacks =
    asked && !asked.isLacking
      ? ', and no subscription that is known here was active all that time: notices that were raised then may be missing.'
      : ': what was sent then may be missing.'
  return [
    ...found,
    {
      ...{code: 'gaps', since: iso(first.from), until: iso(end.to + noticeWindowMs)},
      says: `Nothing listened ${times} within the last 72 hours${lacks}`,
      // What the service was not subscribed to send it does not know either.
      next: asked ? 'scent notices import FILE' : 'scent notices inbox --check',
      times: inner.map(({from, to}) => ({from: iso(from), to: iso(to)})),
    },
  ]
}

/** A listener that has heard nothing for a day, and for four times its longest usual pause. */
export function silence({listening: spans, receipts}: Evidence, now: number): Blindness[] {
  if (!isHeld(spans)) return []
  const first = Math.min(...spans.map(({from}) => from))
  const gaps = gapsOf(spans, first, now)
  /** How long somebody listened within a time: what came to nobody is not the service's silence. */
  const listened = (from: number, to: number) =>
    gaps.reduce((left, gap) => left - Math.max(0, Math.min(gap.to, to) - Math.max(gap.from, from)), to - from)
  const taken = receipts.filter(({trust}) => trust !== 'refused').map(({time}) => time)
  const last = taken.at(-1) ?? first
  // Of 100,000 pauses only long ones matter.
  const usual = taken.reduce((longest, to, index) => {
    const from = taken[index - 1] ?? to
    return to - from > HOUR ? Math.max(longest, listened(from, to)) : longest
  }, 0)
  if (listened(last, now) <= Math.max(24 * HOUR, 4 * usual)) return []
  const says = `A listener runs, and nothing has come for longer than usual: see whether the subscription leads here.`
  return [{code: 'silent', since: iso(last), until: null, says, next: 'scent notices inbox --check'}]
}
