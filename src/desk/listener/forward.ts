import {request as overHttp} from 'node:http'
import {FORWARDED} from './door.ts'

/** How a receiver answered. */
export interface Forwarded {
  to: string
  status: number | null
  ms: number
  /** The beginning of its answer. */
  body: string
  error: string | null
}

const PATIENCE_MS = 30_000
/** As much of an answer is kept. */
const KEPT = 4_096

/** Headers of the connection that a delivery came over, which are not those of the one that it goes on by. */
const ofConnection = new Set([
  ...['host', 'connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'content-length', 'te'],
  ...['trailer', 'upgrade', 'expect', 'proxy-authorization', 'proxy-authenticate'],
])

/** Sends exact bytes with the headers that they came with, and `more`. Redirects are not followed. Never fails. */
export async function forward(
  to: URL,
  {headers, body}: {headers: readonly (readonly [string, string])[]; body: Buffer},
  more: readonly (readonly [string, string])[] = [[FORWARDED, '1']],
): Promise<Forwarded> {
  const began = performance.now()
  const send = to.protocol === 'https:' ? (await import('node:https')).request : overHttp
  const kept = headers.filter(([name]) => !ofConnection.has(name.toLowerCase()))
  const sent = [
    ['Host', to.host],
    ...kept,
    ...more,
    ['Content-Length', String(body.length)],
  ].flat() as string[]
  return new Promise((resolve) => {
    const done = (facts: Partial<Forwarded>) => {
      clearTimeout(timer)
      const ms = Math.round(performance.now() - began)
      resolve({to: to.href, status: null, body: '', error: null, ...facts, ms})
    }
    const request = send(to, {method: 'POST', headers: sent, agent: false}, (response) => {
      const chunks: Buffer[] = []
      let size = 0
      const answered = () => {
        const text = Buffer.concat(chunks).subarray(0, KEPT).toString('utf8')
        done({status: response.statusCode ?? null, body: text})
        request.destroy()
      }
      response.on('data', (chunk: Buffer) => {
        size += chunk.length
        chunks.push(chunk)
        if (size >= KEPT) answered()
      })
      response.on('end', answered)
      response.on('error', (error) => done({status: response.statusCode ?? null, error: error.message}))
    })
    const timer = setTimeout(() => {
      done({error: 'no answer within 30 s'})
      request.destroy()
    }, PATIENCE_MS)
    request.on('error', (error: NodeJS.ErrnoException) => done({error: error.code ?? error.message}))
    request.end(body)
  })
}
