import * as z from 'zod/mini'
import type {Operation} from './operation.ts'
import {pageOf, pageQuery} from './paging.ts'
import {mentioned, oneOf, shown, timestamp, toned, uuid} from './wire.ts'

/** A dotted lowercase value. not shown: the list; order.completed is the one that appears. */
const eventType = z.string().check(z.minLength(1))

export const subscription = z.looseObject({
  id: uuid,
  url: shown(z.string()),
  eventTypes: shown(z.array(z.string())),
  isActive: shown(z.boolean()),
  lastDeliveryAt: shown(timestamp),
  // not shown: other values
  lastDeliveryStatus: shown(
    toned(oneOf('Success', 'DeadLettered'), {good: ['Success'], warn: ['Failed'], bad: ['DeadLettered']}),
  ),
  createdAt: shown(timestamp),
})
export type Subscription = z.output<typeof subscription>

const errorSummaries = ['Timeout', 'Connection failed', 'Destination rejected', 'Delivery failed'] as const

export const delivery = z.looseObject({
  id: shown(uuid),
  eventType: shown(z.string()),
  eventId: shown(z.string()),
  attemptNumber: shown(z.int()),
  httpStatus: shown(z.int()),
  sentAt: shown(timestamp),
  succeeded: shown(z.boolean()),
  errorSummary: shown(oneOf(...errorSummaries)),
  deadLetteredAt: shown(timestamp),
  nextAttemptAt: shown(timestamp),
})
export type Delivery = z.output<typeof delivery>

/** Names the service sets itself, whatever their case. */
const reservedHeaders = [
  'Content-Type',
  'Host',
  'Content-Length',
  'X-Service-Signature',
  'X-Service-Timestamp',
] as const

const headerLimits = {entries: 10, name: 128, value: 2048} as const

const reserved = new Set(reservedHeaders.map((name) => name.toLowerCase()))

/**
 * Custom delivery headers (spec, Update webhook subscription). A map replaces the whole set, an empty one clears it. It
 * passes as it came: a record of zod would lose a header named __proto__.
 */
const deliveryHeaders = Object.assign(
  z
    .custom<Record<string, string>>(
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
      'must be an object',
    )
    .check(({value: headers, issues}) => {
      const fault = (message: string, path: string[]) =>
        issues.push({code: 'custom', message, path, input: headers})
      const entries = Object.entries<unknown>(headers)
      if (entries.length > headerLimits.entries) fault('may hold at most 10 headers', [])
      for (const [name, value] of entries) {
        const message = faultOfName(name) ?? faultOfValue(value)
        if (message !== undefined) fault(message, [name])
      }
    }),
  {
    json: {
      type: 'object',
      maxProperties: headerLimits.entries,
      additionalProperties: {type: 'string', maxLength: headerLimits.value},
    },
  },
)

function faultOfName(name: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return 'must have a name that is a header name'
  if (name.length > headerLimits.name) return `must have a name of at most ${headerLimits.name} characters`
  return reserved.has(name.toLowerCase()) ? 'is a reserved header' : undefined
}

function faultOfValue(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be text'
  if (value.length > headerLimits.value) return `must have at most ${headerLimits.value} characters`
  return /[\r\n]/.test(value) ? 'must not hold CR or LF' : undefined
}

const webhookUrl = z.string().check(z.minLength(1))

// not shown: path, body and answer of the create, which exists by reference; and how the signing secret is told.
export const createWebhook = {
  summary: 'Subscribe a URL to event types.',
  method: 'POST',
  path: '/api/v1/scent/webhooks',
  auth: 'bearer',
  repeat: 'never',
  lost: 'No route lists subscriptions, so the answer stays unknown.',
  body: z.strictObject({
    url: webhookUrl,
    eventTypes: z.array(eventType).check(z.minLength(1)),
    headers: z.optional(deliveryHeaders),
  }),
  payload: mentioned(subscription),
  fails: ['VALIDATION_ERRORS', 'VALIDATION_WEBHOOK_URL_UNSAFE', 'BUSINESS_WEBHOOK_SUBSCRIPTION_LIMIT'],
} as const satisfies Operation

export const updateWebhook = {
  summary: 'Change a subscription; what is left out stays as it is.',
  method: 'PUT',
  path: '/api/v1/scent/webhooks/{webhookId}',
  auth: 'bearer',
  repeat: 'freely',
  body: z.strictObject({
    url: z.optional(webhookUrl),
    eventTypes: z.optional(z.array(eventType)),
    headers: z.optional(z.nullable(deliveryHeaders)),
  }),
  payload: subscription,
  fails: ['VALIDATION_ERRORS', 'VALIDATION_WEBHOOK_URL_UNSAFE', 'NOT_FOUND_WEBHOOK_SUBSCRIPTION'],
} as const satisfies Operation

/** The one webhook path without /scent: that is how the spec prints it. */
export const setWebhookActive = {
  summary: 'Activate or deactivate a subscription.',
  method: 'PATCH',
  path: '/api/v1/webhooks/{webhookId}/active',
  auth: 'bearer',
  repeat: 'freely',
  body: z.strictObject({isActive: z.boolean()}),
  payload: z.looseObject({id: shown(uuid), isActive: shown(z.boolean())}),
  fails: ['VALIDATION_ERRORS', 'NOT_FOUND_WEBHOOK_SUBSCRIPTION', 'BUSINESS_WEBHOOK_SUBSCRIPTION_LIMIT'],
} as const satisfies Operation

export const listDeliveries = {
  summary: 'List the deliveries of a subscription; they are kept for 30 days.',
  method: 'GET',
  path: '/api/v1/scent/webhooks/{webhookId}/deliveries',
  auth: 'bearer',
  repeat: 'freely',
  query: pageQuery,
  payload: pageOf(delivery),
  fails: ['NOT_FOUND_WEBHOOK_SUBSCRIPTION'],
} as const satisfies Operation

export const testWebhook = {
  summary: 'Send a real signed delivery of a subscribed event type.',
  method: 'POST',
  path: '/api/v1/scent/webhooks/{webhookId}/test-fire',
  auth: 'bearer',
  repeat: 'never',
  lost: 'Each one is a delivery: the list of deliveries shows whether it was made.',
  body: z.strictObject({eventType}),
  payload: delivery,
  fails: [
    'VALIDATION_ERRORS',
    'VALIDATION_WEBHOOK_EVENT_TYPE_NOT_SUBSCRIBED',
    'NOT_FOUND_WEBHOOK_SUBSCRIPTION',
  ],
} as const satisfies Operation
