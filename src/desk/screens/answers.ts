import {Failure, isFailure} from '../../contract/failure.ts'
import {exact, isDigits} from '../../contract/money.ts'
import {noticeChoices} from '../../contract/notices.ts'
import type {Session} from '../../session.ts'
import type {Ask} from '../../terminal/ask.ts'
import {badge, money} from '../../terminal/cells.ts'
import {type Column, localColumns} from '../../terminal/columns.ts'
import type {Interrupts} from '../../terminal/interrupts.ts'
import {listed} from '../../terminal/parsing.ts'
import type {View} from '../../terminal/table.ts'
import {counted} from '../../terminal/text.ts'
import {type Cost, readCosts} from '../notices/cost.ts'
import {type Answered, answeredBefore, answerNotices} from '../notices/many.ts'
import type {Outcome} from '../notices/records.ts'
import type {Wanted} from '../notices/wanted.ts'
import {leftOf} from './left.ts'

/** Where answers show themselves, and ask: the command that sends them. */
export interface AnswerScreen {
  show(...views: View[]): void
  /** A view for a person, on stderr. */
  screen(view: View): Promise<void>
  finding(failure: Failure): void
  note(text: string): void
  ask(): Promise<Ask>
  readonly interrupts: Interrupts
}

/** What `respond` prints for many notices. */
export interface AnswersDocument {
  answers: Answered[]
  summary: Summary
}

interface Summary extends Record<(typeof counts)[number][1], number> {
  /** What was answered from here before. */
  answeredEarlier: number
  /** What was not sent any more. */
  left: number
  /** What the service says it has refunded for what was answered now, with VAT; null if it says nothing. */
  refunded: string | null
  refundedEarlier: string | null
}

/** How an outcome is counted, unless that was earlier, and what a person reads. */
const counts = [
  ['answered', 'answered', 'answered'],
  ['closed', 'closed', 'closed before'],
  ['lost-race', 'lostRace', 'closed meanwhile'],
  ['not-found', 'notFound', 'not found'],
  ['unknown', 'unknown', 'not known'],
  ['failed', 'failed', 'failed'],
] as const satisfies readonly (readonly [Outcome, string, string])[]

/** Answers several notices after one question, and shows what became of each. Returns the document of that. */
export async function answerMany(
  screen: AnswerScreen,
  session: Session,
  wanted: readonly Wanted[],
  {isAgreed}: {isAgreed: boolean},
): Promise<AnswersDocument> {
  const ask = await screen.ask()
  const open = wanted.filter((one) => answeredBefore(one) === undefined)
  if (open.length < wanted.length) screen.note(beforeText(wanted.length - open.length, wanted.length))
  if (open.length > 0) {
    await showPlan(screen, session, open, ask.interactive && !isAgreed)
    await ask.confirm(`Answer ${counted(open.length, 'notice')}?`)
  }
  const answers: Answered[] = []
  const say = () => {
    const next = wanted[answers.length]
    if (next && !answeredBefore(next))
      session.progress.say(`Answering ${answers.length + 1} of ${wanted.length}: notice ${next.id} …`)
  }
  const stop = screen.interrupts.during({
    story: () => storyOf(session, wanted, answers),
    holds: () => true,
    get awaits() {
      return session.open() ? 'Waiting for its answer' : 'Ending'
    },
    hint: GO_ON,
  })
  let end: Failure | undefined
  try {
    say()
    for await (const one of answerNotices(session, wanted, stop)) {
      answers.push(one)
      if (!stop.aborted) say()
    }
  } catch (error) {
    if (!isFailure(error)) throw error
    end = error
  }
  if (stop.aborted && answers.length < wanted.length)
    end = new Failure('INTERRUPTED', {message: storyOf(session, wanted, answers), hint: GO_ON})
  showAnswers(screen, answers)
  const document = report(screen, answers, {total: wanted.length, end})
  screen.note(summaryText(document.summary))
  return document
}

