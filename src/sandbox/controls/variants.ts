import * as z from 'zod/mini'
import {uuid} from '../../contract/wire.ts'
import {find, findAll, insert, update} from '../core/rows.ts'
import {assortment, type Variant, variants} from '../core/schema.ts'
import type {State} from '../core/state.ts'
import type {World} from '../core/world.ts'
import {refuse} from '../door/reply.ts'
import {sar, sarOrNull} from '../rules/money.ts'
import {partnerIds} from '../rules/partners.ts'
import {availabilityOf, fireRegistrations, limitedUpTo, moveStock} from '../rules/stock.ts'
import {amount, toHalalas} from './partners.ts'

export const variantChange = z.strictObject({
  /** Whose terms price, assortment and pricingMode are about; every partner's by default. */
  partnerId: z.optional(uuid),
  /** Net SAR; null withdraws the price. Without partnerId it is the catalogue's price as well. */
  price: z.optional(z.nullable(amount)),
  stock: z.optional(z.int().check(z.gte(0), z.lte(1_000_000_000))),
  /** Unavailable withholds it from sale; the others bring its stock into their range. */
  availability: z.optional(z.enum(['Available', 'Limited', 'Unavailable'])),
  floor: z.optional(amount),
  assortment: z.optional(z.boolean()),
  active: z.optional(z.boolean()),
  pricingMode: z.optional(z.enum(['Wholesale', 'Retail'])),
})
type Change = z.output<typeof variantChange>

/** Changes a variant, by its id or its SKU, and returns how it stands. */
export function changeVariant({world, clock}: State, key: string, change: Change): object {
  const now = clock.now()
  const variant = findVariant(world, key) ?? refuse('NOT_FOUND_VARIANT')
  const before = availabilityOf(variant).state
  changeFlags(world, variant, change, now)
  changeStock(world, variant, change, now)
  for (const partnerId of change.partnerId === undefined
    ? partnerIds(world)
    : [change.partnerId.toLowerCase()]) {
    changeTerms(world, variant, partnerId, change, now)
  }
  const after = findVariant(world, variant.id) ?? variant
  if (before === 'Unavailable' && availabilityOf(after).state !== 'Unavailable') {
    fireRegistrations(world, variant.id, now)
  }
  return view(world, after)
}

/** How a variant stands, by its id or its SKU. */
export function readVariantTerms(world: World, key: string): object {
  return view(world, findVariant(world, key) ?? refuse('NOT_FOUND_VARIANT'))
}

function findVariant(world: World, key: string): Variant | undefined {
  return find(world, variants, {id: key.toLowerCase()}) ?? find(world, variants, {sku: key})
}

/** K06: a new floor, or a value that is set again, does not count as a change for `changedSince`. */
function changeFlags(world: World, variant: Variant, change: Change, now: number): void {
  const {availability, partnerId, price} = change
  const isGeneral = partnerId === undefined && price !== undefined && price !== null
  const changed = {
    active: change.active,
    withheld: availability === undefined ? undefined : availability === 'Unavailable',
    price: isGeneral ? toHalalas(price) : undefined,
  }
  const isChange = (['active', 'withheld', 'price'] as const).some(
    (name) => changed[name] !== undefined && Number(changed[name]) !== variant[name],
  )
  const floor = change.floor === undefined ? undefined : toHalalas(change.floor)
  const moved = isChange ? {changed_at: now} : {}
  update(world, variants, {id: variant.id}, {...changed, ...moved, floor})
}

function changeStock(world: World, variant: Variant, change: Change, now: number): void {
  const stock = change.stock ?? stockFor(change.availability, variant.stock)
  if (stock !== variant.stock) moveStock(world, variant.id, stock - variant.stock, 'Admin', null, now)
}

function stockFor(availability: Change['availability'], stock: number): number {
  if (availability === 'Available' && stock <= limitedUpTo) return 100
  if (availability === 'Limited' && (stock === 0 || stock > limitedUpTo)) return 5
  return stock
}

function changeTerms(world: World, variant: Variant, partnerId: string, change: Change, now: number): void {
  if (change.assortment === false) {
    world.run('DELETE FROM assortment WHERE partner_id = ? AND variant_id = ?', partnerId, variant.id)
    return
  }
  const own = {partner_id: partnerId, variant_id: variant.id}
  if (change.assortment === true && find(world, assortment, own) === undefined) {
    const terms = {mode: 'Retail', price: variant.price, commission_bp: 1_200, changed_at: now} as const
    insert(world, assortment, {...own, ...terms})
  }
  if (change.price !== undefined) {
    const price = change.price === null ? null : toHalalas(change.price)
    const sql = `UPDATE assortment SET price = ?1, changed_at = ?2
      WHERE partner_id = ?3 AND variant_id = ?4 AND price IS NOT ?1`
    world.run(sql, price, now, partnerId, variant.id)
  }
  if (change.pricingMode !== undefined) {
    const sql = `UPDATE assortment SET mode = ?1, changed_at = ?2
      WHERE partner_id = ?3 AND variant_id = ?4 AND mode <> ?1`
    world.run(sql, change.pricingMode, now, partnerId, variant.id)
  }
}

function view(world: World, variant: Variant): object {
  const terms = findAll(world, assortment, {variant_id: variant.id}, 'partner_id')
  return {
    variantId: variant.id,
    sku: variant.sku,
    price: sar(variant.price),
    floor: sar(variant.floor),
    stock: variant.stock,
    active: variant.active === 1,
    availability: availabilityOf(variant).state,
    terms: terms.map(({partner_id, mode, price}) => ({
      partnerId: partner_id,
      pricingMode: mode,
      price: sarOrNull(price),
    })),
  }
}
