import {sha256} from './body.ts'
import type {Received} from './records.ts'

type Copy = Pick<Received, 'eventId' | 'sha256' | 'trust'>

const rank = (trust: Received['trust']) => (trust === 'verified' ? 1 : 0)

/** Enough of a hash to tell two texts apart: a listener remembers many. */
const brief = (hash: string) => Number.parseInt(hash.slice(0, 12), 16)

/** As many events are remembered; a copy of an older one counts as a first one. */
const MOST = 100_000

/**
 * Tells copies of an event from new ones. The first copy of the highest trust decides its content; one that was refused
 * or came too late never takes the id.
 */
export function openEvents() {
  const known = new Map<number, {copies: number; bytes: number; rank: number}>()
  return {
    size: () => known.size,
    /** Which copy of its event this is, and whether it differs from the one that counts. */
    add({eventId, sha256: hash, trust}: Copy): {copy: number; differs: boolean} {
      if (eventId === null || trust === 'refused' || trust === 'stale') return {copy: 1, differs: false}
      const id = brief(sha256(eventId))
      const copy = {bytes: brief(hash), rank: rank(trust)}
      const before = known.get(id)
      const best = before === undefined || copy.rank > before.rank ? copy : before
      const copies = (before?.copies ?? 0) + 1
      known.set(id, {bytes: best.bytes, rank: best.rank, copies})
      const [oldest] = known.keys()
      if (known.size > MOST && oldest !== undefined) known.delete(oldest)
      return {copy: copies, differs: before !== undefined && before.bytes !== copy.bytes}
    },
  }
}
