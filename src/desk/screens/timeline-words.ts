import {millis} from '../../contract/forms.ts'
import {span, typeText} from '../../terminal/cells.ts'
import {commandText} from '../../terminal/next.ts'
import {counted} from '../../terminal/text.ts'
import type {Arrived, Here} from '../deliveries/here.ts'
import type {Sides} from '../deliveries/sides.ts'
import {type Because, isKept, type Row, type TimelineItem, tryOf} from '../deliveries/timeline.ts'
import {isAt, isAwake, portOf, urlAt} from '../deliveries/whose.ts'
import {isTaken} from '../receipts/records.ts'
import {referenceOf, takeInLine} from '../receipts/reference.ts'
import {isThere, type Run} from '../receipts/runs.ts'
import {becauseText, wordsOfRecord} from '../signature/words.ts'
import {clock, ELSEWHERE, hungText, notHereText, outcomeText, receiverAdvice, rehearsed} from './outcome.ts'
import {outcomeOf, triesOf} from './timeline.ts'

// What the findings of a timeline mean, and what to type next.

/** A meaning, and the next command to type. */
interface Words {
  says: string
  next: string | null
}

/** What is here, and what the service's clock shows. */
type Around = Here & Pick<Sides, 'now'>

/** As much of an id as names an event to other commands. */
const idOf = ({eventId}: TimelineItem) => (eventId ?? '').slice(0, 12)
const verify = (item: TimelineItem) => commandText('webhooks', 'verify', '--stored', idOf(item))
const copies = (item: TimelineItem) => commandText('webhooks', 'events', idOf(item), '--copies')
const isOfNotice = ({eventType}: TimelineItem) => /notice/i.test(eventType ?? '')
const nameOfCopy = ({at, sha256}: Arrived) => referenceOf({at: new Date(at).toISOString(), sha256})
const attempts = (item: TimelineItem) =>
  commandText('webhooks', 'deliveries', item.subscriptionId, '--id', idOf(item))

// Sentences tell times of this machine's clock alone: its listeners know no other.

/** The time of a moment of the service's clock. */
const clockOf = (at: string | null, {localOf}: Here) => clock(localOf(millis(at ?? '')))

type Explain = {
  [F in Because['finding']]: (row: Row, because: Extract<Because, {finding: F}>, around: Around) => Words
}

const meanings: Explain = {
  'delivered-not-here': ({item}, {at, listener, refused}) => {
    const {eventType, subscriptionId} = item
    const says = notHereText(outcomeOf(item), at, {listener, refused})
    if (refused) return {says, next: verify(item)}
    return {
      says: `${says} A test shows whether it is still so.`,
      next: commandText('webhooks', 'test', subscriptionId, '--event', eventType, '--wait', '30s'),
    }
  },
  'here-not-delivered': (row, {copy, attempt}, around) => {
    const {item} = row
    if (copy.trust === 'refused' || copy.trust === 'stale') {
      const says = `It came at ${clock(copy.at)}, and was refused here: ${becauseText(copy.why)}.`
      if (item.here?.trust === 'imported')
        return {says: `${says} What it tells was taken in since.`, next: copies(item)}
      if (copy.trust === 'stale' || !isOfNotice(item)) return {says, next: verify(item)}
      const fits = 'If it fits the secret that is in force now, what it tells can be taken in.'
      return {says: `${says} ${fits}`, next: `\`${takeInLine(nameOfCopy(copy))}\``}
    }
    const lost =
      attempt === null
        ? 'has no record of the try that brought it.'
        : `was told ${outcomeText(attempt)}: the answer was changed or lost on its way back.`
    return stored(row, `It is stored here since ${clock(copy.at)}, and the service ${lost}`, around)
  },
  'here-only': ({item}, {copy}) =>
    copy.trust === 'verified'
      ? {
          says: `It came at ${clock(copy.at)} and its signature fits, but the service's list of deliveries has no record of it. Nothing is lost: it is the list that is not complete.`,
          next: copies(item),
        }
      : {
          says: `It came at ${clock(copy.at)}, and the service's list of deliveries has no record of it. Its signature was not checked, so somebody else may have sent it.`,
          next: verify(item),
        },
  'bodies-differ': ({item}) => ({
    says: 'Copies of it that came here have different bytes: something in between writes bodies anew, or somebody else sends.',
    next: copies(item),
  }),
  late: ({item}) => ({
    says: 'It came more than 5 minutes after it was sent: something in between holds deliveries back, such as a queue or a proxy that repeats.',
    next: copies(item),
  }),
  gap: ({item}, {attempt}) => ({
    says: `The service has a record of a later try, and none of try ${attempt}: its list is not complete, and that try may have arrived anywhere.`,
    next: attempts(item),
  }),
}

