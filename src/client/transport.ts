import type {Send} from '../contract/wire.ts'
import type {Env} from './reach.ts'

/**
 * The way to the service, loaded with the first request. Node's own client is the quickest to load and carries the
 * few requests of a command; undici carries jobs of `many` requests, and everything that goes through a proxy. Both
 * behave the same: no redirects, no repeats of their own, one deadline for a request, and failures that say what is
 * certain.
 */
export function openTransport(env: Env, {many = false} = {}): Send {
  let quick: Send | undefined
  let undici: Send | undefined
  return async (request) => {
    const {proxyFor} = await import('./reach.ts')
    if (!many && proxyFor(new URL(request.url), env) === undefined) {
      quick ??= (await import('./node-http.ts')).openNodeHttp(env)
      return quick(request)
    }
    undici ??= (await import('./undici.ts')).openUndici(env)
    return undici(request)
  }
}
