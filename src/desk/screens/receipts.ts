import {type Cell, shortId, time, typeText} from '../../terminal/cells.ts'
import {type Column, localColumns} from '../../terminal/columns.ts'
import {cut, safe} from '../../terminal/text.ts'
import type {Replayed} from '../deliveries/replay.ts'
import {type Delivered, NOT_STORED} from '../listener/told.ts'
import type {Copy, RecordedEvent} from '../receipts/recorded.ts'
import {isTaken, type Received} from '../receipts/records.ts'
import {wordsOfRecord} from '../signature/words.ts'
import {handedOn, reasonOf} from './handed.ts'

/** A copy that arrived, and how it was handed on. */
export interface Line extends Delivered {
  forward?: {status: number | null; ms: number; error: string | null}
  /** Until the deadline of the notice that it tells of, in words. */
  due?: string
}

/** What the copy is worth, in a word or two. */
export function signed({trust, why, copy, differs}: Pick<Line, 'trust' | 'why' | 'copy' | 'differs'>): Cell {
  const bad = (text: string): Cell => ({kind: 'badge', text, tone: 'bad'})
  if (why === NOT_STORED) return bad('NOT STORED')
  if (trust === 'refused' || trust === 'stale') return bad(`WRONG: ${wordsOfRecord(why)}`)
  if (differs) return bad('again, OTHER BYTES')
  if (copy > 1) return 'again, same'
  return trust === 'verified' ? {kind: 'badge', text: 'fits', tone: 'good'} : 'not checked'
}

export const timeOfDay = ({at}: {at: string}): string => new Date(at).toTimeString().slice(0, 8)

/** The id of an event as it is listed: its receipt, if it has none or nobody can type it. */
export const idOf = ({eventId, receipt}: {eventId: string | null; receipt: string | null}) =>
  eventId !== null && safe(eventId) === eventId ? eventId : receipt

const eventType = (row: {eventType: string | null}) => typeText(row.eventType)

/** Copies as they arrive. */
export const liveColumns: Column<Line>[] = localColumns<Line>(
  `at! Time; eventType< Event; trust! Signed; forward.status Forwarded; due Notice; eventId- Event id;
    notices+; why+; copy+; differs+; bytes+; answered+; forward.error+; receipt+`,
  {
    eventType,
    eventId: idOf,
    at: timeOfDay,
    trust: signed,
    'forward.status': ({forward}) => handedOn(forward),
  },
)

/** As wide a terminal has room for whole ids beside how events were handed on. */
const WIDE = 110

/** Events of the record, one row each, for lines of `room` cells. If some were handed on, how that ended is never left out. */
export function eventColumns(
  events: readonly RecordedEvent[],
  room = Number.POSITIVE_INFINITY,
): Column<RecordedEvent>[] {
  const isHanded = events.some(({forward}) => forward !== null)
  return localColumns<RecordedEvent>(
    `at Time; eventType< Event; orderId- Order; trust! Signed; copies- Copies; forward.status${isHanded ? '!' : ''} Forwarded;
      eventId! Event id; forward.error+; notices+; why+; differs+; bytes+; receipt+`,
    {
      eventType,
      at: ({at}) => time(at),
      trust: (row) => signed({...row, copy: 1}),
      'forward.status': ({forward}) => handedOn(forward),
      eventId: (row) =>
        isHanded && row.eventId && room < WIDE ? cut(idOf(row) ?? '', 14) : shortId(idOf(row)),
    },
  )
}

/** Events that were sent to a receiver again. */
export const replayedColumns: Column<Replayed>[] = localColumns<Replayed>(
  'at Came; eventType< Event; eventId! Event id; status! Answer; ms- Took; error~ Not taken',
  {
    eventType,
    at: ({at}) => time(at),
    eventId: (row) => shortId(idOf(row)),
    status: (row) =>
      row.status && {kind: 'badge', text: String(row.status), tone: isTaken(row) ? 'good' : 'bad'},
    ms: ({ms}) => (ms === null ? null : `${ms} ms`),
    // Before it is sent there is nothing to tell.
    error: (row) => (row.ms === null ? null : reasonOf(row)),
  },
)

type CopyRow = Omit<Received, 'headers'> & Pick<Copy, 'forward'> & {receipt: string}

/** The copies of one event, the one that counts first. */
export const copyColumns: Column<CopyRow>[] = localColumns<CopyRow>(
  `at Time; eventType< Event; trust! Signed; bytes Bytes; remote- From; path- Path; forward.status Forwarded; sha256- SHA-256;
    eventId- Event id; why+; forward.error+; receipt! Receipt`,
  {
    eventType,
    at: ({at}) => time(at),
    trust: (row) => signed({...row, copy: 1, differs: false}),
    'forward.status': ({forward}) => handedOn(forward),
  },
)

export const headerColumns = localColumns<{name: string; value: string}>('name!; value~')
