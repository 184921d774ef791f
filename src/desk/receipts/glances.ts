import {parseJson, printJson} from '../../contract/money.ts'
import {readDigest, writeDigest} from '../../store/digest.ts'
import {ownHeader} from '../../store/journal.ts'
import type {Identity} from '../../store/paths.ts'
import type {NoticeFacts} from '../notices/facts.ts'
import {bytesOf, orderIn, readBody} from './body.ts'
import type {ReceiptRecord, Received} from './records.ts'
import {receiptsFile} from './segment.ts'

// A look at many receipts costs little if their bodies need not be read. So what they tell is kept beside each large file of
// receipts (store/digest.ts): as JSON, an array for each record.

/** What is read out of a body: to be raised with each change of that, so that what an earlier version kept is not used. */
const FORMAT = 2

/** A digest that would save less than so many bytes, or an eighth of what it saves already, is not worth writing. */
const LEAST = 256 * 1024

/** Any record but a receipt. */
export type Note = Exclude<ReceiptRecord, Received>

/** A receipt without its headers and body, and what its body tells. */
export interface Glance
  extends Omit<Received, 'n' | 'remote' | 'path' | 'headers' | 'body' | 'encoding' | 'notices'> {
  /** The byte of its file at which it begins. */
  place: number
  /** When it arrived, in milliseconds. */
  time: number
  orderId: string | null
  /** Ids, as the listener found them. */
  notices: readonly string[]
  facts: readonly NoticeFacts[]
  /** It speaks of a notice that could not be read. */
  unreadable: boolean
}

/** What many receipts have in common: it stands in the first of them alone, and the others have its number. */
type Kind = [eventType: string | null, trust: Received['trust'], scheme: string | null, why: string | null]
type Receipt = [
  ...[place: number, at: string, bytes: number, sha256: string, eventId: string | null],
  ...[orderId: string | null, kind: Kind | number],
  ...[notices?: readonly string[], facts?: readonly NoticeFacts[] | string, unreadable?: boolean],
]
type Row = Receipt | [Note]

const none: readonly never[] = []

/**
 * What a file of receipts holds, one record after another; of the receipts those that are wanted, for which each is read
 * whole. Fails as its journal does.
 */
export function* glancesIn(
  path: string,
  identity: Identity,
  isWanted?: (record: Received) => boolean,
): Generator<Glance | Note> {
  const header = {...ownHeader('receipts', identity), digest: FORMAT}
  const {text, covered} = (isWanted ? undefined : readDigest(path, header)) ?? {text: '', covered: 0}
  const {read, write} = openRows()
  for (const row of JSON.parse(`[${text}]`) as Row[]) yield read(row)
  const fresh: (Glance | Note)[] = []
  let last = covered
  for (const {record, place} of receiptsFile(path, identity).entries(covered, {torn: true})) {
    if (isWanted && record.kind === 'received' && !isWanted(record)) continue
    const one = record.kind === 'received' ? glanceOf(record, place) : record
    fresh.push(one)
    last = place
    yield one
  }
  if (isWanted || last - covered < Math.max(LEAST, covered / 8)) return
  // The last record may lack its end yet: it is left to the next reader.
  const more = JSON.stringify(fresh.slice(0, -1).map(write)).slice(1, -1)
  writeDigest(path, header, {text: text ? `${text},${more}` : more, covered: last})
}

function glanceOf(record: Received, place: number): Glance {
  const {at, bytes, sha256, eventId, eventType, notices, trust, scheme, why, body} = record
  // Of 100,000 events few tell of a notice: only their bodies are read.
  const told = notices.length > 0 || /notice/i.test(body) ? readBody(bytesOf(record).toString()) : undefined
  const {notices: facts = none, unreadable = false} = told ?? {}
  const row: Receipt = [place, at, bytes, sha256, eventId, orderIn(record), 0, notices, facts, unreadable]
  return glance(row, [eventType, trust, scheme, why])
}

/** Member by member: to spread an object, or take an array apart, takes several times as long. */
function glance(row: Receipt, kind: Kind): Glance {
  const told = row[8] ?? none
  return {
    kind: 'received',
    place: row[0],
    at: row[1],
    time: Date.parse(row[1]),
    bytes: row[2],
    sha256: row[3],
    eventId: row[4],
    eventType: kind[0],
    trust: kind[1],
    scheme: kind[2],
    why: kind[3],
    orderId: row[5],
    notices: row[7] ?? none,
    facts: typeof told === 'string' ? (parseJson(told) as NoticeFacts[]) : told,
    unreadable: row[9] ?? false,
  }
}

/** Turns rows into what they stand for and back, in their order. */
function openRows() {
  const kinds: Kind[] = []
  const numbers = new Map<string, number>()
  const add = (kind: Kind, key = JSON.stringify(kind)) => {
    numbers.set(key, kinds.push(kind) - 1)
    return kind
  }
  return {
    read(row: Row): Glance | Note {
      if (row.length === 1) return row[0]
      const kind = row[6]
      return glance(row, typeof kind === 'number' ? (kinds[kind] as Kind) : add(kind))
    },
    write(one: Glance | Note): Row {
      if (one.kind !== 'received') return [one]
      const {place, at, bytes, sha256, eventId, eventType, trust, scheme, why} = one
      const {orderId, notices, facts, unreadable} = one
      const kind: Kind = [eventType, trust, scheme, why]
      const key = JSON.stringify(kind)
      const row = [place, at, bytes, sha256, eventId, orderId, numbers.get(key) ?? add(kind, key)] as const
      if (notices.length === 0 && facts.length === 0 && !unreadable) return [...row]
      // Only what a choice comes to holds amounts, of which each digit counts.
      const holdsAmounts = facts.some(({fields}) => fields.impact !== undefined)
      return [...row, notices, holdsAmounts ? printJson(facts, 0) : facts, unreadable]
    },
  }
}
