import {createHmac} from 'node:crypto'
import {request as httpRequest, type IncomingMessage, type RequestOptions} from 'node:http'
import {request as httpsRequest} from 'node:https'
import {parseJson, printJson} from '../../contract/money.ts'
import type {Assumptions} from '../core/assumptions.ts'
import type {Way} from '../door/faults.ts'
import {judgeUrl} from './url-guard.ts'

interface Parcel {
  url: string
  headers: Record<string, string>
  secret: string
  /** The bytes of the body, the same at every attempt. */
  body: string
  strict: boolean
  eventId: string
  /** H05 */
  scheme: Assumptions['H05']
  /** Aborted when the sandbox closes. */
  signal: AbortSignal
  /** What a fault does to it on its way. */
  way: Way | undefined
}

type PostError = 'Timeout' | 'Connection failed' | 'Destination rejected' | 'Delivery failed'

export interface Posted {
  status: number | null
  /** null for a success. */
  error: PostError | null
}

const unanswered: Posted = {status: null, error: 'Connection failed'}
const timeoutMs = 10_000
const cutMs = 20
/** By so much the clock of a skewed sender is ahead: twice what receivers put up with. */
const skewMs = 600_000

/**
 * not shown: the signing input, its encoding, and the secret's handling. (H05) By default HMAC-SHA256 over `timestamp.body`,
 * in hex; the timestamp is the real time of sending in Unix seconds (H06), since receivers judge it by their own clock.
 */
function signatureOf({secret, body, eventId, scheme}: Parcel, timestamp: string): string {
  const sign = (text: string, key: string | Buffer = secret) => createHmac('sha256', key).update(text)
  const timed = `${timestamp}.${body}`
  const forms = {
    v1: () => `v1=${sign(timed).digest('hex')}`,
    plain: () => sign(timed).digest('hex'),
    base64: () => sign(timed).digest('base64'),
    // Standard Webhooks: the key is the secret's part after whsec_, decoded.
    standard: () => {
      const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
      return `v1,${sign(`${eventId}.${timed}`, key).digest('base64')}`
    },
    stripe: () => `t=${timestamp},v1=${sign(timed).digest('hex')}`,
    'body-only': () => `sha256=${sign(body).digest('hex')}`,
  }
  return forms[scheme]()
}

/**
 * Makes one attempt: 10 s, no redirects, any 2xx is a success (H08). The URL is judged anew, and the connection goes
 * to the address that was judged. Resolves to undefined if the sandbox closed meanwhile.
 */
export async function post(parcel: Parcel): Promise<Posted | undefined> {
  const {way} = parcel
  if (way === 'lost') return {status: 200, error: null}
  if (way === 'twice') await post({...parcel, way: undefined})
  const target = await judgeUrl(parcel.url, parcel)
  if (parcel.signal.aborted) return undefined
  if ('reason' in target) return unanswered
  const timestamp = String(Math.floor((Date.now() + (way === 'skewed' ? skewMs : 0)) / 1000))
  // What is sent is not what was signed.
  const body = way === 'reencoded' ? printJson(parseJson(parcel.body), 2) : parcel.body
  const {addresses} = target
  const [first = {address: '', family: 4}] = addresses
  const options: RequestOptions = {
    method: 'POST',
    agent: false,
    headers: {
      'User-Agent': 'scent-sandbox',
      ...carried(parcel.headers),
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'X-Service-Timestamp': timestamp,
      'X-Service-Signature': signatureOf(parcel, timestamp),
    },
    lookup: (_host, {all}, done) => (all ? done(null, addresses) : done(null, first.address, first.family)),
  }
  return exchange(target.url, options, {...parcel, body})
}

/**
 * not shown: what becomes of custom headers that speak of the connection and not of the message (RFC 9110, 7.6.1). They
 * are not among the reserved ones, so they are taken and kept; but no connection could do what they say.
 */
function carried(headers: Parcel['headers']): Parcel['headers'] {
  const ofConnection = /^(?:connection|expect|keep-alive|proxy-.+|te|trailer|transfer-encoding|upgrade)$/i
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.test(name)))
}

function exchange(
  url: URL,
  options: RequestOptions,
  {body, signal, way}: Parcel,
): Promise<Posted | undefined> {
  return new Promise((resolve) => {
    const request = url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options)
    let answered: Posted | undefined
    const end = (posted: Posted | undefined) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', closed)
      resolve(posted)
      request.destroy()
    }
    const closed = () => end(undefined)
    const timer = setTimeout(() => end(answered ?? {status: null, error: 'Timeout'}), timeoutMs)
    signal.addEventListener('abort', closed)
    request.on('response', (response: IncomingMessage) => {
      answered = way === 'cut' ? unanswered : verdictOf(response.statusCode ?? 0)
      // The body is of no interest, but its sender would take a closed connection for a failure.
      response.on('error', () => undefined).on('close', () => end(answered))
      response.resume()
    })
    request.on('error', () => end(answered ?? unanswered))
    request.end(body, () => {
      // The whole of it is on its way, and nobody waits for the answer.
      if (way === 'cut') setTimeout(() => end(unanswered), cutMs)
    })
  })
}

/** H09: the four words that the spec gives. */
function verdictOf(status: number): Posted {
  if (status >= 200 && status < 300) return {status, error: null}
  return {status, error: status >= 300 && status < 500 ? 'Destination rejected' : 'Delivery failed'}
}