/** How many need nothing any more. */
function beforeText(count: number, of: number): string {
  if (of === 1) return 'The notice was answered from here before: nothing is sent.'
  if (count === of) return `All ${of} notices were answered from here before: nothing is sent.`
  return `${count} of ${of} notices ${count === 1 ? 'was' : 'were'} answered from here before: nothing is sent for ${count === 1 ? 'it' : 'them'}.`
}

const GO_ON =
  'Run it again to go on: what was answered is not sent again, and the rest gets the same choices.'

/** What is closed or unknown to the service would be refused again. */
const ALL_DONE =
  'Nothing is left to send: what is closed takes no answer any more, and what is not found may be of another partner or environment. `scent notices show ID` says what is known.'

function storyOf(session: Session, wanted: readonly Wanted[], answers: readonly Answered[]): string {
  const {id, choice} = wanted[answers.length] ?? {}
  const out = session.open() ? `The ${choice} for notice ${id} is out, without an answer.` : 'Nothing is out.'
  return `Interrupted after ${answers.length} of ${counted(wanted.length, 'notice')}. ${out}`
}

/** Shows what the answers come to. Amounts need a read of each order: only somebody who is asked waits for them. */
async function showPlan(
  screen: AnswerScreen,
  {client, progress}: Session,
  wanted: readonly Wanted[],
  isAsked: boolean,
): Promise<void> {
  const rows: (Wanted & {cost: Cost | undefined})[] = []
  for (const one of wanted) {
    if (isAsked) progress.say(`Reading what ${rows.length + 1} of ${wanted.length} comes to …`)
    const costs = isAsked && one.item ? await readCosts(client, one.item) : undefined
    rows.push({...one, cost: costs?.find(({choice}) => choice === one.choice)})
  }
  if (!isAsked) return
  const columns = localColumns<(typeof rows)[number]>(
    'item.line.sku SKU; choice!; cost.ships Ships; cost.cancels Cancels; cost.refund Refund; left Left; id Notice',
    {
      'cost.refund': ({cost}) => (cost?.refund ? money(Number(cost.refund), 'SAR') : null),
      left: ({item}) => (item ? leftOf(item) : 'not known here'),
    },
  )
  const first = rows.slice(0, MOST_ROWS)
  await screen.screen({rows: first, columns})
  screen.note(planText(rows))
}

/** More of them would push the question off the screen. */
const MOST_ROWS = 12

/** What answers come to together, in sentences. */
function planText(rows: readonly {choice: string; cost: Cost | undefined}[]): string {
  const costs = rows.flatMap(({cost}) => cost ?? [])
  const sum = (field: 'ships' | 'cancels') => costs.reduce((all, cost) => all + cost[field], 0)
  const refunds = costs.flatMap(({refund}) => refund ?? [])
  const choices = noticeChoices
    .map((choice) => ({choice, count: rows.filter((row) => row.choice === choice).length}))
    .filter(({count}) => count > 0)
    .map(({choice, count}) => `${count} × ${choice}`)
  const unknown = rows.length - refunds.length
  return [
    ...(rows.length > MOST_ROWS ? [`And ${rows.length - MOST_ROWS} more.`] : []),
    `${listed(choices)}.`,
    ...(costs.length > 0 ? [`Together they ship ${sum('ships')} and cancel ${sum('cancels')} units.`] : []),
    ...(refunds.length > 0 ? [`They refund about ${sumOf(refunds)} SAR; the service decides.`] : []),
    ...(unknown > 0 ? [`What ${unknown} of ${rows.length} would refund is not known here.`] : []),
  ].join(' ')
}

export const sumOf = (amounts: readonly string[]) =>
  amounts.reduce((sum, amount) => sum.plus(exact(amount)), exact('0')).toFixed(2)

/** What the service says it has refunded for an answer, with VAT. */
export function refundOf({notice}: Pick<Answered, 'notice'>): string | null {
  const {cancelWhole, shipAvailable} = notice?.impact ?? {}
  const total = cancelWhole?.total ?? shipAvailable?.total
  return isDigits(total) ? exact(total).toFixed(2) : null
}

