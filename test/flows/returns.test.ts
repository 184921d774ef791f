import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {isFailure} from '../../src/contract/failure.ts'
import {listReturns, type ReturnBody} from '../../src/contract/returns.ts'
import {readReturnable, requestReturn, withdraw} from '../../src/flows/returns.ts'
import {failureOf} from '../support/failure.ts'
import {losses, openShop, type Shop} from '../support/shop.ts'

let shop: Shop
beforeEach(async () => {
  shop = await openShop()
})
afterEach(() => shop.close())

/** An order of the demo data that was delivered five days ago. */
const delivered = async () => {
  const {world} = shop.sandbox.state
  const id = world.get<{id: string}>("SELECT id FROM orders WHERE external_reference = 'HIST-0002'")?.id ?? ''
  const {groups, lines} = await readReturnable(shop.client, id)
  return {id, group: groups[0]?.id ?? '', lines}
}

async function asked(quantities: number[] = [1]): Promise<{orderId: string; body: ReturnBody}> {
  const {id, group, lines} = await delivered()
  const wanted = quantities.map((quantity, at) => ({
    scentOrderLineId: lines[at]?.lineId ?? '',
    quantity,
    reasonCode: 'Damaged',
  }))
  return {orderId: id, body: {fulfillmentGroupId: group, lines: wanted}}
}

const all = async () => (await shop.client.call(listReturns, {query: {pageSize: 100}})).items
const operate = (id: string, step: string) =>
  shop.sandbox.send({
    method: 'POST',
    url: `http://127.0.0.1:1/__sandbox/v1/returns/${id}/${step}`,
    headers: {authorization: `Bearer ${shop.sandbox.adminToken}`},
  })

describe('requesting a return', () => {
  test.each(losses)('an answer lost by $effect $when the commit leaves one request', async (fault) => {
    const {orderId, body} = await asked([1, 2])
    shop.fault({...fault, match: {operation: 'createReturn'}, times: 1})
    const request = await requestReturn(shop.client, orderId, body)
    expect(await all()).toMatchObject([{id: request.id, status: 'Requested'}])
  })

  test('of all that is left is found in the list too, though the service says that it is too much', async () => {
    const {orderId, body} = await asked([2])
    shop.fault({effect: 'reset', when: 'after', match: {operation: 'createReturn'}, times: 1})
    const request = await requestReturn(shop.client, orderId, body)
    expect(await all()).toMatchObject([{id: request.id, lines: [{quantity: 2}]}])
  })

  test('whose every answer is lost is found in the list', async () => {
    const {orderId, body} = await asked()
    shop.fault({effect: 'reset', when: 'after', match: {operation: 'createReturn'}, times: 9})
    expect((await requestReturn(shop.client, orderId, body)).status).toBe('Requested')
    expect(await all()).toHaveLength(1)
  })

  test('that never arrived and never will is unknown, and says where to look', async () => {
    const {orderId, body} = await asked()
    shop.fault({effect: 'reset', when: 'before', match: {operation: 'createReturn'}, times: 9})
    const failure = await failureOf(requestReturn(shop.client, orderId, body))
    expect(failure).toMatchObject({code: 'OUTCOME_UNKNOWN', exitCode: 12})
    expect(isFailure(failure) && failure.hint).toContain(`scent returns list --order ${orderId}`)
    expect(await all()).toEqual([])
  })

  test.each([
    ['createReturn', 'FORBIDDEN'],
    ['createReturn', 'RATE_LIMITED'],
    ['listOrderReturns', 'FORBIDDEN'],
  ])('that was lost stays unknown where %s then answers %s', async (operation, state) => {
    const {orderId, body} = await asked()
    shop.fault({effect: 'reset', when: 'before', match: {operation: 'createReturn'}, times: 1})
    if (operation !== 'createReturn')
      shop.fault({effect: 'reset', when: 'before', match: {operation: 'createReturn'}, times: 1})
    shop.fault({effect: 'status', state, retryAfter: 900, match: {operation}})
    const failure = await failureOf(requestReturn(shop.client, orderId, body))
    expect(failure).toMatchObject({code: 'OUTCOME_UNKNOWN', exitCode: 12})
  })

  test('does not take an older request with other lines for its own', async () => {
    const {orderId, body} = await asked([1])
    await requestReturn(shop.client, orderId, body)
    shop.fault({effect: 'reset', when: 'before', match: {operation: 'createReturn'}, times: 1})
    const [line] = body.lines
    if (!line) throw new Error('no line')
    const other = {...body, lines: [{...line, quantity: 2}]}
    const failure = await failureOf(requestReturn(shop.client, orderId, other))
    expect(failure).toMatchObject({code: 'BUSINESS_RETURN_REQUEST_EXCEEDS_REMAINING'})
    expect(await all()).toHaveLength(1)
  })

  test('does not take an older request for the same lines, decided meanwhile, for its own', async () => {
    const {orderId, body} = await asked([2])
    await requestReturn(shop.client, orderId, body)
    shop.sandbox.state.world.run("UPDATE returns SET status = 'Accepted'")
    shop.fault({effect: 'reset', when: 'after', match: {operation: 'createReturn'}, times: 1})
    const failure = await failureOf(requestReturn(shop.client, orderId, body))
    expect(failure).toMatchObject({code: 'BUSINESS_RETURN_REQUEST_EXCEEDS_REMAINING'})
    expect(await all()).toHaveLength(1)
  })

  test('that the service refuses is refused, and asked once', async () => {
    const {orderId, body} = await asked([99])
    shop.requests.length = 0
    const failure = await failureOf(requestReturn(shop.client, orderId, body))
    expect(failure).toMatchObject({code: 'BUSINESS_RETURN_REQUEST_EXCEEDS_REMAINING'})
    expect(shop.requests).toEqual([`POST /api/v1/scent/orders/${orderId}/return-requests`])
  })
})

