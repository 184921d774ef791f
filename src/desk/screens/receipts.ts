import {type Cell, time} from '../../terminal/cells.ts'
import {type Column, localColumns} from '../../terminal/columns.ts'
import {shortId} from '../../terminal/views/webhooks.ts'
import {isTaken, type Replayed} from '../deliveries/replay.ts'
import {type Delivered, NOT_STORED} from '../listener/told.ts'
import type {Copy, RecordedEvent} from '../receipts/recorded.ts'
import type {Received} from '../receipts/records.ts'
import {wordsOfRecord} from '../signature/words.ts'

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

export function handedOn(forward: Line['forward'] | null): Cell {
  if (!forward) return null
  const {status, ms, error} = forward
  const isWell = status !== null && status < 300
  return {kind: 'badge', text: `${status ?? error}  ${ms} ms`, tone: isWell ? 'good' : 'bad'}
}

export const timeOfDay = ({at}: {at: string}): string => new Date(at).toTimeString().slice(0, 8)

/** Copies as they arrive. */
export const liveColumns: Column<Line>[] = localColumns<Line>(
  `at! Time; eventType< Event; trust! Signed; forward.status Forwarded; due Notice; eventId- Event id;
    notices+; why+; copy+; differs+; bytes+; answered+`,
  {at: timeOfDay, trust: signed, 'forward.status': ({forward}) => handedOn(forward)},
)

/** Events of the record, one row each. */
export const eventColumns: Column<RecordedEvent>[] = localColumns<RecordedEvent>(
  `at Time; eventType< Event; orderId- Order; trust! Signed; copies Copies; forward.status Forwarded; eventId! Event id;
    notices+; why+; differs+; bytes+`,
  {
    at: ({at}) => time(at),
    trust: (row) => signed({...row, copy: 1}),
    'forward.status': ({forward}) => handedOn(forward),
    eventId: ({eventId}) => shortId(eventId),
  },
)

/** Events that were sent to a receiver again. */
export const replayedColumns: Column<Replayed>[] = localColumns<Replayed>(
  'at Came; eventType< Event; eventId! Event id; status! Answer; ms- Took; error~',
  {
    at: ({at}) => time(at),
    eventId: ({eventId}) => shortId(eventId),
    status: (row) =>
      row.status && {kind: 'badge', text: String(row.status), tone: isTaken(row) ? 'good' : 'bad'},
    ms: ({ms}) => (ms === null ? null : `${ms} ms`),
  },
)

type CopyRow = Omit<Received, 'headers'> & Pick<Copy, 'forward'>

/** The copies of one event, the one that counts first. */
export const copyColumns: Column<CopyRow>[] = localColumns<CopyRow>(
  `at Time; eventType< Event; trust! Signed; bytes Bytes; remote- From; path- Path; forward.status Forwarded; sha256- SHA-256;
    eventId! Event id; why+`,
  {
    at: ({at}) => time(at),
    trust: (row) => signed({...row, copy: 1, differs: false}),
    'forward.status': ({forward}) => handedOn(forward),
  },
)

export const headerColumns = localColumns<{name: string; value: string}>('name!; value~')
