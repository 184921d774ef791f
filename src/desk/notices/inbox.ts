import {millis} from '../../contract/forms.ts'
import {noticeWindowMs} from '../../contract/limits.ts'
import type {Notice, NoticeChoice} from '../../contract/notices.ts'
import {filled, type NoticeFacts} from './facts.ts'
import type {Outcome} from './records.ts'

// What is known of each notice, out of everything that was ever told of it. The API has no list of notices and shows none
// twice, so this is the only one there is. It depends on its arguments alone, and not on the order of the records.

/** Where a fact comes from: the service's answer to us, a checked copy, an import, or a copy that proves nothing. */
type Trust = 'service' | 'verified' | 'imported' | 'unchecked' | 'stale'

const rank: Record<Trust, number> = {service: 4, verified: 3, imported: 2, unchecked: 1, stale: 0}
/** Anything may open a notice; only these may close it, or change what one of them told. */
const isTrusted = (trust: Trust) => rank[trust] >= rank.imported

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
    doubts: {code: string; says: string}[]
  }
}

/** All notices that are known, the soonest deadline first. `now`: milliseconds by the service's clock. */
export function inbox({told, answers}: Known, now: number): InboxItem[] {
  const ids = [...new Set([...told, ...answers].map(({id}) => id))]
  const toldOf = byId(told)
  const answersOf = byId(answers)
  const items = ids.map((id) => itemOf(id, toldOf.get(id) ?? [], answersOf.get(id) ?? [], now))
  return items
    .map((item) => ({item, due: item.desk.leftMs ?? Number.MAX_SAFE_INTEGER}))
    .sort((a, b) => a.due - b.due || (a.item.id < b.item.id ? -1 : 1))
    .map(({item}) => item)
}

function byId<T extends {id: string}>(list: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of list) {
    const group = groups.get(one.id)
    if (group) group.push(one)
    else groups.set(one.id, [one])
  }
  return groups
}

/** The service's time: this machine's, moved by what its last answer told, and no earlier than what it has raised. */
export function serviceNow(told: readonly Told[], localNow: number, offsetMs: number): number {
  const raised = told
    .filter(({trust}) => rank[trust] >= rank.verified)
    .map(({fields}) => (fields.notifiedAt ? millis(fields.notifiedAt) : 0))
  return raised.reduce((latest, at) => Math.max(latest, at), localNow + offsetMs)
}

/** The best first: the higher trust, then what was seen first; what is seen at once is ordered by its content. */
function ordered(told: readonly Told[]): Told[] {
  const keyOf = ({fields, saysClosed}: Told) => JSON.stringify([saysClosed, Object.entries(fields).sort()])
  return [...told].sort(
    (a, b) => rank[b.trust] - rank[a.trust] || a.at - b.at || (keyOf(a) < keyOf(b) ? -1 : 1),
  )
}

function itemOf(id: string, told: readonly Told[], sent: readonly Answer[], now: number): InboxItem {
  const best = ordered(told)
  const answers = [...sent].sort((a, b) => a.at - b.at || (a.attempt < b.attempt ? -1 : 1))
  const trusted = best.filter(({trust}) => isTrusted(trust))
  const fields = merged(best)
  const endings = trusted.filter(({fields: {status}}) => status !== undefined && isClosed(status))
  const doubts: InboxItem['desk']['doubts'] = []
  const due = deadlineOf(best, trusted, answers, now)
  const ending = endings[0]
  const state = stateOf({best, ending: ending?.fields, answers, due, now})
  const isAwaited = answerable.includes(state) || state === 'overdue'
  const deadline = isAwaited || due.kind !== 'at most' ? due.kind : null
  if (endings.some(({fields: {status}}) => status !== ending?.fields.status))
    doubts.push({code: 'endings-differ', says: 'It is told to have ended in two ways.'})
  if (ending === undefined && best.some(saysEnd))
    doubts.push({code: 'untrusted-end', says: 'A copy that proves nothing says that it is closed.'})
  if (best.length > 0 && best.every(({trust}) => trust === 'stale'))
    doubts.push({code: 'stale', says: 'Only copies that came too late to be checked tell of it.'})
  const last = tellingOf(answers, ending?.fields.responseChoice)
  const [first] = best.map(({at}) => at).sort((a, b) => a - b)
  return {
    id,
    ...fields,
    ...(ending && {
      status: ending.fields.status,
      ...(ending.fields.responseChoice && {responseChoice: ending.fields.responseChoice}),
    }),
    ...(deadline !== null && deadline !== 'told' && {responseDeadlineAt: new Date(due.at).toISOString()}),
    desk: {
      state,
      leftMs: isAwaited ? due.at - now : null,
      deadline,
      ifSilent: ifSilent(fields),
      trust: isTakenFromUs(answers) ? 'service' : ((ending ?? best[0])?.trust ?? null),
      seenAt: new Date(first ?? last?.at ?? now).toISOString(),
      answer: last
        ? {choice: last.choice, outcome: last.outcome ?? null, at: new Date(last.at).toISOString()}
        : null,
      doubts,
    },
  }
}

const isLost = ({outcome}: Answer) => outcome === undefined || outcome === 'unknown'

