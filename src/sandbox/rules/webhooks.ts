import {randomBytes} from 'node:crypto'
import {
  Afterwards,
  type Call,
  type CallOf,
  Created,
  type FieldRules,
  type Judging,
  type Rules,
} from '../core/call.ts'
import {count, find, insertAndRead, update} from '../core/rows.ts'
import {type Attempt, type Subscription, subscriptions} from '../core/schema.ts'
import type {World} from '../core/world.ts'
import {type FieldFault, faultsOfTexts} from '../door/body.ts'
import {pageOfRows} from '../door/page.ts'
import {invalid, refuse} from '../door/reply.ts'
import {iso, isoOrNull} from '../time/clock.ts'
import {eventOf, eventTypes, keepEvent, queueDelivery} from './events.ts'
import {faultsOfUrl} from './url-guard.ts'

/** Active subscriptions of a partner (spec, Limits). */
const activeLimit = 5
export const keptFor = 30 * 86_400_000

type SettingsCall = Judging<'createWebhook'> | Judging<'updateWebhook'>

/** The types, the headers, and the URL, whose judgement takes time. */
async function faultsOfSettings(call: SettingsCall): Promise<FieldFault[]> {
  const {url, eventTypes: types, headers} = call.body
  const named = [...faultsOfTexts({url}), ...faultsOfTypes(types), ...faultsOfHeaders(headers ?? {})]
  const isNew = url !== undefined && !named.some(({name}) => name === 'url') && !isUnchanged(call, url)
  return isNew ? [...named, ...(await faultsOfUrl(url, call.state))] : named
}

const allowed = {allowedValues: {eventTypes}}

/** H16: an empty list, or a type that does not exist. */
function faultsOfTypes(types?: readonly (string | undefined)[]): FieldFault[] {
  if (types?.length === 0) return [{name: 'eventTypes', message: 'must name an event type', more: allowed}]
  const unknown = (types ?? []).flatMap((type, i) =>
    type === undefined || eventTypes.some((known) => known === type) ? [] : [`eventTypes[${i}]`],
  )
  return unknown.map((name) => ({name, message: 'is not an event type', more: allowed}))
}

/** H20: names are unique whatever their case, values are visible ASCII. */
function faultsOfHeaders(headers: Readonly<Record<string, string>>): FieldFault[] {
  const seen = new Set<string>()
  return Object.entries(headers).flatMap(([header, value]) => {
    const name = `headers.${header}`
    if (seen.has(header.toLowerCase())) return [{name, message: 'is named twice'}]
    seen.add(header.toLowerCase())
    return /^[\x20-\x7e\t]*$/.test(value) ? [] : [{name, message: 'must be visible ASCII'}]
  })
}

export const fieldRules = {
  createWebhook: faultsOfSettings,
  updateWebhook: faultsOfSettings,
} satisfies FieldRules

function isUnchanged({world, params}: SettingsCall, url: string): boolean {
  if (!('webhookId' in params)) return false
  return find(world, subscriptions, {id: params.webhookId.toLowerCase()})?.url === url
}

/** H01. not shown: the route, and how a partner learns the signing secret. This answer tells it, once. */
function createWebhook({world, partner, body, now}: CallOf<'createWebhook'>): Created {
  refuseSixth(world, partner.id)
  const secret = newSecret()
  const row = insertAndRead(world, subscriptions, {
    id: world.id('subscription'),
    partner_id: partner.id,
    url: body.url,
    event_types: JSON.stringify([...new Set(body.eventTypes)]),
    headers: JSON.stringify(body.headers ?? {}),
    secret,
    created_at: now,
  })
  const payload = {...subscriptionPayload(row), signingSecret: secret}
  return new Created(payload, `/api/v1/scent/webhooks/${row.id}`)
}

export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64url')}`

/** H15: counted whenever a subscription becomes active. */
function refuseSixth(world: World, partnerId: string): void {
  if (count(world, 'FROM subscriptions WHERE partner_id = ? AND active', partnerId) >= activeLimit)
    refuse('BUSINESS_WEBHOOK_SUBSCRIPTION_LIMIT')
}

/**
 * A field that is left out stays; headers are replaced as a whole, and stay if they are null. H18: a URL or a list of
 * types that is null makes the body invalid.
 */
