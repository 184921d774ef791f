import {createHash, createHmac, timingSafeEqual} from 'node:crypto'
import {millis} from '../../contract/forms.ts'
import {keyOf} from './keys.ts'
import {encodings, isTimed, PAIRS, type Scheme, type StampForm, sizeOf, timedSchemes} from './schemes.ts'

/** A delivery as it arrived. */
export interface Arrived {
  /** As they came: names in any case, a name that came twice stands here twice. */
  headers: readonly (readonly [name: string, value: string])[]
  /** The exact bytes. */
  body: Buffer
  /** The id that was signed, if the headers and the body don't tell it. */
  id?: string | undefined
  /** Only written schemes sign them. POST by default. */
  method?: string | undefined
  path?: string | undefined
}

export interface Judging {
  /** Any of them may fit. With none, nothing is checked. */
  secrets: readonly string[]
  /** By default each that signs a timestamp is tried. */
  scheme: Scheme | undefined
  /** Seconds that a delivery may be old or ahead. Infinity for any. */
  tolerance: number
  /** In milliseconds. */
  now: number
}

/** Seconds that a delivery may be old or ahead, as other receivers have it. not shown: what the service expects. */
export const TOLERANCE = 300

/** Why nothing fits, as far as one look tells it. explain() in reasons.ts finds out what a `mismatch` is. */
const refusals = ['no-signature', 'form', 'no-timestamp', 'timestamp', 'mismatch'] as const
type Refusal = (typeof refusals)[number]

type Verdict =
  | {trust: 'verified'; why: null; scheme: Scheme; ageSeconds: number | null}
  | {trust: 'stale'; why: 'stale'; scheme: Scheme; ageSeconds: number}
  | {trust: 'unchecked'; why: 'no-secret'; scheme: null}
  | {trust: 'refused'; why: Refusal; scheme: null}

/** What a delivery is worth: whether one of the secrets signed just these bytes, and lately. */
export function judge(arrived: Arrived, {secrets, scheme, tolerance, now}: Judging): Verdict {
  if (secrets.length === 0) return {trust: 'unchecked', why: 'no-secret', scheme: null}
  const seen = signatureIn(arrived)
  if ('why' in seen) return {trust: 'refused', why: seen.why, scheme: null}
  const refused: Refusal[] = ['form']
  for (const one of scheme ? [scheme] : timedSchemes) {
    const outcome = attempt(arrived, seen, one, secrets)
    if (typeof outcome === 'string') {
      refused.push(outcome)
      continue
    }
    const {at} = outcome
    if (at === undefined) return {trust: 'verified', why: null, scheme: one, ageSeconds: null}
    const ageSeconds = secondsBetween(at, now)
    return Math.abs(ageSeconds) > tolerance
      ? {trust: 'stale', why: 'stale', scheme: one, ageSeconds}
      : {trust: 'verified', why: null, scheme: one, ageSeconds}
  }
  // The one that came furthest says most.
  const why = refusals[Math.max(...refused.map((one) => refusals.indexOf(one)))] ?? 'mismatch'
  return {trust: 'refused', why, scheme: null}
}

/** Whole seconds, as those who sign count them. */
export const secondsBetween = (at: number, now: number) => Math.floor(now / 1000) - Math.floor(at / 1000)

/** What the headers hold of a signature. */
export interface Signature {
  signature: string
  timestamp: string | undefined
}

export const NAMES = {signature: 'x-service-signature', timestamp: 'x-service-timestamp'}
/** Characters of a signature. The longest one that anybody sends has less than a tenth of them. */
const LONGEST = 4096

/** Two headers of one name are a `form` of their own: which of them counts would be a guess. */
export function signatureIn({headers}: Arrived): Signature | {why: 'no-signature' | 'form'} {
  const named = (wanted: string) =>
    headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value.trim())
  const [signature = '', ...more] = named(NAMES.signature)
  const [timestamp, ...others] = named(NAMES.timestamp)
  if (more.length + others.length > 0 || signature.length > LONGEST) return {why: 'form'}
  return signature === '' ? {why: 'no-signature'} : {signature, timestamp}
}

