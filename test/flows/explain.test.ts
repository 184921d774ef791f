import {describe, expect, test} from 'vitest'
import {api} from '../../src/contract/api.ts'
import {catalogue} from '../../src/contract/errors.ts'
import {fieldsOf} from '../../src/contract/fields.ts'
import type {Operation} from '../../src/contract/operation.ts'
import {type Explained, explain} from '../../src/flows/explain.ts'

const codesOf = (explained: Explained) =>
  explained.kind === 'codes' ? explained.codes.map(({state}) => state) : explained.kind
const namesOf = (explained: Explained) => {
  if (explained.kind === 'operation') return explained.operation.operation
  return explained.kind === 'operations'
    ? explained.operations.map(({operation}) => operation)
    : explained.kind
}

describe('explaining an error', () => {
  test.each([
    ['its code, in any case', 'rate_limited', ['RATE_LIMITED']],
    ['a part of it', 'LOCK_EXPIRED', ['VALIDATION_PRICE_LOCK_EXPIRED']],
    ['a part of it, as it is said', 'price lock expired', ['VALIDATION_PRICE_LOCK_EXPIRED']],
    ['the reason of an order that failed', 'INSUFFICIENT_WALLET_BALANCE', ['INSUFFICIENT_WALLET_BALANCE']],
    ['the issue of a line', 'not_priced', ['NOT_PRICED']],
    ['an HTTP status', '429', ['RATE_LIMITED']],
    ['an exit code', '12', ['OUTCOME_UNKNOWN', 'ROWS_UNKNOWN', 'TEST_UNSEEN', 'INBOX_BLIND', 'OPEN_ORDER']],
  ])('by %s', async (_, asked, states) => expect(codesOf(await explain(asked))).toEqual(states))

  test.each(Object.keys(catalogue))('%s', async (code) =>
    expect(codesOf(await explain(code))).toEqual([code]),
  )
})

describe('explaining an operation', () => {
  test.each([
    ['its name', 'createorder', 'createOrder'],
    ['a method and a path', 'post scent/orders', 'createOrder'],
    ['a path that it alone has', '/scent/orders/{orderId}/tracking', 'trackOrder'],
    ['a whole path with values in it', 'GET /api/v1/scent/cart/C-1', 'readCart'],
    ['a path whose word is not a value', 'POST scent/cart/notify/42', 'notifyBackInStock'],
  ])('by %s', async (_, asked, name) => expect(namesOf(await explain(asked))).toBe(name))

  test('by a path that several have lists them', async () => {
    expect(namesOf(await explain('scent/cart/C-1/items/42'))).toEqual([
      'setCartItem',
      'stepCartItem',
      'removeCartItem',
    ])
  })

  test.each(Object.entries(api) as [string, Operation][])(
    '%s tells what a lost answer leads to',
    async (name, operation) => {
      const explained = await explain(name)
      if (explained.kind !== 'operation') throw new Error(explained.kind)
      const {afterLostAnswer, refusals} = explained.operation
      expect(afterLostAnswer).not.toBe('')
      expect(operation.lost === undefined).toBe(operation.repeat === 'freely')
      expect(refusals.map(({state}) => state)).toEqual(operation.fails)
    },
  )

  test('tells what it sends, wherever it goes', () => {
    const rules = (operation: Operation) =>
      fieldsOf(operation).map(
        (field) => `${field.in} ${field.name}${field.required ? '' : '?'}: ${field.rule}`,
      )
    expect(rules(api.createReturn)).toEqual([
      'path orderId: a UUID',
      'body fulfillmentGroupId: a UUID',
      'body lines: a list of objects; not empty',
      'body lines[].scentOrderLineId: a UUID',
      'body lines[].allocationId?: a UUID',
      'body lines[].quantity: a whole number; 1 or more',
      'body lines[].reasonCode: text; not empty',
    ])
    expect(rules(api.listVariants)).toContain('query id?: a UUID; may be given more than once')
    expect(rules(api.createOrder)).toContain('body shippingAddress.line2?: text')
    expect(rules(api.updateDiscountCode)).toContain('body totalUsageCap: a whole number, or null')
  })

  test.each(Object.entries(api) as [string, Operation][])(
    '%s has a rule for each of its fields',
    (_, operation) => {
      for (const {rule} of fieldsOf(operation)) expect(rule).not.toMatch(/any value|undefined|^$/)
    },
  )
})

test.each([
  ['nothing that is known', 'nonsense', 'lists all'],
  ['a misspelt code', 'RATE_LIMITD', 'RATE_LIMITED'],
  ['a misspelt operation', 'createOrdr', 'createOrder'],
  ['a path with another method', 'PUT scent/orders', 'createOrder'],
])('%s is refused, with what may have been meant', async (_, asked, hint) => {
  await expect(explain(asked)).rejects.toThrow(
    expect.objectContaining({code: 'INVALID_INPUT', hint: expect.stringContaining(hint)}),
  )
})
