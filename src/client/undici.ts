import type {Dispatcher as Way} from 'undici'
import connect from 'undici/lib/api/api-connect.js'
import Agent from 'undici/lib/dispatcher/agent.js'
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js'
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
import {type Env, proxyFor, requireSafe} from './reach.ts'

/** One request at a time on a connection; no time limits but the request's own, no retries, no redirects. */
const options = {
  pipelining: 1,
  allowH2: false,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: KEEP_ALIVE_MS,
  headersTimeout: 0,
  bodyTimeout: 0,
  connectTimeout: 0,
  maxHeaderSize: LARGEST_HEAD,
  maxRedirections: 0,
} as const

// The index of undici does this; its proxy agent needs it for CONNECT.
Dispatcher.prototype.connect = connect

/** Undici: for jobs of many requests, and through proxies. */
export function openUndici(env: Env): Send {
  const ways = new Map<string | undefined, Way>()
  return async (request) => {
    const url = new URL(request.url)
    requireSafe(url, env)
    requireGoing(request)
    const proxy = proxyFor(url, env)
    const way =
      ways.get(proxy) ?? (proxy === undefined ? new Agent(options) : new ProxyAgent({...options, uri: proxy}))
    ways.set(proxy, way)
    return await exchange(way, url, request)
  }
}

function exchange(way: Way, url: URL, request: HttpRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const stage: Stage = {left: false}
    const chunks: Uint8Array[] = []
    let answer: Omit<HttpResponse, 'body'> = {status: 0, headers: {}}
    let size = 0
    let controller: Way.DispatchController | undefined
    let stopped: Error | undefined
    const whole = async () => ({...answer, body: textOf(chunks)})
    const fail = (error: unknown) => {
      unwatch()
      reject(lost(stopped ?? error, stage, request))
    }
    const stop = (failure: Error) => {
      stopped ??= failure
      controller?.abort(failure)
      fail(failure)
    }
    const unwatch = watch(request, stage, stop)
    const {method, headers, body = null} = request
    way.dispatch(
      {origin: url.origin, path: url.pathname + url.search, method, headers, body},
      {
        onRequestStart(started) {
          controller = started
          // One that was stopped while it waited for a connection does not leave now.
          if (stopped) started.abort(stopped)
          else stage.left = true
        },
        onResponseStart(_, status, responseHeaders) {
          answer = {status, headers: joined(responseHeaders)}
        },
        onResponseData(_, chunk) {
          size += chunk.length
          if (size > LARGEST_BODY) stop(tooLarge())
          else chunks.push(chunk)
        },
        onResponseEnd() {
          unwatch()
          resolve(whole())
        },
        onResponseError: (_, error) => fail(error),
      },
    )
  })
}
