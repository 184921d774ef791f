import type {JSValue} from 'node-sqlite3-wasm'
import {exact} from '../../contract/money.ts'
import type {CallOf, Rules} from '../core/call.ts'
import type {Partner, Terms, Variant} from '../core/schema.ts'
import {pageOfRows} from '../door/page.ts'
import {refuse} from '../door/reply.ts'
import {type Currency, type Halalas, sar, shownIn} from './money.ts'
import {lineAmounts, marketingOf} from './pricing.ts'
import {availabilityOf} from './stock.ts'

type VariantRow = Omit<Variant, 'price'> & Terms & {current_price: Halalas}

const columns = `v.id, v.scent_id, v.sku, v.barcode, v.size_ml, v.is_sample, v.price AS current_price, v.compare_at,
  v.badges, v.rrp, v.stock, v.withheld, v.active, a.price, a.mode, a.commission_bp`

/**
 * K04: filters combine with AND, the values of one filter with OR; one that is not given is NULL and matches all. What
 * is outside the assortment is never listed (K11). Prices match the catalogue's, with the marketing block or without
 * (K12), and a minimum above the maximum matches nothing (K05).
 */
const filtered = `FROM assortment a JOIN variants v ON v.id = a.variant_id JOIN scents s ON s.id = v.scent_id
  WHERE a.partner_id = ?1 AND (?2 OR v.active)
    AND (?3 IS NULL OR v.id IN (SELECT value FROM json_each(?3)))
    AND (?4 IS NULL OR v.scent_id IN (SELECT value FROM json_each(?4)))
    AND (?5 IS NULL OR EXISTS (SELECT 1 FROM json_each(s.note_keys) WHERE value IN (SELECT value FROM json_each(?5))))
    AND (?6 IS NULL OR EXISTS (SELECT 1 FROM json_each(s.accord_keys) WHERE value IN (SELECT value FROM json_each(?6))))
    AND (?7 IS NULL OR v.price >= ?7) AND (?8 IS NULL OR v.price <= ?8)
    AND (?9 IS NULL OR max(v.changed_at, a.changed_at) > ?9)`

/** K01 */
const bySku = 'v.sku, v.id'
/** K06: strictly after the cursor; a change is one of price, flag or availability, and what left leaves no trace. */
const byChange = 'max(v.changed_at, a.changed_at), v.id'

function listVariants(call: CallOf<'listVariants'>): unknown {
  const {partner, query} = call
  const values: JSValue[] = [
    partner.id,
    query.activeOnly === false ? 1 : 0, // K07: active rows only, unless asked for all
    listed(query.id),
    listed(query.scentId),
    listed(query.note?.map(fold)),
    listed(query.accord?.map(fold)),
    bound(query.minPrice, 3),
    bound(query.maxPrice, 0),
    query.changedSince ?? null,
  ]
  const order = query.changedSince === undefined ? bySku : byChange
  return pageOfRows<VariantRow>(call, {columns, from: filtered, values, order, ends: true}, (row) =>
    variantPayload(row, partner, query.include ?? [], call.currency),
  )
}

function readVariant(call: CallOf<'readVariant'>): unknown {
  const row = call.world.get<VariantRow>(
    `SELECT ${columns} FROM assortment a JOIN variants v ON v.id = a.variant_id
     WHERE a.partner_id = ? AND a.variant_id = ?`,
    call.partner.id,
    call.params.variantId.toLowerCase(),
  )
  if (row === undefined) refuse('NOT_FOUND_VARIANT')
  return variantPayload(row, call.partner, call.query.include ?? [], call.currency)
}

/** K13: how a note or an accord is compared: whole, whatever its case. */
export const fold = (name: string): string => name.normalize('NFKC').toLowerCase()

const listed = (values: string[] | undefined): string | null =>
  values === undefined ? null : JSON.stringify(values)

/** A price bound in halalas; digits beyond the halala narrow it, rounded up (3) for a minimum, down (0) for a maximum. */
function bound(text: string | undefined, rounding: 0 | 3): number | null {
  if (text === undefined) return null
  if (exact(text).lt(0)) return -1
  return Math.min(Number(exact(text).times(100).round(0, rounding)), Number.MAX_SAFE_INTEGER)
}

function variantPayload(
  row: VariantRow,
  partner: Partner,
  include: string[],
  currency: Currency | null,
): object {
  return {
    id: row.id,
    scentId: row.scent_id,
    sku: row.sku,
    barcode: row.barcode,
    sizeMl: row.size_ml,
    isSample: row.is_sample === 1,
    // K02: null unless asked for.
    pricing: include.includes('pricing') ? pricingOf(row, partner, currency) : null,
    availability: include.includes('availability') ? availabilityOf(row) : null,
    ...marketingOf(partner, row, currency),
  }
}

function pricingOf(row: VariantRow, partner: Partner, currency: Currency | null): object | null {
  if (row.price === null) return null
  const {net, vat, commission} = lineAmounts(row.price, 1, row.mode, row.commission_bp, partner)
  const after = commission && net + vat - commission.net - commission.vat
  const shown = (amount: Halalas | null) => (currency && amount !== null ? shownIn(currency, amount) : null)
  return {
    currency: 'SAR',
    unitPrice: sar(net),
    goodsVatAmount: sar(vat),
    totalWithVat: sar(net + vat),
    rrp: sar(row.rrp),
    commission: commission && {
      amount: sar(commission.net),
      vatAmount: sar(commission.vat),
      netAfterCommission: sar(after ?? 0),
    },
    display: currency && {
      displayCurrency: currency.code,
      rate: currency.rate,
      unitPriceDisplay: shown(net),
      goodsVatAmountDisplay: shown(vat),
      totalWithVatDisplay: shown(net + vat),
      rrpDisplay: shown(row.rrp),
      commissionAmountDisplay: shown(commission?.net ?? null),
      commissionVatAmountDisplay: shown(commission?.vat ?? null),
      netAfterCommissionDisplay: shown(after),
    },
  }
}

export const rules = {listVariants, readVariant} satisfies Rules
