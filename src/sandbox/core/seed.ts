import {Failure} from '../../contract/failure.ts'
import {openPeriod} from '../rules/commissions.ts'
import {type Halalas, portion, vatOn} from '../rules/money.ts'
import {fold} from '../rules/variants.ts'
import {closedUntil} from '../time/jobs.ts'
import {monthStart} from '../time/month.ts'
import {demoScents, sizes, specials} from './catalog.ts'
import {seedHistory} from './history.ts'
import {insert} from './rows.ts'
import {assortment, brands, partners, scents, stockMoves, type Terms, variants} from './schema.ts'
import type {Environment, State} from './state.ts'
import {tables, type World} from './world.ts'

const seedNames = ['demo', 'empty'] as const

/** The demo data, and a ledger of N older entries before it. */
const bulk = /^bulk:wallet=([1-9]\d{0,7})$/

export const seedsKnown = `Give ${seedNames.join(', ')} or bulk:wallet=N.`

export const isSeed = (seed: string): boolean =>
  bulk.test(seed) || (seedNames as readonly string[]).includes(seed)

/** A partner of the demo data. */
interface DemoPartner {
  key: string
  name: string
  parent?: string
  vatNumber?: string
  marketing: boolean
  active: boolean
  /** Opening balance in halalas. */
  wallet: number
  mode(sku: string): Terms['mode']
  /** Whether a variant belongs to the assortment. */
  sells(sku: string): boolean
}

const always = () => true
const retail = () => 'Retail' as const
/** Wholesale terms on the brand's large bottles, Retail on the rest. */
const mixed = (sku: string) => (sku.startsWith('NJD') || sku.endsWith('100') ? 'Wholesale' : 'Retail')

const plain = {marketing: false, active: true, mode: retail, sells: always}

const demoPartners: readonly DemoPartner[] = [
  {
    ...plain,
    key: 'rimal-retail',
    name: 'Rimal Retail',
    vatNumber: '300000000000003',
    marketing: true,
    wallet: 5_000_000,
    mode: mixed,
  },
  {
    ...plain,
    key: 'rimal-online',
    name: 'Rimal Online',
    parent: 'rimal-retail',
    vatNumber: '300000000000013',
    marketing: true,
    wallet: 500_000,
    sells: (sku) => specials[sku]?.outsideChild !== true,
  },
  {...plain, key: 'warda-boutique', name: 'Warda Boutique', wallet: 10_000},
  {...plain, key: 'dormant-trading', name: 'Dormant Trading', wallet: 0, active: false},
]

/**
 * Fills the database anew. `empty` has the partners with empty wallets and no catalogue; `bulk:wallet=N` is the demo
 * data with N more entries in the ledger of Rimal Retail.
 */
export function seedWorld(state: State, seed: string): void {
  const {world, environment} = state
  if (!isSeed(seed)) {
    throw new Failure('INVALID_INPUT', {message: `"${seed}" is not a valid seed.`, hint: seedsKnown})
  }
  world.transaction(() => {
    for (const {name} of tables) world.script(`DELETE FROM ${name}`)
    world.setMeta('seed', seed)
    const ids = new Map(demoPartners.map((partner) => [partner.key, world.id('partner')]))
    for (const partner of demoPartners) insertPartner(world, partner, ids, environment, seed !== 'empty')
    startMonth(world, ids.values(), state.clock.now())
    if (seed === 'empty') return
    seedCatalog(world, ids, state.clock.now())
    seedHistory(state, Number(bulk.exec(seed)?.[1] ?? 0))
  })
}

/** Every partner has a commission period for this month; statements are closed up to it. */
function startMonth(world: World, partnerIds: Iterable<string>, now: number): void {
  world.setMeta(closedUntil, String(monthStart(now)))
  for (const id of partnerIds) openPeriod(world, id, now)
}

function insertPartner(
  world: World,
  partner: DemoPartner,
  ids: Map<string, string>,
  environment: Environment,
  funded: boolean,
): void {
  const id = ids.get(partner.key) ?? ''
  const parentId = partner.parent === undefined ? null : (ids.get(partner.parent) ?? null)
  insert(world, partners, {
    id,
    global_id: `PRT-${String(world.next('partner-number')).padStart(6, '0')}`,
    name: partner.name,
    parent_id: parentId,
    path: parentId === null ? id : `${parentId}/${id}`,
    environment,
    client_id: partner.key,
    active: partner.active,
    marketing: partner.marketing,
    vat_number: partner.vatNumber ?? null,
    wallet: funded ? partner.wallet : 0,
  })
}

function seedCatalog(world: World, partnerIds: Map<string, string>, now: number): void {
  const brandIds = new Map<string, string>()
  for (const {brand: name, code, prices, notes, accords, ...scent} of demoScents) {
    const brandId = brandIds.get(name) ?? world.id('brand')
    if (!brandIds.has(name)) {
      insert(world, brands, {id: brandId, name, image_url: imageOf(name)})
      brandIds.set(name, brandId)
    }
    const scentId = world.id('scent')
    insert(world, scents, {
      ...scent,
      id: scentId,
      brand_id: brandId,
      notes: JSON.stringify(notes),
      accords: JSON.stringify(accords),
      note_keys: JSON.stringify(Object.values(notes).flat().map(fold)),
      accord_keys: JSON.stringify(accords.map(fold)),
      image_url: imageOf(code),
    })
    sizes.forEach((size, i) => {
      insertVariant(world, {scentId, code, size, price: prices[i] ?? 0}, partnerIds, now)
    })
  }
}

const imageOf = (name: string) => `https://images.example/${name.toLowerCase().replace(/[^a-z]+/g, '-')}.jpg`
/** Rows last changed some time ago, each at its own moment, so that a delta has an order. */
const openedAt = (now: number) => now - 30 * 86_400_000
const changedAt = (now: number, n: number) => openedAt(now) + n * 1_000

function insertVariant(
  world: World,
  {scentId, code, size, price}: {scentId: string; code: string; size: number; price: Halalas},
  partnerIds: Map<string, string>,
  now: number,
): void {
  const sku = `${code}-${String(size).padStart(3, '0')}`
  const special = specials[sku] ?? {}
  const id = world.id('variant')
  const n = world.next('variant-number')
  const stock = special.stock ?? 10_000
  insert(world, variants, {
    id,
    scent_id: scentId,
    sku,
    barcode: barcodeOf(n),
    size_ml: size,
    is_sample: size === 2,
    price,
    compare_at: special.compareAt ?? null,
    rrp: portion(price + vatOn(price), 13, 10),
    floor: special.belowFloor ? price + 1_000 : portion(price, 1, 2),
    badges: JSON.stringify(special.badges ?? []),
    stock,
    withheld: special.withheld === true,
    active: special.inactive !== true,
    changed_at: changedAt(now, n),
  })
  insert(world, stockMoves, {variant_id: id, delta: stock, reason: 'Opening', at: openedAt(now)})
  for (const {key, sells, mode} of demoPartners) {
    if (!sells(sku)) continue
    insert(world, assortment, {
      partner_id: partnerIds.get(key) ?? '',
      variant_id: id,
      mode: mode(sku),
      price: special.unpriced ? null : price,
      commission_bp: 1_200,
      changed_at: changedAt(now, n),
    })
  }
}

/** An EAN-13 of the Saudi range with its check digit. */
function barcodeOf(n: number): string {
  const twelve = `628${String(n).padStart(9, '0')}`
  const sum = [...twelve].reduce((total, digit, i) => total + Number(digit) * (i % 2 === 0 ? 1 : 3), 0)
  return `${twelve}${(10 - (sum % 10)) % 10}`
}
