import {listReturns} from '../../src/contract/returns.ts'
import {eventTypes as known} from '../../src/sandbox/rules/events.ts'
import type {Sandbox} from '../support/types.ts'
import {type Answer, type callerOf, control} from './caller.ts'
import type {Case} from './read-refusals.ts'

const nobody = '00000000-0000-4000-8000-000000000000'

/** An order of the demo data by its reference, with its first group and line. */
export function historic(sandbox: Sandbox, reference: string): {id: string; group: string; lines: string[]} {
  const {world} = sandbox.state
  const sql = `SELECT o.id, g.id AS "group" FROM orders o JOIN groups g ON g.order_id = o.id
    WHERE o.external_reference = ?`
  const order = world.get<{id: string; group: string}>(sql, reference)
  if (order === undefined) throw new Error(`the demo data has no ${reference}`)
  const rows = world.all<{id: string}>(
    'SELECT id FROM order_lines WHERE order_id = ? ORDER BY position',
    order.id,
  )
  return {...order, lines: rows.map(({id}) => id)}
}

/** The refusals of returns, notices and webhooks. */
export function eventCases(at: () => {sandbox: Sandbox; caller: ReturnType<typeof callerOf>}): Case[] {
  return [...returnCases(at), ...noticeCases(at), ...webhookCases(at)]
}

type At = Parameters<typeof eventCases>[0]

function returnCases(at: At): Case[] {
  const ask: ReturnType<typeof callerOf>['ask'] = (...request) => at().caller.ask(...request)
  const create =
    (change: object = {}, line: object = {}, reference = 'HIST-0002') =>
    (): Promise<Answer> => {
      const order = historic(at().sandbox, reference)
      const lines = [{scentOrderLineId: order.lines[0], quantity: 1, reasonCode: 'Damaged', ...line}]
      const body = {fulfillmentGroupId: order.group, lines, ...change}
      return ask('POST', `/scent/orders/${order.id}/return-requests`, {body})
    }
  const after = (first: () => Promise<Answer>, second: (answer: Answer) => Promise<Answer>) => async () =>
    second(await first())
  const of = 'createReturn'
  return [
    {of, code: 'VALIDATION_ERRORS', provoke: create({lines: []})},
    {
      of,
      code: 'VALIDATION_INVALID_REASON_CODE',
      provoke: create({}, {reasonCode: 'Bored'}),
      details: () => ({
        errors: {'lines[0].reasonCode': ['is not a reason code']},
        allowedValues: {reasonCode: ['Damaged']},
      }),
    },
    {
      of,
      code: 'NOT_FOUND_SCENT_ORDER',
      provoke: () => {
        const lines = [{scentOrderLineId: nobody, quantity: 1, reasonCode: 'Damaged'}]
        const body = {fulfillmentGroupId: nobody, lines}
        return ask('POST', '/scent/orders/x/return-requests', {body})
      },
    },
    {
      of,
      code: 'NOT_FOUND_FULFILLMENT_GROUP',
      provoke: () => create({fulfillmentGroupId: historic(at().sandbox, 'HIST-0001').group})(),
    },
    {
      of,
      code: 'NOT_FOUND_ORDER_LINE',
      provoke: () => create({}, {scentOrderLineId: historic(at().sandbox, 'HIST-0001').lines[0]})(),
    },
    {
      of,
      code: 'BUSINESS_RETURN_REQUEST_GROUP_NOT_DELIVERED',
      provoke: create({}, {quantity: 99}, 'HIST-0003'),
    },
    {
      of,
      code: 'BUSINESS_RETURN_REQUEST_WINDOW_EXPIRED',
      provoke: create({}, {}, 'HIST-0001'),
      details: () => ({windowDays: 14}),
    },
    {
      of,
      code: 'BUSINESS_RETURN_REQUEST_EXCEEDS_REMAINING',
      provoke: create({}, {quantity: 99}, 'HIST-0001'),
    },
    {of, code: 'BUSINESS_RETURN_REQUEST_DUPLICATE_LINE', provoke: after(create(), create())},
    {
      of: 'listOrderReturns',
      code: 'NOT_FOUND_SCENT_ORDER',
      provoke: () => ask('GET', `/scent/orders/${nobody}/return-requests`),
    },
    {
      of: 'listReturns',
      code: 'VALIDATION_INVALID_RETURN_STATUS',
      provoke: () => ask('GET', '/scent/return-requests', {query: 'status=requested'}),
      details: () => ({
        errors: {status: ['must be one of the allowed values']},
        allowedValues: {status: [...listReturns.query.status.values]},
      }),
    },
    {
      of: 'withdrawReturn',
      code: 'NOT_FOUND_RETURN_REQUEST',
      provoke: () => ask('PATCH', `/scent/return-requests/${nobody}/withdraw`),
    },
    {
      of: 'withdrawReturn',
      code: 'BUSINESS_RETURN_REQUEST_NOT_PENDING',
      provoke: after(create(), async ({payload}) => {
        await control(at().sandbox, 'POST', `returns/${payload.id}/accept`)
        return ask('PATCH', `/scent/return-requests/${payload.id}/withdraw`)
      }),
    },
  ]
}

