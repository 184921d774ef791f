import type {Received} from '../receipts/records.ts'
import type {Forwarded} from './forward.ts'

/** What a person or a script is told of, in the order in which it happens. */
export type ListenerEvent =
  | ({event: 'ready'} & Ready)
  | ({event: 'delivery'} & Delivered)
  | ({event: 'forward'; eventId: string | null; receivedAt: string} & Forwarded)
  | {event: 'state'; state: 'ready' | 'degraded' | 'failed'; why: string | null; since: string}
  | {event: 'stopped'; received: number; stored: number}

/** Where it listens, and what it begins with. */
interface Ready {
  url: string
  /** Where its page is, if it has one. */
  ui: string | null
  public: string | null
  pid: number
  /** Earlier events of which copies are told apart. */
  known: number
  /** Whether signatures are checked. */
  checked: boolean
}

/** A copy that arrived. */
export interface Delivered {
  /** Its name in other commands; null if it is not stored. */
  receipt: string | null
  eventId: string | null
  eventType: string | null
  at: string
  trust: Received['trust']
  /** Why it is worth no more, in a few words. */
  why: string | null
  scheme: string | null
  /** Which copy of its event it is, from 1, and whether its bytes are others than those of the copy that counts. */
  copy: number
  differs: boolean
  notices: string[]
  bytes: number
  answered: number
}

/** A delivery with its bytes, for those who hand it on. */
export interface Whole extends Delivered {
  headers: [string, string][]
  body: Buffer
}

/** Why a delivery that fits is worth nothing: the disk refused it. */
export const NOT_STORED = 'not stored'

export const now = () => new Date().toISOString()
