import {type NoticeChoice, noticeChoices} from '../../contract/notices.ts'
import {localTime, span} from '../../terminal/cells.ts'
import {pad, safe, wrap} from '../../terminal/text.ts'
import type {Cost} from '../notices/cost.ts'
import {endOf, endText} from '../notices/ending.ts'
import type {InboxItem} from '../notices/inbox.ts'
import {consequence} from './choice.ts'

/** One notice of the worklist, and what each choice comes to. */
export interface Sheet {
  item: InboxItem
  costs: readonly Cost[] | undefined
  /** Of its order, as the partner calls it. */
  reference: string | null
  /** Its place in the worklist, from 1. */
  at: number
  of: number
}

interface Drawing {
  /** Cells of a line. */
  room: number
  chosen: NoticeChoice | undefined
  /** Whether everything is shown where there is little room. */
  more: boolean
}

export const keys: Record<NoticeChoice, string> = {CancelWhole: 'c', ShipAvailable: 's'}
const titles: Record<NoticeChoice, string> = {CancelWhole: 'CANCEL WHOLE', ShipAvailable: 'SHIP AVAILABLE'}

/** Below this width what stands side by side stands one below the other. */
const WIDE = 64
const LABEL = 20

/** The choices that can be sent: while the outcome of an answer is not known, only the same one. */
export function offersOf({desk: {state, answer}}: InboxItem): readonly NoticeChoice[] {
  if (state === 'unsettled') return answer ? [answer.choice] : []
  return state === 'open' || state === 'doubtful' ? noticeChoices : []
}

/** How long there is, and what happens then. */
export function leftText({desk: {leftMs, deadline, ifSilent, state}}: InboxItem): string {
  if (state === 'overdue') return 'the deadline has passed'
  if (leftMs === null) return 'closed'
  const left = leftMs > 0 ? `${deadline === 'at most' ? 'at most ' : ''}${span(leftMs)} left` : 'due now'
  return `${left}, then ${ifSilent ?? 'what is not known'}`
}

/** Why not every choice can be sent; undefined if it can. */
export function standingText(item: InboxItem): string | undefined {
  const {state, answer, ifSilent, doubts} = item.desk
  if (state === 'unsettled')
    return `${answer?.choice} was sent at ${minute(answer?.at)}, and its answer was lost: only the same choice can be sent again.`
  if (state === 'doubtful') return doubts.map(({says}) => says).join(' ') || 'Its deadline may have passed.'
  if (state === 'open') return undefined
  if (state === 'overdue')
    return `Its deadline has passed: ${ifSilent ?? 'the default'} applies, unless somebody has answered. It can't be answered any more.`
  return endOf(item) ?? endText(item)
}

/** The whole screen of one notice, from its title to the line where a choice stands. */
export function sheetLines(sheet: Sheet, {room, chosen, more}: Drawing): string[] {
  const {item, costs} = sheet
  const isWide = room >= WIDE
  const offers = offersOf(item)
  const standing = standingText(item)
  const [title, left] = [isWide ? 'scent notices respond · ' : '', leftText(item)]
  const lines = [
    `${title}${sheet.at} of ${sheet.of} · ${left}`,
    ...(standing === undefined ? [] : [safe(standing)]),
    ...(isWide ? [''] : []),
    ...factLines(sheet, isWide || more),
    ...(isWide ? ['', ...(costs ? comparison(costs, room) : []), ...amountsLine(costs)] : []),
    ...(isWide ? [] : offers.flatMap((choice) => blockOf(choice, costs, more))),
    '',
    keysText(offers, isWide),
    lastLine(chosen, costs),
  ]
  return lines.flatMap((line) => wrap(line, room - 1).split('\n'))
}

/** The same for somebody who has each line read out: what can be done is asked below. */
export function plainLines(sheet: Sheet): string[] {
  const {item, at, of} = sheet
  return [
    `Notice ${at} of ${of}: ${leftText(item)}.`,
    standingText(item) ?? '',
    ...factLines(sheet, true),
    ...amountsLine(sheet.costs),
  ].filter((line) => line !== '')
}

const amountsLine = (costs: readonly Cost[] | undefined) =>
  costs?.some(({refund}) => refund !== null) ? ["Amounts by the order's line; the service decides."] : []

