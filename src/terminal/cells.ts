import {millis} from '../contract/forms.ts'
import {type Digits, isDigits, printJson, withDecimals} from '../contract/money.ts'
import {cut, noPaint, type Paint, safe, type Tone} from './text.ts'

/** One value of a row, as data: each output writes it in its own way. */
export type Cell =
  | string
  | boolean
  | Digits
  | null
  | undefined
  | {kind: 'money'; amount: Digits; currency: string | null | undefined}
  | {kind: 'time'; at: string}
  | {kind: 'deadline'; at: string}
  | {kind: 'badge'; text: string; tone: Tone}

export function money(amount: Digits | null | undefined, currency: string | null | undefined): Cell {
  if (amount === null || amount === undefined) return null
  // A service may send anything in the place of a number, and of its currency.
  if (!isDigits(amount)) return bare(amount)
  return {kind: 'money', amount, currency: typeof currency === 'string' ? currency : undefined}
}

/** The currency that an answer names, or that of all charges. */
export const unitOr = (currency: unknown): string =>
  currency && typeof currency === 'string' ? currency : 'SAR'

/** Any value as a cell: what holds more inside is written as JSON, but a list of words as these words. */
export function bare(value: unknown): Cell {
  if (value === null || value === undefined) return null
  if (typeof value !== 'object' || isDigits(value)) return value as Cell
  const isFlat = Array.isArray(value) && value.every((one) => typeof one !== 'object' || isDigits(one))
  return isFlat ? value.map(String).join(', ') : printJson(value, 0)
}

/** A moment, in the server's own writing. */
export function time(at: string | null | undefined): Cell {
  return at && typeof at === 'string' ? {kind: 'time', at} : at || null
}

/** A moment that is waited for: shown as the time until then. */
export function deadline(at: string | null | undefined): Cell {
  return at && typeof at === 'string' ? {kind: 'deadline', at} : at || null
}

/** A word of a value set; words without a tone stay plain. */
export function badge(text: string | null | undefined, tones: Record<string, Tone> = {}): Cell {
  if (!text) return null
  if (typeof text !== 'string') return text
  const tone = Object.hasOwn(tones, text) ? tones[text] : undefined
  return tone ? {kind: 'badge', text, tone} : text
}

/** A long id of an event, as lists show it: commands take the beginning of one. */
export const shortId = (id: unknown): Cell => {
  const text = typeof id === 'string' ? id : null
  return text !== null && text.length > UUID_LENGTH ? cut(text, 13) : text
}
const UUID_LENGTH = 36

/** A type of event as lists show it: whoever sent it chose it, and it must leave room for the others. */
export const typeText = (type: unknown): string | null =>
  typeof type === 'string' ? cut(safe(type), LONGEST_TYPE) : null
const LONGEST_TYPE = 24

type Kinded = Exclude<Extract<Cell, {kind: string}>, null>

const kinds = ['money', 'time', 'deadline', 'badge']

function kindOf(cell: Cell): Kinded | undefined {
  if (typeof cell !== 'object' || cell === null || !('kind' in cell)) return undefined
  return kinds.includes(cell.kind) ? cell : undefined
}

/** True if digits of one column should stand below each other. */
export function isNumeric(cell: Cell): boolean {
  const kinded = kindOf(cell)
  return isDigits(kinded?.kind === 'money' ? kinded.amount : cell)
}

/** True for a moment, which is useless if its zone is cut off. */
export const isTime = (cell: Cell): boolean => kindOf(cell)?.kind === 'time'

/** The value itself, without its unit and tone. */
export function unwrapped(cell: Cell): unknown {
  const kinded = kindOf(cell)
  if (!kinded) return cell
  if (kinded.kind === 'money') return kinded.amount
  return kinded.kind === 'badge' ? kinded.text : kinded.at
}

/** The bare value, for a pipe or a spreadsheet: digits as they came, ISO times, no unit. */
export const plain = (cell: Cell): string => String(bare(unwrapped(cell)) ?? '')

/** A cell of a list for people: its times are relative. */
export function prettyInList(cell: Cell, paint: Paint = noPaint, now = Date.now()): string {
  const kinded = kindOf(cell)
  return kinded?.kind === 'time' ? ago(kinded.at, now) : pretty(cell, paint, now)
}

/** Text for a person: currency beside the amount, local time with its zone, the time left until a deadline. */
export function pretty(cell: Cell, paint: Paint = noPaint, now = Date.now()): string {
  if (cell === null || cell === undefined || cell === '') return paint('-', 'dim')
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  const kinded = kindOf(cell)
  if (!kinded) return safe(bare(cell))
  if (kinded.kind === 'money') return moneyText(kinded.amount, kinded.currency)
  if (kinded.kind === 'badge') return paint(safe(kinded.text), kinded.tone)
  if (kinded.kind === 'time') return localTime(kinded.at)
  return timeLeft(kinded.at, now, paint)
}

/** `12.5` as `12.50 SAR`; without a unit if none is known. */
export const moneyText = (amount: Digits, currency: string | null | undefined): string =>
  `${withDecimals(amount)}${currency ? ` ${safe(currency)}` : ''}`

const two = (number: number) => String(number).padStart(2, '0')

export function localTime(at: string): string {
  const date = new Date(millis(at))
  if (Number.isNaN(date.getTime())) return safe(at)
  const offset = -date.getTimezoneOffset()
  const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())} ${zone}`
}

/** `71 h 12 min`, `14 min`, `40 s`. */
export function span(ms: number): string {
  const seconds = Math.floor(Math.abs(ms) / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
}

const DAY = 86_400_000

/** `3 h ago`, `in 12 days`; the date alone of what is more than 60 days away. */
function ago(at: string, now: number): string {
  const away = millis(at) - now
  if (Number.isNaN(away)) return safe(at)
  const length = Math.abs(away)
  if (length > 60 * DAY) return localTime(at).slice(0, 10)
  const hours = Math.floor(length / 3_600_000)
  const text = hours < 1 ? span(length) : hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`
  return away > 0 ? `in ${text}` : `${text} ago`
}

function timeLeft(at: string, now: number, paint: Paint): string {
  const left = millis(at) - now
  if (Number.isNaN(left)) return safe(at)
  if (left <= 0) return paint(`${span(left)} ago`, 'bad')
  return left < 3_600_000 ? paint(`in ${span(left)}`, 'warn') : `in ${span(left)}`
}
