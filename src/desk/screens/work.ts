import {Failure, isFailure} from '../../contract/failure.ts'
import type {NoticeChoice} from '../../contract/notices.ts'
import type {OrderRead} from '../../contract/orders.ts'
import {readNamedOrder} from '../../flows/order/read.ts'
import type {Session} from '../../session.ts'
import {pretty} from '../../terminal/cells.ts'
import {listed} from '../../terminal/parsing.ts'
import {movesCursor} from '../../terminal/progress.ts'
import {safe} from '../../terminal/text.ts'
import {orderCard, orderLines} from '../../terminal/views/orders.ts'
import {type InboxItem, isOpen} from '../notices/inbox.ts'
import {type Lookout, openLookout} from '../notices/lookout.ts'
import {type Answered, answerNotices} from '../notices/many.ts'
import {type AnswerScreen, type AnswersDocument, refundOf, report, sumOf} from './answers.ts'
import {leftOf} from './left.ts'
import {askByKey, askByNumber} from './worklist.ts'

/** Goes through the notices that wait, one after another, with somebody at the terminal who answers them or not. */
export async function workThrough(
  screen: AnswerScreen,
  session: Session,
  {isAgreed}: {isAgreed: boolean},
): Promise<AnswersDocument> {
  const lookout = openLookout(session)
  const worklist = openWorklist(lookout)
  const answers: Answered[] = []
  const sender = openSender(screen, session, lookout, answers)
  const readOrder = orderReader(session)
  const ask = movesCursor(process.stderr) ? askByKey : askByNumber
  for (let at = 0; ; ) {
    const ids = worklist.ids()
    const id = ids[at]
    if (id === undefined) break
    const look = () => worklist.itemOf(id)
    const [order, of] = [readOrder(look().scentOrderId), ids.length]
    const move = await ask({look, order, at: at + 1, of, isAgreed}).catch((error) => {
      throw isFailure(error, 'INTERRUPTED') ? sender.interrupted() : error
    })
    if (move === 'stop') break
    if (move === 'next') at += 1
    else if (move === 'back') at = Math.max(0, at - 1)
    else if (move === 'order') await showOrder(screen, await order)
    else if (await sender.send(id, move)) at += 1
  }
  const open = lookout.every().filter(isOpen)
  screen.note(endText(answers, open))
  return report(screen, answers, open.length > 0 ? {hint: GO_ON} : {})
}

/** The notices to go through: those that wait, and behind them what is raised meanwhile. */
function openWorklist(lookout: Lookout) {
  const items = new Map<string, InboxItem>()
  let stamp: string | undefined
  return {
    ids() {
      const latest = lookout.stamp()
      // Of ten thousand notices the next one is to be there at once.
      if (latest === stamp) return [...items.keys()]
      stamp = latest
      for (const item of lookout.every()) if (isOpen(item) || items.has(item.id)) items.set(item.id, item)
      return [...items.keys()]
    },
    itemOf(id: string): InboxItem {
      const item = lookout.one(id) ?? items.get(id)
      if (item === undefined) throw new Error(`notice ${id} is not in the worklist`)
      return item
    },
  }
}

/** Reads each order once. Without it the screen shows units alone. */
function orderReader({client}: Session): (id: string | null | undefined) => Promise<OrderRead | undefined> {
  const reads = new Map<string, Promise<OrderRead | undefined>>()
  return async (id) => {
    if (!id) return undefined
    const read = reads.get(id) ?? readNamedOrder(client, id).catch(() => undefined)
    reads.set(id, read)
    return read
  }
}

async function showOrder(screen: AnswerScreen, order: OrderRead | undefined): Promise<void> {
  if (order === undefined) return screen.note('The order can not be read now.')
  await screen.screen(orderCard(order))
  await screen.screen(orderLines(order))
}

const GO_ON = 'What is left waits in the worklist: `scent notices respond`.'

/** Sends answers one at a time. Ctrl-C meanwhile says what is out, and ends when it has been answered. */
function openSender(screen: AnswerScreen, session: Session, lookout: Lookout, answers: Answered[]) {
  let sending = ''
  const story = () => {
    const out = session.open() ? `${sending} is out, without an answer.` : 'No request is out.'
    return `Interrupted. ${out} ${answeredText(answers)}`
  }
  const stop = screen.interrupts.during({
    story,
    holds: () => sending !== '',
    get awaits() {
      return session.open() ? 'Waiting for its answer' : 'Ending'
    },
    hint: GO_ON,
  })
  const interrupted = () =>
    new Failure('INTERRUPTED', {
      message: story(),
      hint: GO_ON,
    })
  return {
    interrupted,
    /** Returns whether the notice needs nothing more for now. */
    async send(id: string, choice: NoticeChoice): Promise<boolean> {
      const item = lookout.one(id)
      const before = answers.length
      sending = `The ${choice} for notice ${id}`
      session.progress.say(`Sending ${choice} for notice ${id} …`)
      try {
        for await (const one of answerNotices(session, [{id, choice, item}], stop)) answers.push(one)
      } catch (error) {
        throw isFailure(error, 'INTERRUPTED') ? interrupted() : error
      } finally {
        session.progress.clear()
        sending = ''
      }
      const last = answers[before]
      if (last) screen.note(answerText(last, item))
      if (stop.aborted) throw interrupted()
      return last?.outcome !== 'failed'
    },
  }
}

/** What became of one answer, in a line or two. */
function answerText(one: Answered, item: InboxItem | undefined): string {
  const what = item?.line?.sku ? `${safe(item.line.sku)}, notice ${one.id}` : `Notice ${one.id}`
  if (one.error) return `${what}: ${one.error.message} ${one.error.hint}`
  const refund = refundOf(one)
  return `${what}: ${one.choice} is taken${refund === null ? '; its refund has not landed yet' : `, ${refund} SAR refunded`}.`
}

function answeredText(answers: readonly Answered[]): string {
  const done = answers.filter(({outcome}) => outcome === 'answered')
  const refunds = done.flatMap((one) => refundOf(one) ?? [])
  const amounts =
    refunds.length > 4 ? `${sumOf(refunds)} SAR in all` : listed(refunds.map((refund) => `${refund} SAR`))
  return `Answered ${done.length}${refunds.length > 0 ? ` (${amounts} refunded)` : ''}.`
}

/** The end of the work: what was answered, and what is left. */
function endText(answers: readonly Answered[], open: readonly InboxItem[]): string {
  const [next] = open
  const due = next?.desk.leftMs ? `, due next in ${pretty(leftOf(next))}` : ''
  const left = next ? `, skipped ${open.length}${due}` : ', and nothing else waits'
  return `${answeredText(answers).slice(0, -1)}${left}.`
}
