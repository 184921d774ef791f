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
const PERSONAL = /("(?:recipient|line1|line2|nationalAddress|postalCode|phone)"\s*:\s*)"(?:[^"\\]|\\.)*"/g
const SECRET = /("(?:clientSecret|accessToken|signingSecret)"\s*:\s*)"(?:[^"\\]|\\.)*"/g

/** Text that may be shown: without these secrets, anywhere in it, and without personal fields. */
export function redact(text: string, secrets: readonly string[]): string {
  let out = text.replace(SECRET, `$1"${BLOT}"`).replace(PERSONAL, `$1"${BLOT}"`)
  for (const secret of secrets) {
    if (secret.length === 0) continue
    for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) {
      out = out.replaceAll(form, BLOT)
    }
  }
  return out
}
