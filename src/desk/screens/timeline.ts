import {millis} from '../../contract/forms.ts'
import {badge, type Cell, shortId, span, typeText} from '../../terminal/cells.ts'
import {type Column, localColumns} from '../../terminal/columns.ts'
import {commandText} from '../../terminal/next.ts'
import {counted, type Paint, safe, wrap} from '../../terminal/text.ts'
import type {Sides} from '../deliveries/sides.ts'
import type {Row, TimelineItem} from '../deliveries/timeline.ts'
import {urlAt} from '../deliveries/whose.ts'
import {outcomeText} from './outcome.ts'
import {timeOfDay} from './receipts.ts'

const DAY = 86_400_000
const MINUTE = 60_000

/** The time of today, else the day. */
function when(at: unknown, now: number): string {
  const date = new Date(millis(String(at)))
  if (Number.isNaN(date.getTime())) return ''
  const isToday = date.toDateString() === new Date(now).toDateString()
  return isToday ? timeOfDay({at: date.toISOString()}) : date.toDateString().slice(4, 10)
}

const tones = {delivered: 'good', retrying: 'warn', dead: 'bad', unknown: 'warn'} as const

/** Nobody may overlook what does not come again. */
const wordOf = (state: TimelineItem['state']) => (state === 'dead' ? 'DEAD' : state)

const stateOf = ({state}: TimelineItem): Cell => badge(wordOf(state), {[wordOf(state)]: tones[state]})

/** How often it was sent: of a try there may be no record. */
export const triesOf = ({attempts}: TimelineItem): number =>
  Math.max(attempts.length, ...attempts.map(({attemptNumber}) => Number(attemptNumber) || 0))

/** How the last attempt ended. */
export const outcomeOf = ({attempts}: TimelineItem): string => outcomeText(attempts.at(-1) ?? {})

function lastOf(item: TimelineItem, now: number): string {
  if (item.attempts.length === 0) return ''
  return `${when(item.attempts.at(-1)?.sentAt, now)}  ${outcomeOf(item)}`
}

function hereText({here}: TimelineItem): string {
  if (here === null) return 'no'
  if (here.trust === 'refused' || here.trust === 'imported') return here.trust
  if (here.trust === 'stale') return 'too old'
  return here.copies === 1 ? 'yes' : `${here.copies} ×`
}

type Finding = Pick<Row, 'item' | 'because'>

/** What is wrong with an event, or what becomes of it, in a few words. */
function findingText({item, because}: Finding, now: number): string {
  const {state, here, nextAttemptAt, forgottenAt} = item
  const left = Math.ceil((millis(forgottenAt ?? '') - now) / DAY)
  const end = state === 'dead' && left > 0 ? [`gone in ${left} d`] : []
  if (item.attempts.length === 0 && because === null) return 'no record yet'
  if (because?.finding === 'late') return [`came ${span(because.byMs)} late`, ...end].join(', ')
  if (because?.finding === 'gap') return [`no record of try ${because.attempt}`, ...end].join(', ')
  if (because !== null)
    return [because.finding.replace(/-not-/, ', not ').replace(/-/g, ' '), ...end].join('; ')
  if (end.length > 0) return end.join()
  if (state === 'delivered' && here === null) return 'another receiver took it'
  const next = millis(nextAttemptAt ?? '') - now
  if (state !== 'retrying') return ''
  return next > 0 ? `again in ${span(next)}` : next > -MINUTE ? 'again now' : `was due ${span(next)} ago`
}

function findingCell(row: Finding, now: number): Cell {
  const text = findingText(row, now)
  return row.because === null ? text || null : {kind: 'badge', text, tone: 'bad'}
}

const itemColumns = (
  rowOf: (item: TimelineItem) => Finding,
  now: number,
  hasIds: boolean,
): Column<TimelineItem>[] =>
  localColumns<TimelineItem>(
    `eventType! Event; attempts! Try; state! State; lastAt! Last; here! Here; finding!~ Finding;
      eventId${hasIds ? '-' : '+'} Event id; subscriptionId+ Subscription; nextAttemptAt?; forgottenAt?`,
    {
      eventType: ({eventType}) => typeText(eventType),
      attempts: triesOf,
      state: stateOf,
      lastAt: (item) => lastOf(item, now),
      here: (item) => {
        const text = hereText(item)
        return badge(text, {no: 'dim', refused: 'bad', 'too old': 'bad'})
      },
      finding: (item) => findingCell(rowOf(item), now),
      eventId: ({eventId}) => shortId(eventId),
    },
  ).map((column) => ({...column, ...forPrograms[column.key]}))

