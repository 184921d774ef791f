import {bit, but, has, LATE, orders, type State} from './state.ts'

/** A service that the spec allows. */
export interface Variant {
  /** Whether a create looks at its reference before it looks at its lock. */
  referenceFirst: boolean
  /** What a used lock is answered as. `expired`, once it would have, contradicts the spec, and is not a variant. */
  usedLock: 'used' | 'invalid' | 'expired'
  /** Whether a lock is bound to the version of its cart, or to what the cart holds. */
  byVersion: boolean
  /** Whether a newer lock of the cart makes the older ones invalid. */
  newestOnly: boolean
  /** Whether a lock that is both expired and invalid is answered as expired. */
  expiredFirst: boolean
  /** Whether an order is made at once, or by an attempt that takes its time, with its lock held for it or not. */
  making: 'at once' | 'held' | 'not held'
  /**
   * What else may happen: others take our reference, or orders fail for lack of money, which uses up their lock and
   * leaves the reference free.
   */
  also: 'nothing' | 'reference taken' | 'orders fail'
}

const both = [false, true]

export const variants: readonly Variant[] = both.flatMap((referenceFirst) =>
  both.flatMap((byVersion) =>
    both.flatMap((newestOnly) =>
      both.flatMap((expiredFirst) =>
        (['used', 'invalid'] as const).flatMap((usedLock) =>
          (['at once', 'held', 'not held'] as const).flatMap((making) =>
            (['nothing', 'reference taken', 'orders fail'] as const).map((also) => {
              return {referenceFirst, byVersion, newestOnly, expiredFirst, usedLock, making, also}
            }),
          ),
        ),
      ),
    ),
  ),
)

/** Takes in what may happen next. */
export type Go = (name: string, to: State) => void

const all = (s: State) => bit(s.locks) - 1

/** The cart holds something else from now on. */
export function changed(v: Variant, s: State, cart: number): State {
  return but(s, {cart, spoilt: v.byVersion ? all(s) : s.spoilt})
}

/** An add merges: added twice, the lines are doubled. */
export const added = (v: Variant, s: State) => changed(v, s, Math.min(s.cart + 1, 2))

/** A lock that nobody knows of only stands in the way of the older ones. */
export const lockedByOthers = (v: Variant, s: State) => (v.newestOnly ? but(s, {spoilt: all(s)}) : s)

export function locked(v: Variant, s: State): State {
  const wrong = s.cart === 1 ? s.wrong : s.wrong | bit(s.locks)
  return but(lockedByOthers(v, s), {wrong, locks: s.locks + 1})
}

/** The code of a create that is refused; undefined if the order is made. */
export function refusedWith(v: Variant, s: State, reference: number, lock: number): string | undefined {
  const byReference = refusedByReference(s, reference)
  const byLock = refusedByLock(v, s, lock)
  return v.referenceFirst ? (byReference ?? byLock) : (byLock ?? byReference)
}

function refusedByReference(s: State, reference: number): string | undefined {
  if (s.running > 0) return reference === 0 ? 'CONFLICT_ORDER_IN_PROGRESS' : 'CONFLICT_CART_HAS_PENDING_ORDER'
  if (reference === 0 && s.order === orders.stuck) return 'CONFLICT_ORDER_REQUIRES_INTERVENTION'
  const exists = reference === 0 ? s.order !== orders.none : s.second > 0
  return exists ? 'CONFLICT_ORDER_DUPLICATE_REFERENCE' : undefined
}

