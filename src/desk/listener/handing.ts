import {sha256} from '../receipts/body.ts'
import type {Handed} from '../receipts/records.ts'
import {type Forwarded, forward} from './forward.ts'
import type {Health} from './health.ts'
import {type ListenerEvent, now, type Whole} from './told.ts'

/** Deliveries that wait to be forwarded. */
const LONGEST_QUEUE = 1_000

interface HandingOptions {
  forwardTo?: URL | undefined
  health: Health
  note(record: Handed): void
  tell(event: ListenerEvent): void
}

/** Hands deliveries on, one after the other in their order, to one receiver. */
export function openHanding({forwardTo, health, note, tell}: HandingOptions) {
  const waiting: Whole[] = []
  let running: Promise<void> | undefined
  const isBehind = () => health.fail('behind', waiting.length > LONGEST_QUEUE / 2)
  const say = ({eventId, at: receivedAt, body}: Whole, done: Forwarded) => {
    const {body: _, ...facts} = done
    note({kind: 'forwarded', at: now(), receivedAt, sha256: sha256(body), ...facts})
    tell({event: 'forward', eventId, receivedAt, ...done})
  }
  const run = async (to: URL) => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const done = await forward(to, next)
      say(next, done)
      health.forwarded(done.status !== null && done.status < 300)
      isBehind()
    }
    running = undefined
  }
  return {
    add(whole: Whole) {
      if (!forwardTo) return
      // The oldest go: they are stored, and can be replayed.
      const oldest = waiting.length >= LONGEST_QUEUE ? waiting.shift() : undefined
      if (oldest)
        say(oldest, {to: forwardTo.href, status: null, ms: 0, body: '', error: 'the receiver was too slow'})
      waiting.push(whole)
      isBehind()
      running ??= run(forwardTo)
    },
    close: async () => running,
  }
}
