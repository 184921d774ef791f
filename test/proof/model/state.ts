/** What stands under our reference. `wrong` is ours with other lines than intended; `stuck` needs a person. */
export const orders = {none: 0, ours: 1, wrong: 2, other: 3, same: 4, stuck: 5} as const

/** Where the client is. `off` is before a start, after a crash and after a verdict. */
export const at = {off: 0, fill: 1, add: 2, lock: 3, write: 4, sent: 5, made: 6, look: 7} as const

export const verdicts = {none: 0, charged: 1, notCharged: 2, unknown: 3} as const

/** Small numbers, so that a state packs into one. Locks are numbered from 0, and a set of locks is a set of bits. */
export interface State {
  // The service. A cart is empty (0), holds the intended lines (1), or others (2).
  cart: number
  /** How many locks were handed out, and how many of them have expired: the oldest first, as all live equally long. */
  locks: number
  expired: number
  /** Locks that the cart's changes, or newer locks, made unusable. */
  spoilt: number
  /** Locks that froze other lines than intended. */
  wrong: number
  /** Locks used by orders that failed. */
  failed: number
  order: number
  /** The lock, plus one: of the order, of the order under a second reference, of the attempt that is running. */
  usedBy: number
  second: number
  running: number

  // On the way, with nobody waiting: creates, counted for each lock in base 3, and an add.
  late: number
  lateAdd: number
  /** How often others may still touch the cart. */
  others: number

  // On disk: the locks written down as sent and not settled, what was reported, the reference.
  pending: number
  verdict: number
  reference: number

  // In memory: what the client is doing, and where the machine stands, by the number of its state (client.ts).
  at: number
  step: number
}

/** The bounds of the model: locks, requests on the way, changes by others. */
export const LOCKS = 2
export const LATE = 2
const OTHERS = 1

/** The state with some fields changed. Spelled out, as this is what a search spends its time on. */
export function but(s: State, change: Partial<State>): State {
  const copy: State = {
    cart: s.cart,
    locks: s.locks,
    expired: s.expired,
    spoilt: s.spoilt,
    wrong: s.wrong,
    failed: s.failed,
    order: s.order,
    usedBy: s.usedBy,
    second: s.second,
    running: s.running,
    late: s.late,
    lateAdd: s.lateAdd,
    others: s.others,
    pending: s.pending,
    verdict: s.verdict,
    reference: s.reference,
    at: s.at,
    step: s.step,
  }
  return Object.assign(copy, change)
}

const HALF = 2 ** 29

/** The state as one number, below 2 ** 52. */
export function pack(s: State): number {
  const service =
    s.cart |
    (s.locks << 2) |
    (s.expired << 4) |
    (s.spoilt << 6) |
    (s.wrong << 9) |
    (s.failed << 12) |
    (s.order << 15) |
    (s.usedBy << 18) |
    (s.second << 20) |
    (s.running << 22) |
    (s.late << 24)
  const client =
    s.lateAdd |
    (s.others << 1) |
    (s.pending << 3) |
    (s.verdict << 6) |
    (s.reference << 8) |
    (s.at << 9) |
    (s.step << 12)
  return client * HALF + service
}

export function unpack(packed: number): State {
  const service = packed % HALF
  const client = Math.floor(packed / HALF)
  return {
    cart: service & 3,
    locks: (service >> 2) & 3,
    expired: (service >> 4) & 3,
    spoilt: (service >> 6) & 7,
    wrong: (service >> 9) & 7,
    failed: (service >> 12) & 7,
    order: (service >> 15) & 7,
    usedBy: (service >> 18) & 3,
    second: (service >> 20) & 3,
    running: (service >> 22) & 3,
    late: service >> 24,
    lateAdd: client & 1,
    others: (client >> 1) & 3,
    pending: (client >> 3) & 7,
    verdict: (client >> 6) & 3,
    reference: (client >> 8) & 1,
    at: (client >> 9) & 7,
    step: client >> 12,
  }
}

export const start: State = but(unpack(0), {others: OTHERS})

export const bit = (lock: number) => 1 << lock
export const has = (set: number, lock: number) => (set & bit(lock)) !== 0

/** What a state may never be. */
export type Rule = 'ordered twice' | 'ordered other lines' | 'said not charged' | 'said charged'

/** What a client could do wrong, and the rule that it then breaks somewhere. */
export const mistakes = {
  'a new reference after a lost answer': 'ordered twice',
  'a new reference after an invalid lock': 'ordered twice',
  'a new reference after a crash': 'ordered twice',
  'SUBMITTING written after the answer': 'said not charged',
  'a crash after SUBMITTING taken for nothing sent': 'said not charged',
  'earlier locks forgotten': 'said not charged',
  'EXPIRED believed without asking the other locks': 'said not charged',
  'EXPIRED believed without asking again': 'said not charged',
  'INVALID taken for EXPIRED': 'said not charged',
  'a later refusal taken for not charged': 'said not charged',
  'IN_PROGRESS taken for not charged': 'said not charged',
  'REQUIRES_INTERVENTION taken for not charged': 'said not charged',
  'a failed order taken for the end of all attempts': 'said not charged',
  'given up without asking': 'said not charged',
  'DUPLICATE_REFERENCE not read': 'said charged',
  'lines of the lock not compared': 'ordered other lines',
} as const satisfies Record<string, Rule>

export type Mistake = keyof typeof mistakes

/** The client as it is, or with one mistake. */
export type Client = Mistake | 'right'

/** The rule that a state breaks. */
export function broken(s: State): Rule | undefined {
  const ours = s.order === orders.ours || s.order === orders.wrong
  if (ours && s.second > 0) return 'ordered twice'
  if (s.order === orders.wrong) return 'ordered other lines'
  const moved = ours || s.order === orders.stuck || s.second > 0
  if (s.verdict === verdicts.notCharged && moved) return 'said not charged'
  const once = s.reference > 0 ? s.second > 0 : s.order === orders.ours || s.order === orders.same
  return s.verdict === verdicts.charged && !once ? 'said charged' : undefined
}
