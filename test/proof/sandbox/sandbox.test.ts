// The sandbox against a model of carts, locks, orders, wallet and stock, by random commands; and sandboxes with planted
// mistakes, each of which must be caught.
import fc from 'fast-check'
import {expect, test} from 'vitest'
import {effort} from '../../support/effort.ts'
import {begin, commands, finish, type Mistake} from './commands.ts'

const RUNS = effort({little: 20, all: 3_000})
const SEED = Number(process.env.SCENT_TEST_SEED ?? 20_261_123)

async function play(mistake: Mistake, numRuns: number) {
  let played = 0
  const details = await fc.check(
    fc.asyncProperty(commands, async (list) => {
      const pair = await begin(mistake)
      let failure: unknown
      try {
        await fc.asyncModelRun(() => pair, list)
      } catch (error) {
        failure = error
      }
      played += [...list].length
      await finish(pair).catch((error: unknown) => {
        failure ??= error
      })
      if (failure !== undefined) throw failure
    }),
    {seed: SEED, numRuns, includeErrorInReport: true, endOnFailure: mistake !== none},
  )
  return {details, played}
}

const none: Mistake = (send) => send

test(`the sandbox does what the model says in ${RUNS} lives of two carts`, async () => {
  const {details, played} = await play(none, RUNS)
  console.log(`sandbox model: ${details.numRuns} lives of ${played} commands, seed ${details.seed}`)
  expect(fc.defaultReportMessage(details)).toBe(undefined)
}, 1_800_000)

type Body = {[name: string]: unknown}
const bodyOf = (more: {body?: unknown} = {}) => (more.body ?? {}) as Body
const isOrder = (method: string, path: string) => method === 'POST' && path === '/scent/orders'

const mistakes: Record<string, Mistake> = {
  'an add replaces the quantity': (send) => async (method, path, more) => {
    if (path !== '/scent/cart/items') return send(method, path, more)
    const of = new URLSearchParams(more?.query).get('customerRef')
    const {variantId, quantity} = bodyOf(more)
    const put = await send('PUT', `/scent/cart/${of}/items/${variantId}`, {body: {quantity}})
    return put.state === 'SUCCESS' ? put : send(method, path, more)
  },
  'a repeat with the same reference orders again': (send) => async (method, path, more) => {
    const first = await send(method, path, more)
    if (first.state !== 'CONFLICT_ORDER_DUPLICATE_REFERENCE') return first
    const body = bodyOf(more)
    return send(method, path, {
      ...more,
      body: {...body, externalReference: `${body.externalReference}-again`},
    })
  },
  'a lock is good for an hour':
    (send, {sandbox}) =>
    async (method, path, more) => {
      if (isOrder(method, path)) sandbox.state.world.run('UPDATE locks SET expires_at = expires_at + 2700000')
      const answer = await send(method, path, more)
      if (isOrder(method, path)) sandbox.state.world.run('UPDATE locks SET expires_at = expires_at - 2700000')
      return answer
    },
  'an older lock stays in force':
    (send, {sandbox}) =>
    async (method, path, more) => {
      const {lockId} = bodyOf(more)
      if (isOrder(method, path))
        sandbox.state.world.run(
          'UPDATE carts SET lock_id = ?1 WHERE id = (SELECT cart_id FROM locks WHERE id = ?1)',
          String(lockId),
        )
      return send(method, path, more)
    },
  'a change of the cart spoils no lock':
    (send, {sandbox}) =>
    async (method, path, more) => {
      if (isOrder(method, path))
        sandbox.state.world.run(
          'UPDATE locks SET cart_version = (SELECT version FROM carts WHERE carts.id = cart_id) WHERE cart_id IN (SELECT id FROM carts)',
        )
      return send(method, path, more)
    },
  'a wallet that is too low is overdrawn':
    (send, {sandbox}) =>
    async (method, path, more) => {
      Object.assign(sandbox.state.assumptions, {L04: 'allowed'})
      return send(method, path, more)
    },
  'an order leaves its cart as it was':
    (send, {sandbox}) =>
    async (method, path, more) => {
      const {world} = sandbox.state
      if (!isOrder(method, path)) return send(method, path, more)
      const lines = world.all<{variant_id: string; quantity: number}>(
        'SELECT variant_id, quantity FROM cart_lines JOIN carts ON carts.id = cart_id WHERE customer_ref = ?',
        String(bodyOf(more).customerRef),
      )
      const answer = await send(method, path, more)
      for (const {variant_id: variantId, quantity} of answer.payload?.status === 'Processing' ? lines : [])
        await send('POST', '/scent/cart/items', {
          query: `customerRef=${bodyOf(more).customerRef}`,
          body: {variantId, quantity},
        })
      return answer
    },
  'an order takes nothing from stock': (send, real) => async (method, path, more) => {
    const {world} = real.sandbox.state
    const before = world.all<{id: string; stock: number}>('SELECT id, stock FROM variants')
    const answer = await send(method, path, more)
    for (const {id, stock} of isOrder(method, path)
      ? before.filter((one) => real.variants.includes(one.id))
      : [])
      await real.operate(`variants/${id}`, {stock})
    return answer
  },
  'two carts are one': (send) => (method, path, more) =>
    send(method, path.replace('/cart/B', '/cart/A'), {
      ...more,
      ...(more?.query === undefined ? {} : {query: more.query.replace('customerRef=B', 'customerRef=A')}),
    }),
  'paused access stops no order': (send, real) => async (method, path, more) => {
    if (isOrder(method, path)) await real.operate('partners/rimal-retail', {productAccess: true})
    return send(method, path, more)
  },
  'a price that changed is charged in the place of the locked one':
    (send, {sandbox}) =>
    async (method, path, more) => {
      if (isOrder(method, path)) {
        const {world} = sandbox.state
        for (const {id, lines} of world.all<{id: string; lines: string}>('SELECT id, lines FROM locks')) {
          const now = (JSON.parse(lines) as {variantId: string; unit: number}[]).map((line) => ({
            ...line,
            unit:
              world.get<{price: number | null}>(
                "SELECT a.price FROM assortment a JOIN partners p ON p.id = partner_id WHERE client_id = 'rimal-retail' AND variant_id = ?",
                line.variantId,
              )?.price ?? line.unit,
          }))
          world.run('UPDATE locks SET lines = ? WHERE id = ?', JSON.stringify(now), id)
        }
      }
      return send(method, path, more)
    },
}

test.each(Object.keys(mistakes))(
  'a sandbox is caught in which %s',
  async (name) => {
    const {details} = await play(mistakes[name] as Mistake, 400)
    expect(details.failed).toBe(true)
  },
  600_000,
)
