/** One exchange with the API, as the journal keeps it. */
export interface Exchange {
  n: number
  /** The sandbox's time. */
  at: string
  method: string
  /** Path and query, as sent. */
  target: string
  operation: string | null
  /** Whose data it reads and writes, and the credential that acts: a parent's, under delegation (T10). */
  partnerId: string | null
  clientId: string | null
  status: number
  state: string
  durationMs: number
  requestId: string
  requestBody: string | null
  responseBody: string
  /** Fields of the body that no operation knows: a warning to whoever wrote the client (E09). */
  ignored: string[]
  /** The effect of a fault that met it. */
  fault: string | null
  /** The error inside the sandbox that it met: a bug. */
  bug: string | null
}

/** The journal of the last exchanges, in memory. Secrets are redacted as it is read. */
export interface Requests {
  add(exchange: Omit<Exchange, 'n'>): void
  /** Oldest first; only those after number `since`. */
  list(since?: number): Exchange[]
  clear(): void
}

const kept = 1_000

export function createRequests(): Requests {
  let ring: Exchange[] = []
  let n = 0
  return {
    add: (exchange) => {
      n += 1
      ring.push({n, ...exchange})
      if (ring.length >= 2 * kept) ring = ring.slice(-kept)
    },
    list: (since = 0) =>
      ring
        .slice(-kept)
        .filter((exchange) => exchange.n > since)
        .map(redacted),
    clear: () => {
      ring = []
    },
  }
}

const secretField = /("(?:clientSecret|accessToken|signingSecret)"\s*:\s*)"(?:[^"\\]|\\.)*(?:"|$)/g

function redacted(exchange: Exchange): Exchange {
  const clean = (text: string) => text.replace(secretField, '$1"[redacted]"')
  return {
    ...exchange,
    requestBody: exchange.requestBody && clean(exchange.requestBody),
    responseBody: clean(exchange.responseBody),
  }
}
