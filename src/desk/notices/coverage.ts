import {noticeWindowMs} from '../../contract/limits.ts'
import {counted} from '../../terminal/text.ts'
import type {Glance} from '../receipts/glances.ts'
import {nameOf, referenceOf, takeInLine} from '../receipts/reference.ts'
import type {Run} from '../receipts/runs.ts'
import {listenedBy, newSecretText} from '../signature/words.ts'
import {type Blindness, iso, type KnownSubscription} from './blindness.ts'
import {missing} from './check.ts'
import type {Evidence} from './evidence.ts'
import {type InboxItem, isOpen} from './inbox.ts'
import {listenAgain, listening, silence} from './listening.ts'
import type {Check} from './records.ts'
import type {Sent} from './sent.ts'

// What the records can't know. An empty inbox means something only if these say nothing.

const CLOCK_MS = 60_000

/**
 * All reasons, at a moment of this machine's clock. `every`: the notices that are known; `check`: what came of asking the
 * service, now or the last time; `sent`: what it says itself, if it was asked now.
 */
export function blindness(
  evidence: Evidence,
  every: readonly InboxItem[],
  subscriptions: readonly KnownSubscription[],
  now: number,
  {check, sent}: {check: Check | undefined; sent?: Sent | undefined},
): Blindness[] {
  const lacking = check ? missing(check, sent === undefined, evidence.offsetMs) : []
  return [
    ...store(evidence),
    ...listening(evidence, subscriptions, now, sent && {gone: sent.gone, isLacking: lacking.length > 0}),
    // Who was asked about a subscription has told what it sent.
    ...(sent && sent.asked > 0 ? [] : silence(evidence, now)),
    ...inactive(subscriptions, check, sent === undefined),
    ...deadLettering(evidence, subscriptions, sent),
    ...lacking,
    ...noType(evidence, subscriptions),
    ...arrived(evidence, subscriptions, now - noticeWindowMs),
    ...unchecked(evidence, every, now),
    ...clock(evidence),
  ]
}

function store({damaged}: Evidence): Blindness[] {
  const [first] = damaged
  if (first === undefined) return []
  const files = damaged.length === 1 ? 'A file of receipts' : `${damaged.length} files of receipts`
  const says = `${files} can't be read to the end, and what stands behind the damage is not seen: ${first}.`
  return [{code: 'store', since: null, until: null, says, next: 'scent doctor'}]
}

const isOff = ({isActive}: KnownSubscription) => isActive === false

function inactive(
  subscriptions: readonly KnownSubscription[],
  check: Check | undefined,
  isEarlier: boolean,
): Blindness[] {
  const isGone = ({id}: KnownSubscription) => check?.gone.includes(id) === true
  const [first] = subscriptions
  if (first === undefined || !subscriptions.every((one) => isOff(one) || isGone(one))) return []
  const off = subscriptions.find((one) => isOff(one) && !isGone(one))
  const since = subscriptions
    .filter(isOff)
    .map(({at}) => at)
    .sort()
    .at(-1)
  const knows = isEarlier ? 'When it was last asked, the service knew' : 'The service knows'
  const says = off
    ? 'No subscription that is known here is active: the service sends nothing.'
    : `${knows} none of the subscriptions that are known here: it sends nothing.`
  const isOurs = off === undefined || off.own === true
  const next = isOurs ? listenAgain(subscriptions) : `scent webhooks enable ${off.id}`
  const checkedAt = off === undefined && isEarlier ? check?.at : undefined
  return [{code: 'inactive', since: since ?? null, until: null, says, next, ...(checkedAt && {checkedAt})}]
}

/** The service has given up deliveries, by its own records or by what was last told of a subscription. */
function deadLettering(
  {receipts, offsetMs}: Evidence,
  subscriptions: readonly KnownSubscription[],
  sent: Sent | undefined,
): Blindness[] {
  const lastGood = receipts.findLast(({trust}) => trust === 'verified')?.time ?? 0
  const given = subscriptions.flatMap(({id, at, lastDeliveryStatus}) => {
    const end = sent?.ends.get(id)
    if (end) return end.isGivenUp ? [{id, since: iso(end.at - offsetMs)}] : []
    // A copy that came since then shows that deliveries arrive again.
    return lastDeliveryStatus === 'DeadLettered' && Date.parse(at) > lastGood ? [{id, since: at}] : []
  })
  const [first] = given
  if (first === undefined) return []
  const of = given.length === 1 ? 'a subscription' : `${given.length} subscriptions`
  const says = `The service has given up the newest delivery of ${of}: what it gave up does not come again by itself.`
  const next = `scent webhooks deliveries ${first.id} --failed`
  return [{code: 'dead-lettering', since: first.since, until: null, says, next}]
}

