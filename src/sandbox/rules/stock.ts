import {insert} from '../core/rows.ts'
import {stockMoves, type Terms, type Variant} from '../core/schema.ts'
import type {World} from '../core/world.ts'
import {emit} from './events.ts'

type Availability = 'Available' | 'Limited' | 'Unavailable'

export type StockFacts = Pick<Variant, 'active' | 'withheld' | 'stock'>

// C22. not shown: where Limited ends.
export const limitedUpTo = 10

export function availabilityOf(facts: StockFacts): {state: Availability; availableQuantity: number} {
  if (!facts.active || facts.withheld || facts.stock === 0)
    return {state: 'Unavailable', availableQuantity: 0}
  return {state: facts.stock <= limitedUpTo ? 'Limited' : 'Available', availableQuantity: facts.stock}
}

/** What a partner may sell, and at which price; undefined for a variant outside its assortment. */
export function assortedVariant(
  world: World,
  partnerId: string,
  variantId: string,
): (StockFacts & Pick<Terms, 'price'>) | undefined {
  return world.get(
    `SELECT v.active, v.withheld, v.stock, a.price FROM assortment a JOIN variants v ON v.id = a.variant_id
     WHERE a.partner_id = ? AND a.variant_id = ?`,
    partnerId,
    variantId,
  )
}

/**
 * Moves the stock of a variant and records why. A move that changes the availability counts as a change of the row
 * for delta readers. Throws if it would go below zero.
 */
export function moveStock(
  world: World,
  variantId: string,
  delta: number,
  reason: string,
  reference: string | null,
  now: number,
): void {
  // Three columns of fifteen: every line of every order reads them.
  const read = 'SELECT active, withheld, stock FROM variants WHERE id = ?'
  const facts = world.get<StockFacts>(read, variantId)
  if (facts === undefined) throw new Error(`no variant ${variantId}`)
  const before = availabilityOf(facts).state
  const after = availabilityOf({...facts, stock: facts.stock + delta}).state
  if (before === after) world.run('UPDATE variants SET stock = stock + ? WHERE id = ?', delta, variantId)
  else world.run('UPDATE variants SET stock = stock + ?, changed_at = ? WHERE id = ?', delta, now, variantId)
  insert(world, stockMoves, {variant_id: variantId, delta, reason, reference_id: reference, at: now})
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
