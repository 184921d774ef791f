import type {ClientEvent, Exchange} from '../client/events.ts'
import {span} from './cells.ts'
import type {Progress} from './progress.ts'
import {roomOf, safe, wrap} from './text.ts'

const reasons: Record<string, string> = {
  'rate-limit': 'Rate limited by the service',
  quota: 'The quota of 300 requests in 60 seconds is in use',
  'token-quota': 'The quota of 10 tokens in 60 seconds is in use',
  retry: 'No usable answer',
}

/** Shorter waits are not mentioned. */
const NOTICED_MS = 1000

/** Draws a client's events on stderr: waits as progress and, with `debug`, every exchange. */
export function drawEvents(write: (text: string) => void, progress: Progress, debug: boolean) {
  return (event: ClientEvent): void => {
    if (event.kind === 'waiting') {
      const reason = reasons[event.why] ?? event.why
      if (event.ms >= NOTICED_MS || debug)
        progress.say(
          `${reason}, waiting ${event.ms < 1000 ? `${Math.round(event.ms)} ms` : span(event.ms)} …`,
        )
      return
    }
    progress.clear()
    if (event.kind === 'shared-credential') {
      const text = 'the service refuses more than this machine sends. Somebody else uses this credential.'
      write(`${wrap(`Warning: ${text}`, roomOf(process.stderr))}\n`)
    } else if (debug) {
      write(exchangeText(event))
    }
  }
}

function exchangeText(event: Exchange): string {
  const lines = [`> ${event.method} ${event.url}`]
  if (event.requestBody) lines.push(`> ${event.requestBody}`)
  const id = event.requestId ? `, request id ${event.requestId}` : ''
  lines.push(`< ${event.status ?? event.error ?? 'no answer'} (${Math.round(event.ms)} ms${id})`)
  if (event.responseBody) lines.push(`< ${event.responseBody}`)
  return lines.map((line) => `${safe(line)}\n`).join('')
}
