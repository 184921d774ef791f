/** Requests that a credential may send in a window of 60 s, and token requests (spec, Limits). */
export const limits = {requests: 300, tokens: 10} as const

/** How long a notice can be answered (spec, Limits). */
export const noticeWindowMs = 72 * 3_600_000

/** A request counts for at most 60 s after its answer; half a second more is for clocks and roads. */
export const windowMs = 60_500

/** Requests of a window that a job may send: 20 are left to the commands that a person types meanwhile. */
export const jobRequests = limits.requests - 20

/** The least milliseconds that a job needs for this number of requests, at its full quota. */
export function leastMs(requests: number): number {
  return Math.max(0, Math.ceil(requests / jobRequests) - 1) * windowMs
}
