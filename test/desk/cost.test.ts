import {expect, test} from 'vitest'
import {parseJson} from '../../src/contract/money.ts'
import type {OrderRead} from '../../src/contract/orders.ts'
import {costsOf} from '../../src/desk/notices/cost.ts'
import type {InboxItem} from '../../src/desk/notices/inbox.ts'

test.each([
  ['1.50', ['11.50', '5.75']],
  ['null', ['10.00', '5.00']],
])('a choice takes the commission back with its VAT, of which there may be none: %s', (vat, commission) => {
  const line = `{"variantId": "v", "quantity": 2, "lineTotal": 100.00, "lineGoodsVatAmount": 15.00,
    "partnerCommission": 10.00, "lineCommissionVatAmount": ${vat}}`
  const order = parseJson(`{"lines": [${line}]}`) as OrderRead
  const notice = {line: {variantId: 'v', orderedQuantity: 2, availableQuantity: 1}, desk: {}} as InboxItem
  const costs = costsOf(notice, order) ?? []
  expect(costs.map(({refund}) => refund)).toEqual(['115.00', '57.50'])
  expect(costs.map(({commissionBack}) => commissionBack)).toEqual(commission)
})
