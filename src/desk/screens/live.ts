import {serviceOffset} from '../../store/clock.ts'
import {type Cell, pretty, typeText} from '../../terminal/cells.ts'
import {commandText} from '../../terminal/next.ts'
import {cut, type Paint, pad, safe, width, wrap} from '../../terminal/text.ts'
import type {Desk} from '../desk.ts'
import type {ListenerEvent, Whole} from '../listener/told.ts'
import {inbox, serviceClock, type Told} from '../notices/inbox.ts'
import {readBody} from '../receipts/body.ts'
import {nameOf} from '../receipts/reference.ts'
import type {Listened} from '../signature/reasons.ts'
import {newSecretText, wordsOf} from '../signature/words.ts'
import {handedOn} from './handed.ts'
import {leftOf} from './left.ts'
import {idOf, type Line, signed, timeOfDay} from './receipts.ts'

/** Where the columns begin. */
const columns = {TIME: 0, EVENT: 10, SIGNED: 27, FORWARDED: 41, NOTICE: 53, 'EVENT ID': 68}
const starts = Object.values(columns)
/** Below it each delivery is a block. */
const WIDE = 60
/** As much of an event's id is shown at least: other commands take a beginning of it. */
const LEAST_ID = 12

export function liveHead(room: number, paint: Paint): string {
  if (room < WIDE) return ''
  return `${paint(placed(Object.keys(columns)) ?? '', 'dim')}\n`
}

/** A delivery: one line where it fits into the columns, else a block. */
export function liveLine(line: Line, room: number, paint: Paint): string {
  const {eventType, due = ''} = line
  const [worth, forward] = [textOf(signed(line)), textOf(handedOn(line.forward))]
  const id = safe(idOf(line) ?? '')
  const cells = [timeOfDay(line), typeText(eventType) ?? '(no type)', worth, forward, due]
  const left = Math.max(room - (starts.at(-1) ?? 0), 0)
  const tone = line.answered >= 300 || line.differs ? 'bad' : undefined
  const row = room < WIDE || left < LEAST_ID ? undefined : placed([...cells, cut(id, left)])
  if (row !== undefined) return `${tone ? row.replace(worth, paint(worth, tone)) : row}\n`
  const facts = [worth, forward, due].filter(Boolean).join(' · ')
  const lines = [`${cells[0]} ${cells[1]}`, `  ${facts}`, ...(id ? [`  ${id}`] : [])]
  return `${lines.map((text) => wrap(text, room, 2)).join('\n')}\n`
}

/** Texts at the places of their columns; undefined if one of them reaches into another. */
function placed(texts: string[]): string | undefined {
  let line = ''
  for (const [at, text] of texts.entries()) {
    if (text === '') continue
    const start = starts[at] ?? 0
    if (width(line) > Math.max(start - 1, 0)) return undefined
    line = pad(line, start) + text
  }
  return line
}

const textOf = (cell: Cell) => (cell ? pretty(cell) : '')

/** Of so many notices it is remembered what has come of them, and so many copies of each. */
const MOST = {notices: 1_000, copies: 20}

/** Tells what is left until the deadline of the notice that a delivery tells of, as the inbox would say it now. */
export function openDues({folders, identity}: Pick<Desk, 'folders' | 'identity'>): (whole: Whole) => string {
  const known = new Map<string, Told[]>()
  const clock = serviceOffset(folders, identity)
  let raised = 0
  return ({trust, notices, body, at: arrived}) => {
    const [fact] = notices.length > 0 ? readBody(body.toString('utf8')).notices : []
    if (fact === undefined || trust === 'refused') return ''
    const {offsetMs, timeAt} = clock.told()
    const at = Date.parse(arrived)
    const told = [...(known.get(fact.id) ?? []), {...fact, trust, at, by: timeAt(at)}]
    const [oldest] = known.keys()
    if (oldest !== undefined && known.size >= MOST.notices) known.delete(oldest)
    known.set(fact.id, told.slice(0, MOST.copies))
    raised = serviceClock(told, raised, 0).now
    const heard = Date.now() + offsetMs
    const now = Math.max(raised, heard)
    const [item] = inbox({told, answers: []}, {now, lead: now - heard})
    if (item === undefined || item.desk.leftMs === null) return ''
    return item.desk.leftMs > 0 ? pretty(leftOf(item)) : 'passed'
  }
}

const whys: {[why: string]: string} = {
  store: 'nothing can be written. Deliveries get 503, and the service sends them again. It tries each 5 s.',
  'tunnel-lost': 'the public URL does not lead here. Check the tunnel or proxy.',
  'forward-failing':
    'the receiver failed three times in a row. What it missed is stored: `scent webhooks replay --problems --to URL` sends it again.',
  refusing: '1 of the last 10 refused.',
  behind: 'the receiver is slower than the deliveries. What it misses is stored.',
  'disk-low': 'less than 200 MiB are free on the disk.',
  slept: 'this machine slept, and nothing was received meanwhile.',
}

/** How the listener is, and since when. */
export function stateText({state, why, since}: Extract<ListenerEvent, {event: 'state'}>): string {
  const at = timeOfDay({at: since})
  if (why === null) return `Ready again since ${at}.`
  return `${state === 'failed' ? 'Failed' : 'Degraded'} since ${at}: ${whys[why]}`
}

/** The command that takes a refused delivery apart; and what to do if it was signed with another secret. */
export function nextLines({eventId, receipt, why}: Line, listened: Listened): string[] {
  const words =
    receipt === null ? ['events', '--trust', 'refused'] : ['verify', '--stored', nameOf({eventId, receipt})]
  const isOther = why === wordsOf({reason: 'nothing'})
  const changed = isOther ? [`  The secret may have been changed. ${newSecretText(listened)}`] : []
  return [`  ${commandText('webhooks', ...words)}`, ...changed]
}