function noticeCases(at: At): Case[] {
  const respond = (id: string, choice = 'CancelWhole') =>
    at().caller.ask('PATCH', `/scent/unfulfillable-notices/${id}/respond`, {body: {choice}})
  const open = () =>
    at().sandbox.state.world.get<{id: string}>(
      "SELECT id FROM notices WHERE status = 'AwaitingPartnerResponse'",
    )?.id ?? ''
  const of = 'respondToNotice'
  return [
    {of, code: 'VALIDATION_ERRORS', provoke: () => respond(open(), 'Perhaps')},
    {of, code: 'NOT_FOUND_UNFULFILLABLE_NOTICE', provoke: () => respond(nobody)},
    {
      of,
      code: 'BUSINESS_NOTICE_NOT_AWAITING_RESPONSE',
      provoke: async () => {
        const id = open()
        await respond(id)
        return respond(id)
      },
    },
    {
      of,
      code: 'CONFLICT_NOTICE_ALREADY_RESOLVED',
      provoke: async () => {
        const id = open()
        await control(at().sandbox, 'POST', 'faults', {match: {operation: of}, effect: 'race', times: 1})
        return respond(id)
      },
    },
  ]
}

function webhookCases(at: At): Case[] {
  const ask: ReturnType<typeof callerOf>['ask'] = (...request) => at().caller.ask(...request)
  const url = 'http://127.0.0.1:9/hook'
  const eventTypes = ['order.completed']
  const create = (change: object = {}) => ask('POST', '/scent/webhooks', {body: {url, eventTypes, ...change}})
  const put = (id: string, body: object) => ask('PUT', `/scent/webhooks/${id}`, {body})
  const activate = (id: string, body: object) => ask('PATCH', `/webhooks/${id}/active`, {body})
  const fire = (id: string, eventType?: string) =>
    ask('POST', `/scent/webhooks/${id}/test-fire`, {body: {eventType}})
  const made = async () => (await create()).payload.id as string
  const many = async () => {
    const first = await made()
    await activate(first, {isActive: false})
    for (let i = 0; i < 5; i++) await create()
    return first
  }
  const unknown = 'NOT_FOUND_WEBHOOK_SUBSCRIPTION'
  return [
    {
      of: 'createWebhook',
      code: 'VALIDATION_ERRORS',
      provoke: () => create({eventTypes: ['nothing']}),
      details: () => ({
        errors: {'eventTypes[0]': ['is not an event type']},
        allowedValues: {eventTypes: known},
      }),
    },
    {
      of: 'createWebhook',
      code: 'VALIDATION_WEBHOOK_URL_UNSAFE',
      provoke: () => create({url: 'https://10.0.0.1/'}),
      details: () => ({errors: {url: ['must not lead to a private address']}, reason: 'PRIVATE_ADDRESS'}),
    },
    {
      of: 'createWebhook',
      code: 'BUSINESS_WEBHOOK_SUBSCRIPTION_LIMIT',
      provoke: async () => {
        await many()
        return create()
      },
    },
    {
      of: 'updateWebhook',
      code: 'VALIDATION_ERRORS',
      provoke: async () => put(await made(), {headers: {A: 'ü'}}),
      details: () => ({errors: {'headers.A': ['must be visible ASCII']}}),
    },
    {
      of: 'updateWebhook',
      code: 'VALIDATION_WEBHOOK_URL_UNSAFE',
      provoke: async () => put(await made(), {url: 'relative'}),
      details: () => ({errors: {url: ['must be an absolute https URL']}, reason: 'NOT_ABSOLUTE_HTTPS'}),
    },
    {of: 'updateWebhook', code: unknown, provoke: () => put(nobody, {})},
    {of: 'setWebhookActive', code: 'VALIDATION_ERRORS', provoke: async () => activate(await made(), {})},
    {of: 'setWebhookActive', code: unknown, provoke: () => activate('x', {isActive: true})},
    {
      of: 'setWebhookActive',
      code: 'BUSINESS_WEBHOOK_SUBSCRIPTION_LIMIT',
      provoke: async () => activate(await many(), {isActive: true}),
    },
    {of: 'listDeliveries', code: unknown, provoke: () => ask('GET', `/scent/webhooks/${nobody}/deliveries`)},
    {of: 'testWebhook', code: 'VALIDATION_ERRORS', provoke: async () => fire(await made())},
    {
      of: 'testWebhook',
      code: 'VALIDATION_WEBHOOK_EVENT_TYPE_NOT_SUBSCRIBED',
      provoke: async () => fire(await made(), 'order.failed'),
      details: () => ({errors: {eventType: ['is not subscribed']}}),
    },
    {of: 'testWebhook', code: unknown, provoke: () => fire(nobody, 'order.completed')},
  ]
}
