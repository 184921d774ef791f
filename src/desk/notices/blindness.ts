/** A reason why notices may exist that are not here: since when, what shows it, and what to do about it. */
export interface Blindness {
  code:
    | 'nobody-listens'
    | 'failed'
    | 'gaps'
    | 'silent'
    | 'inactive'
    | 'dead-lettering'
    | 'missing'
    | 'no-type'
    | 'refused'
    | 'unreadable'
    | 'conflict'
    | 'unchecked'
    | 'clock'
    | 'store'
    | 'without-login'
  since: string | null
  /** When it will hide nothing that can still be answered, if nothing else happens; null if it must be mended. */
  until: string | null
  says: string
  /** A command that tells more or mends it. */
  next: string
  /** When the service was asked that says so, if that was not just now. */
  checkedAt?: string
  /** Of `gaps`: when nothing listened. Of `unchecked`, once it is over: when nothing was checked. */
  times?: {from: string; to: string}[]
}

/** A subscription as the local record knows it. */
export interface KnownSubscription {
  id: string
  at: string
  eventTypes: readonly string[] | null
  isActive: boolean | null
  lastDeliveryStatus?: string | null | undefined
  own?: boolean | undefined
  /** Since when it has been active without a break, as far as is known here. */
  activeSince?: number | undefined
}

export const HOUR = 3_600_000

export const iso = (at: number) => new Date(at).toISOString()