/** A type that has told of notices before, and that no active subscription has now. */
function noType({receipts}: Evidence, subscriptions: readonly KnownSubscription[]): Blindness[] {
  const on = subscriptions.filter((one) => !isOff(one))
  if (on.length === 0) return []
  const telling = receipts.filter(({notices, trust}) => notices.length > 0 && trust !== 'refused')
  const isHad = (type: string) => on.some(({eventTypes}) => eventTypes === null || eventTypes.includes(type))
  const lost = telling.filter(({eventType}) => eventType !== null && !isHad(eventType))
  const types = [...new Set(lost.map(({eventType}) => eventType))]
  if (types.length === 0) return []
  const says = `No active subscription that is known here has the type ${types.slice(0, 3).join(', ')}, which has told of notices before.`
  const since = iso(Math.max(...lost.slice(-1).map(({time}) => time)))
  return [{code: 'no-type', since, until: null, says, next: 'scent webhooks list'}]
}

/** What arrived within the window, and could not be used for what it is. */
function arrived(
  evidence: Evidence,
  subscriptions: readonly KnownSubscription[],
  since: number,
): Blindness[] {
  const {receipts, importedEvents} = evidence
  const recent = receipts.filter(({time}) => time >= since)
  const found: Blindness[] = []
  const add = (code: Blindness['code'], list: typeof recent, says: string, next: string) => {
    const [first, last] = [list[0], list.at(-1)]
    if (first && last)
      found.push({code, since: iso(first.time), until: iso(last.time + noticeWindowMs), says, next})
  }
  const wrong = recent.filter(({trust}) => trust === 'refused')
  const ids = new Set(wrong.map(({eventId}) => eventId))
  const good = new Set(
    receipts.filter((one) => one.trust === 'verified' && ids.has(one.eventId)).map(({eventId}) => eventId),
  )
  // One that came again and fitted, or was taken in since, hides nothing.
  const isGood = (id: string) => good.has(id) || importedEvents.has(id)
  const refused = wrong.filter(({eventId}) => !(eventId && isGood(eventId)))
  const telling = refused.filter(({notices, unreadable}) => notices.length > 0 || unreadable)
  const {says, next} = takeInWords(telling, refused.length)
  const secret = secretText(evidence, subscriptions)
  add('refused', refused, `${refusedText(refused, telling, evidence, since)}${secret}${says}`, next)
  const unreadable = recent.filter((one) => one.unreadable && one.trust !== 'refused')
  const speak = unreadable.length === 1 ? '1 delivery speaks' : `${unreadable.length} deliveries speak`
  for (const first of unreadable.slice(0, 1))
    add('unreadable', unreadable, `${speak} of a notice in a form that can't be read.`, bodyOf(first))
  const conflicts = conflicting(recent)
  const events = counted(new Set(conflicts.map(({eventId}) => eventId)).size, 'event')
  const copies = `Copies of ${events} tell of different notices, and only one of them counts.`
  add('conflict', conflicts, copies, 'scent webhooks events --differs')
  return found
}

/** How many were refused, and how many of them tell of a notice. */
function refusedText(
  refused: readonly Glance[],
  {length: telling}: readonly Glance[],
  {listening: runs}: Evidence,
  since: number,
): string {
  const dropped = runs.filter(({to}) => to >= since).reduce((sum, run) => sum + run.dropped, 0)
  const [were, them] =
    refused.length === 1 ? ['delivery was', ''] : ['deliveries were', ` ${telling} of them`]
  const speaks = telling === 0 ? '' : `, and${them} ${telling === 1 ? 'speaks' : 'speak'} of a notice`
  const more = dropped > 0 ? `; ${dropped} more were not kept` : ''
  return `${refused.length} ${were} refused for the signature${speaks}${more}.`
}

/** How what was refused and tells of a notice gets into the inbox, if it fits by now: an import judges it once more. */
function takeInWords(telling: readonly Glance[], count: number): {says: string; next: string} {
  const all = 'scent webhooks events --trust refused'
  const last = telling.at(-1)
  if (last === undefined) return {says: '', next: all}
  const isOne = telling.every(({sha256}) => sha256 === last.sha256)
  // As many are listed anyway.
  const limit = count > 100 ? ` --limit ${count}` : ''
  const next = isOne
    ? takeInLine(referenceOf(last))
    : `${all}${limit} --output ndjson | scent notices import -`
  return {says: ' What fits the secret that is in force now can be taken in.', next}
}

