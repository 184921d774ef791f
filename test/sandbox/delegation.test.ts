import {beforeEach, expect, test} from 'vitest'
import {credentialsOf, partnerByClientId} from '../../src/sandbox/rules/partners.ts'
import type {Sandbox} from '../support/types.ts'
import {type Answer, callerOf, control, raw, useSandbox, variantOf} from './caller.ts'

let sandbox: Sandbox

/** Four generations in one line, a sibling of the third one, and a partner of another tree. */
const line = ['rimal-retail', 'rimal-online', 'kiosk-riyadh', 'window-riyadh'] as const
const everyone = [...line, 'kiosk-jeddah', 'warda-boutique']
const descendants: Record<string, string[]> = {
  'rimal-retail': ['rimal-online', 'kiosk-riyadh', 'kiosk-jeddah', 'window-riyadh'],
  'rimal-online': ['kiosk-riyadh', 'kiosk-jeddah', 'window-riyadh'],
  'kiosk-riyadh': ['window-riyadh'],
}
const [root, , , last] = line

useSandbox(
  (opened) => {
    sandbox = opened
  },
  {limits: false},
)
beforeEach(() => {
  below('rimal-online', 'kiosk-riyadh')
  below('rimal-online', 'kiosk-jeddah')
  below('kiosk-riyadh', 'window-riyadh')
})

/** A new partner below another one: its assortment, and 1,000.00 in its wallet. */
function below(parent: string, clientId: string): void {
  const {world} = sandbox.state
  const id = world.id('partner')
  world.run(
    `INSERT INTO partners SELECT ?1, ?2, ?2, id, path || '/' || ?1, environment, ?2, 1, 1, 1, 1,
       NULL, 'SAR', 14, 0, 100000 FROM partners WHERE client_id = ?3`,
    id,
    clientId,
    parent,
  )
  world.run(
    `INSERT INTO assortment SELECT ?, variant_id, mode, price, commission_bp, changed_at FROM assortment
     WHERE partner_id = (SELECT id FROM partners WHERE client_id = ?)`,
    id,
    parent,
  )
}

const idOf = (clientId: string) => partnerByClientId(sandbox.state.world, clientId)?.id ?? ''
const walletOf = (clientId: string) => partnerByClientId(sandbox.state.world, clientId)?.wallet
const wallets = () => Object.fromEntries(everyone.map((one) => [one, walletOf(one)]))
const mint = (clientId: string, onBehalfOf: string) => {
  const known = credentialsOf(sandbox.state).find((one) => one.clientId === clientId)
  const body = {clientId, clientSecret: known?.clientSecret, onBehalfOf}
  return raw(sandbox, 'POST', '/api/v1/auth/token', {body})
}
const acting = (clientId: string, target: string) => callerOf(sandbox, clientId, idOf(target))
const golden = () => ({[variantOf(sandbox, 'RML-SAF-050')]: 2})

test('an ancestor acts for descendants of any depth, and for nobody else', async () => {
  for (const caller of everyone) {
    for (const target of everyone) {
      const answer = await mint(caller, idOf(target).toUpperCase())
      const isBelow = descendants[caller]?.includes(target) ?? false
      const refusal = caller === target ? 'DELEGATION_TARGET_INVALID' : 'NOT_YOUR_DESCENDANT'
      const state = isBelow ? 'SUCCESS' : `FORBIDDEN_${refusal}`
      expect([caller, target, answer.state]).toEqual([caller, target, state])
      if (!isBelow) expect(answer).toMatchObject({status: 403, payload: null, details: null})
    }
  }
  const {status, state, details} = await mint(root, crypto.randomUUID())
  expect([status, state, details]).toEqual([403, 'FORBIDDEN_NOT_YOUR_DESCENDANT', null])
})

test('an inactive descendant is no target; who stands between does not matter', async () => {
  await control(sandbox, 'PATCH', 'partners/kiosk-riyadh', {active: false})
  expect((await mint(root, idOf('kiosk-riyadh'))).state).toBe('FORBIDDEN_DELEGATION_TARGET_INVALID')
  expect((await mint(root, idOf(last))).state).toBe('SUCCESS')
  expect((await mint('kiosk-riyadh', idOf(last))).state).toBe('UNAUTHORIZED_PARTNER_INACTIVE')
})

