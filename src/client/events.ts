import {isDigits} from '../contract/money.ts'

/** Events of a client: waits that a person should know of, and each exchange for --debug. */
export type ClientEvent =
  /** `retry` and `rate-limit` come from the service; the quotas from our own log, before it would refuse. */
  | {
      kind: 'waiting'
      why: 'retry' | 'rate-limit' | 'quota' | 'token-quota'
      ms: number
      request?: string
      code?: string
    }
  /** A 429 that our own requests can't explain: somebody else uses the credential. */
  | {kind: 'shared-credential'}
  | Exchange

/** One request and its answer. Secrets are blotted out, addresses masked, Authorization left out. */
export interface Exchange {
  kind: 'exchange'
  method: string
  url: string
  requestBody?: string
  status?: number
  requestId?: string
  responseBody?: string
  /** The code of the failure if no answer came. */
  error?: string
  ms: number
}

export function exchangeEvent(
  request: {method: string; url: string; body?: string},
  end: Pick<Exchange, 'status' | 'responseBody' | 'requestId' | 'error'>,
  ms: number,
  secrets: readonly string[],
): Exchange {
  const {method, url, body} = request
  return {
    kind: 'exchange',
    method,
    url: redact(url, secrets),
    ms,
    ...(body !== undefined && {requestBody: redact(body, secrets)}),
    ...end,
    ...(end.responseBody !== undefined && {responseBody: redact(end.responseBody, secrets)}),
  }
}

const BLOT = '•••'
/** A JSON field whose text is not for others, up to its first character. */
const PRIVATE =
  /"(?:clientSecret|accessToken|signingSecret|recipient|line1|line2|nationalAddress|postalCode|phone)"\s*:\s*"/g

/** Text that may be shown: without these secrets, anywhere in it, and without personal fields. */
export function redact(text: string, secrets: readonly string[]): string {
  return blot(withoutFields(text), secrets)
}

function blot(text: string, secrets: readonly string[]): string {
  let out = text
  for (const form of secrets.flatMap(formsOf))
    out = out.replaceAll(form.length < SHORTEST ? alone(form) : form, BLOT)
  return out
}

/** A secret as a service may repeat it: as it is, escaped, in other capitals, encoded. */
function formsOf(secret: string): string[] {
  const plain = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]
  if (secret.length < SHORTEST) return secret === '' ? [] : plain
  const bytes = Buffer.from(secret)
  const encoded = [
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ]
  return [...plain, secret.toUpperCase(), secret.toLowerCase(), ...encoded]
}

/** A shorter secret is a part of many words, or a word that any answer may have. */
const SHORTEST = 8

/** A text where it stands alone, and not inside a word. */
const alone = (text: string) => {
  const plain = text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(`(?<![\\p{L}\\p{N}])${plain}(?![\\p{L}\\p{N}])`, 'gu')
}

/**
 * The value of a JSON text without these secrets in its texts and names, so that what a service repeats of them is
 * neither shown nor written down.
 */
export function withoutSecrets(value: unknown, text: string, secrets: readonly string[]): unknown {
  const told = secrets.filter((secret) => secret.length >= SHORTEST)
  if (!told.flatMap(formsOf).some((form) => text.includes(form))) return value
  const clean = (inner: unknown): unknown => {
    if (typeof inner === 'string') return blot(inner, told)
    if (Array.isArray(inner)) return inner.map(clean)
    if (typeof inner !== 'object' || inner === null || isDigits(inner)) return inner
    return Object.fromEntries(Object.entries(inner).map(([name, one]) => [blot(name, told), clean(one)]))
  }
  return clean(value)
}

/** By hand: an expression for a JSON text runs out of stack on one of many megabytes. */
function withoutFields(text: string): string {
  const parts: string[] = []
  let from = 0
  for (const {0: head, index} of text.matchAll(PRIVATE)) {
    if (index < from) continue
    const start = index + head.length
    parts.push(text.slice(from, start), BLOT)
    from = endOfText(text, start)
  }
  return parts.join('') + text.slice(from)
}

/** Where a JSON text ends that begins at `start`: at its closing quote, or with all text if that is missing. */
function endOfText(text: string, start: number): number {
  for (let at = start; ; at++) {
    at = text.indexOf('"', at)
    if (at < 0) return text.length
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes += 1
    if (slashes % 2 === 0) return at
  }
}
