import type {ClientRequest, IncomingMessage, RequestOptions} from 'node:http'
import * as http from 'node:http'
import type {HttpRequest, HttpResponse, Send} from '../contract/wire.ts'
import {
  joined,
  KEEP_ALIVE_MS,
  LARGEST_BODY,
  LARGEST_HEAD,
  lost,
  requireGoing,
  type Stage,
  textOf,
  tooLarge,
  watch,
} from './lost.ts'
import {type Env, requireSafe} from './reach.ts'

type Open = (url: URL, options: RequestOptions) => ClientRequest

const agentOptions = {keepAlive: true, timeout: KEEP_ALIVE_MS}

/** Node's own client: the quickest to load, for the few requests of one command. It knows no proxy. */
export function openNodeHttp(env: Env): Send {
  const plain = {open: http.request as Open, agent: new http.Agent(agentOptions)}
  let secure: Promise<typeof plain> | undefined
  return async (request) => {
    const url = new URL(request.url)
    requireSafe(url, env)
    requireGoing(request)
    if (url.protocol === 'http:') return exchange(plain, url, request)
    secure ??= import('node:https').then((https) => ({
      open: https.request as Open,
      agent: new https.Agent(agentOptions),
    }))
    return exchange(await secure, url, request)
  }
}

function exchange({open, agent}: {open: Open; agent: http.Agent}, url: URL, request: HttpRequest) {
  return new Promise<HttpResponse>((resolve, reject) => {
    const stage: Stage = {left: false}
    const {method, body} = request
    const headers = {...request.headers, ...lengthOf(method, body)}
    const sent = open(url, {method, headers, agent, maxHeaderSize: LARGEST_HEAD})
    let stopped: Error | undefined
    const fail = (error: unknown) => {
      unwatch()
      reject(lost(stopped ?? error, stage, request))
    }
    const stop = (failure: Error) => {
      stopped ??= failure
      sent.destroy(failure)
    }
    // The head leaves as soon as the connection stands; with TLS, as soon as the peer is trusted.
    sent.on('socket', (socket) => {
      const note = () => {
        stage.left = true
      }
      if (sent.reusedSocket) note()
      else socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', note)
    })
    let answered = false
    sent.on('error', fail)
    // A request that is stopped while its answer comes in, or that is answered by another protocol (101), tells of it
    // by nothing else.
    sent.on('close', () => {
      if (stopped || !answered) fail(stopped)
    })
    sent.on('response', (response) => {
      answered = true
      collect(response, stop).then((answer) => {
        unwatch()
        resolve(answer)
      }, fail)
    })
    const unwatch = watch(request, stage, stop)
    sent.end(body)
  })
}

async function collect(response: IncomingMessage, stop: (failure: Error) => void): Promise<HttpResponse> {
  const chunks: Buffer[] = []
  let size = 0
  response.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > LARGEST_BODY) stop(tooLarge())
    else chunks.push(chunk)
  })
  await new Promise((ended, broke) => response.on('end', ended).on('error', broke))
  return {status: response.statusCode ?? 0, headers: joined(response.headers), body: textOf(chunks)}
}

function lengthOf(method: string, body: string | undefined): Record<string, string> {
  if (body !== undefined) return {'content-length': String(Buffer.byteLength(body))}
  return method === 'GET' || method === 'DELETE' ? {} : {'content-length': '0'}
}
