import type {Client} from '../client/client.ts'
import {Failure, isFailure} from '../contract/failure.ts'
import type {Body} from '../contract/operation.ts'
import {createWebhook, type Delivery, type Subscription, testWebhook} from '../contract/webhooks.ts'

/** Subscribes, once. A lost answer stays unknown: the API has no list, and tells a signing secret in no other place. */
export function subscribe(client: Client, body: Body<typeof createWebhook>): Promise<Subscription> {
  return client.call(createWebhook, {body}).catch((error: unknown) =>
    lost(error, {
      message: 'The subscription may exist: its answer, with its id, was lost.',
      hint: 'The API has no list to look it up in. One that exists takes one of the 5 places and sends to the URL; create another, or ask the account manager to remove it.',
    }),
  )
}

/** Fires a test, once: a second request would be a second delivery. */
export function fireTest(client: Client, webhookId: string, eventType: string): Promise<Delivery> {
  return client.call(testWebhook, {params: {webhookId}, body: {eventType}}).catch((error: unknown) =>
    lost(error, {
      message: 'The delivery may have been sent: the answer about it was lost.',
      hint: `See what was sent: \`scent webhooks deliveries ${webhookId}\`.`,
    }),
  )
}

function lost(error: unknown, told: {message: string; hint: string}): never {
  if (!isFailure(error, 'OUTCOME_UNKNOWN')) throw error
  throw new Failure('OUTCOME_UNKNOWN', {...error.facts, ...told}, {cause: error.cause})
}

/** The deliveries that fit, at most `limit` of them; the API has no filter for it. */
export async function* chosenDeliveries(
  all: AsyncIterable<Delivery>,
  fits: (delivery: Delivery) => boolean,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<Delivery> {
  let left = limit
  for await (const delivery of all) {
    if (!fits(delivery)) continue
    yield delivery
    left -= 1
    if (left <= 0) return
  }
}
