import type {Arrived, Judging, judge} from '../signature/judge.ts'
import {explain} from '../signature/reasons.ts'
import {wordsOf} from '../signature/words.ts'

const PAUSE_MS = 1_000
/** Bytes that are hashed for one receipt at most, so that others don't wait. */
const MOST_BYTES = 8 * 1024 * 1024

/**
 * Says in a few words why a receipt is not verified. One a second is explained, so that nobody can keep the listener busy;
 * of the others only what one look has told is said.
 */
export function openExplainer() {
  let last = Number.NEGATIVE_INFINITY
  return (arrived: Arrived, judging: Judging, {trust, why}: ReturnType<typeof judge>): string | null => {
    if (why === null || trust === 'unchecked') return why
    if (performance.now() - last < PAUSE_MS) return wordsOf({reason: why})
    last = performance.now()
    return wordsOf(explain(arrived, judging, MOST_BYTES))
  }
}
