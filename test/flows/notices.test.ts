import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {isFailure} from '../../src/contract/failure.ts'
import {respond} from '../../src/flows/notices.ts'
import {failureOf} from '../support/failure.ts'
import {losses, openShop, type Shop} from '../support/shop.ts'

let shop: Shop
beforeEach(async () => {
  shop = await openShop()
})
afterEach(() => shop.close())

const notices = () =>
  shop.sandbox.state.world.all<{id: string; status: string; choice: string | null}>('SELECT * FROM notices')
const open = () => notices().find(({status}) => status === 'AwaitingPartnerResponse')?.id ?? ''
const refunds = async () =>
  (await shop.ledger()).filter(({referenceType}) => referenceType === 'Refund').length
const operation = 'respondToNotice'

describe('a response', () => {
  test.each(losses.filter(({when}) => when === 'before'))(
    'lost by $effect before it ran is sent again',
    async (fault) => {
      const id = open()
      shop.fault({...fault, match: {operation}, times: 1})
      expect(await respond(shop.client, id, 'ShipAvailable')).toMatchObject({id, status: 'Resolved'})
      expect(await refunds()).toBe(1)
    },
  )

  test.each(losses.filter(({when}) => when === 'after'))(
    'whose answer is lost by $effect is sent again, and says that nobody knows who closed the notice',
    async (fault) => {
      const id = open()
      shop.fault({...fault, match: {operation}, times: 1})
      const failure = await failureOf(respond(shop.client, id, 'CancelWhole', 'order-1'))
      expect(failure).toMatchObject({
        code: 'OUTCOME_UNKNOWN',
        exitCode: 12,
        message: expect.stringContaining('This CancelWhole may have closed it'),
        cause: {code: 'BUSINESS_NOTICE_NOT_AWAITING_RESPONSE'},
      })
      expect(isFailure(failure) && failure.hint).toContain('`scent orders get order-1`')
      expect(notices()).toMatchObject([{status: 'Resolved', choice: 'CancelWhole'}])
      expect(await refunds()).toBe(1)
    },
  )

  test('that races the deadline after a lost answer is unknown as well', async () => {
    const id = open()
    shop.fault({effect: 'reset', when: 'before', match: {operation}, times: 1})
    shop.fault({effect: 'race', match: {operation}, times: 1})
    const failure = await failureOf(respond(shop.client, id, 'CancelWhole'))
    expect(failure).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      cause: {code: 'CONFLICT_NOTICE_ALREADY_RESOLVED'},
    })
  })

  test('to a notice that was closed before is a plain refusal', async () => {
    const id = open()
    await respond(shop.client, id, 'CancelWhole')
    const failure = await failureOf(respond(shop.client, id, 'CancelWhole'))
    expect(failure).toMatchObject({code: 'BUSINESS_NOTICE_NOT_AWAITING_RESPONSE', exitCode: 7})
  })
})