/** When the service sends an event again; that try may be over, and not recorded. */
function againText(at: string | null, around: Around): string {
  const when = clockOf(at, around)
  return isDue(at, around)
    ? `The service was to try again at ${when}, and has no record of that try.`
    : `The service tries again at ${when}.`
}

const isDue = (at: string | null, {now}: Around) => millis(at ?? '') <= now

/** The last try of an event that is to be tried again, if it brought nothing. */
function laterTry(row: Row, around: Around): {text: string; alone: string} | undefined {
  const {item} = row
  const last = item.attempts.at(-1)
  if (item.state === 'dead' || !last || copiesOfTry(row, last, around).length > 0) return undefined
  const at = around.localOf(millis(String(last.sentAt)))
  const alone = aloneText(at, around)
  return {text: ` The last try, at ${clock(at)}, ended with ${outcomeOf(item)}${alone}.`, alone}
}

/** What `says` that it is stored, what became of it since, and what has to be done, if anything. */
function stored(row: Row, says: string, around: Around): Words {
  const {nextAttemptAt: next} = row.item
  const later = laterTry(row, around)
  const todo = later && next ? waiting(row, around) : {adds: '', next: copies(row.item)}
  const again = next ? ` ${againText(next, around)}` : ''
  return {
    says: `${says} Nothing is lost, and copies are one event.${later?.text ?? ''}${again}${todo.adds}`,
    next: todo.next,
  }
}

/** Of an event that is stored though no try was delivered: that its listener was told to say otherwise, or that it came before all tries. */
function keptBefore(row: Row, around: Around): Standing | undefined {
  const {attempts, nextAttemptAt: next} = row.item
  for (const copy of row.copies.filter(isKept)) {
    const attempt = tryOf(copy, attempts, {...around, isWhole: row.isWhole})
    const asked = attempt && rehearsed(copy.run, attempt)
    if (attempt && !asked) continue
    const early = `It is stored here since ${clock(copy.at)}, before the tries that are looked at.`
    const {alone} = laterTry(row, around) ?? {}
    const due = next && isDue(next, around)
    const key = JSON.stringify([asked ?? 'early', alone, outcomeOf(row.item), due])
    return {key: `kept ${key}`, ...stored(row, asked ?? early, around)}
  }
  return undefined
}

type Standing = Words & {key: string}

/** Whether no listener was there at that moment, as the end of a sentence. */
function aloneText(at: number, {runs}: Here): string {
  const wasThere = (run: Run) => isAwake(run, at) || (run.isFailing && at >= run.from)
  return runs.some(wasThere) ? '' : ', when nothing listened here'
}

/** What becomes of an event, or became of it, if that is worth a word. */
function standing(row: Row, here: Around): Standing | undefined {
  const {item, because} = row
  if (item.state === 'dead' || (item.state === 'unknown' && item.here === null)) return over(row, here)
  if (because !== null) return undefined
  if (item.attempts.length === 0) {
    const says = `It came at ${clock(row.copies.at(-1)?.at ?? 0)}, and the service has no record of it yet: it records a try once it has ended.`
    return {key: 'unrecorded', says, next: null}
  }
  const kept = item.state === 'delivered' ? undefined : keptBefore(row, here)
  if (kept) return kept
  const failed = item.attempts.find(({succeeded}) => succeeded === false)
  const at = here.localOf(millis(String(failed?.sentAt)))
  const alone = aloneText(at, here)
  if (item.state === 'retrying') {
    const says = `It failed first at ${clock(at)} (${outcomeOf(item)})${alone}. ${againText(item.nextAttemptAt, here)}`
    const {adds, next} = waiting(row, here)
    const due = isDue(item.nextAttemptAt, here) ? 'due' : ''
    return {key: `retrying ${alone} ${outcomeOf(item)} ${due}`, says: `${says}${adds}`, next}
  }
  if (item.here === null) {
    const says = `${ELSEWHERE} What it has kept can be taken in.`
    return {key: 'elsewhere', says, next: commandText('notices', 'import', 'FILE')}
  }
  return failed && retried(row, failed, alone, here)
}

