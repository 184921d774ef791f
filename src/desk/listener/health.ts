import {randomBytes} from 'node:crypto'
import {PROBE} from './door.ts'
import {forward} from './forward.ts'

/** Why a listener is not simply ready. `store`: it can't write, and answers 503. */
const reasons = [
  'store',
  'tunnel-lost',
  'forward-failing',
  'refusing',
  'behind',
  'disk-low',
  'slept',
] as const
type Reason = (typeof reasons)[number]

export interface Health {
  fail(reason: Reason, is: boolean): void
  took(isTaken: boolean): void
  forwarded(isWell: boolean): void
  isProbe(nonce: string): boolean
  /** Sends one request through the tunnel each minute, and every few seconds until the first one came through. */
  probe(publicUrl: URL, cameThrough: () => void): NodeJS.Timeout
}

const PROBE_MS = 60_000
const FIRST_PROBES_MS = 5_000
const LOOKED_AT = 10

/** Adds up what goes wrong to one state, and tells of each change: the worst reason counts. */
export function openHealth(
  changed: (state: 'ready' | 'degraded' | 'failed', why: Reason | null) => void,
): Health {
  const wrong = new Set<Reason>()
  let told: Reason | null = null
  const recent: boolean[] = []
  let failures = 0
  let nonce = ''
  const fail = (reason: Reason, is: boolean) => {
    if (is) wrong.add(reason)
    else wrong.delete(reason)
    const worst = reasons.find((one) => wrong.has(one)) ?? null
    if (worst === told) return
    told = worst
    changed(worst === null ? 'ready' : worst === 'store' ? 'failed' : 'degraded', worst)
  }
  const tryTunnel = async (url: URL) => {
    nonce = randomBytes(16).toString('hex')
    const {status} = await forward(url, {headers: [], body: Buffer.alloc(0)}, [[PROBE, nonce]])
    fail('tunnel-lost', status !== 204)
    return status === 204
  }
  return {
    fail,
    took(isTaken) {
      recent.push(isTaken)
      if (recent.length > LOOKED_AT) recent.shift()
      fail('refusing', recent.includes(false))
    },
    forwarded(isWell) {
      failures = isWell ? 0 : failures + 1
      fail('forward-failing', failures >= 3)
    },
    isProbe: (text) => nonce !== '' && text === nonce,
    probe(publicUrl, cameThrough) {
      let isThrough = false
      let last = Number.NEGATIVE_INFINITY
      const look = async () => {
        if (isThrough && performance.now() - last < PROBE_MS) return
        last = performance.now()
        if ((await tryTunnel(publicUrl)) && !isThrough) {
          isThrough = true
          cameThrough()
        }
      }
      void look()
      return setInterval(() => void look(), FIRST_PROBES_MS)
    },
  }
}