/** What to do if no signature has fitted any more since a time: then the secret was changed, most likely. */
function secretText(
  {receipts, listening: spans}: Evidence,
  subscriptions: readonly KnownSubscription[],
): string {
  const last = receipts.findLast(({trust, why}) => trust === 'verified' || why === 'mismatch')
  if (last?.why !== 'mismatch') return ''
  const run = spans.findLast(({from, to}) => from <= last.time && last.time <= to)
  if (run === undefined) return ''
  return ` None has fitted since then, so the secret may have been changed. ${newSecretText(listenedBy(run, subscriptions))}`
}

const commandName = ({eventId, at, sha256}: Glance) => nameOf({eventId, receipt: referenceOf({at, sha256})})

const bodyOf = (one: Glance) => `scent webhooks events ${commandName(one)} --body`

/** Copies of one event that tell of other notices than another copy does. What was refused, or came too late, counts nothing. */
function conflicting(recent: readonly Glance[]): Glance[] {
  const first = new Map<string, string>()
  const differing = new Set<string | null>()
  const taken = recent.filter(({trust}) => trust === 'verified' || trust === 'unchecked')
  for (const {eventId, notices: ids} of taken) {
    if (eventId === null) continue
    const told = ids.length < 2 ? (ids[0] ?? '') : [...ids].sort().join(' ')
    const before = first.get(eventId)
    if (before === undefined) first.set(eventId, told)
    else if (before !== told) differing.add(eventId)
  }
  return differing.size === 0 ? [] : taken.filter(({eventId}) => differing.has(eventId))
}

/** A listener without a secret: as long as it runs, and afterwards as long as nothing else tells of a notice that waits. */
function unchecked(evidence: Evidence, every: readonly InboxItem[], now: number): Blindness[] {
  const open = evidence.listening.filter(({hasSecret}) => !hasSecret)
  const running = open.filter(({to}) => to === Number.POSITIVE_INFINITY)
  const sinceOf = (runs: readonly Run[]) => iso(Math.min(...runs.map(({from}) => from)))
  if (running.length > 0) {
    const says =
      'A listener has no signing secret, and checks nothing: anybody who reaches it can tell it anything.'
    const next = 'scent webhooks listen --secret-stdin'
    return [{code: 'unchecked', since: sinceOf(running), until: null, says, next}]
  }
  const waiting = new Map(
    every.filter((item) => isOpen(item) && item.desk.trust === 'unchecked').map((item) => [item.id, item]),
  )
  const telling = evidence.receipts.filter(
    ({trust, notices}) => trust === 'unchecked' && notices.some((id) => waiting.has(id)),
  )
  const took = open.filter(({from, to}) => telling.some(({time}) => time >= from && time <= to))
  if (took.length === 0) return []
  const here = new Set(telling.flatMap(({notices}) => notices.filter((id) => waiting.has(id))))
  const left = Math.max(...[...here].map((id) => waiting.get(id)?.desk.leftMs ?? 0))
  const [one, ...more] = [...new Map(telling.map((copy) => [commandName(copy), copy])).values()]
  const only = one && more.length === 0 ? takeInLine(referenceOf(one)) : undefined
  const each = only ? '' : `, one by one: \`${takeInLine('EVENT_ID')}\``
  const [notices, wait] = [counted(here.size, 'notice'), here.size === 1 ? 'waits' : 'wait']
  return [
    {
      ...{code: 'unchecked', since: sinceOf(took), until: iso(now + left)},
      says: `A listener had no signing secret, and checked nothing: only what came to it tells of ${notices} that ${wait} for an answer. What fits counts once it is taken over${each}.`,
      next: only ?? 'scent webhooks events --trust unchecked',
      times: took.map(({from, to}) => ({from: iso(from), to: iso(to)})),
    },
  ]
}

function clock({offsetMs}: Evidence): Blindness[] {
  if (Math.abs(offsetMs) <= CLOCK_MS) return []
  const minutes = Math.round(Math.abs(offsetMs) / 60_000)
  const off = minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
  const says = `This machine's clock is ${off} ${offsetMs > 0 ? 'behind' : 'ahead of'} the service's; times left are by the service's.`
  return [{code: 'clock', since: null, until: null, says, next: 'scent doctor'}]
}

/** When an empty inbox will mean something again, if nothing else happens; null if something must be mended before. */
export function clearAt(blind: readonly Blindness[]): string | null {
  const ends = blind.map(({until}) => until)
  return ends.includes(null) ? null : (ends.sort().at(-1) ?? null)
}