/**
 * Of the answers that were sent from here the one that tells what became of the notice: that which was taken, or whose choice
 * the service says was taken, or whose own answer was lost. A refusal of a later one says nothing of it.
 */
function tellingOf(answers: readonly Answer[], taken: string | null | undefined): Answer | undefined {
  return (
    answers.findLast(({outcome}) => outcome === 'answered') ??
    answers.find((one) => isLost(one) && one.choice === taken) ??
    answers.find(isLost) ??
    answers.at(-1)
  )
}

/** Whether the service has said so itself. */
const isTakenFromUs = (answers: readonly Answer[]) => answers.some(({outcome}) => outcome === 'answered')

const isClosed = (status: string) => status !== 'AwaitingPartnerResponse'
const saysEnd = ({fields: {status}, saysClosed}: Told) =>
  saysClosed || (status !== undefined && isClosed(status))

const OF_END = ['responseChoice', 'respondedAt', 'impact']

/** Each field as the highest trust tells it that tells it at all. An end is taken only from those that may close. */
function merged(best: readonly Told[]): Partial<Notice> {
  const tellsEnd = ([name, value]: [string, unknown]) =>
    name === 'status' ? isClosed(value as string) : value !== null && OF_END.includes(name)
  const [first] = best
  if (first && best.length === 1 && isTrusted(first.trust)) return first.fields
  return best.reduce((fields, {fields: more, trust}) => {
    const taken = Object.entries(more).filter((field) => isTrusted(trust) || !tellsEnd(field))
    return filled(fields, Object.fromEntries(taken))
  }, {})
}

interface Evidence {
  best: readonly Told[]
  /** The end that the highest trust tells. */
  ending: Partial<Notice> | undefined
  answers: readonly Answer[]
  due: Deadline
  now: number
}

function stateOf({best, ending, answers, due, now}: Evidence): NoticeState {
  const outcomeOf = (wanted: Outcome) => answers.some(({outcome}) => outcome === wanted)
  const isSent = (choice: unknown) =>
    answers.some((one) => one.choice === choice && one.outcome !== 'failed' && one.outcome !== 'not-found')
  if (isTakenFromUs(answers)) return 'answered'
  if (ending?.status === 'Resolved') return isSent(ending.responseChoice) ? 'answered' : 'answered-elsewhere'
  if (ending !== undefined) return 'expired'
  // After a lost answer a refusal says only that it is closed: by that answer or by its deadline.
  const anyLost = answers.some(isLost)
  if ((outcomeOf('closed') || outcomeOf('lost-race')) && !anyLost) return 'closed'
  if (outcomeOf('not-found') && !anyLost) return 'not-ours'
  if (anyLost) return now < due.latest ? 'unsettled' : 'closed'
  if (now >= due.latest) return 'overdue'
  return now >= due.at || best.some(saysEnd) || best.every(({trust}) => trust === 'stale')
    ? 'doubtful'
    : 'open'
}

interface Deadline {
  /** The earliest that it may be, and the latest. */
  at: number
  latest: number
  kind: 'told' | 'raised' | 'at most'
}

/**
 * When the service decides. What proves nothing can neither put it off nor, against a copy that proves more, bring it
 * forward; of such copies alone the earliest counts.
 */
function deadlineOf(
  best: readonly Told[],
  trusted: readonly Told[],
  answers: readonly Answer[],
  now: number,
): Deadline {
  const times = (list: readonly Told[], field: 'responseDeadlineAt' | 'notifiedAt') =>
    list.flatMap(({fields}) => (fields[field] ? [millis(fields[field])] : []))
  const among = (list: number[], kind: Deadline['kind'], [most]: number[] = []): Deadline => {
    const all = [...list, ...(most === undefined ? [] : [most])]
    const at = Math.min(...all)
    return {at, latest: most ?? Math.max(...all), kind: at === most ? 'at most' : kind}
  }
  const [certain] = times(trusted, 'responseDeadlineAt')
  if (certain !== undefined) return among([certain], 'told')
  const [raised] = times(trusted, 'notifiedAt')
  if (raised !== undefined) return among([raised + noticeWindowMs], 'raised')
  // What is known now was raised before.
  const mostOf = ({by}: {by: number}) => Math.min(by, now) + noticeWindowMs
  // What is certain was there before: its deadline is at most 72 hours later, whatever others say.
  const open = [...trusted, ...answers].map(mostOf).sort((a, b) => a - b)
  const told = times(best, 'responseDeadlineAt')
  if (told.length > 0) return among(told, 'told', open)
  const others = times(best, 'notifiedAt').map((at) => at + noticeWindowMs)
  if (others.length > 0) return among(others, 'raised', open)
  const seen = [...best, ...answers].map(mostOf)
  return {at: Math.min(...seen), latest: open[0] ?? Math.max(...seen), kind: 'at most'}
}

/** What happens without an answer (spec, States and transitions): what has not left is cancelled, and so is what is lost. */
function ifSilent({reason, hasShipmentDeparted: departed}: Partial<Notice>): NoticeChoice | null {
  if (reason === 'Lost' || departed === false) return 'CancelWhole'
  return departed === true ? 'ShipAvailable' : null
}
