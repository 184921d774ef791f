import {createHash} from 'node:crypto'
import {writtenOut} from '../../contract/forms.ts'
import {parseJson} from '../../contract/money.ts'
import {type LeftOut, type NoticeFacts, noticesIn} from '../notices/facts.ts'
import {fingerprintOf} from '../signature/keys.ts'

/** What a delivery's body tells. Everything is empty for one that is not JSON. */
export interface BodyFacts {
  eventId: string | null
  eventType: string | null
  notices: NoticeFacts[]
  /** Whether it speaks of a notice that could not be read. */
  unreadable: boolean
  /** Fields of its notices that are not taken. */
  leftOut: readonly LeftOut[]
}

/** A longer id is no id: it would only fill the records. */
const LONGEST_ID = 200

const nothing: BodyFacts = {eventId: null, eventType: null, notices: [], unreadable: false, leftOut: []}

/** Reads a body (spec, Webhooks). Never fails: whatever it is, its bytes are kept. */
export function readBody(text: string): BodyFacts {
  let body: unknown
  try {
    const json = text.replace(/^\ufeff/, '')
    // Only what a choice comes to holds amounts, of which each digit counts; all else is read much faster.
    body = json.includes('"impact"') ? parseJson(json) : JSON.parse(json)
  } catch {
    return {...nothing, unreadable: /notice/i.test(text.slice(0, 65_536))}
  }
  return bodyFacts(body)
}

export function bodyFacts(body: unknown, mostValues?: number): BodyFacts {
  if (typeof body !== 'object' || body === null) return nothing
  const {eventId, eventType} = body as Record<string, unknown>
  const type = idOf(eventType)
  const {notices, speaks, leftOut} = noticesIn(body, type, mostValues)
  const unreadable = speaks && notices.length === 0
  return {eventId: idOf(eventId), eventType: type, notices, unreadable, leftOut}
}

/** Half a character is in no JSON that jq reads: it is written out as in a terminal. */
const idOf = (value: unknown) =>
  typeof value === 'string' && value !== '' && value.length <= LONGEST_ID
    ? value.replace(/\p{Surrogate}/gu, writtenOut)
    : null

export const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')

/** Bytes as a record keeps them. */
export function encodeBody(bytes: Buffer): {body: string; encoding: 'utf8' | 'base64'} {
  const text = bytes.toString('utf8')
  const base64 = bytes.toString('base64')
  const isText = Buffer.from(text, 'utf8').equals(bytes) && JSON.stringify(text).length <= base64.length + 2
  return isText ? {body: text, encoding: 'utf8'} : {body: base64, encoding: 'base64'}
}

const ORDER = /"(?:orderId|scentOrderId)"\s*:\s*"([\da-f-]{36})"/i

/** The order that a body speaks of, as far as one look tells. */
export const orderIn = ({body}: {body: string}): string | null => ORDER.exec(body)?.[1] ?? null

/** The exact bytes that a record keeps. */
export const bytesOf = ({body, encoding}: {body: string; encoding: 'utf8' | 'base64'}) =>
  Buffer.from(body, encoding)

/** Whether a record keeps no more of a header than the fingerprint of its value: it may be a secret. */
export const isSecretName = (name: string) => /token|key|cookie|password|authorization|secret/i.test(name)

/** Headers as a record keeps them: of a value that may be a secret only its fingerprint. */
export const keptHeaders = (headers: readonly [string, string][]) =>
  headers.map(([name, value]): [string, string] => [name, isSecretName(name) ? fingerprintOf(value) : value])