function updateWebhook(call: CallOf<'updateWebhook'>): object {
  const {world, body} = call
  const row = ownSubscription(call)
  const types = body.eventTypes
  update(
    world,
    subscriptions,
    {id: row.id},
    {
      url: body.url,
      event_types: types && JSON.stringify([...new Set(types)]),
      headers: body.headers ? JSON.stringify(body.headers) : undefined,
    },
  )
  return subscriptionPayload(ownSubscription(call))
}

/** H13: a pause drops what was still to be sent. H22: setting what it is already is fine. */
function setWebhookActive(call: CallOf<'setWebhookActive'>): object {
  const {world, partner, body} = call
  const row = ownSubscription(call)
  if (body.isActive && !row.active) refuseSixth(world, partner.id)
  world.run('UPDATE subscriptions SET active = ? WHERE id = ?', body.isActive ? 1 : 0, row.id)
  if (!body.isActive) dropPending(world, row.id)
  return {id: row.id, isActive: body.isActive}
}

function dropPending(world: World, subscriptionId: string): void {
  world.run(
    `UPDATE attempts SET next_at = NULL WHERE subscription_id = ? AND next_at =
     (SELECT due_at FROM deliveries d WHERE d.n = attempts.delivery_n)`,
    subscriptionId,
  )
  const sql = 'UPDATE deliveries SET due_at = NULL WHERE subscription_id = ? AND due_at IS NOT NULL'
  world.run(sql, subscriptionId)
}

/** H12: newest first. Kept for 30 days. */
function listDeliveries(call: CallOf<'listDeliveries'>): object {
  const from = 'FROM attempts WHERE subscription_id = ? AND sent_at > ? AND NOT hidden'
  const values = [ownSubscription(call).id, call.now - keptFor]
  return pageOfRows(call, {from, values, order: 'n DESC', ends: true}, attemptPayload)
}

/** H17: a delivery of its own, of a subscribed type, whether the subscription is active or not. */
function testWebhook(call: CallOf<'testWebhook'>): Afterwards {
  const {state, world, partner, body, now} = call
  const row = ownSubscription(call)
  const type = eventTypes.find((known) => known === body.eventType)
  if (type === undefined || !(JSON.parse(row.event_types) as string[]).includes(type))
    invalid({eventType: ['is not subscribed']}, 'VALIDATION_WEBHOOK_EVENT_TYPE_NOT_SUBSCRIBED')
  const subject = `test-fire ${world.next('test-fire')}`
  const event = eventOf({type, partnerId: partner.id, subject, data: {test: true}, at: now})
  keepEvent(world, event, now)
  const delivery = queueDelivery(world, row.id, event.eventId, now)
  return new Afterwards(async () => attemptPayload(await state.deliverer.fire(delivery)))
}

function ownSubscription({
  world,
  partner,
  params,
}: Pick<Call, 'world' | 'partner'> & {params: {webhookId: string}}) {
  const row = find(world, subscriptions, {id: params.webhookId.toLowerCase(), partner_id: partner.id})
  return row ?? refuse('NOT_FOUND_WEBHOOK_SUBSCRIPTION')
}

/** H19: headers are never told again; they may hold secrets. */
export function subscriptionPayload(row: Subscription): object {
  return {
    id: row.id,
    url: row.url,
    eventTypes: JSON.parse(row.event_types) as string[],
    isActive: row.active === 1,
    lastDeliveryAt: isoOrNull(row.last_delivery_at),
    lastDeliveryStatus: row.last_delivery_status,
    createdAt: iso(row.created_at),
  }
}

export function attemptPayload(row: Attempt): object {
  return {
    id: row.id,
    eventType: row.event_type,
    eventId: row.event_id,
    attemptNumber: row.attempt,
    httpStatus: row.http_status,
    sentAt: iso(row.sent_at),
    succeeded: row.succeeded === 1,
    errorSummary: row.error,
    deadLetteredAt: isoOrNull(row.dead_at),
    nextAttemptAt: isoOrNull(row.next_at),
  }
}

export const rules = {
  createWebhook,
  updateWebhook,
  setWebhookActive,
  listDeliveries,
  testWebhook,
} satisfies Rules
