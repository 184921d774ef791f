import type {CartRule} from '../../../src/bulk/orders/fill.ts'
import type {CartLine} from '../../../src/flows/cart/lines.ts'
import type {Wish} from '../../support/bulk.ts'
import {type Habits, pick} from './network.ts'
import type {SimulatedShop} from './shop.ts'

/** How one run of a job goes, apart from the network. */
export interface RunPlan {
  /** The boundary at which it is cut off; null if it goes through. */
  crashAt: number | null
  /** Whether the power fails with it, and how much of what was not synced is kept. */
  power: boolean
  kept: number
  /** When Ctrl-C is pressed, in milliseconds; null if it is not. */
  interruptAfter: number | null
  /** How long after its end the next one starts. */
  restMs: number
}

/** Something that others do, or that befalls the service, while jobs run. */
export interface Incident {
  after: number
  kind: keyof typeof incidents
  customerRef: string
  reference: string
  variant: string
  amount: number
}

/** All that a seed decides before the first request. */
export interface Scenario {
  wishes: Wish[]
  customers: string[]
  rule: CartRule
  concurrency: number
  maxDrift: string | null
  /** --max-total. */
  limit: string | null
  trouble: number
  habits: Habits
  /** Lines that were in a cart before. */
  carts: {customerRef: string; line: CartLine}[]
  /** Orders that were made before, under references of the file. */
  earlier: {reference: string; customerRef: string; lines: CartLine[]}[]
  incidents: Incident[]
  /** The runs of each machine that has the file; the last one starts when all is over. */
  machines: {name: string; startsAfter: number; runs: RunPlan[]}[]
}

/** The kinds of incidents, and how often each against the others. */
const incidents = {
  price: 6,
  stock: 3,
  assortment: 1,
  access: 1,
  wallet: 1,
  'foreign line': 2,
  'lines changed': 2,
  'cart cleared': 1,
  'cart in use': 2,
  'order on its way': 2,
  outage: 2,
  'service clock': 3,
  'stuck order': 1,
} as const

const MINUTE = 60_000

/** The same scenario for the same seed; `name` keeps its references apart from those of other runs. */
export function scenarioOf(
  random: () => number,
  name: string,
  {variants, foreign, goodsOf}: SimulatedShop,
): Scenario {
  const chance = (p: number) => random() < p
  const upTo = (n: number) => Math.floor(random() * n)
  const one = <T>(list: readonly T[]) => list[upTo(list.length)] as T
  const customers = Array.from({length: 1 + upTo(3)}, (_, n) => `${name}C-${n + 1}`)
  const lines = (): CartLine[] =>
    [...variants]
      .sort(() => random() - 0.5)
      .slice(0, 1 + upTo(3))
      .map((variantId) => ({variantId, quantity: 1 + upTo(3)}))
  const wishes = Array.from({length: 2 + upTo(5)}, (_, n): Wish => {
    const ordered = lines()
    const reference = `${name}PO-${n + 1}`
    const wish: Wish = {reference, customerRef: one(customers), lines: ordered, goods: goodsOf(ordered)}
    if (chance(0.03))
      wish.lines = [{variantId: '00000000-0000-4000-8000-000000000000', quantity: 1}, ...wish.lines]
    if (chance(0.02)) wish.countryCode = 'XXX'
    if (chance(0.02)) wish.discountCode = 'NO-SUCH-CODE'
    return wish
  })
  const run = (): RunPlan => ({
    crashAt: chance(0.7) ? 1 + upTo(60) : null,
    power: chance(0.5),
    kept: random(),
    interruptAfter: chance(0.15) ? random() * 10 * MINUTE : null,
    restMs: one([0, 1000, MINUTE, 5 * MINUTE, 20 * MINUTE, 120 * MINUTE]),
  })
  const earlier = wishes.flatMap((wish) => {
    if (!chance(0.06)) return []
    const {reference, customerRef} = wish
    if (chance(0.4))
      return [
        {reference, customerRef, lines: wish.lines.filter(({variantId}) => variants.includes(variantId))},
      ]
    return [{reference, customerRef: one([customerRef, `${name}X`]), lines: lines()}]
  })
  const machine = (n: number) => ({
    name: `m${n}`,
    startsAfter: n * random() * one([1, 200, 2_000, MINUTE, 5 * MINUTE]),
    runs: Array.from({length: upTo(4)}, run),
  })
  return {
    wishes,
    customers,
    rule: chance(0.7) ? 'require-empty' : 'replace',
    concurrency: 1 + upTo(3),
    maxDrift: chance(0.3) ? one(['0', '0.05', '0.5']) : null,
    limit: chance(0.2) ? String(300 + upTo(3000)) : null,
    trouble: one([0, 0.03, 0.1, 0.25, 0.4]),
    habits: {lockFirst: one(['no', 'no', 'yes', 'odd']), globalIds: chance(0.2)},
    carts: customers
      .filter(() => chance(0.07))
      .map((customerRef) => ({
        customerRef,
        line: {variantId: chance(0.7) ? foreign : one(variants), quantity: 1 + upTo(3)},
      })),
    earlier,
    incidents: Array.from({length: chance(0.6) ? upTo(4) : 0}, () => ({
      after: random() * one([500, 2_000, 5_000, MINUTE, 20 * MINUTE]),
      kind: pick(incidents, random),
      customerRef: one(customers),
      reference: one(wishes).reference,
      variant: one(variants),
      amount: random(),
    })),
    machines: Array.from({length: one([1, 1, 2, 3, 3])}, (_, n) => machine(n)),
  }
}
