import {describe, expect, test} from 'vitest'
import {api} from '../../src/contract/api.ts'
import {entryOf} from '../../src/contract/errors.ts'
import {servedNames} from '../../src/sandbox/core/rules.ts'
import type {Sandbox} from '../support/types.ts'
import {type Answer, type Caller, callerOf, control, useSandbox, variantOf} from './caller.ts'
import {allCases} from './order-refusals.ts'
import {codeBody} from './read-refusals.ts'

let sandbox: Sandbox
let caller: Caller
let golden: string
const reopen = useSandbox((opened) => {
  sandbox = opened
  caller = callerOf(opened)
  golden = variantOf(opened, 'RML-SAF-050')
})

const nobody = '00000000-0000-4000-8000-000000000000'
const set = (sku: string, change: object) => control(sandbox, 'PATCH', `variants/${sku}`, change)
const lock = async (ref = 'C-1', lines = {[golden]: 2}) =>
  (await caller.filled(ref, lines)).payload.lockId as string
const partnerId = (clientId: string) =>
  sandbox.credentials.find((credential) => credential.clientId === clientId)?.partnerId

const cases = allCases(() => ({sandbox, caller}))

describe('each refusal that an operation lists is reached for real', () => {
  test.each(cases.map((one) => [one.of, one.code, one] as const))('%s: %s', async (_, code, one) => {
    if (one.assume) await reopen({assume: one.assume})
    const answer = await one.provoke()
    expect(answer).toMatchObject({state: code, status: entryOf(code).http, payload: null})
    if (one.details) expect(answer.details).toEqual(one.details())
    // On validation errors details.errors names each offending field or parameter.
    if (code.startsWith('VALIDATION_')) expect(Object.keys(answer.details.errors)).not.toEqual([])
  })

  test('none is left out', () => {
    const listed = servedNames.flatMap((name) => api[name].fails.map((code) => `${name} ${code}`))
    const provoked = new Set(cases.map(({of, code}) => `${of} ${code}`))
    expect(listed.filter((one) => !provoked.has(one))).toEqual([])
  })
})

describe('what belongs to another partner looks exactly like what does not exist', () => {
  test('orders, their tracking, locks and lines', async () => {
    const {payload} = await caller.order('PO-1', await lock(), 'C-1')
    const global = (await caller.ask('GET', `/scent/orders/${payload.id}`)).payload.header
      .orderGlobalId as string
    const foreignLock = await lock('C-2')
    const other = callerOf(sandbox, 'rimal-online')
    const bytes = ({status, state, details, payload: none}: Answer, id: string) =>
      JSON.stringify({status, state, details, none}).replaceAll(id, 'ID')
    const pairs: [string, string, (id: string) => Promise<Answer>][] = [
      [payload.id, nobody, (id) => other.ask('GET', `/scent/orders/${id}`)],
      [payload.id, nobody, (id) => other.ask('GET', `/scent/orders/${id}/tracking`)],
      [global, 'SCN-9999999999', (id) => other.ask('GET', `/orders/${id}`)],
      [foreignLock, nobody, (id) => other.order('PO-9', id, 'C-2')],
      [golden, nobody, (id) => other.ask('DELETE', `/scent/cart/C-2/items/${id}`)],
      [variantOf(sandbox, 'NJD-ROY-100'), nobody, (id) => other.ask('GET', `/scent/variants/${id}`)],
    ]
    for (const [foreign, missing, ask] of pairs) {
      expect(bytes(await ask(foreign), foreign)).toBe(bytes(await ask(missing), missing))
    }
  })

  test('statements, commission periods, discount codes, scents and brands', async () => {
    const own = (await caller.ask('GET', '/commission-periods')).payload.items[0]
    const code = (await caller.ask('GET', '/scent/discount-codes')).payload.items[0]
    const {statements} = (await control(sandbox, 'GET', 'state')).payload
    const scent = (await caller.ask('GET', '/scent/scents')).payload.items[0]
    for (const size of ['002', '050', '100']) {
      const sku = `${sandbox.state.world.get<{sku: string}>('SELECT sku FROM variants WHERE scent_id = ?', scent.id)?.sku.slice(0, 8)}${size}`
      await set(sku, {assortment: false, partnerId: partnerId('rimal-online')})
    }
    const other = callerOf(sandbox, 'rimal-online')
    const lateCode = {...codeBody, code: 'OTHER'}
    const bytes = ({status, state, details, payload: none}: Answer, id: string) =>
      JSON.stringify({status, state, details, none}).replaceAll(id, 'ID')
    const body = {reason: 'x'}
    const pairs: [string, (id: string) => Promise<Answer>][] = [
      [own.id, (id) => other.ask('POST', `/commission-periods/${id}/objection`, {body})],
      [code.id, (id) => other.ask('PATCH', `/scent/discount-codes/${id}`, {body: codeBody})],
      [code.id, (id) => other.ask('PATCH', `/scent/discount-codes/${id}`, {body: lateCode})],
      [statements[0].id, (id) => other.ask('GET', `/statements/${id}`)],
      [scent.id, (id) => other.ask('GET', `/scent/scents/${id}`)],
    ]
    for (const [foreign, ask] of pairs) {
      const theirs = await ask(foreign)
      expect(theirs.status).toBe(404)
      expect(bytes(theirs, foreign)).toBe(bytes(await ask(nobody), nobody))
      // An id that is no uuid is an unknown one as well.
      expect(bytes(await ask('x'), '/x/')).toBe(bytes(theirs, foreign))
    }
  })

  test('a variant outside the assortment, on a wishlist and for a notification', async () => {
    const other = callerOf(sandbox, 'rimal-online')
    const foreign = variantOf(sandbox, 'NJD-ROY-100')
    const tries: ((variantId: string) => Promise<Answer>)[] = [
      (variantId) => other.ask('POST', '/scent/wishlist/C-1/items', {body: {variantId}}),
      (variantId) => other.ask('POST', `/scent/cart/notify/${variantId}`),
      (variantId) => other.ask('DELETE', `/scent/wishlist/C-1/items/${variantId}`),
    ]
    for (const ask of tries) {
      const [theirs, missing] = [await ask(foreign), await ask(nobody)]
      expect({...theirs, headers: {}}).toEqual({...missing, headers: {}})
    }
  })

  test('the same customerRef and the same reference are free for every partner', async () => {
    const other = callerOf(sandbox, 'rimal-online')
    const mine = await caller.order('PO-1', await lock('same'), 'same')
    const preview = await other.filled('same', {[golden]: 1})
    const theirs = await other.order('PO-1', preview.payload.lockId, 'same')
    expect([mine.status, theirs.status]).toEqual([201, 201])
    expect((await other.ask('GET', '/wallet/transactions')).payload.pagination.totalCount).toBe(1)
  })
})
