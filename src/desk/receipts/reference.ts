import {sha256} from './body.ts'
import type {Received} from './records.ts'

// Whoever sends a delivery chooses its event's id, or none. So each receipt has a name of its own, by which it can be opened.

/** The name of a receipt: the same as long as it is kept. */
export const referenceOf = ({at, sha256: bytes}: Pick<Received, 'at' | 'sha256'>): string =>
  `r-${sha256(`${at} ${bytes}`).slice(0, 12)}`

const isReference = (text: string): boolean => /^r-[\da-f]{12}$/.test(text)

/** What to call an event in a command: its id, if a shell takes that for a word as it is, or else its receipt. */
export const nameOf = ({eventId, receipt}: {eventId: string | null; receipt: string}): string =>
  eventId !== null && /^\w[\w.:/+=@,-]*$/.test(eventId) && !isReference(eventId) ? eventId : receipt

/** Takes what a copy tells into the inbox, if its signature fits: a line to type. It names one copy, whatever else has its event's id. */
export const takeInLine = (receipt: string): string =>
  `scent webhooks verify --stored ${receipt} && ${importLine(receipt)}`

/** The same of one that fits. */
export const importLine = (receipt: string): string =>
  `scent webhooks events ${receipt} --body | scent notices import -`
