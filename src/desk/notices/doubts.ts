import {decoded} from '../../store/encoding.ts'
import type {Desk} from '../desk.ts'
import {bytesOf, readBody} from '../receipts/body.ts'
import type {Glance} from '../receipts/glances.ts'
import {readGlances, segmentsOf} from '../receipts/read.ts'
import type {Received} from '../receipts/records.ts'
import {referenceOf} from '../receipts/reference.ts'
import {everySecret} from '../receipts/secrets.ts'
import {receiptsFile} from '../receipts/segment.ts'
import {judge, TOLERANCE} from '../signature/judge.ts'
import {parseScheme} from '../signature/schemes.ts'
import {bodyIn} from './evidence.ts'
import {endSaidBy, type NoticeFacts, ownNotice, type SaidEnd} from './facts.ts'

// What came with a signature that proves nothing must not be worth more because it goes through somebody's hands. It may come
// back in any wrapping, so it is known by what it tells, and not by its bytes.

/** One thing that a text tells: of a notice, or only that an event or a notice exists. */
export interface Mark {
  /** Of the notice, or of the event. */
  id: string
  /** The fields that any tool passes on as they are. */
  fields: string
  /** What the types of the events around it say of its end, the outermost first. */
  ends: readonly (SaidEnd | null)[]
}

/** A receipt that proves nothing. */
export interface Doubt {
  receipt: string
  trust: Exclude<Received['trust'], 'verified'>
}

export interface Doubts {
  /** The receipt that a text with these marks comes from, if it does. */
  of(marks: readonly Mark[]): Doubt | undefined
  /** Whether all of it stands in a receipt that did not fit when it came, and fits now. */
  fits(told: string): boolean
  /** False if they could not be judged once more. */
  hasSecret: boolean
}

const EXISTS = '{}'
const keyOf = ({id, fields}: Mark, end: SaidEnd | null = null) => JSON.stringify([id, fields, end])
const saysMore = ({fields, ends: [end = null]}: Mark) => fields !== EXISTS || end !== null

/** An event by its id and what it tells: two copies that have this in common tell the same. */
export const toldBy = ({eventId, facts}: {eventId: string | null; facts: readonly NoticeFacts[]}) =>
  JSON.stringify([eventId, facts])

/** Finds out which receipts that prove nothing tell what some marks tell; each is judged once more, with all secrets at hand. Fails with KEYCHAIN_UNAVAILABLE. */
export async function findDoubts(desk: Desk, marks: readonly Mark[]): Promise<Doubts> {
  const {folders, identity} = desk
  const wanted = new Set(marks.map(({id}) => id))
  const doubts = new Map<string, Doubt>()
  const fitting = new Set<string>()
  let scheme: string | null = null
  let secrets: string[] | undefined
  for (const {record, segment} of readGlances(segmentsOf(folders, identity), identity)) {
    if (record.kind === 'opened' || record.kind === 'pinned') scheme = record.scheme
    if (!isDoubtful(record)) continue
    const whole = receiptsFile(segment.path, identity).at(record.place)
    if (whole.kind !== 'received') continue
    const body = bytesOf(whole)
    const found = [...marksIn(textOf(body))].filter(({id}) => wanted.has(id))
    if (found.length === 0) continue
    secrets ??= await everySecret(desk)
    if (fitsNow(whole, {secrets, scheme})) {
      const {eventId, notices: facts} = readBody(textOf(body))
      fitting.add(toldBy({eventId, facts}))
      continue
    }
    const doubt = {receipt: referenceOf(record), trust: record.trust}
    for (const mark of found) for (const end of [null, ...mark.ends]) doubts.set(keyOf(mark, end), doubt)
  }
  const doubtOf = (mark: Mark) => doubts.get(keyOf(mark, mark.ends[0]))
  return {
    of(some) {
      const telling = some.filter(saysMore)
      if (telling.length > 0) return telling.map(doubtOf).find((one) => one !== undefined)
      return some.every(doubtOf) ? some.map(doubtOf)[0] : undefined
    },
    fits: (told) => fitting.has(told),
    hasSecret: secrets?.length !== 0,
  }
}

