import {createHmac} from 'node:crypto'
import {Failure} from '../../contract/failure.ts'
import type {Environment} from '../door/auth.ts'
import {openPeriod} from '../rules/commissions.ts'
import {portion, vatOn} from '../rules/money.ts'
import type {Mode} from '../rules/pricing.ts'
import {fold} from '../rules/variants.ts'
import {closedUntil} from '../time/jobs.ts'
import {monthStart} from '../time/month.ts'
import {demoScents, sizes, specials} from './catalog.ts'
import {seedHistory} from './history.ts'
import type {State} from './state.ts'
import {tables, type World} from './world.ts'

export const seedNames = ['demo', 'empty'] as const

/** The demo data, and a ledger of N older entries before it. */
const bulk = /^bulk:wallet=([1-9]\d{0,7})$/

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
  mode(sku: string): Mode
  /** Whether a variant belongs to the assortment. */
  sells(sku: string): boolean
}

const always = () => true
const retail = (): Mode => 'Retail'
/** Wholesale terms on the brand's large bottles, Retail on the rest. */
const mixed = (sku: string): Mode => (sku.startsWith('NJD') || sku.endsWith('100') ? 'Wholesale' : 'Retail')

const demoPartners: readonly DemoPartner[] = [
  {
    key: 'rimal-retail',
    name: 'Rimal Retail',
    vatNumber: '300000000000003',
    marketing: true,
    active: true,
    wallet: 5_000_000,
    mode: mixed,
    sells: always,
  },
  {
    key: 'rimal-online',
    name: 'Rimal Online',
    parent: 'rimal-retail',
    vatNumber: '300000000000013',
    marketing: true,
    active: true,
    wallet: 500_000,
    mode: retail,
    sells: (sku) => specials[sku]?.outsideChild !== true,
  },
  {
    key: 'warda-boutique',
    name: 'Warda Boutique',
    marketing: false,
    active: true,
    wallet: 10_000,
    mode: retail,
    sells: always,
  },
  {
    key: 'dormant-trading',
    name: 'Dormant Trading',
    marketing: false,
    active: false,
    wallet: 0,
    mode: retail,
    sells: always,
  },
]

/**
 * Fills the database anew. `empty` has the partners with empty wallets and no catalogue; `bulk:wallet=N` is the demo
 * data with N more entries in the ledger of Rimal Retail.
 */
export function seedWorld(state: State, seed: string): void {
  const {world, environment} = state
  if (!isSeed(seed)) {
    const message = `No such seed: ${seed}. Known: ${seedNames.join(', ')}, bulk:wallet=N.`
    throw new Failure('INVALID_INPUT', {message})
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

/** G01: the secret of a demo credential, always the same, so that scripts can hold it. */
export function secretOf(key: string): string {
  return createHmac('sha256', 'scent-sandbox-secret').update(key).digest('hex').slice(0, 40)
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
  world.run(
    'INSERT INTO partners VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, 1, ?, ?, 14, 0, ?)',
    id,
    `PRT-${String(world.next('partner-number')).padStart(6, '0')}`,
    partner.name,
    parentId,
    parentId === null ? id : `${parentId}/${id}`,
    environment,
    partner.key,
    secretOf(partner.key),
    partner.active,
    partner.marketing,
    partner.vatNumber ?? null,
    'SAR',
    funded ? partner.wallet : 0,
  )
}

function seedCatalog(world: World, partners: Map<string, string>, now: number): void {
  const brands = new Map<string, string>()
  for (const scent of demoScents) {
    const brandId = brands.get(scent.brand) ?? world.id('brand')
    if (!brands.has(scent.brand)) {
      world.run('INSERT INTO brands VALUES (?, ?, ?)', brandId, scent.brand, imageOf(scent.brand))
      brands.set(scent.brand, brandId)
    }
    const scentId = world.id('scent')
    const notes = Object.values(scent.notes).flat()
    world.run(
      'INSERT INTO scents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)',
      scentId,
      brandId,
      scent.name,
      scent.concentration,
      scent.audience,
      JSON.stringify(scent.notes),
      JSON.stringify(scent.accords),
      JSON.stringify(notes.map(fold)),
      JSON.stringify(scent.accords.map(fold)),
      imageOf(scent.code),
    )
    sizes.forEach((size, i) => {
      insertVariant(world, scentId, scent.code, size, scent.prices[i] ?? 0, partners, now)
    })
  }
}

const imageOf = (name: string) => `https://images.example/${name.toLowerCase().replace(/[^a-z]+/g, '-')}.jpg`
/** Rows last changed some time ago, each at its own moment, so that a delta has an order. */
const openedAt = (now: number) => now - 30 * 86_400_000
const changedAt = (now: number, n: number) => openedAt(now) + n * 1_000

function insertVariant(
  world: World,
  scentId: string,
  code: string,
  size: number,
  price: number,
  partners: Map<string, string>,
  now: number,
): void {
  const sku = `${code}-${String(size).padStart(3, '0')}`
  const special = specials[sku] ?? {}
  const id = world.id('variant')
  const n = world.next('variant-number')
  const stock = special.stock ?? 10_000
  world.run(
    'INSERT INTO variants VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    id,
    scentId,
    sku,
    barcodeOf(n),
    size,
    size === 2,
    price,
    special.compareAt ?? null,
    portion(price + vatOn(price), 13, 10),
    special.belowFloor ? price + 1_000 : portion(price, 1, 2),
    JSON.stringify(special.badges ?? []),
    stock,
    special.withheld === true,
    special.inactive !== true,
    changedAt(now, n),
  )
  const move =
    'INSERT INTO stock_moves (variant_id, delta, reason, reference_id, at) VALUES (?, ?, ?, NULL, ?)'
  world.run(move, id, stock, 'Opening', openedAt(now))
  for (const partner of demoPartners) {
    if (!partner.sells(sku)) continue
    world.run(
      'INSERT INTO assortment VALUES (?, ?, ?, ?, ?, ?)',
      partners.get(partner.key) ?? '',
      id,
      partner.mode(sku),
      special.unpriced ? null : price,
      1_200,
      changedAt(now, n),
    )
  }
}

/** An EAN-13 of the Saudi range with its check digit. */
function barcodeOf(n: number): string {
  const twelve = `628${String(n).padStart(9, '0')}`
  const sum = [...twelve].reduce((total, digit, i) => total + Number(digit) * (i % 2 === 0 ? 1 : 3), 0)
  return `${twelve}${(10 - (sum % 10)) % 10}`
}
