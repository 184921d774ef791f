import {join} from 'node:path'
import * as z from 'zod/mini'
import {journal} from './journal.ts'
import {type Folders, type Identity, recordsFolder} from './paths.ts'

/** A subscription as an answer showed it: the API has no list of them. Its headers and secret are not kept. */
const seen = z.object({
  at: z.string(),
  id: z.string(),
  url: z.nullable(z.string()),
  eventTypes: z.nullable(z.array(z.string())),
  isActive: z.nullable(z.boolean()),
  createdAt: z.nullable(z.string()),
})
export type SeenSubscription = z.output<typeof seen>

export interface WebhookRecords {
  /**
   * Keeps what an answer told at the time `at`; a field in another shape than expected is left out. An answer that
   * tells nothing but that the subscription exists is kept where that is new.
   */
  note(subscription: {id: string; [field: string]: unknown}, at: string): Promise<void>
  /** The newest state of each, in the order in which they were first seen. */
  all(): Promise<SeenSubscription[]>
}

/** The subscriptions that this identity has created or touched from this machine. */
export function webhookRecords(folders: Folders, identity: Identity): WebhookRecords {
  const {origin, clientId, onBehalfOf} = identity
  const file = journal({
    path: join(recordsFolder(folders, identity), 'webhooks.ndjson'),
    header: {journal: 'webhooks', version: 1, origin, clientId, onBehalfOf},
    record: seen,
  })
  const read = async () => {
    const found = new Map<string, SeenSubscription>()
    for await (const record of file.records()) {
      const key = record.id.toLowerCase()
      const before = found.get(key)
      found.set(key, before ? merged(before, record) : record)
    }
    return found
  }
  return {
    async note(subscription, at) {
      const {at: _, id, ...told} = seenAs(subscription, at)
      const isNews = Object.values(told).some((value) => value !== null)
      if (isNews || !(await read()).has(id.toLowerCase())) await file.append({at, id, ...told})
    },
    all: async () => [...(await read()).values()],
  }
}

/** What a later answer did not tell stays as it was known. */
function merged(before: SeenSubscription, now: SeenSubscription): SeenSubscription {
  const known = Object.entries(now).filter(([, value]) => value !== null)
  return {...before, ...Object.fromEntries(known)}
}

function seenAs(told: {id: string; [field: string]: unknown}, at: string): SeenSubscription {
  const nothing = {url: null, eventTypes: null, isActive: null, createdAt: null}
  const fields = Object.entries(nothing).map(([field, none]) => {
    const fits = seen.shape[field as keyof typeof nothing].safeParse(told[field])
    return [field, fits.success ? fits.data : none]
  })
  return {at, id: told.id, ...nothing, ...Object.fromEntries(fields)}
}
