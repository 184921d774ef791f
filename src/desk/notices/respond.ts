import {randomUUID} from 'node:crypto'
import type {Client} from '../../client/client.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import {printJson} from '../../contract/money.ts'
import type {Notice, NoticeChoice} from '../../contract/notices.ts'
import {respond} from '../../flows/notices.ts'
import type {Folders, Identity} from '../../store/paths.ts'
import type {InboxItem} from './inbox.ts'
import {knownNotices} from './known.ts'
import {inboxJournal, type Outcome} from './records.ts'

/** Whose records are written, and the client that sends. */
interface AnswerTools {
  folders: Folders
  identity: Identity
  client: Client
}

const outcomeOf: {[code: string]: Outcome} = {
  BUSINESS_NOTICE_NOT_AWAITING_RESPONSE: 'closed',
  CONFLICT_NOTICE_ALREADY_RESOLVED: 'lost-race',
  NOT_FOUND_UNFULFILLABLE_NOTICE: 'not-found',
  OUTCOME_UNKNOWN: 'unknown',
}

/**
 * Answers a notice, whatever the inbox believes: the service decides. The choice is on disk before it is sent, so that after a
 * lost answer or a crash no second choice follows unnoticed. Fails as flows/notices.ts does, and says what is known of a
 * notice that is closed.
 */
export async function answerNotice(tools: AnswerTools, id: string, choice: NoticeChoice): Promise<Notice> {
  const journal = inboxJournal(tools.folders, tools.identity)
  const attempt = randomUUID()
  const mark = () => ({at: new Date().toISOString(), attempt, id, choice})
  await journal.append({kind: 'answering', ...mark()}, {sync: true})
  try {
    const notice = await respond(tools.client, id, choice)
    const payload = printJson(notice, 0)
    await journal.append(
      {kind: 'answered', ...mark(), outcome: 'answered', code: null, payload},
      {sync: true},
    )
    return notice
  } catch (error) {
    if (!isFailure(error)) throw error
    const outcome = outcomeOf[error.code] ?? (error.facts.effect === 'unknown' ? 'unknown' : 'failed')
    await journal.append(
      {kind: 'answered', ...mark(), outcome, code: error.code, payload: null},
      {sync: true},
    )
    throw outcome === 'closed' || outcome === 'lost-race' ? withWhatIsKnown(tools, id, error) : error
  }
}

/** The same refusal, with how the notice was closed as far as the records tell it. */
function withWhatIsKnown({folders, identity}: AnswerTools, id: string, error: Failure): Failure {
  const item = knownNotices(folders, identity, {all: true}).every.find((one) => one.id === id)
  const message = item && endOf(item)
  if (message === undefined) return error
  const order = item?.scentOrderId
  const hint = order && `What became of the line: \`scent orders get ${order}\`.`
  return new Failure(error.code, {...error.facts, message, ...(hint && {hint})}, {cause: error})
}

function endOf({id, status, responseChoice, respondedAt, desk}: InboxItem): string | undefined {
  if (desk.state === 'answered')
    return `Notice ${id} was answered from here${desk.answer ? ` at ${desk.answer.at}` : ''}: ${responseChoice ?? desk.answer?.choice}.`
  if (desk.state === 'answered-elsewhere')
    return `Notice ${id} was answered, not by this machine${respondedAt ? `, at ${respondedAt}` : ''}: ${responseChoice ?? 'the choice is not told'}.`
  if (desk.state === 'expired') return `Notice ${id} was closed by its deadline: ${status}.`
  return undefined
}
