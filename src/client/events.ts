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
  let out = withoutFields(text)
  for (const secret of secrets) {
    if (secret.length === 0) continue
    for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) {
      out = out.replaceAll(form, BLOT)
    }
  }
  return out
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
