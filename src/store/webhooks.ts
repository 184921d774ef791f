import * as z from 'zod/mini'
import {recordsJournal} from './journal.ts'
import type {Folders, Identity} from './paths.ts'

/** A subscription as an answer showed it: the API has no list of them. Its headers and secret are not kept. */
const seen = z.object({
  at: z.string(),
  id: z.string(),
  url: z.nullable(z.string()),
  eventTypes: z.nullable(z.array(z.string())),
  isActive: z.nullable(z.boolean()),
  /** How the newest delivery ended. */
  lastDeliveryStatus: z.optional(z.nullable(z.string())),
  createdAt: z.nullable(z.string()),
  /** Whether it is this machine's own: that of `webhooks listen --subscribe`. */
  own: z.optional(z.boolean()),
})
type SeenSubscription = z.output<typeof seen>

export interface WebhookRecords {
  /**
   * Keeps what an answer showed at the time `at`; a field in an unexpected shape is left out. An answer with nothing
   * but the id is kept only if the subscription is new.
   */
  note(subscription: {id: string; [field: string]: unknown}, at: string): Promise<void>
  /** The newest state of each, in the order in which they were first seen. */
  all(): Promise<SeenSubscription[]>
  /** What was seen of the URL of each, by its id in small letters: when it was seen first, and when another was. */
  urls(): Map<string, {url: string; from: number}[]>
  /** Since when each that is active has been, as far as answers showed it; by its id in small letters. */
  activeSince(): Map<string, number>
}

/** The subscriptions that this identity has created or touched from this machine. */
export function webhookRecords(folders: Folders, identity: Identity): WebhookRecords {
  const file = recordsJournal(folders, identity, 'webhooks', seen)
  const read = () => {
    const found = new Map<string, SeenSubscription>()
    for (const record of file.records()) {
      const key = record.id.toLowerCase()
      const before = found.get(key)
      found.set(key, before ? merged(before, record) : record)
    }
    return found
  }
  return {
    async note(subscription, at) {
      const {at: _, id, ...fields} = seenAs(subscription, at)
      const isNews = Object.values(fields).some((value) => value !== null)
      const own = subscription.own === true ? {own: true} : {}
      if (isNews || !read().has(id.toLowerCase())) await file.append({at, id, ...fields, ...own})
    },
    all: async () => [...read().values()],
    urls() {
      const found = new Map<string, {url: string; from: number}[]>()
      for (const {id, url, at} of file.records()) {
        const urls = found.get(id.toLowerCase()) ?? []
        if (url !== null && urls.at(-1)?.url !== url) urls.push({url, from: Date.parse(at)})
        found.set(id.toLowerCase(), urls)
      }
      return found
    },
    activeSince() {
      const found = new Map<string, number>()
      for (const {id, isActive, at} of file.records()) {
        const key = id.toLowerCase()
        if (isActive === false) found.delete(key)
        else if (isActive && !found.has(key)) found.set(key, Date.parse(at))
      }
      return found
    },
  }
}

/** Fields that a later answer does not show keep their value. */
function merged(before: SeenSubscription, now: SeenSubscription): SeenSubscription {
  const known = Object.entries(now).filter(([, value]) => value !== null)
  return {...before, ...Object.fromEntries(known)}
}

function seenAs(shown: {id: string; [field: string]: unknown}, at: string): SeenSubscription {
  const nothing = {url: null, eventTypes: null, isActive: null, lastDeliveryStatus: null, createdAt: null}
  const fields = Object.entries(nothing).map(([field, none]) => {
    const fits = seen.shape[field as keyof typeof nothing].safeParse(shown[field])
    return [field, fits.success ? fits.data : none]
  })
  return {at, id: shown.id, ...nothing, ...Object.fromEntries(fields)}
}
