import {millis} from '../../contract/forms.ts'
import type {Notice, NoticeChoice} from '../../contract/notices.ts'
import {type Deadline, deadlineOf} from './deadline.ts'
import {type Doubt, doubtsOf, type Ending, endedFields, endIn, endingOf, isAwaiting, isOdd} from './ends.ts'
import {filled, type NoticeFacts} from './facts.ts'
import type {Outcome} from './records.ts'
import {isTrusted, rank, type Trust} from './trust.ts'

// What is known of each notice, out of everything that was ever told of it. The API has no list of notices and shows none
// twice, so this is the only one there is. It depends on its arguments alone, and not on the order of the records.

/** A text that told of a notice, when it came here. */
export interface Told extends NoticeFacts {
  trust: Trust
  /** Milliseconds, by this machine's clock. */
  at: number
  /** The same by the service's clock: no earlier, if that can't be known to the second. The notice was raised by then. */
  by: number
}

/** An answer of ours, written down before it was sent; without an outcome if the process died. */
export interface Answer {
  attempt: string
  id: string
  choice: NoticeChoice
  at: number
  /** By the service's clock, as of what was told. */
  by: number
  outcome?: Outcome
}

export interface Known {
  told: readonly Told[]
  answers: readonly Answer[]
}

type NoticeState =
  | 'answered'
  | 'answered-elsewhere'
  | 'expired'
  | 'closed'
  | 'not-ours'
  | 'unsettled'
  | 'overdue'
  | 'doubtful'
  | 'open'

/** States in which an answer can still matter. */
const answerable: readonly NoticeState[] = ['unsettled', 'doubtful', 'open']
export const isOpen = ({desk}: InboxItem) => answerable.includes(desk.state)

/** A notice in the API's own shape, and what is known of it here. */
export type InboxItem = Partial<Notice> & {
  id: string
  desk: {
    state: NoticeState
    /** Milliseconds until its deadline by the service's clock; null once it is closed. */
    leftMs: number | null
    /** Whether its deadline was told, or is 72 hours after it was raised or first seen here; null if that matters no more. */
    deadline: Deadline['kind'] | null
    /** What the service does if nobody answers; null if it can't be known. */
    ifSilent: NoticeChoice | null
    /** Of what tells its end, and else of what tells most of it; null if only an answer from here speaks of it. */
    trust: Trust | null
    seenAt: string
    /** The choice that we sent and that was taken, or may have been; else the last that we sent, if any. */
    answer: {choice: NoticeChoice; outcome: Outcome | null; at: string} | null
    doubts: Doubt[]
  }
}

/** What the service's clock shows, in milliseconds, and how much further it is ahead of this machine's than its answers have told. */
interface Clock {
  now: number
  lead?: number
}

/** All notices that are known, the soonest deadline first. */
export function inbox({told, answers}: Known, {now, lead = 0}: Clock): InboxItem[] {
  // Whoever does not know since when it is further ahead can't say that it was not so when a notice came.
  const dated = <One extends {by: number}>(one: One) => (lead > 0 ? {...one, by: one.by + lead} : one)
  const toldOf = byId(told.map(dated))
  const answersOf = byId(answers.map(dated))
  const ids = [...new Set([...toldOf.keys(), ...answersOf.keys()])]
  return ids
    .map((id) => itemOf(id, toldOf.get(id) ?? none, answersOf.get(id) ?? none, now))
    .sort((a, b) => dueOf(a) - dueOf(b) || (a.id < b.id ? -1 : 1))
}

const none: readonly never[] = []

const dueOf = ({desk: {leftMs}}: InboxItem) => leftMs ?? Number.MAX_SAFE_INTEGER

function byId<T extends {id: string}>(list: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of list) {
    const group = groups.get(one.id)
    if (group) group.push(one)
    else groups.set(one.id, [one])
  }
  return groups
}

/** The service's clock: this machine's, moved by what its last answer told, and no earlier than what it has raised. */
export function serviceClock(told: readonly Told[], localNow: number, offsetMs: number): Clock {
  const raised = ({fields: {notifiedAt}, trust}: Told) =>
    notifiedAt && rank[trust] >= rank.verified ? millis(notifiedAt) : 0
  const heard = localNow + offsetMs
  const now = told.reduce((latest, one) => Math.max(latest, raised(one)), heard)
  return {now, lead: now - heard}
}

/** The best first: the higher trust, then what was seen first; what is seen at once is ordered by its content. */
function ordered(told: readonly Told[]): readonly Told[] {
  if (told.length < 2) return told
  const keyOf = ({fields, saysEnd}: Told) => JSON.stringify([saysEnd, Object.entries(fields).sort()])
  return [...told].sort(
    (a, b) => rank[b.trust] - rank[a.trust] || a.at - b.at || (keyOf(a) < keyOf(b) ? -1 : 1),
  )
}

