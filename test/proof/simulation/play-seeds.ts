import {expect, test} from 'vitest'
import {effort} from '../../support/effort.ts'
import {openSimulatedShop} from './shop.ts'
import {simulate} from './simulation.ts'

/** The seeds are divided among this number of test files (seeds-1 to seeds-4), which run at the same time. */
const PARTS = 4
/** A new sandbox after this many seeds: its tables grow with each. */
const SEEDS_OF_A_SHOP = 500
/** Stop after this many failing seeds. */
const MOST_TOLD = 3

/** How many seeds to play; none if SCENT_TEST_SEED asks simulation.test.ts to play a single one. */
const count = process.env.SCENT_TEST_SEED
  ? 0
  : Number(process.env.SCENT_TEST_SEEDS ?? effort({little: 200, all: 10_000}))

/** How a seed is played again. */
export const replay = (seed: number) =>
  `SCENT_TEST_SEED=${seed} npx vitest run test/proof/simulation/simulation.test.ts`

/** Plays every fourth seed, beginning with `part`; as many as the environment says. */
export function playPart(part: number): void {
  test(`every fourth of ${count} seeds, from seed ${part} on, keeps every promise`, async () => {
    const failed: string[] = []
    let shop = await openSimulatedShop()
    for (let seed = part; seed <= count && failed.length < MOST_TOLD; seed += PARTS) {
      if (seed % (SEEDS_OF_A_SHOP * PARTS) < PARTS) {
        await shop.close()
        shop = await openSimulatedShop()
      }
      const {problems} = await simulate(seed, shop)
      if (problems.length > 0) failed.push([`Seed ${seed} (${replay(seed)}):`, ...problems].join('\n  '))
    }
    await shop.close()
    expect(failed.join('\n')).toBe('')
  }, 600_000)
}
