import * as z from 'zod/mini'
import {noticeChoices} from '../../contract/notices.ts'
import {type Journal, recordsJournal} from '../../store/journal.ts'
import type {Folders, Identity} from '../../store/paths.ts'

/** How an answer of ours ended: `failed` means that it can't have reached the notice. */
const outcomes = ['answered', 'closed', 'lost-race', 'not-found', 'unknown', 'failed'] as const
export type Outcome = (typeof outcomes)[number]

const choice = z.enum(noticeChoices)

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
])
export type InboxRecord = z.output<typeof record>

/** Imports, and our answers to notices. */
export function inboxJournal(folders: Folders, identity: Identity): Journal<InboxRecord> {
  return recordsJournal(folders, identity, 'inbox', record)
}
