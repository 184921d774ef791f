import {isFailure} from '../contract/failure.ts'
import type {HttpRequest, HttpResponse, Send} from '../contract/wire.ts'
import {safe} from './text.ts'

/** The changes that this process has asked the service for: what an interrupt has to tell. */
interface Traffic {
  send: Send
  /** One sentence about them that is true at this moment. */
  story(): string
  /** The last request for a change that succeeded. */
  changed(): string | undefined
  /** A request for a change that left and has no final answer. */
  open(): string | undefined
}

/** Watches the requests that pass through `send`. Reads and token requests change nothing. */
export function watch(send: Send): Traffic {
  const underWay = new Set<string>()
  const answered: string[] = []
  return {
    async send(request) {
      if (request.method === 'GET' || request.url.endsWith('/auth/token')) return send(request)
      const name = nameOf(request)
      const open = new Set(underWay)
      underWay.add(name)
      const response = await send(request).catch((error: unknown) => {
        if (isFailure(error) && error.facts.effect === 'none' && !open.has(name)) underWay.delete(name)
        throw error
      })
      if (!settles(response)) return response
      // A refusal of a repeat says nothing about the first try, whose answer was lost.
      if (response.status < 300 || !open.has(name)) underWay.delete(name)
      if (response.status < 300) answered.push(name)
      return response
    },
    story() {
      const [lost] = underWay
      if (lost) return `Interrupted. ${lost} had left without a final answer: it may have taken effect.`
      const last = answered.at(-1)
      if (last) return `Interrupted after ${last} was answered: what it changed stays changed.`
      return 'Interrupted. Nothing was changed.'
    },
    changed: () => answered.at(-1),
    open: () => [...underWay][0],
  }
}

/** Whether an answer says what became of its request: those of a gateway do not (spec, Gateway codes). */
function settles({status, body}: HttpResponse): boolean {
  return status < 500 && !(status === 401 && body.includes('"UPSTREAM_AUTH_FAILED"'))
}

function nameOf({method, url}: HttpRequest): string {
  return safe(`${method} ${new URL(url).pathname}`)
}
