import type {Send} from '../contract/wire.ts'
import {openNodeHttp} from './node-http.ts'
import {type Env, proxyFor} from './reach.ts'

/**
 * The way to the service. Node's own client is the quickest to load and carries the few requests of a command; undici
 * carries jobs of `many` requests, and everything that goes through a proxy. Both behave the same: no redirects, no
 * repeats of their own, one deadline for a request, and failures that say what is certain.
 */
export function openTransport(env: Env, {many = false} = {}): Send {
  const quick = openNodeHttp(env)
  let undici: Promise<Send> | undefined
  return async (request) => {
    if (!many && proxyFor(new URL(request.url), env) === undefined) return quick(request)
    undici ??= import('./undici.ts').then(({openUndici}) => openUndici(env))
    return (await undici)(request)
  }
}
