import {noticeWindowMs} from '../../contract/limits.ts'
import type {Folders, Identity} from '../../store/paths.ts'
import {counted} from '../../terminal/text.ts'
import {type Blindness, iso, type KnownSubscription} from './blindness.ts'
import type {Evidence} from './evidence.ts'
import {type Check, inboxJournal, type SentEvent} from './records.ts'
import type {Sent} from './sent.ts'

// What asking the service has shown stays known: who reads the inbox a minute later must not take it for whole.

/** A check keeps so many events, the newest: the others are as good a reason to ask again. */
const MOST = 1_000
/** Ids of the service are far shorter. */
const LONGEST_ID = 200

/**
 * What of that which the service says it has sent is not here. Of a subscription that it does not know any more it can't
 * tell: what was missing of that still is.
 */
export function checkOf({events, gone}: Sent, evidence: Evidence, now: number): Check {
  const before = lastCheck(evidence, [], now)?.lacking ?? []
  const left = before.filter(({subscription}) => gone.includes(subscription))
  const all = lackingOf([...events, ...left], evidence)
  const lacking = all.filter(({id}) => id.length <= LONGEST_ID).slice(-MOST)
  return {at: new Date().toISOString(), lacking, isCut: lacking.length < all.length, gone}
}

/** The last check, with what of it is not here yet and can still be answered. `now`: by the service's clock. */
export function lastCheck(
  evidence: Evidence,
  subscriptions: readonly KnownSubscription[],
  now: number,
): Check | undefined {
  const {check} = evidence
  if (check === undefined) return undefined
  const lacking = lackingOf(check.lacking, evidence).filter(({firstAt}) => firstAt + noticeWindowMs > now)
  // One that an answer has shown since then is there again.
  const seen = new Set(subscriptions.filter(({at}) => at > check.at).map(({id}) => id))
  return {...check, lacking, gone: check.gone.filter((id) => !seen.has(id))}
}

/** Keeps what a check has found, unless it has found nothing, as the one before. */
export async function keepCheck(
  {folders, identity}: {folders: Folders; identity: Identity},
  {at, lacking, isCut, gone}: Check,
  before: Check | undefined,
): Promise<void> {
  const isSame = JSON.stringify(lacking) === JSON.stringify(before?.lacking ?? [])
  if (isSame && lacking.length === 0 && gone.length + (before?.gone.length ?? 0) === 0) return
  const record = {kind: 'checked' as const, at, lacking: isSame ? null : lacking, isCut, gone: [...gone]}
  await inboxJournal(folders, identity).append(record, {sync: true})
}

/** Events of which no copy is here that counts, the oldest first. */
function lackingOf(events: readonly SentEvent[], {receipts, importedEvents}: Evidence): SentEvent[] {
  if (events.length === 0) return []
  const taken = receipts.filter(({trust}) => trust !== 'refused')
  const here = new Set([...taken.map(({eventId}) => eventId), ...importedEvents])
  // What has come before, and never told of a notice, hides none.
  const telling = new Set(taken.filter(tellsOfNotice).map(({eventType}) => eventType))
  const proved = taken.filter(
    ({trust, eventType}) => trust === 'verified' && !/notice/i.test(eventType ?? ''),
  )
  const harmless = new Set(proved.map(({eventType}) => eventType).filter((type) => !telling.has(type)))
  const lacking = events.filter(({id, type}) => !here.has(id) && !harmless.has(type))
  const byId = new Map(lacking.map((one) => [one.id, one]))
  return [...byId.values()].sort((a, b) => a.firstAt - b.firstAt)
}

const tellsOfNotice = ({notices, unreadable}: Evidence['receipts'][number]) =>
  notices.length > 0 || unreadable

/** That events were sent and are not here, as the service says or, if it is an earlier check, said; by this machine's clock. */
export function missing({at, lacking: all, isCut}: Check, isEarlier: boolean, offsetMs: number): Blindness[] {
  const [first] = all
  if (first === undefined) return []
  const types = [...new Set(all.map(({type}) => type))]
  const kinds = types
    .slice(0, 3)
    .map((type) => `${all.filter((one) => one.type === type).length} ${type}`)
    .join(', ')
  const are = all.length === 1 ? 'is' : 'are'
  const events = `${isCut ? 'At least ' : ''}${counted(all.length, 'event')}`
  const not = isEarlier
    ? `${events} that the service had sent when it was last asked ${are} still not here`
    : `${events} of the last 72 hours that the service has sent ${are} not here`
  return [
    {
      code: 'missing',
      since: iso(first.firstAt - offsetMs),
      until: iso(Math.max(...all.map(({firstAt}) => firstAt)) + noticeWindowMs - offsetMs),
      says: `${not} (${kinds}). ${whereOf(all, isEarlier)}`,
      next: `scent webhooks timeline ${first.subscription} --missing`,
      ...(isEarlier && {checkedAt: at}),
    },
  ]
}

/** Whether they will come yet, and who may have them. */
function whereOf(all: readonly SentEvent[], isEarlier: boolean): string {
  const taken = all.filter(({isTaken}) => isTaken).length
  const coming = all.filter(({isTaken, comesAgain}) => comesAgain && !isTaken).length
  const over = all.filter(({isTaken, comesAgain, isGivenUp}) => isGivenUp && !isTaken && !comesAgain).length
  const untold = all.length - taken - coming - over
  const [took, will, has] = isEarlier ? ['had taken', 'was to', 'had'] : ['took', 'will', 'has']
  const [says, comes] = isEarlier ? ['said', 'would'] : ['says', 'will']
  return [
    taken > 0 && `Another receiver ${took} ${taken}.`,
    coming > 0 && `The service ${will} send ${coming} again.`,
    over > 0 && `It ${has} given up ${over}.`,
    untold > 0 && `Nothing ${says} that ${untold} ${comes} come again.`,
    taken + over + untold > 0 && 'What another receiver keeps can be taken in: `scent notices import FILE`.',
  ]
    .filter(Boolean)
    .join(' ')
}
