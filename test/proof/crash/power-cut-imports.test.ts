import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {type ImportMode, importModes} from '../../../src/flows/cart/steps.ts'
import {planImport, wantedCarts} from '../../support/carts.ts'
import {folder} from '../../support/program.ts'
import {type CartShop, carts, endOf, openCartShop} from './cart-shop.ts'
import {every, resumeEach, runUntilDeath, steps, takeUp} from './power-cut.ts'

const places = {merge: folder(), replace: folder()}
let shop: CartShop
beforeAll(async () => {
  shop = await openCartShop()
  for (const mode of importModes) await planImport(mode, [], places[mode])
})
afterAll(() => shop.close())

/** Runs an import into some carts on a machine that dies after this many records. */
async function play(mode: ImportMode, some: typeof carts, records: number) {
  const place = places[mode]
  const wishes = await shop.wishesOf(some)
  const torn = await runUntilDeath(place, wantedCarts(wishes), records, (job, life) => {
    shop.next(life)
    return shop.live(job)
  })
  return {torn, resume: () => takeUp(place, (job) => shop.resultOf(job, wishes))}
}

/** More records than an import into three carts writes. */
const ALL = 99

async function resumesOf(mode: ImportMode, some: typeof carts, step: number): Promise<number> {
  const whole = await play(mode, some, ALL)
  const expected = await whole.resume()
  expect(expected).toMatchObject(endOf(mode, some))
  return resumeEach(places[mode], (records) => play(mode, some, records), expected, step)
}

describe.each(importModes)('an import whose machine dies while it writes, with %s,', (mode) => {
  test(`comes to the same end, cut at ${every(steps.alone)} of what may be lost then (a cart at a time)`, async () => {
    let resumes = 0
    for (const cart of carts) resumes += await resumesOf(mode, [cart], steps.alone)
    console.log(`${resumes} resumes of imports into one cart`)
    // Their records have more bytes than that, and each of them may be lost.
    expect(resumes).toBeGreaterThan(500 / steps.alone)
  }, 600_000)

  test(`comes to the same end, cut at ${every(steps.beside)} of what may be lost then (all carts at a time)`, async () => {
    const resumes = await resumesOf(mode, carts, steps.beside)
    console.log(`${resumes} resumes of imports into ${carts.length} carts`)
    expect(resumes).toBeGreaterThan(1_800 / steps.beside)
  }, 600_000)
})