/** Whether a scheme fits, and the time that was signed; or how far it came. */
function attempt(
  arrived: Arrived,
  seen: Signature,
  scheme: Scheme,
  secrets: readonly string[],
): {at: number | undefined} | Refusal {
  const {digits, timestamp} = presented(seen, scheme)
  if (digits.length === 0) return 'form'
  const isSigned = isTimed(scheme)
  if (isSigned && !timestamp) return 'no-timestamp'
  const at = isSigned ? stampOf(timestamp ?? '', scheme.timestamp) : undefined
  if (isSigned && at === undefined) return 'timestamp'
  const message = messageOf(scheme.input, arrived, {timestamp, body: arrived.body})
  if (message === undefined) return 'mismatch'
  const fits = secrets.some((secret) => {
    const key = keyOf(secret, scheme.secret)
    const expected = key && encodings[scheme.encoding](digestOf(scheme.hash, key, message))
    // No digit ends it early: each is compared.
    return expected !== undefined && digits.filter((one) => isSame(one, expected)).length > 0
  })
  return fits ? {at} : 'mismatch'
}

/** The digits that a signature presents in the form of a scheme; several, split at blanks, during a rotation. */
export function presented(
  {signature, timestamp}: Signature,
  scheme: Scheme,
): {digits: string[]} & Partial<Signature> {
  const {hash, encoding, prefixes} = scheme
  const pairs = prefixes[0] === PAIRS
  const words = pairs && !signature.startsWith('t=') ? [] : signature.split(pairs ? ',' : ' ')
  const size = encodings[encoding](Buffer.alloc(sizeOf[hash])).length
  const digits = words.flatMap((word) =>
    (pairs ? ['v1='] : prefixes).flatMap((prefix) => {
      const text = word.startsWith(prefix) ? word.slice(prefix.length) : ''
      return text.length === size && isEncoded(text, encoding) ? [text] : []
    }),
  )
  return {digits, timestamp: pairs ? words.find((word) => word.startsWith('t='))?.slice(2) : timestamp}
}

/** Whether a text is just what some bytes are in this encoding. */
function isEncoded(text: string, encoding: keyof typeof encodings): boolean {
  return encodings[encoding](Buffer.from(text, /hex/i.test(encoding) ? 'hex' : 'base64')) === text
}

/** Milliseconds of a timestamp in its form. */
export function stampOf(text: string, form: StampForm): number | undefined {
  if (form === 'iso') return /^\d{4}-/.test(text) && Number.isFinite(millis(text)) ? millis(text) : undefined
  // Seconds have 10 digits until the year 2286, and milliseconds 13.
  if (!(form === 'ms' ? /^\d{12,14}$/ : /^\d{1,11}$/).test(text)) return undefined
  return form === 'ms' ? Number(text) : Number(text) * 1000
}

/** What is signed, in parts, so that a large body is not copied; undefined if the delivery lacks one of them. */
export function messageOf(
  input: string,
  arrived: Arrived,
  {timestamp, body}: {timestamp: string | undefined; body: Buffer},
): (string | Buffer)[] | undefined {
  const parts: Record<string, () => string | Buffer | undefined> = {
    timestamp: () => timestamp,
    body: () => body,
    bodyhash: () => createHash('sha256').update(body).digest('hex'),
    id: () => arrived.id ?? eventIdOf(body),
    method: () => arrived.method ?? 'POST',
    path: () => arrived.path,
    url: () => urlOf(arrived),
  }
  const message = input.split(/(\{\w+\})/).map((text) => {
    const part = /^\{(\w+)\}$/.exec(text)?.[1]
    return part === undefined ? text : parts[part]?.()
  })
  return message.includes(undefined) ? undefined : (message as (string | Buffer)[])
}

/** Of bodies that were read already: a search asks again and again. */
const ids = new WeakMap<Buffer, string | undefined>()

/** not shown: a header with the id. The id that is known is the one in the body. */
function eventIdOf(body: Buffer): string | undefined {
  if (!ids.has(body)) ids.set(body, readEventId(body))
  return ids.get(body)
}

function readEventId(body: Buffer): string | undefined {
  try {
    const {eventId} = JSON.parse(body.toString())
    return typeof eventId === 'string' ? eventId : undefined
  } catch {
    return undefined
  }
}

function urlOf({headers, path}: Arrived): string | undefined {
  const [, host] = headers.find(([name]) => name.toLowerCase() === 'host') ?? []
  return host === undefined || path === undefined ? undefined : `https://${host}${path}`
}

export function digestOf(hash: Scheme['hash'], key: Buffer, message: readonly (string | Buffer)[]): Buffer {
  const hmac = createHmac(hash, key)
  for (const part of message) hmac.update(part)
  return hmac.digest()
}

/** Compares in a time that tells nothing of either. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