const isDoubtful = (one: {kind: string}): one is Glance & {trust: Doubt['trust']} =>
  one.kind === 'received' && (one as Glance).trust !== 'verified'

function fitsNow(
  record: Received,
  {secrets, scheme}: {secrets: readonly string[]; scheme: string | null},
): boolean {
  const {headers, path, eventId, at} = record
  const delivery = {headers, path, body: bytesOf(record), id: eventId ?? undefined}
  const judging = {secrets, tolerance: TOLERANCE, now: Date.parse(at)}
  return (
    judge(delivery, {...judging, scheme: scheme === null ? undefined : parseScheme(scheme)}).trust ===
    'verified'
  )
}

function textOf(body: Buffer): string {
  try {
    return decoded(body)
  } catch {
    return body.toString()
  }
}

interface Open {
  value: unknown
  ends: readonly (SaidEnd | null)[]
  /** How often brackets were taken off a text that is not JSON. */
  bared: number
}

const isMembers = (value: object): value is Record<string, unknown> => !Array.isArray(value)

/** All that a text tells, in whatever it is wrapped: in arrays, lists and lines, and in texts in them. */
export function* marksIn(text: string): Generator<Mark> {
  const open: Open[] = [{value: text, ends: [], bared: 0}]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const {value, ends: before, bared} = one
    if (typeof value === 'string') for (const inner of valuesIn(value, bared)) open.push({...one, ...inner})
    if (typeof value !== 'object' || value === null) continue
    let ends = before
    if (isMembers(value)) {
      const {eventId, eventType} = value
      const end = endSaidBy(typeof eventType === 'string' ? eventType : null)
      if (!ends.includes(end)) ends = [...ends, end]
      if (typeof eventId === 'string') yield {id: eventId, fields: EXISTS, ends: []}
      const notice = ownNotice(value)
      if (notice) yield {id: notice.id, fields: plain(notice.fields), ends}
    }
    const body = bodyIn(value)
    for (const [name, inner] of Object.entries(value))
      open.push({value: name === 'body' && body ? body.toString() : inner, ends, bared})
  }
}

/** Texts and truth values: numbers and objects are written anew by many a tool. So is half a character. */
function plain(fields: object): string {
  const kept = Object.entries(fields).filter(([, value]) => ['string', 'boolean'].includes(typeof value))
  return JSON.stringify(Object.fromEntries(kept)).replace(/\\ud[89a-f][\da-f]{2}/gi, '\ufffd')
}

const MOST_BARED = 8

/** The values that a text holds: as JSON, as JSON a line, or as JSON among other text. */
function valuesIn(text: string, bared: number): Pick<Open, 'value' | 'bared'>[] {
  if (!/[{[\\]/.test(text)) return []
  const whole = parsed(text.replace(/^\ufeff/, ''))
  if (whole !== undefined) return [{value: whole, bared}]
  const some = text.split('\n').map((line) => ({value: parsed(line), bared}))
  for (const inner of bracketed(text)) {
    const value = parsed(inner)
    if (value !== undefined) some.push({value, bared})
    else if (bared < MOST_BARED) some.push({value: inner.slice(1, -1), bared: bared + 1})
  }
  return some
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What stands between outermost brackets. */
function bracketed(text: string): string[] {
  const found: string[] = []
  let [depth, start, isText] = [0, 0, false]
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? ''
    if (char === '\\') at += 1
    else if (char === '"') isText = depth > 0 && !isText
    else if (isText) continue
    else if (char === '{' || char === '[') {
      if (depth === 0) start = at
      depth += 1
    } else if ((char === '}' || char === ']') && depth > 0) {
      depth -= 1
      if (depth === 0) found.push(text.slice(start, at + 1))
    }
  }
  return found
}
