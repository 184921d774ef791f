import type {ClientRequest, IncomingMessage, RequestOptions} from 'node:http'
import * as http from 'node:http'
import type {TLSSocket} from 'node:tls'
import type {HttpRequest, HttpResponse, Send} from '../contract/wire.ts'
import {
  type Env,
  interrupted,
  KEEP_ALIVE_MS,
  LARGEST_BODY,
  LARGEST_HEAD,
  lost,
  requireSafe,
  type Stage,
  textOf,
  tooLarge,
  tooLate,
} from './transport.ts'

/** Node's own client: the quickest to load, for the few requests of one command. It knows no proxy. */
export function openNodeHttp(env: Env): Send {
  let agent: http.Agent | undefined
  return async (request) => {
    const url = new URL(request.url)
    requireSafe(url, env)
    const secure = url.protocol === 'https:'
    const module = secure ? await import('node:https') : http
    agent ??= new module.Agent({keepAlive: true, timeout: KEEP_ALIVE_MS})
    return await exchange(module.request, url, agent, request)
  }
}

function exchange(
  open: (url: URL, options: RequestOptions) => ClientRequest,
  url: URL,
  agent: http.Agent,
  request: HttpRequest,
): Promise<HttpResponse> {
  const {method, body, signal, timeoutMs} = request
  const stage: Stage = {left: false}
  if (signal?.aborted) return Promise.reject(interrupted(stage))
  return new Promise((resolve, reject) => {
    const headers = {...request.headers, ...lengthOf(method, body)}
    const sent = open(url, {method, headers, agent, maxHeaderSize: LARGEST_HEAD})
    let stopped: Error | undefined
    const stop = (failure: Error) => {
      stopped ??= failure
      sent.destroy(failure)
    }
    const timer =
      timeoutMs === undefined ? undefined : setTimeout(() => stop(tooLate(stage, request)), timeoutMs)
    const onAbort = () => stop(interrupted(stage))
    signal?.addEventListener('abort', onAbort, {once: true})
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
    const fail = (error: unknown) => {
      end()
      reject(lost(stopped ?? error, stage, request))
    }
    sent.on('socket', (socket) => noteStart(socket as TLSSocket, url, stage))
    sent.on('error', fail)
    // A request stopped while its answer came in tells of it by nothing else.
    sent.on('close', () => stopped && fail(stopped))
    sent.on('response', (response) => {
      collect(response, stop).then((answer) => {
        end()
        resolve(answer)
      }, fail)
    })
    sent.end(body)
  })
}

/** The head leaves as soon as the connection stands, with TLS as soon as the peer is trusted. */
function noteStart(socket: TLSSocket, url: URL, stage: Stage): void {
  if (!socket.connecting && (url.protocol === 'http:' || socket.getFinished?.() !== undefined))
    stage.left = true
  else socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => (stage.left = true))
}

function collect(response: IncomingMessage, stop: (failure: Error) => void): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > LARGEST_BODY) stop(tooLarge())
      else chunks.push(chunk)
    })
    response.on('error', reject)
    response.on('end', () => {
      try {
        resolve({status: response.statusCode ?? 0, headers: headersOf(response), body: textOf(chunks)})
      } catch (error) {
        reject(error)
      }
    })
  })
}

function headersOf(response: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return headers
}

const lengthOf = (method: string, body: string | undefined): Record<string, string> =>
  body === undefined
    ? method === 'GET' || method === 'DELETE'
      ? {}
      : {'content-length': '0'}
    : {'content-length': String(Buffer.byteLength(body))}
