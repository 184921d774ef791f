import {afterEach, beforeEach, expect, test} from 'vitest'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {type Seen, serve, type TestServer} from '../support/server.ts'
import type {Sandbox} from '../support/types.ts'
import {callerOf, control, variantOf} from './caller.ts'

let sandbox: Sandbox
let receiver: TestServer & {seen: Seen[]}

beforeEach(async () => {
  sandbox = await createSandbox({limits: false})
  receiver = await serve((_, response) => response.writeHead(200).end())
})
afterEach(async () => {
  await sandbox.close()
  await receiver.close()
})

const subscribe = (eventType: string) =>
  callerOf(sandbox).ask('POST', '/scent/webhooks', {body: {url: receiver.url, eventTypes: [eventType]}})
const told = async () => {
  await sandbox.state.deliverer.settled()
  return receiver.seen.map(({body}) => JSON.parse(body))
}

test('a statement is told with the id that reads it', async () => {
  await subscribe('statement.generated')
  await control(sandbox, 'POST', 'clock', {advanceSeconds: 31 * 86_400})
  const [event] = await told()
  expect(event).toMatchObject({
    eventType: 'statement.generated',
    partnerId: sandbox.credentials[0]?.partnerId,
  })
  const {payload} = await callerOf(sandbox).ask('GET', `/statements/${event.data.statementId}`)
  expect(payload).toMatchObject({statementNumber: event.data.statementNumber, periodTo: event.data.periodTo})
})

test('an issued commission period is told to its own partner, once', async () => {
  await subscribe('commission.issued')
  const query = 'status=Provisional'
  const {items} = (await callerOf(sandbox).ask('GET', '/commission-periods', {query})).payload
  const to = new Date(Date.parse(items[0].issueDate) + 86_400_000).toISOString()
  await control(sandbox, 'POST', 'clock', {to})
  expect((await told()).map(({data}) => data.commissionPeriodId)).toEqual([items[0].id])
})

test('whoever registered for a variant is told once when it is back', async () => {
  await subscribe('variant.back_in_stock')
  const registered = await callerOf(sandbox).ask(
    'POST',
    `/scent/cart/notify/${variantOf(sandbox, 'NJD-LEA-100')}`,
  )
  for (const stock of [5, 0, 5]) {
    await control(sandbox, 'PATCH', 'variants/NJD-LEA-100', {stock})
  }
  const events = await told()
  expect(events).toMatchObject([
    {data: {registrationId: registered.payload.id, variantId: registered.payload.variantId}},
  ])
})
