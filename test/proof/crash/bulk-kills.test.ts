import {afterAll, beforeAll, expect, test} from 'vitest'
import {foldersOf} from '../../../src/store/paths.ts'
import {saveLocator} from '../../../src/store/sandbox.ts'
import {effort} from '../../support/effort.ts'
import {manyOrders, orderFile} from '../../support/order-file.ts'
import {folderIn, openShop, type Shop} from '../../support/served-shop.ts'
import {seeded} from '../../support/virtual-time.ts'

/** Kills in all; SCENT_TEST_KILLS asks for more or fewer. */
const KILLS = Number(process.env.SCENT_TEST_KILLS ?? effort({little: 20, all: 200}))
const HANDS = 3
const ORDERS = 24

let shop: Shop
beforeAll(async () => {
  shop = await openShop({seed: 'demo'})
  shop.sandbox.state.world.run('UPDATE variants SET stock = 1000000')
  shop.sandbox.state.world.run('UPDATE partners SET wallet = 100000000000 WHERE wallet IS NOT NULL')
  // The lease of a killed process counts as used for a minute: requests to a sandbox without limits are not paced.
  const place = {baseUrl: shop.url, adminUrl: shop.url, adminToken: '', pid: process.pid, limits: false}
  saveLocator(foldersOf(shop.env), {...place, credentials: []})
  // Each request takes a moment, so that kills fall between and into them.
  shop.fault({effect: 'slow', delayMs: 12})
})
afterAll(() => shop.close())

/** The next command of a script that has read only this output: resume the job it names, or import again. */
function next(said: string, file: string): string[] {
  const job = /Job ([\w-]+)/.exec(said)?.[1]
  return job ? ['jobs', 'resume', job, '--json'] : ['orders', 'import', file, '--yes', '--json']
}

test(`${KILLS} kills at random moments: each order once, and the same end as without them`, async () => {
  const folder = folderIn(shop.env, 'files')
  let kills = 0
  let jobs = 0
  const hand = async (seed: number) => {
    const random = seeded(seed)
    while (kills < KILLS) {
      const name = `J${++jobs}`
      const file = orderFile(folder, `${name}.csv`, manyOrders(name, ORDERS, ORDERS - 4))
      let words = next('', file)
      for (let lives = 0; ; lives++) {
        const {child, ended} = shop.start(words)
        const dies = kills < KILLS && lives < 12
        const timer = dies ? setTimeout(() => child.kill('SIGKILL'), 150 + random() * 900) : undefined
        const end = await ended
        clearTimeout(timer)
        const unfinished = end.stdout.includes('JOB_UNFINISHED')
        if (end.signal === 'SIGKILL' || unfinished) {
          if (!unfinished) kills += 1
          words = words[0] === 'jobs' ? words : next(end.stdout + end.stderr, file)
          continue
        }
        expect({code: end.code, seed, said: end.code === 0 ? '' : end.stdout + end.stderr}).toEqual({
          code: 0,
          seed,
          said: '',
        })
        const {summary, ledger} = JSON.parse(end.stdout)
        expect(summary.placed + summary.alreadyPlaced, `${name} with seed ${seed}`).toBe(ORDERS)
        expect(summary).toMatchObject({refused: 0, unknown: 0})
        if (ledger) expect(ledger).toMatchObject({proved: true})
        break
      }
      const made = shop.orders().filter(({external_reference: of}) => of.startsWith(`${name}-`))
      expect(made.map(({external_reference: of}) => of).sort()).toEqual(
        manyOrders(name, ORDERS)
          .map(({externalReference}) => externalReference)
          .sort(),
      )
    }
  }
  await Promise.all(Array.from({length: HANDS}, (_, n) => hand(n + 1)))
  expect(kills).toBeGreaterThanOrEqual(KILLS)
  const orders = shop.orders()
  expect(shop.debits()).toBe(orders.length)
  const carts = new Set(orders.map(({customer_ref: of}) => of))
  for (const cart of carts) expect(shop.cart(cart), cart).toEqual({})
}, 600_000)
