import * as z from 'zod/mini'

/** What a copy of an event that arrived here is worth, from the most to the least. */
export const trusts = ['verified', 'unchecked', 'stale', 'refused'] as const

/** A listener began a file of receipts. `secret` is a fingerprint; null if it has none to check signatures with. */
const opened = z.object({
  kind: z.literal('opened'),
  at: z.string(),
  port: z.int(),
  public: z.nullable(z.string()),
  subscription: z.nullable(z.string()),
  secret: z.nullable(z.string()),
  scheme: z.nullable(z.string()),
  /** The port of its page, if it has one. */
  uiPort: z.optional(z.int()),
  /** What it was told to answer in the place of 200. */
  answer: z.optional(z.int()),
})
export type Opened = z.output<typeof opened>

/** One copy of an event, whole: a body is text if it is UTF-8 and that is shorter, else base64. */
const received = z.object({
  kind: z.literal('received'),
  at: z.string(),
  /** Its number in this file, from 1. */
  n: z.int(),
  remote: z.string(),
  path: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  body: z.string(),
  encoding: z.enum(['utf8', 'base64']),
  bytes: z.int(),
  sha256: z.string(),
  eventId: z.nullable(z.string()),
  eventType: z.nullable(z.string()),
  /** Ids of the notices that it tells of. */
  notices: z.array(z.string()),
  trust: z.enum(trusts),
  scheme: z.nullable(z.string()),
  /** Why it is worth no more, in a word. */
  why: z.nullable(z.string()),
})
export type Received = z.output<typeof received>
const RECEIVED = Object.keys(received.shape)

const isText = (value: unknown) => typeof value === 'string'
const isTextOrNull = (value: unknown) => value === null || typeof value === 'string'

/** Whether this is a receipt as the schema has it, no more and no less: said ten times as fast, since there are many. */
export function isReceived(value: unknown): value is Received {
  const one = value as {[name in keyof Received]: unknown}
  const {kind, at, n, remote, path, headers, body, encoding, bytes, sha256, notices, trust} = one
  const names = Object.keys(one)
  return (
    kind === 'received' &&
    names.length === RECEIVED.length &&
    [at, remote, path, body, sha256].every(isText) &&
    [one.eventId, one.eventType, one.scheme, one.why].every(isTextOrNull) &&
    Number.isSafeInteger(n) &&
    Number.isSafeInteger(bytes) &&
    (encoding === 'utf8' || encoding === 'base64') &&
    (trusts as readonly unknown[]).includes(trust) &&
    Array.isArray(notices) &&
    notices.every(isText) &&
    Array.isArray(headers) &&
    headers.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isText))
  )
}

/** Whether a receiver took what was sent to it. */
export const isTaken = ({status}: {status: number | null}) => status !== null && status >= 200 && status < 300

/** How a receipt was handed on: by its listener, or by whoever sent it again. */
const forwarded = z.object({
  kind: z.literal('forwarded'),
  at: z.string(),
  /** Which copy: its file may be full by now. */
  sha256: z.string(),
  receivedAt: z.string(),
  to: z.string(),
  status: z.nullable(z.int()),
  ms: z.int(),
  error: z.nullable(z.string()),
  again: z.optional(z.literal(true)),
})
export type Handed = z.output<typeof forwarded>

/** The scheme of signatures that fitted first; from then on only it counts. */
const pinned = z.object({kind: z.literal('pinned'), at: z.string(), scheme: z.string()})

/** The listener ran at this time; and how many receipts it had refused without keeping them. */
const alive = z.object({kind: z.literal('alive'), at: z.string(), dropped: z.optional(z.int())})

/** The machine slept: its wall clock ran on without the listener. */
const slept = z.object({kind: z.literal('slept'), at: z.string(), from: z.string(), to: z.string()})

const closed = z.object({kind: z.literal('closed'), at: z.string()})

/** A record of a file of receipts. */
export const receiptRecord = z.discriminatedUnion('kind', [
  opened,
  received,
  forwarded,
  pinned,
  alive,
  slept,
  closed,
])
export type ReceiptRecord = z.output<typeof receiptRecord>
