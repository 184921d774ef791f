import {type Cell, span} from '../../terminal/cells.ts'
import {HOUR} from '../notices/blindness.ts'
import type {InboxItem} from '../notices/inbox.ts'

/** What is due within this time is due soon. */
export const SOON_MS = 6 * HOUR

/** What is left until the deadline of a notice; of one that is closed its state. */
export function leftOf({desk: {leftMs, state, deadline}}: InboxItem): Cell {
  if (leftMs === null) return state
  if (leftMs <= 0) return {kind: 'badge', text: `passed ${roughly(-leftMs)} ago`, tone: 'bad'}
  const isRough = deadline === 'at most' && leftMs >= HOUR
  const left = isRough ? `${Math.ceil(leftMs / HOUR)} h` : span(leftMs)
  const text = deadline === 'at most' ? `at most ${left}` : left
  return leftMs < SOON_MS ? {kind: 'badge', text, tone: 'bad'} : text
}

/** `40 min`, `8 h`, `3 days`: what is over needs no minutes. */
function roughly(ms: number): string {
  if (ms < HOUR) return span(ms)
  return ms < 48 * HOUR ? `${Math.floor(ms / HOUR)} h` : `${Math.floor(ms / (24 * HOUR))} days`
}
