import type {Delivery, Subscription} from '../../contract/webhooks.ts'
import {badge, joined, time} from '../cells.ts'
import type {Card} from '../output.ts'
import type {Column} from '../table.ts'
import type {Tone} from '../text.ts'

const tones: Record<string, Tone> = {Success: 'good', DeadLettered: 'bad', Failed: 'warn'}

/** A subscription, and the signing secret where the service tells one (not shown: whether and how it does). */
export function subscriptionCard(one: Subscription): Card<Subscription> {
  const secret = (one as {signingSecret?: unknown}).signingSecret
  return {
    rows: [one],
    upright: true,
    columns: [
      {key: 'id', header: 'Webhook', get: ({id}) => id},
      {key: 'url', header: 'URL', get: ({url}) => url},
      {key: 'events', header: 'Events', get: ({eventTypes}) => joined(eventTypes)},
      {key: 'active', header: 'Active', get: ({isActive}) => isActive},
      {key: 'last', header: 'Last delivery', get: ({lastDeliveryAt}) => time(lastDeliveryAt)},
      {
        key: 'last-status',
        header: 'Its result',
        get: ({lastDeliveryStatus}) => badge(lastDeliveryStatus, tones),
      },
      {key: 'created', header: 'Created', get: ({createdAt}) => time(createdAt)},
      ...(typeof secret === 'string'
        ? [{key: 'secret', header: 'Signing secret', whole: true as const, get: () => secret}]
        : []),
    ],
  }
}

/** Columns of delivery attempts. */
export const deliveryColumns: Column<Delivery>[] = [
  {key: 'sent', header: 'Sent', get: ({sentAt}) => time(sentAt)},
  {key: 'event', header: 'Event', get: ({eventType}) => eventType},
  {key: 'attempt', header: 'Try', get: ({attemptNumber}) => attemptNumber},
  {
    key: 'result',
    header: 'Result',
    get: ({succeeded, errorSummary}) =>
      succeeded
        ? badge('Delivered', {Delivered: 'good'})
        : badge(errorSummary ?? 'Failed', {[errorSummary ?? 'Failed']: 'bad'}),
  },
  {key: 'status', header: 'HTTP', get: ({httpStatus}) => httpStatus},
  {key: 'next', header: 'Next try', yields: true, get: ({nextAttemptAt}) => time(nextAttemptAt)},
  {key: 'dead', header: 'Given up', yields: true, get: ({deadLetteredAt}) => time(deadLetteredAt)},
  {key: 'event-id', header: 'Event id', yields: true, get: ({eventId}) => eventId},
  {key: 'id', header: 'Delivery', shown: 'asked', get: ({id}) => id},
]

export interface Switched {
  id?: string | null | undefined
  isActive?: boolean | null | undefined
}

export function activeCard(one: Switched): Card<Switched> {
  return {
    rows: [one],
    upright: true,
    columns: [
      {key: 'id', header: 'Webhook', get: ({id}) => id},
      {key: 'active', header: 'Active', get: ({isActive}) => isActive},
    ],
  }
}
