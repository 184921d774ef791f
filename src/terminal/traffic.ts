import {isFailure} from '../contract/failure.ts'
import type {HttpRequest, Send} from '../contract/wire.ts'
import {safe} from './text.ts'

/** What a process has asked the service to change, for the moment of an interrupt. */
export interface Traffic {
  send: Send
  /** One sentence that is true at any moment. */
  story(): string
  /** The last request that was answered with a success. */
  changed(): string | undefined
}

/** Watches the requests that pass through `send`. Reads and token requests change nothing. */
export function watch(send: Send): Traffic {
  const underWay = new Set<string>()
  const answered: string[] = []
  return {
    async send(request) {
      if (request.method === 'GET' || request.url.endsWith('/auth/token')) return send(request)
      const name = nameOf(request)
      underWay.add(name)
      const response = await send(request).catch((error: unknown) => {
        if (isFailure(error) && error.facts.effect === 'none') underWay.delete(name)
        throw error
      })
      underWay.delete(name)
      if (response.status < 300) answered.push(name)
      return response
    },
    story() {
      const [lost] = underWay
      if (lost) return `Interrupted. ${lost} had left without an answer: it may have taken effect.`
      const last = answered.at(-1)
      if (last) return `Interrupted after ${last} was answered: what it changed stays changed.`
      return 'Interrupted. Nothing was changed.'
    },
    changed: () => answered.at(-1),
  }
}

function nameOf({method, url}: HttpRequest): string {
  return safe(`${method} ${new URL(url).pathname}`)
}