const [cancelled, shipped] = ['notice.impact.cancelWhole.total', 'notice.impact.shipAvailable.total']
const tones = {answered: 'good', unknown: 'warn', failed: 'bad', closed: 'bad', 'lost-race': 'bad'} as const

/** What became of answers, one a row. */
export const answerColumns: Column<Answered>[] = localColumns<Answered>(
  `id! Notice; choice; outcome!; ${cancelled}|${shipped} Refunded; error.message~ Why; earlier+`,
  {
    outcome: ({outcome, earlier}) =>
      earlier && outcome === 'answered' ? 'answered earlier' : badge(outcome, tones),
  },
)

export function showAnswers(screen: AnswerScreen, answers: readonly Answered[]): void {
  screen.show({rows: answers, empty: 'Nothing was sent.', columns: answerColumns})
}

/** The document of what was answered of so many, and the exit code that follows from it. */
export function report(
  screen: AnswerScreen,
  answers: Answered[],
  {total = answers.length, end, hint}: {total?: number; end?: Failure | undefined; hint?: string} = {},
): AnswersDocument {
  const isEarlier = ({outcome, earlier}: Answered) => earlier && outcome === 'answered'
  const [before, now] = [answers.filter(isEarlier), answers.filter((one) => !isEarlier(one))]
  const countOf = (outcome: Outcome) => now.filter((one) => one.outcome === outcome).length
  const numbers = Object.fromEntries(counts.map(([outcome, key]) => [key, countOf(outcome)]))
  const summary = {
    ...numbers,
    answeredEarlier: before.length,
    left: total - answers.length,
    refunded: refundedIn(now),
    refundedEarlier: refundedIn(before),
  } as Summary
  const failure = verdict(summary, total, hint, end)
  if (failure) screen.finding(failure)
  return {answers, summary}
}

function refundedIn(answers: readonly Answered[]): string | null {
  const refunds = answers.flatMap((one) => refundOf(one) ?? [])
  return refunds.length === 0 ? null : sumOf(refunds)
}

function summaryText(summary: Summary): string {
  const {answeredEarlier, left, refunded, refundedEarlier} = summary
  const all = [
    ...counts.map(([, key, words]) => [summary[key], words] as const),
    [answeredEarlier, 'answered earlier'] as const,
    [left, 'not sent'] as const,
  ]
  const parts = all.flatMap(([count, words]) => (count > 0 ? [`${count} ${words}`] : []))
  return [
    `${parts.join(', ')}.`,
    ...(refunded === null ? [] : [`Refunded ${refunded} SAR.`]),
    ...(refundedEarlier === null ? [] : [`Refunded earlier: ${refundedEarlier} SAR.`]),
  ].join(' ')
}

/** What the exit code is for: 12 if something is not known, 11 if something is not answered. */
function verdict(
  {answered: now, answeredEarlier, unknown, failed, left}: Summary,
  total: number,
  hint: string | undefined,
  end: Failure | undefined,
): Failure | undefined {
  if (end?.code === 'INTERRUPTED') return end
  const answered = now + answeredEarlier
  const because = end ? {cause: end} : {}
  if (unknown > 0) {
    const of = total === 1 ? 'the answer' : `${unknown} of ${total} answers`
    const message = `What became of ${of} is not known.`
    return new Failure('ROWS_UNKNOWN', {message, hint: hint ?? GO_ON}, because)
  }
  if (answered === total) return undefined
  if (answered === 0 && end) return end
  const open = total - answered
  const which = total === 1 ? 'The notice was' : `${open} of ${total} notices ${open === 1 ? 'was' : 'were'}`
  const message = `${which} not answered.`
  return new Failure('ROWS_REFUSED', {message, hint: hint ?? (failed + left > 0 ? GO_ON : ALL_DONE)}, because)
}