/** What became of a try that failed, before another one was taken. */
function retried(row: Row, failed: Attempt, alone: string, here: Here): Standing {
  const {item} = row
  const outcome = outcomeOf({...item, attempts: [failed]})
  const at = here.localOf(millis(String(failed.sentAt)))
  const taken = item.attempts.findIndex(({succeeded}) => succeeded === true)
  if (taken !== -1 && taken < item.attempts.indexOf(failed)) {
    const says = `It was delivered before, and sent once more at ${clock(at)}, which failed (${outcome})${alone}.`
    return {key: `retried after ${alone} ${outcome}`, says, next: null}
  }
  const early = copiesOfTry(row, failed, here)
  const kept = early.find(({trust}) => trust === 'verified' || trust === 'unchecked')
  if (kept) {
    const asked = rehearsed(kept.run, failed)
    const lost = `It is stored here since ${clock(kept.at)}, but the service was told ${outcome} then: the answer was lost on its way back.`
    const says = `${asked ?? lost} The service sent it again, and copies are one event.`
    return {key: `answer ${asked ? 'asked for' : 'lost'} ${outcome}`, says, next: copies(item)}
  }
  const [refused] = early
  if (refused) {
    const says = `It was refused here at ${clock(refused.at)} (${wordsOfRecord(refused.why)}), and taken on a later try.`
    return {key: `refused ${refused.why}`, says, next: verify(item)}
  }
  const says = `It came only on a later try. It failed first at ${clock(at)} (${outcome})${alone}.`
  return {key: `retried ${alone} ${outcome}`, says, next: null}
}

type Attempt = TimelineItem['attempts'][number]

/** The copies that came with a try, of which the service knows only that it failed: those after it, and well before the next. */
function copiesOfTry(
  {item, copies: all, isWhole}: Row,
  failed: Attempt,
  {localOf}: Here,
): readonly Arrived[] {
  const at = localOf(millis(String(failed.sentAt)))
  const after = item.attempts[item.attempts.indexOf(failed) + 1]
  const until = after ? (at + localOf(millis(String(after.sentAt)))) / 2 : Number.POSITIVE_INFINITY
  return all.filter((copy) => copy.at < until && tryOf(copy, item.attempts, {localOf, isWhole}) === failed)
}

/** What has to be there when the service tries again. */
function waiting({item, subscription}: Row, {runs}: Here): {adds: string; next: string} {
  const url = urlAt(subscription, Number.POSITIVE_INFINITY)
  const port = portOf(url)
  const watch = commandText('webhooks', 'timeline', item.subscriptionId, '--watch')
  if (url === null) return {adds: '', next: watch}
  const listener = runs.find((run) => isThere(run) && isAt(run, url))
  const isHung = item.attempts.at(-1)?.errorSummary === 'Timeout'
  if (listener) return {adds: isHung ? ` ${hungText(listener)}` : '', next: watch}
  const advice = receiverAdvice(item.attempts.at(-1) ?? {})
  if (advice) return {adds: ` ${advice}`, next: watch}
  if (port === undefined) return {adds: ` Start the receiver at ${url}.`, next: watch}
  return {
    adds: ` Start the receiver at ${url}, or listen there.`,
    next: commandText('webhooks', 'listen', '--subscription', item.subscriptionId, '--port', `${port}`),
  }
}

/** Of an event that does not come again: why, since when, and what can still be done. */
function over(row: Row, here: Here): Standing {
  const {item} = row
  const {state, forgottenAt} = item
  const outcome = outcomeOf(item)
  const tries = triesOf(item)
  const last = here.localOf(millis(String(item.attempts.at(-1)?.sentAt)))
  const cause = tries > 1 ? `Each of its ${tries} tries failed` : 'Its only try failed'
  const end =
    state === 'dead' ? 'It was given up, and does not come again.' : 'Nothing says that it is tried again.'
  const says = `${cause}, ${tries > 1 ? 'the last ' : ''}at ${clock(last)} (${outcome})${aloneText(last, here)}. ${end}`
  const advice = receiverAdvice(item.attempts.at(-1) ?? {})
  const day = forgottenAt && new Date(here.localOf(millis(forgottenAt))).toDateString().slice(4, 10)
  const until = day ? ` The service forgets it on ${day}.` : ''
  if (item.here !== null) {
    const {adds, next} = handingOn(row)
    const refused = item.here.trust === 'refused' ? ', though it was refused for its signature' : ''
    const key = `dead ${state} ${outcome} ${JSON.stringify([adds, refused])}`
    return {key, says: `${says} It is here${refused}${adds}${until}`, next}
  }
  return {
    key: `dead-missing ${state} ${outcome}`,
    says: `${[says, advice].filter(Boolean).join(' ')} It is not here: ask for what it told of, such as \`scent orders get ID\`, or take in what another receiver has kept: \`scent notices import FILE\`.${until}`,
    next: attempts(item),
  }
}

