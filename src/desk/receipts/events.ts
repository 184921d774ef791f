import type {Received} from './records.ts'

type Copy = Pick<Received, 'eventId' | 'sha256' | 'trust'>

const rank = (trust: Received['trust']) => (trust === 'verified' ? 1 : 0)

/** As many events are remembered; a copy of an older one counts as a first one. */
const MOST = 100_000

/**
 * Tells copies of an event from new ones. The first copy of the highest trust decides its content; one that was refused
 * or came too late never takes the id.
 */
export function openEvents() {
  const known = new Map<string, {copies: number; sha256: string; trust: Received['trust']}>()
  return {
    size: () => known.size,
    /** Which copy of its event this is, and whether it differs from the one that counts. */
    add({eventId, sha256, trust}: Copy): {copy: number; differs: boolean} {
      if (eventId === null || trust === 'refused' || trust === 'stale') return {copy: 1, differs: false}
      const before = known.get(eventId)
      const isBetter = before === undefined || rank(trust) > rank(before.trust)
      const copies = (before?.copies ?? 0) + 1
      known.set(eventId, {...(isBetter || before === undefined ? {sha256, trust} : before), copies})
      const [oldest] = known.keys()
      if (known.size > MOST && oldest !== undefined) known.delete(oldest)
      return {copy: copies, differs: before !== undefined && before.sha256 !== sha256}
    },
  }
}
