import type {World} from '../core/world.ts'
import {emit} from './events.ts'

export type Availability = 'Available' | 'Limited' | 'Unavailable'

export interface StockFacts {
  active: number
  /** Taken from sale whatever its stock. */
  withheld: number
  stock: number
}

// C22. not shown: where Limited ends.
export const limitedUpTo = 10

export function availabilityOf(facts: StockFacts): {state: Availability; availableQuantity: number} {
  if (!facts.active || facts.withheld || facts.stock === 0)
    return {state: 'Unavailable', availableQuantity: 0}
  return {state: facts.stock <= limitedUpTo ? 'Limited' : 'Available', availableQuantity: facts.stock}
}

/**
 * Moves the stock of a variant and records why. A move that changes the availability counts as a change of the row
 * for delta readers. Throws when it would go below zero.
 */
export function moveStock(
  world: World,
  variantId: string,
  delta: number,
  reason: string,
  reference: string | null,
  now: number,
): void {
  const read = 'SELECT active, withheld, stock FROM variants WHERE id = ?'
  const facts = world.get<StockFacts>(read, variantId)
  if (facts === undefined) throw new Error(`no variant ${variantId}`)
  const before = availabilityOf(facts).state
  const after = availabilityOf({...facts, stock: facts.stock + delta}).state
  if (before === after) world.run('UPDATE variants SET stock = stock + ? WHERE id = ?', delta, variantId)
  else world.run('UPDATE variants SET stock = stock + ?, changed_at = ? WHERE id = ?', delta, now, variantId)
  const sql = 'INSERT INTO stock_moves (variant_id, delta, reason, reference_id, at) VALUES (?, ?, ?, ?, ?)'
  world.run(sql, variantId, delta, reason, reference, now)
  if (before === 'Unavailable' && after !== 'Unavailable') fireRegistrations(world, variantId, now)
}

/** W05, W07: whoever registered is told once, when an Unavailable variant can be sold again. */
export function fireRegistrations(world: World, variantId: string, now: number): void {
  const fired = world.all<{id: string; partner_id: string}>(
    'UPDATE registrations SET fired_at = ? WHERE variant_id = ? AND fired_at IS NULL RETURNING id, partner_id',
    now,
    variantId,
  )
  for (const {id, partner_id: partnerId} of fired) {
    const data = {registrationId: id, variantId}
    emit(world, {type: 'variant.back_in_stock', partnerId, subject: id, data, at: now})
  }
}
