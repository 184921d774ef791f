import {millis} from '../../contract/forms.ts'
import {noticeWindowMs} from '../../contract/limits.ts'
import type {NoticeChoice} from '../../contract/notices.ts'
import {repeatText} from '../../flows/notices.ts'
import {type Cell, pretty, span, time} from '../../terminal/cells.ts'
import {type Column, localColumns} from '../../terminal/columns.ts'
import {type Card, card} from '../../terminal/table.ts'
import {counted, type Paint, safe} from '../../terminal/text.ts'
import {type Blindness, HOUR} from '../notices/blindness.ts'
import type {Change} from '../notices/changes.ts'
import {endText} from '../notices/ending.ts'
import {type InboxItem, isOpen} from '../notices/inbox.ts'
import type {Look} from '../notices/known.ts'
import type {Happening} from '../notices/story.ts'
import {leftOf, SOON_MS} from './left.ts'
import {standingText} from './sheet.ts'

export const NOTHING_OPEN = 'No notice that is known here waits for an answer.'

/** In the place of an empty list, of which others may be due later. */
export const emptyText = ({every}: Pick<Look, 'every'>): string =>
  every.some(isOpen) ? 'No notice that is known here is due within this time.' : NOTHING_OPEN

const words: Record<NoticeChoice, string> = {CancelWhole: 'cancel', ShipAvailable: 'ship'}

/** What happens to how many units if nobody answers; nothing any more once it is closed. */
function ifSilent(item: InboxItem): string | null {
  const {desk, line} = item
  if (desk.leftMs === null) return null
  if (desk.ifSilent === null) return 'not known'
  const units = desk.ifSilent === 'CancelWhole' ? line?.orderedQuantity : line?.availableQuantity
  return [words[desk.ifSilent], units].filter((word) => word !== undefined && word !== null).join(' ')
}

function shortOf({line}: InboxItem): Cell {
  const {shortfallQuantity: short, orderedQuantity: ordered} = line ?? {}
  return typeof short === 'number' && typeof ordered === 'number' ? `${short} of ${ordered}` : null
}

/** What sets a notice apart from one that simply waits; null if nothing does. */
function caution(item: InboxItem): string | null {
  const {state, answer, trust} = item.desk
  if (state === 'unsettled') return `sent ${answer?.choice}, outcome unknown`
  if (state === 'open' && trust === 'unchecked') return 'unchecked: anybody may have sent it'
  if (state !== 'doubtful') return null
  const why = standingText(item) ?? ''
  return `doubtful: ${why.slice(0, 1).toLowerCase()}${why.slice(1).replace(/\.$/, '')}`
}

const defaults: {[status: string]: NoticeChoice} = {
  ExpiredCancelledWhole: 'CancelWhole',
  ExpiredShipAvailable: 'ShipAvailable',
}

/** What was done about a notice that is closed, and by whom; null if that is not known. */
function doneAbout({status, responseChoice, desk: {state, answer}}: InboxItem): string | null {
  const applied = defaults[status ?? '']
  if (state === 'expired') return applied ? `${applied} applied, unanswered` : 'unanswered'
  const choice = responseChoice ?? (state === 'answered' ? answer?.choice : undefined)
  if (state === 'answered') return `${choice}, from here`
  return state === 'answered-elsewhere' && choice ? `${choice}, not by this machine` : null
}

/** Notices as a list; of those that are closed the state stands in the place of the time left. */
export const inboxColumns: Column<InboxItem>[] = localColumns<InboxItem>(
  `desk.leftMs! Left; line.sku! SKU; line.shortfallQuantity Short; desk.ifSilent! Default; id! Notice;
    desk.answer*~ Caution; desk.state+ State; desk.trust? Trust; reason? Reason; scentOrderId? Order; responseDeadlineAt? Deadline; desk.deadline+`,
  {
    'desk.leftMs': leftOf,
    'line.shortfallQuantity': shortOf,
    'desk.ifSilent': ifSilent,
    'desk.answer': (item) => caution(item) ?? doneAbout(item),
  },
)