test('carts, orders and the ledger are the descendant’s, and so is the wallet that pays', async () => {
  const before = wallets()
  const deep = acting(root, last)
  const preview = await deep.filled('C', golden())
  expect(preview.payload.partnerId).toBe(idOf(last))
  const {payload: order} = await deep.order('PO-1', preview.payload.lockId, 'C')
  expect(wallets()).toEqual({...before, [last]: 100_000 - 30_590})
  // Its own token and that of everybody above, acting for it, read one and the same.
  const inside = [callerOf(sandbox, last), ...line.slice(0, 3).map((one) => acting(one, last))]
  for (const caller of inside) {
    const {header} = (await caller.ask('GET', `/scent/orders/${order.id}`)).payload
    expect(header).toMatchObject({partnerId: idOf(last), externalReference: 'PO-1', amount: 305.9})
    const {items} = (await caller.ask('GET', '/wallet/transactions')).payload
    expect(items).toMatchObject([{amount: 305.9, balanceAfter: 694.1}])
  }
  const again = await acting('rimal-online', last).order('PO-1', preview.payload.lockId, 'C')
  expect(again).toMatchObject({state: 'CONFLICT_ORDER_DUPLICATE_REFERENCE', details: {orderId: order.id}})
})

test('nobody sees without acting for it what is another’s, above, below or beside', async () => {
  const deep = acting(root, last)
  const {payload} = await deep.filled('C', golden())
  const {id} = (await deep.order('PO-1', payload.lockId, 'C')).payload
  await deep.filled('C', golden())
  const missing = crypto.randomUUID()
  const bytes = ({headers: _, ...answer}: Answer, of: string) => JSON.stringify(answer).replaceAll(of, 'ID')
  const outside = [
    ...everyone.filter((one) => one !== last).map((one) => callerOf(sandbox, one)),
    acting(root, 'kiosk-riyadh'),
    acting('rimal-online', 'kiosk-jeddah'),
  ]
  for (const other of outside) {
    const theirs = await other.ask('GET', `/scent/orders/${id}`)
    expect(theirs.state).toBe('NOT_FOUND_ORDER')
    expect(bytes(theirs, id)).toBe(bytes(await other.ask('GET', `/scent/orders/${missing}`), missing))
    expect((await other.ask('GET', '/scent/cart/C')).payload.status).toBe('None')
  }
  // Carts and references of one name are free for each of them.
  const preview = await callerOf(sandbox).filled('C', golden())
  expect((await callerOf(sandbox).order('PO-1', preview.payload.lockId, 'C')).status).toBe(201)
})

test('money and access are judged by the descendant’s own, whoever acts', async () => {
  const deep = acting(root, last)
  await control(sandbox, 'PATCH', `partners/${root}`, {productAccess: false, wallet: null})
  const {payload} = await deep.filled('C', golden())
  await control(sandbox, 'PATCH', `partners/${last}`, {wallet: 305.89})
  const failed = await deep.order('PO-1', payload.lockId, 'C')
  expect(failed.payload).toMatchObject({status: 'Failed', failureReason: 'INSUFFICIENT_WALLET_BALANCE'})
  await control(sandbox, 'PATCH', `partners/${last}`, {productAccess: false})
  const refused = await deep.ask('POST', '/scent/cart/C/price-lock')
  // C24
  expect(refused.state).toBe('BUSINESS_CART_NOT_CHECKOUT_READY')
})

test('the credential that acts keeps the limits, and the journal names both', async () => {
  await control(sandbox, 'POST', 'limits', {enabled: true, reset: true})
  await acting(root, last).ask('GET', '/scent/variants')
  const {token, rest} = (await control(sandbox, 'GET', 'limits')).payload
  expect([token, rest]).toEqual([{[`id ${root}`]: 1}, {[root]: 1}])
  const {items} = (await control(sandbox, 'GET', 'requests')).payload
  expect(items.at(-1)).toMatchObject({operation: 'listVariants', partnerId: idOf(last), clientId: root})
})
