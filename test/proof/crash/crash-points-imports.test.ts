import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {type ImportMode, importModes} from '../../../src/flows/cart/steps.ts'
import {wantedCarts} from '../../support/carts.ts'
import {simulatedDisk} from '../simulation/disk.ts'
import {type CartShop, carts, endOf, openCartShop} from './cart-shop.ts'
import {lifeOf} from './life.ts'

let shop: CartShop
beforeAll(async () => {
  shop = await openCartShop()
})
afterAll(() => shop.close())

const at = '2026-11-20T03:00:00.000Z'

/** Plays an import once, killed at a boundary, and resumed. */
async function play(
  mode: ImportMode,
  {dieAt = null, power, slow}: {dieAt?: number | null; power: boolean; slow: boolean},
) {
  const wishes = await shop.wishesOf(carts)
  const about = {kind: 'cart', file: '/f', fileHash: '', program: '', options: {mode}} as const
  const disk = simulatedDisk({step: 'JOB', at, id: 'job', ...about}, wantedCarts(wishes))
  const life = lifeOf(dieAt, () => disk.crash(power, 0))
  disk.at = (boundary) => life.pass(boundary)
  shop.next(life, {slow})
  await shop.live(disk.job)
  disk.at = () => {}
  return {passed: life.passed, result: await shop.resultOf(disk.job, wishes)}
}

describe.each(importModes)('with %s, an import that is killed', (mode) => {
  test.each([
    {power: false, slow: false},
    {power: true, slow: false},
    {power: true, slow: true},
  ])(
    'at any boundary comes to the same end (power failure: $power, its last request late: $slow)',
    async (how) => {
      const whole = await play(mode, how)
      expect(whole.result).toMatchObject(endOf(mode, carts))
      expect(whole.passed.length).toBeGreaterThan(30)
      for (const [dieAt, boundary] of whole.passed.entries()) {
        const {result} = await play(mode, {...how, dieAt})
        expect(result, `killed at boundary ${dieAt}: ${boundary}`).toEqual(whole.result)
      }
    },
  )
})