/** A notice in a few lines, where there is no room for the columns. */
export function inboxBlock(item: InboxItem, paint: Paint): string[] {
  const short = shortOf(item)
  const what = [safe(item.line?.sku ?? ''), short && `short ${pretty(short)}`].filter(Boolean).join('  ')
  const {leftMs} = item.desk
  const left = pretty(leftOf(item), paint)
  const then = leftMs === null ? '' : `${leftMs > 0 ? ' left' : ''}, then ${ifSilent(item)}`
  const but = caution(item) ?? doneAbout(item)
  return [`${left}${then}`, ...(but ? [safe(but)] : []), ...(what ? [what] : []), item.id]
}

/** One sentence on what is due, before the list. If all that waits was left out as due later, it says when the next one is. */
export function summaryOf({items, every}: Pick<Look, 'items' | 'every'>): string {
  const open = every.filter(isOpen)
  const soon = open.filter(({desk: {leftMs}}) => leftMs !== null && leftMs < SOON_MS)
  const due = soon.length > 0 ? `, ${soon.length} due within 6 h` : ''
  const [next] = items.length === 0 ? open : []
  const later = next ? nextDue(next, open.length) : ''
  return `Local record: the API has no list of notices. ${counted(open.length, 'notice')} to answer${due}${later}.`
}

function nextDue(item: InboxItem, of: number): string {
  const {leftMs} = item.desk
  const at = leftMs === null ? '' : `, ${moment(new Date(Date.now() + leftMs).toISOString())}`
  return `, ${of === 1 ? '' : 'the next '}due in ${pretty(leftOf(item))}${at}`
}

/** Clocks that are less apart are one to a person. */
const ONE_CLOCK_MS = 60_000

/** Which times of a notice are by which clock, if it matters. */
export function clocksText(offsetMs: number): string | undefined {
  if (Math.abs(offsetMs) < ONE_CLOCK_MS) return undefined
  const way = offsetMs > 0 ? 'ahead of' : 'behind'
  return `What the service told (raised, deadline, and an answer that was given elsewhere) is by its clock, which is ${span(Math.abs(offsetMs))} ${way} that of this machine; all other times are by this machine's.`
}

const two = (number: number) => String(number).padStart(2, '0')
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `Fri 20 Nov 18:04`, by the clock on the wall. */
function moment(at: string): string {
  const date = new Date(at)
  const day = `${weekdays[date.getDay()]} ${date.getDate()} ${months[date.getMonth()]}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}

const MOST_TIMES = 3

/** What is not known, and since when, as one sentence or two. */
function reasonOf({code, says, since, times = [], checkedAt}: Blindness): string {
  const spans = times.slice(0, MOST_TIMES).map(({from, to}) => `${moment(from)} to ${moment(to)}`)
  if (times.length > MOST_TIMES) spans.push(`and at ${counted(times.length - MOST_TIMES, 'more time')}`)
  if (spans.length > 0 && code === 'unchecked') return `${says} That was ${spans.join(', ')}.`
  if (spans.length > 0)
    return says.replace(/(?<=^Nothing listened ).* within the last 72 hours/, spans.join(', '))
  const asked = checkedAt && `The service was asked ${moment(checkedAt)}.`
  return [says, since && `Since ${moment(since)}.`, asked].filter(Boolean).join(' ')
}

/** What the list may lack, each reason with what to do about it; reasons that one command mends stand together. */
export function blindLines(blind: readonly Blindness[]): string[] {
  return [...new Set(blind.map(({next}) => next))].flatMap((next) => [
    ...blind.filter((one) => one.next === next).map((one) => `! ${reasonOf(one)}`),
    `  \`${next}\``,
  ])
}

/** Below the list: which notices need another look, each with the command for it. `all`: whether those that are over stand in it. */
export function belowLines({items, every, now}: Omit<Look, 'blind'>, all: boolean): string[] {
  const lines = [unsureLine(items), all ? undefined : passedLine(every, now)]
  return lines.filter((line) => line !== undefined)
}

const WEEK_MS = 7 * 24 * HOUR

/** How many the service has decided alone, or will have. */
function passedLine(every: readonly InboxItem[], now: number): string | undefined {
  const passed = every.filter((item) => {
    const {state, seenAt} = item.desk
    const due = item.responseDeadlineAt ? millis(item.responseDeadlineAt) : millis(seenAt) + noticeWindowMs
    return (state === 'overdue' || state === 'expired') && now - due < WEEK_MS
  })
  if (passed.length === 0) return undefined
  const whose = passed.length === 1 ? 'its' : 'their'
  return `${counted(passed.length, 'notice')} passed ${whose} deadline unanswered in the last 7 days: \`scent notices inbox --all\`.`
}

