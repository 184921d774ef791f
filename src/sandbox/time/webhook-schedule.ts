/** H07. not shown: the schedule. When each attempt is made, in milliseconds of virtual time after the first. */
const schedule = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400].map((seconds) => seconds * 1000)

/**
 * The moment of the next attempt by the schedule, which a sandbox that was down does not shift (H28); but a receiver
 * is never given less time than the schedule's first pause. null at the end of the schedule.
 */
export function nextAttempt(firstAt: number, attempts: number, sentAt: number): number | null {
  const after = schedule[attempts]
  const pause = schedule[1] ?? 0
  return after === undefined ? null : Math.max(firstAt + after, sentAt + pause)
}