function refusedByLock(v: Variant, s: State, lock: number): string | undefined {
  const expired = lock < s.expired
  if (has(s.failed, lock) || s.usedBy === lock + 1 || s.second === lock + 1) {
    if (v.usedLock === 'expired' && expired) return 'VALIDATION_PRICE_LOCK_EXPIRED'
    return v.usedLock === 'invalid' ? 'VALIDATION_PRICE_LOCK_INVALID' : 'CONFLICT_PRICE_LOCK_ALREADY_USED'
  }
  if (v.making === 'held' && s.running === lock + 1) return 'CONFLICT_ORDER_IN_PROGRESS'
  const good = !has(s.spoilt, lock) && s.cart === (has(s.wrong, lock) ? 2 : 1)
  if (expired && (good || v.expiredFirst)) return 'VALIDATION_PRICE_LOCK_EXPIRED'
  return good ? undefined : 'VALIDATION_PRICE_LOCK_INVALID'
}

/** From now on every create under our reference is refused, whatever its lock: those on their way may be forgotten. */
const taken = (s: State, order: number) => but(s, {order, late: 0})

/** The order stands, and takes the cart with it. */
export function committed(v: Variant, s: State, reference: number, lock: number): State {
  const after = but(changed(v, s, 0), {running: 0})
  if (reference > 0) return but(after, {second: lock + 1})
  return taken(but(after, {usedBy: lock + 1}), has(s.wrong, lock) ? orders.wrong : orders.ours)
}

/** The order failed, and leaves the cart. */
export const failedBy = (s: State, lock: number) => but(s, {running: 0, failed: s.failed | bit(lock)})

/** The ways in which the attempt that is running may end. */
export function ends(v: Variant, s: State) {
  const lock = s.running - 1
  const idle = but(s, {running: 0})
  return {
    made: committed(v, s, 0, lock),
    failed: v.also === 'orders fail' ? failedBy(s, lock) : undefined,
    rolledBack: idle,
    // What has moved by then nobody knows: the lock counts as used.
    stuck: taken(but(idle, {usedBy: s.running}), orders.stuck),
  }
}

const places = [1, 3, 9]
const lateOf = (s: State, lock: number) => Math.floor(s.late / (places[lock] as number)) % 3

/** A create stays on its way; undefined if enough are, or if it could do nothing any more. */
export function delayed(s: State, lock: number): State | undefined {
  if (s.order !== orders.none) return undefined
  const count = lateOf(s, 0) + lateOf(s, 1) + lateOf(s, 2)
  return count < LATE ? but(s, {late: s.late + (places[lock] as number)}) : undefined
}

/** What happens without the client: late requests arrive, locks expire, others touch the cart or our reference. */
export function elsewhere(v: Variant, s: State, go: Go): void {
  for (let lock = 0; lock < s.locks; lock++) if (lateOf(s, lock) > 0) arrived(v, s, lock, go)
  if (s.lateAdd > 0) go('the late add arrives', added(v, but(s, {lateAdd: 0})))
  if (s.expired < s.locks) go(`lock ${s.expired} expires`, but(s, {expired: s.expired + 1}))
  if (s.others > 0) {
    const rest = but(s, {others: s.others - 1})
    if (s.cart !== 0) go('others empty the cart', changed(v, rest, 0))
    if (s.cart !== 1) go('others fill the cart as intended', changed(v, rest, 1))
    if (s.cart !== 2) go('others fill the cart otherwise', changed(v, rest, 2))
    if (v.newestOnly && s.locks > 0) go('others lock the cart', lockedByOthers(v, rest))
  }
  if (v.also === 'reference taken' && s.order === orders.none && s.running === 0) {
    go('others order something else under our reference', taken(s, orders.other))
    go('others order the same under our reference', taken(s, orders.same))
  }
}

function arrived(v: Variant, s: State, lock: number, go: Go): void {
  const rest = but(s, {late: s.late - (places[lock] as number)})
  const name = `the late create with lock ${lock} arrives`
  if (refusedWith(v, s, 0, lock) !== undefined) go(`${name}, refused`, rest)
  else if (v.making !== 'at once') go(`${name}, begun`, but(rest, {running: lock + 1}))
  else {
    go(`${name}, ordered`, committed(v, rest, 0, lock))
    if (v.also === 'orders fail') go(`${name}, failed`, failedBy(rest, lock))
  }
}
