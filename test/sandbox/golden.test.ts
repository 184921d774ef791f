import {expect, test} from 'vitest'
import type {Sandbox} from '../support/types.ts'
import {callerOf, origin, useSandbox, variantOf} from './caller.ts'

let sandbox: Sandbox
useSandbox((opened) => {
  sandbox = opened
})

test('two bottles at 120.50 are charged 305.90, and the order, the ledger and the wallet agree', async () => {
  const {ask, filled, order} = callerOf(sandbox)
  const variant = variantOf(sandbox, 'RML-SAF-050')
  const preview = await filled('نورة/1', {[variant]: 2})
  expect(preview.payload).toMatchObject({canCheckout: true, customerRef: 'نورة/1', chargedWithVat: 305.9})
  const created = await order('PO-1', preview.payload.lockId, 'نورة/1')
  expect(created).toMatchObject({
    status: 201,
    state: 'CREATED',
    payload: {
      externalReference: 'PO-1',
      status: 'Processing',
      pricing: {
        subtotal: 241,
        vat: 36.15,
        shippingFee: {amount: 25, vatAmount: 3.75, amountWithVat: 28.75},
        discount: null,
        total: 305.9,
        commission: {amount: 28.92, vatAmount: 4.34, amountWithVat: 33.26, netAfterCommission: 272.64},
      },
      modeBreakdown: {Retail: 241},
    },
  })
  const {id} = created.payload
  expect(created.headers.location).toBe(`${origin}/api/v1/scent/orders/${id}`)
  const read = await ask('GET', `/scent/orders/${id}`)
  expect(read.payload.header).toMatchObject({amount: 305.9, status: 'Processing', productOrderId: id})
  const byGlobalId = await ask('GET', `/orders/${read.payload.header.orderGlobalId}`)
  expect(byGlobalId.payload).toEqual(read.payload)
  const ledger = await ask('GET', '/wallet/transactions')
  expect(ledger.payload.items[0]).toMatchObject({
    transactionType: 'Debit',
    amount: 305.9,
    balanceBefore: 50_000,
    balanceAfter: 49_694.1,
    referenceType: 'Order',
  })
  const cart = await ask('GET', `/scent/cart/${encodeURIComponent('نورة/1')}`)
  expect(cart.payload).toMatchObject({id: null, status: 'None', items: [], pricedAt: null})
})
