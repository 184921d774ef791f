import {expect, test} from 'vitest'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {callerOf, control} from './caller.ts'

test('the detail of an order can be hidden for any reason, and brought back', async () => {
  const sandbox = await createSandbox()
  const caller = callerOf(sandbox)
  const [order] = (await control(sandbox, 'GET', 'state')).payload.orders
  const read = async () => (await caller.ask('GET', `/scent/orders/${order.id}`)).payload
  await control(sandbox, 'POST', `orders/${order.id}/detail`, {reason: 'ARCHIVED_ELSEWHERE'})
  expect(await read()).toMatchObject({scentDetail: null, detailUnavailableReason: 'ARCHIVED_ELSEWHERE'})
  await control(sandbox, 'POST', `orders/${order.id}/detail`, {reason: null})
  expect(await read()).toMatchObject({scentDetail: {id: order.id}, detailUnavailableReason: null})
  await sandbox.close()
})
