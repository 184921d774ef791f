import {type Delivery, delivery, type Subscription, subscription} from '../../contract/webhooks.ts'
import {badge, bare, type Cell, pretty, shortId, typeText} from '../cells.ts'
import {columns, localColumns} from '../columns.ts'
import {type Card, card} from '../table.ts'

/** A subscription, and the signing secret if the service tells it (not shown: whether and how it does). */
export function subscriptionCard(one: Subscription): Card<Subscription> {
  const {signingSecret} = one as {signingSecret?: unknown}
  const secret = typeof signingSecret === 'string' ? '; signingSecret Signing secret' : ''
  const lines = `id Webhook; url URL; eventTypes Events; isActive Active; lastDeliveryAt Last delivery;
    lastDeliveryStatus Its result; createdAt Created${secret}`
  return card(one, columns(subscription, lines, {signingSecret: () => signingSecret as Cell}))
}

function resultOf({succeeded, errorSummary}: Delivery): Cell {
  if (succeeded === true) return badge('Delivered', {Delivered: 'good'})
  const reason = errorSummary ?? (succeeded === false ? 'Failed' : succeeded)
  return reason ? badge(pretty(bare(reason)), {[pretty(bare(reason))]: 'bad'}) : null
}

/** Columns of delivery attempts. */
export const deliveryColumns = columns(
  delivery,
  `sentAt Sent; eventType Event; attemptNumber Try; succeeded! Result; errorSummary+; httpStatus HTTP;
    nextAttemptAt- Next try; deadLetteredAt- Given up; eventId- Event id; id? Delivery`,
  {
    succeeded: resultOf,
    eventType: ({eventType}) => typeText(eventType),
    eventId: ({eventId}) => shortId(eventId),
  },
)

export interface Switched {
  id?: string | null | undefined
  isActive?: boolean | null | undefined
}

export const activeCard = (one: Switched): Card<Switched> =>
  card(one, localColumns<Switched>('id Webhook; isActive Active'))

/** Columns of the local record of subscriptions. Each other command of webhooks takes the whole id. */
export const seenColumns = localColumns<object>(
  'id! Webhook; url! URL; eventTypes- Events; isActive Active; at- As of',
)