function factLines({item, reference}: Sheet, isWhole: boolean): string[] {
  const {line, reason, hasShipmentDeparted: departed, scentOrderId, notifiedAt, responseDeadlineAt} = item
  const {orderedQuantity: ordered, availableQuantity: available, shortfallQuantity: short} = line ?? {}
  const order = scentOrderId ? `Order ${safe(scentOrderId)}${reference ? `  ${safe(reference)}` : ''}` : ''
  const gone = departed === true ? 'departed' : departed === false ? 'not departed' : undefined
  const sku = line?.sku ? safe(line.sku) : 'A line without a SKU'
  const what = [reason && safe(reason), gone].filter(Boolean).join(', ')
  if (!isWhole) {
    const units = typeof ordered !== 'number' ? '' : `  short ${short ?? '?'} of ${ordered}`
    return [`${sku}${units}`, item.id, order, what].filter((text) => text !== '')
  }
  const times = [
    ...(notifiedAt ? [`raised ${minute(notifiedAt).slice(0, 16)}`] : []),
    ...(responseDeadlineAt
      ? [`due ${minute(responseDeadlineAt)}${item.desk.deadline === 'at most' ? ' at the latest' : ''}`]
      : []),
  ].join(', ')
  return [
    `${sku}   ${order}`.trim(),
    `Notice ${item.id}`,
    [what, times].filter(Boolean).join('; '),
    ...(typeof ordered !== 'number'
      ? []
      : [`Ordered ${ordered}, available ${available ?? '?'}, short ${short ?? '?'}.`]),
    `${told[item.desk.trust ?? 'nobody']} ${minute(item.desk.seenAt)}.`,
  ].filter((text) => text !== '')
}

/** What a notice is known from. */
const told: Record<NonNullable<InboxItem['desk']['trust']> | 'nobody', string> = {
  service: 'Told by the service',
  verified: 'Signed, received',
  imported: 'Imported',
  unchecked: 'Not checked, received',
  stale: 'Too late to be checked, received',
  nobody: 'Known only from an answer that was sent from here',
}

/** A time to the minute, where this machine is. */
const minute = (at: string | null | undefined) => localTime(at ?? '').replace(/:\d\d ([+-]\d\d:\d\d)$/, ' $1')

/** What each choice comes to, side by side. */
function comparison(costs: readonly Cost[], room: number): string[] {
  const size = Math.min(24, Math.floor((room - 1 - LABEL) / 2))
  const row = (label: string, of: (cost: Cost) => string) =>
    [pad(label, LABEL), ...costs.map((cost) => pad(of(cost), size))].join('').trimEnd()
  const isTold = costs.some(({refund}) => refund !== null)
  const amount = (text: string | null) => (text === null ? '-' : `about ${text} SAR`)
  return [
    row('', ({choice}) => titles[choice]),
    row('Shipped', ({ships}) => String(ships)),
    row('Cancelled', ({cancels}) => String(cancels)),
    ...(isTold
      ? [
          row('Refund', ({refund}) => amount(refund)),
          row('Commission back', ({commissionBack}) => amount(commissionBack)),
          row('Shipping fee', ({ships}) => (ships > 0 ? 'kept' : 'back if none is left')),
        ]
      : []),
    row('If nobody answers', ({isDefault}) => (isDefault ? 'THIS' : '-')),
  ]
}

/** The same of one choice, below each other. */
function blockOf(choice: NoticeChoice, costs: readonly Cost[] | undefined, more: boolean): string[] {
  const cost = costs?.find((one) => one.choice === choice)
  const title = `[${keys[choice]}] ${titles[choice]}${cost?.isDefault ? '  <- if silent' : ''}`
  if (cost === undefined) return [title]
  return [
    title,
    `ship ${cost.ships}, cancel ${cost.cancels}`,
    ...(cost.refund === null ? [] : [`refund about ${cost.refund} SAR`]),
    ...(more && cost.commissionBack !== null ? [`commission back about ${cost.commissionBack} SAR`] : []),
  ]
}

function keysText(offers: readonly NoticeChoice[], isWide: boolean): string {
  if (!isWide) return '[n] next [b] back [q] stop [?] more'
  const choices = offers.map((choice) => `[${keys[choice]}] ${titles[choice].toLowerCase()}`)
  return [...choices, '[n] next', '[b] back', '[o] order', '[q] stop'].join('  ')
}

function lastLine(chosen: NoticeChoice | undefined, costs: readonly Cost[] | undefined): string {
  if (chosen === undefined) return '>'
  return `> ${keys[chosen]}   ${chosen}: ${consequence(chosen, costs)}. Enter sends, any other key takes it back.`
}
