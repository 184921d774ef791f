import * as z from 'zod/mini'
import {noticeChoices} from '../../contract/notices.ts'
import {type Journal, recordsJournal} from '../../store/journal.ts'
import type {Folders, Identity} from '../../store/paths.ts'

/** How an answer of ours ended: `failed` means that it can't have reached the notice. */
const outcomes = ['answered', 'closed', 'lost-race', 'not-found', 'unknown', 'failed'] as const
export type Outcome = (typeof outcomes)[number]

const choice = z.enum(noticeChoices)

/** An event that the service has sent, or tried to. */
const sentEvent = z.object({
  id: z.string(),
  type: z.string(),
  subscription: z.string(),
  /** Milliseconds of the service's clock. */
  firstAt: z.number(),
  isTaken: z.boolean(),
  isGivenUp: z.boolean(),
  /** Whether another try was announced, and is to come. */
  comesAgain: z.optional(z.boolean()),
})
export type SentEvent = z.output<typeof sentEvent>

/** What was not here when the service was asked what it has sent. */
export interface Check {
  at: string
  lacking: SentEvent[]
  /** Whether there was more of it than is kept. */
  isCut: boolean
  /** Subscriptions that the service did not know any more. */
  gone: readonly string[]
}

const record = z.discriminatedUnion('kind', [
  /** One JSON text of an import, as it came. */
  z.object({kind: z.literal('imported'), at: z.string(), sha256: z.string(), raw: z.string()}),
  /** Written before an answer is sent, so that no second choice can follow an answer that was lost. */
  z.object({kind: z.literal('answering'), at: z.string(), attempt: z.string(), id: z.string(), choice}),
  z.object({
    kind: z.literal('answered'),
    at: z.string(),
    attempt: z.string(),
    id: z.string(),
    choice,
    outcome: z.enum(outcomes),
    code: z.nullable(z.string()),
    /** The notice that the service answered, as JSON text: numbers keep their digits. */
    payload: z.nullable(z.string()),
  }),
  /** The service was asked what it has sent. */
  z.object({
    kind: z.literal('checked'),
    at: z.string(),
    /** What of that was not here; null if it was as the check before had found it. */
    lacking: z.nullable(z.array(sentEvent)),
    /** Whether there was more of it than is kept. */
    isCut: z.boolean(),
    /** Subscriptions that it did not know any more. */
    gone: z.array(z.string()),
  }),
])
export type InboxRecord = z.output<typeof record>

/** Imports, our answers to notices, and what the service was asked about. */
export function inboxJournal(folders: Folders, identity: Identity): Journal<InboxRecord> {
  return recordsJournal(folders, identity, 'inbox', record)
}
