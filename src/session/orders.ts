import {randomBytes} from 'node:crypto'
import type {OrderTools} from '../flows/order/records.ts'
import type {WalkTools} from '../flows/order/walker.ts'
import {savedAddresses} from '../store/addresses.ts'
import {tryLock, withLock} from '../store/lock.ts'
import type {OrderRecords} from '../store/orders.ts'
import type {Progress} from '../terminal/progress.ts'

/** What the flows of orders work with. */
export function orderTools(
  tools: Omit<OrderTools, 'records'> & Pick<WalkTools, 'alone'>,
  records: OrderRecords,
): Omit<WalkTools, 'fees'> {
  return {...tools, records, savedAddresses: () => savedAddresses(records), newReference}
}

/** A reference that nobody else makes up, and that a person can read out: the day, and 60 random bits. */
function newReference(): string {
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '')
  const bits = BigInt(`0x${randomBytes(8).toString('hex')}`) >> 4n
  return `scent-${day}-${bits.toString(32).padStart(12, '0')}`
}

/** How a cart is waited for: who says so, and what ends it. */
export interface Waiting {
  say?: (text: string) => void
  stop?: AbortSignal
}

/** Runs `work` while no other process holds the lock of its cart; see Session.alone. */
export function whileAlone<T>(
  lock: string,
  work: () => Promise<T>,
  progress: Progress,
  {say = progress.say, stop}: Waiting,
): Promise<T> {
  const free = tryLock(lock)
  if (free) return work().finally(free)
  // Carts share locks now and then, and an order of a second is no news.
  const telling = setTimeout(
    say,
    1_000,
    'Another checkout of this cart runs on this machine; waiting for it.',
  )
  const soon = () => {
    clearTimeout(telling)
    progress.clear()
    return work()
  }
  return withLock(lock, soon, {waitMs: 180_000, stop}).finally(() => clearTimeout(telling))
}