describe('the path of the request', () => {
  test('is the plural one', async () => {
    const {orderId, body} = await asked()
    shop.requests.length = 0
    await requestReturn(shop.client, orderId, body)
    expect(shop.requests).toEqual([`POST /api/v1/scent/orders/${orderId}/return-requests`])
  })

  test.each(losses)(
    'is the singular one if the plural has no route, and a lost answer leaves one request ($effect, $when)',
    async (fault) => {
      await shop.close()
      shop = await openShop({assume: ['R07=singular']})
      const {orderId, body} = await asked()
      shop.fault({...fault, match: {operation: 'createReturnSingular'}, times: 1})
      const request = await requestReturn(shop.client, orderId, body)
      expect(request.status).toBe('Pending')
      expect(await all()).toMatchObject([{id: request.id}])
    },
  )
})

describe('withdrawing a request', () => {
  const requested = async () => {
    const {orderId, body} = await asked()
    return (await requestReturn(shop.client, orderId, body)).id
  }

  test.each(losses)('an answer lost by $effect $when the commit still withdraws it', async (fault) => {
    const id = await requested()
    shop.fault({...fault, match: {operation: 'withdrawReturn'}, times: 1})
    expect(await withdraw(shop.client, id)).toMatchObject({id, status: 'Withdrawn'})
    expect(await all()).toMatchObject([{id, status: 'Withdrawn'}])
  })

  test('that has been accepted meanwhile is refused, whatever was lost before', async () => {
    const id = await requested()
    await operate(id, 'accept')
    shop.fault({effect: 'reset', when: 'before', match: {operation: 'withdrawReturn'}, times: 1})
    const failure = await failureOf(withdraw(shop.client, id))
    expect(failure).toMatchObject({code: 'BUSINESS_RETURN_REQUEST_NOT_PENDING'})
  })
})

test('a service without withdrawal is told as that, and not as a wrong host', async () => {
  const singular = await openShop({assume: ['R07=singular']})
  const failure = await failureOf(withdraw(singular.client, '6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43'))
  expect(failure).toMatchObject({code: 'NOT_FOUND_ROUTE', exitCode: 5})
  expect(String((failure as Error).message)).toContain('no withdrawal under the plural path')
  expect((failure as {facts: {hint: string}}).facts.hint).not.toContain('base URL')
  await singular.close()
})

describe('what can be returned', () => {
  test('is what was ordered, less what is asked for already', async () => {
    const {orderId, body} = await asked([1, 3])
    const before = (await delivered()).lines.map(({ordered, remaining}) => [ordered, remaining])
    expect(before).toEqual([
      [2, 2],
      [3, 3],
    ])
    const {id} = await requestReturn(shop.client, orderId, body)
    const [{returnRequestNumber = ''} = {}] = await all()
    const now = (await delivered()).lines.map(({taken, remaining, open}) => [taken, remaining, open])
    expect(now).toEqual([
      [1, 0, returnRequestNumber],
      [3, 0, returnRequestNumber],
    ])
    await withdraw(shop.client, id)
    expect((await delivered()).lines.map(({remaining}) => remaining)).toEqual([2, 3])
  })

  test('is what is left of a line once its request is accepted', async () => {
    const {orderId, body} = await asked([1])
    const {id} = await requestReturn(shop.client, orderId, body)
    await operate(id, 'accept')
    expect((await delivered()).lines.map(({remaining, open}) => [remaining, open])).toEqual([
      [1, null],
      [3, null],
    ])
  })

  test('leaves out groups that are still on their way', async () => {
    const order = await shop.order('PO-1')
    expect((await readReturnable(shop.client, order.id)).groups).toEqual([])
  })
})
