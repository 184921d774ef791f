import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {plannedRows, type Wish} from '../../support/bulk.ts'
import {seeded} from '../../support/virtual-time.ts'
import {type SimulatedDisk, simulatedDisk} from '../simulation/disk.ts'
import {lifeOf} from './life.ts'
import {type CrashShop, live, openCrashShop, resultOf, type Trouble, wishesOf} from './order-shop.ts'

let shop: CrashShop
let runs = 0
beforeAll(async () => {
  shop = await openCrashShop()
})
afterAll(() => shop.close())

const at = '2026-11-20T03:00:00.000Z'

function diskOf(wishes: Wish[]): SimulatedDisk {
  const about = {kind: 'orders', file: '/f', fileHash: '', program: '', options: {}} as const
  return simulatedDisk({step: 'JOB', at, id: 'job', ...about}, plannedRows(wishes))
}

const courses: Record<string, (name: string) => Trouble[]> = {
  'when all goes well': () => [],
  'when answers get lost': (name) => [
    {text: `items?customerRef=C${name}-1`},
    {text: `"PO${name}-1"`},
    {text: `DELETE http://127.0.0.1:1/api/v1/scent/cart/C${name}-2`},
    {text: `"PO${name}-3"`},
  ],
  'when it is refused for a while': (name) => [
    {text: `"PO${name}-1"`, refusal: {status: 400, state: 'VALIDATION_PRICE_LOCK_EXPIRED'}},
    {text: `"PO${name}-3"`, refusal: {status: 401, state: 'UNAUTHORIZED_INVALID_TOKEN'}},
  ],
}

/** Plays the job once, killed at these boundaries, one after the other, and resumed each time. */
async function play(
  course: string,
  {dieAt = [], power = false, concurrency = 1}: {dieAt?: number[]; power?: boolean; concurrency?: number},
) {
  runs += 1
  const name = String(runs).padStart(5, '0')
  const wishes = wishesOf(name, shop.variants)
  shop.next(lifeOf(null))
  shop.fund()
  await shop.putIntoCart(`C${name}-3`, {variantId: shop.variants[1] as string, quantity: 3})
  const disk = diskOf(wishes)
  shop.trouble(courses[course]?.(name) ?? [])
  const passed: string[][] = []
  for (const death of [...dieAt, null]) {
    const life = lifeOf(death, () => disk.crash(power, 0))
    disk.at = (boundary) => life.pass(boundary)
    shop.next(life)
    await live(shop, disk.job, concurrency)
    passed.push(life.passed)
  }
  disk.at = () => {}
  return {passed, result: await resultOf(shop, disk.job, wishes)}
}

describe.each(Object.keys(courses))('%s, a job that is killed', (course) => {
  test.each([
    {power: false, concurrency: 1},
    {power: true, concurrency: 1},
    {power: true, concurrency: 3},
  ])('at any boundary comes to the same end (power failure: $power, $concurrency at a time)', async (how) => {
    const whole = await play(course, how)
    const boundaries = whole.passed[0]?.length ?? 0
    expect(whole.result.rows.map(({state}) => state)).toEqual(['placed', 'refused', 'placed', 'refused'])
    expect(boundaries).toBeGreaterThan(30)
    for (let n = 0; n < boundaries; n++) {
      const {result} = await play(course, {...how, dieAt: [n]})
      expect(result, `killed at boundary ${n}: ${whole.passed[0]?.[n]}`).toEqual(whole.result)
    }
  })

  test('at two boundaries, the second in its resume, comes to the same end', async () => {
    const whole = await play(course, {})
    const boundaries = whole.passed[0]?.length ?? 0
    const random = seeded(7)
    const pick = () => Math.floor(random() * boundaries)
    for (let pair = 0; pair < 100; pair++) {
      const dieAt = [pick(), pick()]
      const {result} = await play(course, {dieAt, power: pair % 2 === 0})
      expect(result, `killed at ${dieAt}`).toEqual(whole.result)
    }
  })
})
