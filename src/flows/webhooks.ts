import type {Client} from '../client/client.ts'
import {isFailure} from '../contract/failure.ts'
import {millis} from '../contract/forms.ts'
import type {Body} from '../contract/operation.ts'
import {
  createWebhook,
  type Delivery,
  listDeliveries,
  type Subscription,
  testWebhook,
  updateWebhook,
} from '../contract/webhooks.ts'
import {reworded} from './lost.ts'
import {explainUrl, type Lookup} from './webhook-url.ts'

/** Subscribes once; `addressesOf` helps to say what is wrong with a URL. A lost answer stays unknown: the API has no list, and shows a signing secret nowhere else. */
export function subscribe(
  client: Client,
  body: Body<typeof createWebhook>,
  addressesOf?: Lookup,
): Promise<Subscription> {
  return client
    .call(createWebhook, {body})
    .catch((error: unknown) => explainUrl(error, body.url, addressesOf))
    .catch((error: unknown) =>
      lost(error, {
        message: 'The subscription may exist: its answer, with its id, was lost.',
        hint: 'The API has no list to look it up in. One that exists takes one of the 5 places and sends to the URL; create another, or ask the account manager to remove it.',
      }),
    )
}

/** Changes what is given. */
export const changeSubscription = (
  client: Client,
  webhookId: string,
  body: Body<typeof updateWebhook>,
  addressesOf?: Lookup,
): Promise<Subscription> =>
  client
    .call(updateWebhook, {params: {webhookId}, body})
    .catch((error: unknown) => explainUrl(error, body.url, addressesOf))

/** Fires a test once: a second request would be a second delivery. */
export function fireTest(client: Client, webhookId: string, eventType: string): Promise<Delivery> {
  return client.call(testWebhook, {params: {webhookId}, body: {eventType}}).catch((error: unknown) =>
    lost(error, {
      message: 'The delivery may have been sent: the answer about it was lost.',
      hint: `See what was sent: \`scent webhooks deliveries ${webhookId}\`.`,
    }),
  )
}

function lost(error: unknown, words: {message: string; hint: string}): never {
  throw isFailure(error, 'OUTCOME_UNKNOWN') ? reworded(error, words) : error
}

/** Passes rows on, and runs `first` once the service has answered, with or without a row. */
export async function* answered<Row>(
  rows: AsyncIterable<Row>,
  first: () => Promise<void>,
): AsyncGenerator<Row> {
  let isFirst = true
  for await (const row of rows) {
    if (isFirst) await first()
    isFirst = false
    yield row
  }
  if (isFirst) await first()
}

/** The deliveries that fit, at most `limit` of them. The API can't filter them. */
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

/** How many earlier attempts watching shows at first. */
const BEFORE = 10
/** How many attempts it remembers, so as not to show them twice. */
const KNOWN = 5000

/**
 * The last ten attempts of a subscription, then each new one as it comes, oldest first, until the signal is aborted.
 * Each look costs a request.
 */
export async function* watchDeliveries(
  client: Client,
  webhookId: string,
  {sleep, signal, everyMs}: Watching,
): AsyncGenerator<Delivery> {
  const known = new Set<string>()
  for (let first = true; !signal.aborted; first = false) {
    const fresh = await freshOnes(client, webhookId, known, signal)
    for (const one of fresh) known.add(keyOf(one))
    for (const key of known) {
      if (known.size <= KNOWN) break
      known.delete(key)
    }
    yield* first ? fresh.slice(-BEFORE) : fresh
    await sleep(everyMs, signal)
  }
}

interface Watching {
  /** Ends early when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  signal: AbortSignal
  everyMs: number
}

/** Names an attempt in its present state: one that changes, such as by being given up, is shown again. */
const keyOf = ({id, eventId, attemptNumber, succeeded, deadLetteredAt}: Delivery) =>
  [id, eventId, attemptNumber, succeeded, deadLetteredAt].map(String).join('\n')

/**
 * The attempts that are not known yet, oldest first. not shown: the order of the list. If it is newest first, it is
 * read up to the first known attempt, otherwise to its end.
 */
async function freshOnes(
  client: Client,
  webhookId: string,
  known: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Delivery[]> {
  const fresh: Delivery[] = []
  let last: Delivery | undefined
  let rising = false
  const pages = client.pages(listDeliveries, {params: {webhookId}, query: {pageSize: 100}}, {signal})
  try {
    for await (const one of pages) {
      const isSecond = last !== undefined
      rising ||= last !== undefined && momentOf(one) > momentOf(last)
      last = one
      const isKnown = known.has(keyOf(one))
      // The order shows from the second row on.
      if (isKnown && isSecond && !rising) break
      if (!isKnown) fresh.push(one)
      // The first look shows the newest attempts only.
      if (known.size === 0 && !rising && fresh.length >= 100) break
    }
  } catch (error) {
    if (!isFailure(error, 'INTERRUPTED')) throw error
    return []
  }
  return fresh.sort((a, b) => momentOf(a) - momentOf(b))
}

/** Milliseconds of the service's clock; 0 if it does not tell. */
export const momentOf = (one: Pick<Delivery, 'sentAt'> | null | undefined): number =>
  millis(String(one?.sentAt)) || 0

/**
 * The attempts that were made at that time or later. not shown: the order of the list. If it is newest first, it is read as
 * far back as that, else to its end. One that was late may stand among newer ones: two that are older end it. `since`
 * is asked anew each time, since the answers tell the service's clock.
 */
export async function* deliveriesSince(
  client: Client,
  webhookId: string,
  since: () => number,
  pageSize = 100,
): AsyncGenerator<Delivery> {
  let last = Number.POSITIVE_INFINITY
  let isRising = false
  let older = 0
  const input = {params: {webhookId}, query: {pageSize}}
  for await (const one of client.pages(listDeliveries, input, {onlyShown: true})) {
    const at = momentOf(one)
    isRising ||= at > last
    last = at
    if (at >= since()) yield one
    else older += 1
    if (older > 1 && !isRising) return
  }
}
