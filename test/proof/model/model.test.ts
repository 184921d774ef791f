import {expect, test} from 'vitest'
import {deadEnds, search} from './search.ts'
import {variants} from './shop.ts'
import {LOCKS, type Mistake, mistakes, orders, type State, unpack, verdicts} from './state.ts'

/*
 * How one order is made, as a model that is small enough to visit every state it can get into, on services of every
 * kind that the spec leaves open (model-service.ts).
 *
 * The steps are those of the program: fill and add are bulk-fill.ts; lock is lockCart with the comparison of its lines;
 * write is the SUBMITTING record; sent and made wait for createOrder; decide is askUntilSettled, with the program's own
 * table of answers; existing is compareExisting; spent and look are every-lock.ts; begin takes up what the records
 * hold; the mode `settle` is orderLocked with earlier submissions open, and takeUp's new lock. A verdict is the OUTCOME
 * record. From there, as after a crash, the next run begins.
 *
 * The client may crash anywhere, as often as it likes, and any request or answer may get lost. Within the bounds of
 * model-state.ts requests arrive late, locks expire and others touch the cart.
 *
 * Not modelled: amounts, several lines, tokens and pacing, which make no difference to what is asked again; two
 * programs at one reference, which locks of this machine keep apart; a network that delivers a request twice. Left out
 * are services on which no client could tell: where a used lock is answered as expired (the spec says otherwise), and
 * where an order that failed, or an attempt that got stuck, leaves its lock unused.
 */

const settled = ({verdict}: State) => verdict === verdicts.charged || verdict === verdicts.notCharged

test(`an order is made once, and told as it is, on ${variants.length} services, whatever gets lost`, () => {
  const started = performance.now()
  const seen = new Set<number>()
  let states = 0
  for (const variant of variants) {
    const found = search(variant, 'right')
    expect({variant, broken: found.broken}).toEqual({variant, broken: undefined})
    for (const packed of found.states) seen.add(unpack(packed).verdict)
    const [stuck] = deadEnds(found, ({verdict}) => verdict !== verdicts.none)
    // Unknown is no end, as long as a lock can be had and no person is needed.
    const unsettled = deadEnds(found, settled).find(
      ({order, locks}) => order !== orders.stuck && locks < LOCKS,
    )
    expect({variant, stuck, unsettled}).toEqual({variant})
    states += found.states.length
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${states} states of ${variants.length} services in ${seconds} s`)
  expect(variants.length).toBeGreaterThanOrEqual(16)
  expect(states).toBeGreaterThanOrEqual(1_000_000)
  expect([...seen].sort()).toEqual(Object.values(verdicts))
}, 300_000)

test.each(Object.keys(mistakes) as Mistake[])('%s is caught', (mistake) => {
  for (const variant of variants) {
    const {broken} = search(variant, mistake, mistakes[mistake])
    if (!broken) continue
    console.log(`${mistake}: ${broken.rule}, after ${broken.trace.length} steps`)
    return
  }
  throw new Error('no service catches it')
})

test('on a service that called a used lock expired, not charged would be said of an order that stands', () => {
  const {broken} = search({...(variants[0] as (typeof variants)[0]), usedLock: 'expired'}, 'right')
  expect(broken).toMatchObject({rule: 'said not charged'})
})