/** What a pipe gets in the place of a list of attempts and of an object. */
const forPrograms: {[key: string]: Pick<Column<TimelineItem>, 'value'>} = {
  attempts: {value: triesOf},
  lastAt: {value: ({attempts}) => attempts.at(-1)?.sentAt ?? null},
  here: {value: ({here}) => here?.copies ?? 0},
}

/** Rows, and when they were looked at, by the service's clock. */
type Seen = Pick<Sides, 'rows' | 'now' | 'asked'>

/** Below this width a finding has no room beside the ids of events. */
const WIDE = 100

/** Events as a table. A document has no more than the items, so the rows are looked up. */
export function timelineColumns(
  {rows, now}: Pick<Seen, 'rows' | 'now'>,
  room: number,
): Column<TimelineItem>[] {
  const byItem = new Map(rows.map((row) => [row.item, row]))
  return itemColumns((item) => byItem.get(item) ?? {item, because: null}, now, room >= WIDE)
}

/** The rows of each subscription, and where its deliveries go. */
export function bySubscription(rows: readonly Row[]): {title: string; items: TimelineItem[]}[] {
  const found = new Map<string, {title: string; items: TimelineItem[]}>()
  for (const {item, subscription} of rows) {
    const url = urlAt(subscription, Number.POSITIVE_INFINITY)
    const title = `Subscription ${subscription.id}${url === null ? '' : ` · ${url}`}`
    const all = found.get(subscription.id) ?? {title, items: []}
    all.items.push(item)
    found.set(subscription.id, all)
  }
  return [...found.values()]
}

/** The same in a few letters, for what stands among events of others. */
function placeOf({subscription}: Row): string {
  const url = urlAt(subscription, Number.POSITIVE_INFINITY)
  const host = url !== null && URL.canParse(url) ? [new URL(url).host] : []
  return ['', ...host, subscription.id.slice(0, 8)].map(safe).join(' · ')
}

/** Below this width each event is a block of two lines. */
export const NARROW = 60

export function narrowLines({rows, now, asked}: Seen, room: number, paint: Paint): string {
  const lines = rows.flatMap((row) => {
    const {item} = row
    const here = item.here === null ? 'not here' : hereText(item).replace('yes', 'here')
    const at = when(item.attempts.at(-1)?.sentAt, now).replace(/:\d\d$/, '')
    const state = `${wordOf(item.state)} ${at}`.trimEnd()
    const head = `${typeText(item.eventType) ?? '(no type)'} · ${state} · ${here}${asked > 1 ? placeOf(row) : ''}`
    const finding = findingText(row, now)
    const tone = row.because !== null || item.state === 'dead' ? 'bad' : 'dim'
    return [wrap(head, room, 2), ...(finding ? [paint(wrap(`  ${finding}`, room, 2), tone)] : [])]
  })
  return lines.map((line) => `${line}\n`).join('')
}

/** One sentence before the list, which shows some of the events that the service sent, or all. */
export function timelineSummary({rows: all, asked, kept}: Pick<Sides, 'rows' | 'asked' | 'kept'>): string {
  const whom = `that the service sent to ${counted(asked, 'subscription')}`
  const rows = all.filter(({item}) => item.attempts.length > 0)
  const only = all.length - rows.length
  const more = only > 0 ? ` ${counted(only, 'event')} ${only === 1 ? 'is' : 'are'} only here.` : ''
  if (rows.length === 0 && kept > 0)
    return `${kept === 1 ? `The one event ${whom} does not fit.` : `None of the ${kept} events ${whom} fits.`}${more}`
  const counts = (['delivered', 'retrying', 'dead', 'unknown'] as const).flatMap((state) => {
    const count = rows.filter(({item}) => item.state === state).length
    return count > 0 ? [`${count} ${wordOf(state)}`] : []
  })
  const missing = rows.filter(({item}) => item.here === null).length
  const here = missing > 0 ? `; ${missing} not here` : ''
  const states = counts.length > 0 ? `: ${counts.join(', ')}${here}` : ''
  const shown = rows.length < kept ? `${rows.length} of the ${kept} events` : counted(rows.length, 'event')
  return `${shown} ${whom}${states}.${more}`
}

/** Why nothing more comes to some subscriptions. */
export const offLines = (off: readonly string[]): string[] =>
  off.flatMap((id) => [
    `The subscription ${id} is switched off, as far as is known here: but for tests nothing is sent to it.`,
    `  ${commandText('webhooks', 'enable', id)}`,
  ])
