import * as z from 'zod/mini'
import {uuid} from '../../contract/wire.ts'
import type {State} from '../core/state.ts'
import type {World} from '../core/world.ts'
import {refuse} from '../door/reply.ts'
import {type Halalas, sar, sarOrNull} from '../rules/money.ts'
import {allPartners} from '../rules/partners.ts'
import {availabilityOf, fireRegistrations, limitedUpTo, moveStock, type StockFacts} from '../rules/stock.ts'
import {amount, toHalalas} from './partners.ts'

export const variantChange = z.strictObject({
  /** Whose terms price, assortment and pricingMode are about; every partner's when absent. */
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

interface VariantRow extends StockFacts {
  id: string
  sku: string
  price: Halalas
  floor: Halalas
}

/** Changes a variant, by its id or its SKU, and answers how it stands. */
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

function findVariant(world: World, key: string): VariantRow | undefined {
  const sql = 'SELECT id, sku, price, floor, stock, withheld, active FROM variants WHERE id = ? OR sku = ?'
  return world.get<VariantRow>(sql, key.toLowerCase(), key)
}

const partnerIds = (world: World) => allPartners(world).map(({id}) => id)

/** K06: to delta readers a new floor is no change, nor is a value that was there before. */
function changeFlags(world: World, variant: VariantRow, change: Change, now: number): void {
  const active = change.active ?? variant.active === 1
  const withheld =
    change.availability === undefined ? variant.withheld === 1 : change.availability === 'Unavailable'
  const floor = change.floor === undefined ? variant.floor : toHalalas(change.floor)
  const isGeneral = change.partnerId === undefined && change.price !== undefined && change.price !== null
  const price = isGeneral ? toHalalas(change.price ?? 0) : variant.price
  const {withheld: withheldBefore, active: activeBefore} = variant
  const isChange =
    active !== (activeBefore === 1) || withheld !== (withheldBefore === 1) || price !== variant.price
  world.run(
    `UPDATE variants SET active = ?, withheld = ?, floor = ?, price = ?,
     changed_at = CASE WHEN ? THEN ? ELSE changed_at END WHERE id = ?`,
    active,
    withheld,
    floor,
    price,
    isChange,
    now,
    variant.id,
  )
}

function changeStock(world: World, variant: VariantRow, change: Change, now: number): void {
  const stock = change.stock ?? stockFor(change.availability, variant.stock)
  if (stock !== variant.stock) moveStock(world, variant.id, stock - variant.stock, 'Admin', null, now)
}

function stockFor(availability: Change['availability'], stock: number): number {
  if (availability === 'Available' && stock <= limitedUpTo) return 100
  if (availability === 'Limited' && (stock === 0 || stock > limitedUpTo)) return 5
  return stock
}

function changeTerms(
  world: World,
  variant: VariantRow,
  partnerId: string,
  change: Change,
  now: number,
): void {
  if (change.assortment === false) {
    world.run('DELETE FROM assortment WHERE partner_id = ? AND variant_id = ?', partnerId, variant.id)
    return
  }
  if (change.assortment === true) {
    world.run(
      "INSERT INTO assortment VALUES (?, ?, 'Retail', ?, 1200, ?) ON CONFLICT DO NOTHING",
      partnerId,
      variant.id,
      variant.price,
      now,
    )
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

function view(world: World, variant: VariantRow): object {
  const terms = world.all<{partner_id: string; mode: string; price: Halalas | null}>(
    'SELECT partner_id, mode, price FROM assortment WHERE variant_id = ? ORDER BY partner_id',
    variant.id,
  )
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
