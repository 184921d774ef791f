import {randomUUID} from 'node:crypto'
import type {Client} from '../../client/client.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import {printJson} from '../../contract/money.ts'
import type {Notice} from '../../contract/notices.ts'
import {reworded} from '../../flows/lost.ts'
import {repeatText, respond} from '../../flows/notices.ts'
import type {Folders, Identity} from '../../store/paths.ts'
import {localTime} from '../../terminal/cells.ts'
import {endOf} from './ending.ts'
import type {InboxItem} from './inbox.ts'
import {knownNotices} from './known.ts'
import {inboxJournal, type Outcome} from './records.ts'
import type {Wanted} from './wanted.ts'

/** Whose records are written, and the client that sends. */
export interface AnswerTools {
  folders: Folders
  identity: Identity
  client: Client
}

const outcomes: {[code: string]: Outcome} = {
  BUSINESS_NOTICE_NOT_AWAITING_RESPONSE: 'closed',
  CONFLICT_NOTICE_ALREADY_RESOLVED: 'lost-race',
  NOT_FOUND_UNFULFILLABLE_NOTICE: 'not-found',
  OUTCOME_UNKNOWN: 'unknown',
}

/** How an answer ended that failed so. */
export const outcomeOf = ({code, facts}: Failure): Outcome =>
  outcomes[code] ?? (facts.effect === 'unknown' ? 'unknown' : 'failed')

/** Whether nothing but the notice itself was the reason. */
export const isOfNotice = ({code, entry}: Failure) => outcomes[code] !== undefined || entry.scope === 'row'

/**
 * Answers a notice, whatever the inbox believes: the service decides. The choice is on disk before it is sent, so that after a
 * lost answer or a crash no second choice follows unnoticed. Fails as flows/notices.ts does, and says what is known of a
 * notice that is closed; with OUTCOME_UNKNOWN if an earlier answer from here, which was lost, may have closed it.
 */
export async function answerNotice(tools: AnswerTools, {id, choice, item}: Wanted): Promise<Notice> {
  const journal = inboxJournal(tools.folders, tools.identity)
  const attempt = randomUUID()
  const mark = () => ({at: new Date().toISOString(), attempt, id, choice})
  await journal.append({kind: 'answering', ...mark()}, {sync: true})
  const end = (outcome: Outcome, code: string | null, payload: string | null) =>
    journal.append({kind: 'answered', ...mark(), outcome, code, payload}, {sync: true})
  const answer = await respond(tools.client, id, choice, item?.scentOrderId).catch(async (error: unknown) => {
    if (!isFailure(error)) throw error
    const outcome = outcomeOf(error)
    await end(outcome, error.code, null)
    throw outcome === 'closed' || outcome === 'lost-race'
      ? withWhatIsKnown(tools, id, item, error)
      : besideLost({id, choice, item}, error)
  })
  await end('answered', null, printJson(answer, 0)).catch((error: unknown) => {
    throw isFailure(error) ? unwritten(`Notice ${id} was answered with ${choice}`, error) : error
  })
  return answer
}

/** The service has taken an answer, and this machine can't keep that. */
function unwritten(what: string, {code, facts, message: why}: Failure): Failure {
  const message = `${what}, but this could not be written down: ${why}`
  return new Failure(code, {...facts, message, effect: 'unknown'})
}

/** The same failure; if it leaves open what became of the answer, with another one before it whose answer was lost. */
function besideLost({id, choice, item}: Wanted, error: Failure): Failure {
  const lost = lostBefore(item)
  if (outcomeOf(error) !== 'unknown' || lost === null || lost.choice === choice) return error
  return reworded(error, {
    message: `${error.message} The ${lost.choice} that was sent from here at ${localTime(lost.at)}, whose answer was lost as well, may have been taken before it.`,
    hint: repeatText(id, lost.choice),
  })
}

/** The same refusal, with how the notice was closed as far as the records tell it. */
function withWhatIsKnown(
  {folders, identity}: AnswerTools,
  id: string,
  before: InboxItem | undefined,
  error: Failure,
): Failure {
  const {every, now} = knownNotices(folders, identity, {all: true})
  const item = every.find((one) => one.id === id)
  const isPast = !(Date.parse(item?.responseDeadlineAt ?? '') > now)
  const order = item?.scentOrderId
  const hint = order && `What became of the line: \`scent orders get ${order}\`.`
  const lost = lostBefore(before)
  const end = item && endOf(item)
  const message =
    end ??
    (lost
      ? `Notice ${id} is closed, either by the ${lost.choice} that was sent from here at ${localTime(lost.at)}, whose answer was lost, or by ${isPast ? 'its deadline' : 'another answer of the same partner'}.`
      : `Notice ${id} is closed; by whom nothing here tells.`)
  const code = lost && end === undefined ? 'OUTCOME_UNKNOWN' : error.code
  return new Failure(code, {...error.facts, message, ...(hint && {hint})}, {cause: error})
}

/** An answer that was sent before, of which nobody knows what became. */
function lostBefore(item: InboxItem | undefined): InboxItem['desk']['answer'] {
  const {state, answer} = item?.desk ?? {}
  const isLost = state === 'unsettled' || answer?.outcome === null || answer?.outcome === 'unknown'
  return answer && isLost ? answer : null
}
