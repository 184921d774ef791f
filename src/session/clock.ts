import type {Send} from '../contract/wire.ts'
import {FURTHEST_MS, noticed, serviceOffset} from '../store/clock.ts'
import type {Folders, Identity} from '../store/paths.ts'

interface ServiceClock {
  /** Sends, and reads the clock of the service off each answer. */
  send: Send
  /** Now by the service's clock, as this process has heard of it; by this machine's if it has not. */
  now(): number
  /** The same, or as an earlier command heard of it: what a span such as 7d is counted back from. */
  last(): number
}

/** Follows the clock of a service by the Date of its answers, and keeps how far off it is for the next command. */
export function openServiceClock(folders: Folders, identity: Identity, send: Send): ServiceClock {
  const kept = serviceOffset(folders, identity)
  let heard: {offset: number; at: number} | undefined
  let noted: number | undefined
  /** A Date names the second of the answer, which was made between `asked` and now. */
  const hear = (date: string | undefined, asked: number) => {
    const second = Date.parse(date ?? '')
    const ahead = Math.max(0, second - Date.now()) || Math.min(0, second + 1_000 - asked)
    if (!(Math.abs(ahead) < FURTHEST_MS)) return
    const offset = noticed(ahead)
    if (noted === undefined || noticed(noted - offset) !== 0) {
      kept.hear(offset, heard?.at)
      noted = offset
    }
    heard = {offset, at: asked}
  }
  return {
    async send(request) {
      const asked = Date.now()
      const response = await send(request)
      hear(response.headers.date, asked)
      return response
    },
    now: () => Date.now() + (heard?.offset ?? 0),
    last: () => Date.now() + (heard?.offset ?? kept.read()),
  }
}
