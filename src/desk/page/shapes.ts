import type {Blindness} from '../notices/blindness.ts'
import type {Received} from '../receipts/records.ts'

// What the page and its server say to each other.

/** Words, and how good or bad they are. */
export interface Said {
  text: string
  tone: 'good' | 'bad' | 'plain'
}

/** A copy that arrived, as a row of the list. */
export interface Row {
  /** In the order in which copies came to the page's server, from 1. */
  no: number
  /** Names its event in an address. */
  id: string
  at: string
  eventId: string | null
  eventType: string | null
  orderId: string | null
  /** The first of those that it tells of. */
  notices: string[]
  trust: Received['trust']
  signed: Said
  bytes: number
  /** How it was handed on, if it was. */
  forward: ({at: string; to: string} & Said) | null
  isProblem: boolean
}

export interface Filter {
  /** In the type, or in an id. */
  q: string
  trust: Received['trust'] | ''
  problems: boolean
}

export function fits(row: Row, {q, trust, problems}: Filter): boolean {
  if (trust !== '' && row.trust !== trust) return false
  if (problems && !row.isProblem) return false
  const wanted = q.trim().toLowerCase()
  const {eventType, eventId, orderId, notices} = row
  return wanted === '' || [eventType, eventId, orderId, ...notices].some((text) => isIn(text, wanted))
}

const isIn = (text: string | null, wanted: string) => text?.toLowerCase().includes(wanted) === true

/** Rows, the newest first. */
export interface Rows {
  items: Row[]
  /** Of the next older rows that fit; null if there are none. */
  before: number | null
  /** The newest of all rows, and where the stream goes on behind this answer. */
  newest: number
  after: number
  /** False if older events are in the records than the page looks at. */
  isWhole: boolean
}

/** How the listener is. */
export interface State {
  url: string
  public: string | null
  forwardTo: string | null
  checked: boolean
  /** Why it is not simply ready, in words; null if it is. */
  trouble: string | null
  isFailed: boolean
  blind: Pick<Blindness, 'says' | 'since' | 'next'>[]
}

/** One event, and the copy of it that was asked for. */
export interface EventFacts {
  id: string
  eventId: string | null
  eventType: string | null
  orderId: string | null
  notices: string[]
  /** All copies, the oldest first. */
  copies: Row[]
  copy: {no: number; remote: string; path: string; sha256: string; headers: [string, string][]; bytes: number}
  /** Headers of which only a fingerprint is kept. */
  hidden: string[]
  /** What to type to learn more of it, or to send it again. */
  command: string
}

/** How the receiver answered what was sent to it again. */
export interface Replayed {
  status: number | null
  ms: number | null
  error: string | null
  /** Why it was not taken, and what to do. */
  why: string | null
  /** Names of headers that were not sent: their values are not kept. */
  lacks: string[]
}

/** Rows of one answer at most. */
export const MOST_ROWS = 100