function itemOf(id: string, told: readonly Told[], sent: readonly Answer[], now: number): InboxItem {
  const best = ordered(told)
  const answers = sent.toSorted((a, b) => a.at - b.at || (a.attempt < b.attempt ? -1 : 1))
  const trusted = best.filter(({trust}) => isTrusted(trust))
  const fields = merged(best)
  const ending = endingOf(trusted)
  const due = deadlineOf(best, trusted, answers, now)
  const state = stateOf({best, ending, answers, due, now})
  const isAwaited = answerable.includes(state) || state === 'overdue'
  const deadline = isAwaited || due.kind !== 'at most' ? due.kind : null
  const last = tellingOf(answers, ending?.choice)
  const first = best[0] && best.reduce((least, {at}) => Math.min(least, at), best[0].at)
  return {
    id,
    ...(ending ? endedFields(fields, ending) : fields),
    ...(deadline !== null && deadline !== 'told' && {responseDeadlineAt: new Date(due.at).toISOString()}),
    desk: {
      state,
      leftMs: isAwaited ? due.at - now : null,
      deadline,
      ifSilent: ifSilent(fields),
      trust: isTakenFromUs(answers) ? 'service' : (ending?.trust ?? best[0]?.trust ?? null),
      seenAt: new Date(first ?? last?.at ?? now).toISOString(),
      answer: last
        ? {choice: last.choice, outcome: last.outcome ?? null, at: new Date(last.at).toISOString()}
        : null,
      doubts: doubtsOf(best, ending),
    },
  }
}

const isLost = ({outcome}: Answer) => outcome === undefined || outcome === 'unknown'

/**
 * Of the answers that were sent from here the one that tells what became of the notice: that which was taken, or whose choice
 * the service says was taken, or whose own answer was lost. A refusal of a later one says nothing of it.
 */
function tellingOf(answers: readonly Answer[], taken: string | null | undefined): Answer | undefined {
  if (answers.length === 0) return undefined
  return (
    answers.findLast(({outcome}) => outcome === 'answered') ??
    answers.find((one) => isLost(one) && one.choice === taken) ??
    answers.find(isLost) ??
    answers.at(-1)
  )
}

/** Whether the service has said so itself. */
const isTakenFromUs = (answers: readonly Answer[]) => answers.some(({outcome}) => outcome === 'answered')

const OF_END = ['responseChoice', 'respondedAt', 'impact']

/** Each field as the highest trust tells it that tells it at all. An end is taken only from those that may close. */
function merged(best: readonly Told[]): Partial<Notice> {
  const tellsEnd = ([name, value]: [string, unknown]) =>
    name === 'status' ? !isAwaiting(value as string) : value !== null && OF_END.includes(name)
  const [first] = best
  if (first && best.length === 1 && isTrusted(first.trust)) return first.fields
  return best.reduce((fields, {fields: more, trust}) => {
    const taken = Object.entries(more).filter((field) => isTrusted(trust) || !tellsEnd(field))
    return filled(fields, Object.fromEntries(taken))
  }, {})
}

interface Evidence {
  best: readonly Told[]
  ending: Ending | undefined
  answers: readonly Answer[]
  due: Deadline
  now: number
}

function stateOf({best, ending, answers, due, now}: Evidence): NoticeState {
  const outcomeOf = (wanted: Outcome) => answers.some(({outcome}) => outcome === wanted)
  const isSent = (choice: unknown) => answers.some((one) => one.choice === choice && isLost(one))
  if (isTakenFromUs(answers)) return 'answered'
  // After a lost answer a refusal, or an event without a choice, says only that it is closed: by that answer or otherwise.
  const anyLost = answers.some(isLost)
  const isUntold = ending?.kind === 'closed' || (ending?.kind === 'resolved' && !ending.choice && anyLost)
  if (isUntold) return 'closed'
  if (ending?.kind === 'resolved') return isSent(ending.choice) ? 'answered' : 'answered-elsewhere'
  if (ending !== undefined) return 'expired'
  if ((outcomeOf('closed') || outcomeOf('lost-race')) && !anyLost) return 'closed'
  if (outcomeOf('not-found') && !anyLost) return 'not-ours'
  if (anyLost) return now < due.latest ? 'unsettled' : 'closed'
  if (now >= due.latest) return 'overdue'
  return now >= due.at ||
    best.some((one) => endIn(one) !== null || isOdd(one)) ||
    best.every(({trust}) => trust === 'stale')
    ? 'doubtful'
    : 'open'
}

/** What happens without an answer (spec, States and transitions): what has not left is cancelled, and so is what is lost. */
function ifSilent({reason, hasShipmentDeparted: departed}: Partial<Notice>): NoticeChoice | null {
  if (reason === 'Lost' || departed === false) return 'CancelWhole'
  return departed === true ? 'ShipAvailable' : null
}