/** Where to read about those that do not simply wait. */
function unsureLine(items: readonly InboxItem[]): string | undefined {
  const [sent, doubtful] = (['unsettled', 'doubtful'] as const).map((state) =>
    items.filter(({desk}) => desk.state === state),
  )
  const all = [...(sent ?? []), ...(doubtful ?? [])]
  const says = [
    ...(sent?.length ? [`the outcome of ${counted(sent.length, 'answer')} is unknown`] : []),
    ...(doubtful?.length
      ? [`${counted(doubtful.length, 'notice')} ${doubtful.length === 1 ? 'is' : 'are'} doubtful`]
      : []),
  ].join(', and ')
  if (says === '') return undefined
  return `${says.slice(0, 1).toUpperCase()}${says.slice(1)}: \`scent notices show ${all.length === 1 ? all[0]?.id : 'ID'}\` says why, and what to do.`
}

/** What to do about a notice that does not simply wait. */
export function nextOf({id, desk: {state, answer}}: InboxItem): string | undefined {
  if (state === 'unsettled') return repeatText(id, answer?.choice)
  if (state === 'doubtful')
    return `It can be answered all the same, and the service refuses an answer if it is closed: \`scent notices respond ${id}\`.`
  return undefined
}

/** One notice: what it is about, what happens, and how sure that is. With its history, if a program is to have that as well. */
export function inboxCard(item: InboxItem & {history?: Happening[]}): Card<InboxItem> {
  const end = endText(item)
  const caution = end ? undefined : standingText(item)
  const standing = end
    ? 'desk.leftMs+; desk.ifSilent+; desk.answer*~ Ended'
    : `desk.leftMs Left; desk.ifSilent Default${caution ? '; desk.answer*~ Caution' : ''}`
  const deadline = item.desk.deadline === 'at most' ? 'Latest deadline' : 'Deadline'
  const lines = `id Notice; desk.state State; ${standing}; desk.deadline+; status; responseChoice? Choice;
    reason; scentOrderId Order; line.sku SKU; line.orderedQuantity Ordered; line.availableQuantity Available;
    line.shortfallQuantity Short; notifiedAt Raised; responseDeadlineAt ${deadline}; desk.trust Trust; desk.seenAt First seen;
    desk.doubts? Doubts; desk.answer.choice+; desk.answer.outcome+; desk.answer.at+${item.history ? '; history+' : ''}`
  const at = (field: 'notifiedAt' | 'responseDeadlineAt') => (row: InboxItem) => time(row[field])
  const people = {
    'desk.leftMs': leftOf,
    'desk.ifSilent': ifSilent,
    'desk.answer': () => end ?? caution,
    'desk.seenAt': ({desk}: InboxItem) => time(desk.seenAt),
    'desk.doubts': ({desk}: InboxItem) =>
      desk.state === 'doubtful' ? null : desk.doubts.map(({says}) => says).join(' '),
    notifiedAt: at('notifiedAt'),
    responseDeadlineAt: at('responseDeadlineAt'),
  }
  return card(item, localColumns<InboxItem>(lines, people))
}

export const storyColumns: Column<Happening>[] = localColumns<Happening>('at; what; trust; says~', {
  at: ({at}) => time(at),
})

function newsOf({change, item}: Change): Cell {
  if (change === 'blind') return item.ended ? `No more: ${item.says}` : `! ${reasonOf(item)} \`${item.next}\``
  const {line, desk} = item
  const isLeft = desk.leftMs !== null && desk.leftMs > 0
  const state = caution(item) ?? desk.state
  const left = isLeft ? `${state}, ${pretty(leftOf(item))} left, then ${ifSilent(item)}` : state
  const short = shortOf(item)
  const facts = [line?.sku, short && `short ${short}`, left].filter(Boolean).join(', ')
  return `${{raised: 'Raised', state: 'Changed', due: 'Due soon'}[change]}: ${facts}. ${item.id}`
}

/** News as they come, one a line. */
export const changeColumns: Column<Change>[] = localColumns<Change>('item!~ News; change+', {item: newsOf})