/** What can still be done with the copies of an event: nothing, if a receiver has taken one. */
function handingOn({item, copies: all}: Row): {adds: string; next: string | null} {
  const handed = all.flatMap((copy) => copy.handed ?? [])
  const taken = handed.find(isTaken)
  if (taken) return {adds: `, and ${taken.to} has taken it.`, next: null}
  const to = handed.at(-1)?.to ?? 'URL'
  const next = commandText('webhooks', 'replay', idOf(item), '--to', to)
  return {adds: ', and can be handed on to a receiver.', next}
}

/** What is worth most to know first. */
const order = [
  ...['delivered-not-here', 'dead-missing', 'dead', 'here-not-delivered', 'here-only'],
  ...['bodies-differ', 'late', 'gap', 'unrecorded', 'kept', 'retrying', 'retried', 'elsewhere'],
]

/** All that the words on a finding depend on, but for times. */
function kindOf(because: Because, row: Row, around: Around): string {
  const {item} = row
  const of = (copy: Arrived | null) => copy && [copy.trust, copy.why, copy.run.port, copy.run.from]
  const {nextAttemptAt: next} = item
  if (because.finding === 'here-only') return because.copy.trust
  if (because.finding === 'here-not-delivered')
    return JSON.stringify([
      ...[of(because.copy), because.attempt && outcomeText(because.attempt)],
      ...[outcomeOf(item), laterTry(row, around)?.alone, next && isDue(next, around)],
      ...[isOfNotice(item), item.here?.trust === 'imported'],
    ])
  if (because.finding !== 'delivered-not-here') return because.finding === 'gap' ? `${because.attempt}` : ''
  const {listener, refused} = because
  return JSON.stringify([listener.port, listener.from, of(refused), outcomeOf(item)])
}

/** Two clocks that are less apart are one to a person. */
const MINUTE = 60_000

/** Which clock the sentences are by, if it is not that of the list. */
function clockWords({here, now}: Pick<Sides, 'here' | 'now'>): string[] {
  const ahead = Math.round((now - here.localOf(now)) / MINUTE) * MINUTE
  if (ahead === 0) return []
  const way = ahead > 0 ? 'ahead of' : 'behind'
  return [
    `Times in these sentences are by the clock of this machine; those of the list are by the clock of the service, which is ${span(Math.abs(ahead))} ${way} it.`,
  ]
}

/** Below the list: what each kind of finding means, of the first event that has it, and the next command. */
export function timelineWords({rows, here, now}: Pick<Sides, 'rows' | 'here' | 'now'>): string[] {
  const around = {...here, now}
  const kinds = new Map<string, {rank: number; words: Words; row: Row; count: number}>()
  const add = (name: string, kind: string, row: Row, words: Words) => {
    const key = JSON.stringify([name, kind, row.item.subscriptionId])
    const before = kinds.get(key)
    if (before) before.count += 1
    else kinds.set(key, {rank: order.indexOf(name), words, row, count: 1})
  }
  for (const row of rows) {
    if (row.because)
      add(row.because.finding, kindOf(row.because, row, around), row, wordsOf(row, row.because, around))
    const stands = standing(row, around)
    if (stands) add(stands.key.split(' ')[0] ?? '', stands.key, row, stands)
  }
  const found = [...kinds.values()].sort((a, b) => a.rank - b.rank)
  const lines = found.flatMap(({words: {says, next}, row: {item}, count}) => {
    const more = count > 1 ? ` So it is with ${counted(count - 1, 'more event')}.` : ''
    const name = `${typeText(item.eventType) ?? 'An event'} ${idOf(item)}`.trim()
    return [`${name}: ${says}${more}`, ...(next ? [`  ${next}`] : [])]
  })
  return lines.length > 0 ? [...lines, ...clockWords({here, now})] : []
}

const wordsOf = (row: Row, because: Because, around: Around): Words =>
  (meanings[because.finding] as (row: Row, because: Because, around: Around) => Words)(row, because, around)
