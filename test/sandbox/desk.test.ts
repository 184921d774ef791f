import {afterEach, describe, expect, test} from 'vitest'
import {noticesIn} from '../../src/desk/notices/facts.ts'
import {judge} from '../../src/desk/signature/judge.ts'
import {schemes} from '../../src/desk/signature/schemes.ts'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {type Seen, serve, type TestServer} from '../support/server.ts'
import type {Sandbox} from '../support/types.ts'
import {callerOf, control, variantOf} from './caller.ts'

// What receivers of deliveries are tried against: the forms that the spec leaves open, events of any kind, and a clock.

let sandbox: Sandbox
let receiver: TestServer & {seen: Seen[]}

async function open(assume: string[] = []) {
  receiver = await serve((_, response) => response.writeHead(200).end())
  sandbox = await createSandbox({limits: false, assume})
  const caller = callerOf(sandbox)
  const subscribe = async (eventTypes: string[]) =>
    (await caller.ask('POST', '/scent/webhooks', {body: {url: receiver.url, eventTypes}})).payload
  return {caller, subscribe}
}

afterEach(async () => {
  await sandbox.close()
  await receiver.close()
})

describe('the body of a notice', () => {
  test.each([
    ['nested', true],
    ['flat', true],
    ['id-only', false],
  ])('H04=%s is found by a receiver', async (form, isWhole) => {
    const {caller, subscribe} = await open([`H04=${form}`])
    await subscribe(['notice.raised'])
    const {payload} = await caller.filled('PO-1', {[variantOf(sandbox, 'RML-SAF-050')]: 2})
    const order = await caller.order('PO-1', payload.lockId, 'PO-1')
    const raised = await control(sandbox, 'POST', `orders/${order.payload.id}/notices`, {
      lineId: 'RML-SAF-050',
      availableQuantity: 1,
    })
    await sandbox.state.deliverer.settled()
    const body = JSON.parse(receiver.seen[0]?.body ?? '')
    const {notices} = noticesIn(body, body.eventType)
    const {id, responseDeadlineAt} = raised.payload.notice
    expect(notices).toMatchObject([{id, fields: isWhole ? {responseDeadlineAt} : {}}])
    expect(notices[0]?.fields.scentOrderId).toBe(body.data.orderId)
  })
})

describe('the form of a signature', () => {
  test.each([
    ['v1', 'default'],
    ['plain', 'default'],
    ['standard', 'standard'],
    ['stripe', 'stripe'],
    ['body-only', 'github'],
  ])('H05=%s is the scheme %s', async (form, name) => {
    const {subscribe} = await open([`H05=${form}`])
    const {signingSecret} = await subscribe(['order.completed'])
    await control(sandbox, 'POST', 'events', {type: 'order.completed', data: {n: 1}})
    await sandbox.state.deliverer.settled()
    const [seen] = receiver.seen
    const headers = Object.entries(seen?.headers ?? {}) as [string, string][]
    const scheme = schemes.find((one) => one.name === name)
    const arrived = {headers, body: Buffer.from(seen?.body ?? '')}
    const judging = {secrets: [signingSecret], scheme, tolerance: 300, now: Date.now()}
    expect(judge(arrived, judging)).toMatchObject({trust: 'verified'})
    expect(judge(arrived, {...judging, secrets: ['whsec_b3RoZXI=']})).toMatchObject({trust: 'refused'})
  })
})

test('an event of any type goes to those that have it, or to the one that is named', async () => {
  const {subscribe} = await open()
  await subscribe(['order.completed'])
  const {id} = await subscribe(['order.failed'])
  const some = await control(sandbox, 'POST', 'events', {type: 'order.completed'})
  expect(some.payload).toMatchObject({deliveries: 1, event: {eventType: 'order.completed'}})
  const named = await control(sandbox, 'POST', 'events', {type: 'something.new', webhook: id, data: {a: 1}})
  expect(named.payload).toMatchObject({deliveries: 1})
  const none = await control(sandbox, 'POST', 'events', {type: 'something.new'})
  expect(none.payload).toEqual({event: null, deliveries: 0})
  await sandbox.state.deliverer.settled()
  expect(receiver.seen.map(({body}) => JSON.parse(body).eventType)).toEqual([
    'order.completed',
    'something.new',
  ])
})

test('answers carry the time of the sandbox, also after its clock was moved', async () => {
  await open()
  await control(sandbox, 'POST', 'clock', {advanceSeconds: 3 * 86_400})
  const {headers} = await callerOf(sandbox).ask('GET', '/scent/variants')
  expect(Math.abs(Date.parse(headers.date ?? '') - Date.now() - 3 * 86_400_000)).toBeLessThan(60_000)
})
