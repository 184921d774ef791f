import type {Client} from '../../client/client.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import {type Subscription, setWebhookActive} from '../../contract/webhooks.ts'
import {changeSubscription, subscribe} from '../../flows/webhooks.ts'
import {webhookRecords} from '../../store/webhooks.ts'
import type {Desk} from '../desk.ts'
import {readSegments, segmentsOf} from '../receipts/read.ts'
import {keptSecret, saveWebhookSecret} from '../receipts/secrets.ts'

export interface Own {
  id: string
  secrets: string[]
  /** Deactivates it, so that the service does not send to a listener that is gone. */
  release(): Promise<void>
}

/**
 * Takes up this machine's own subscription, or makes one: after a crash the same is taken up again, so that the limit of 5
 * is never used up. Its secret is told once, and kept where the profile keeps its own; where there is no such place, the next
 * run makes another one in its place.
 */
export async function ownSubscription(
  desk: Desk,
  client: Client,
  url: string,
  eventTypes: string[],
): Promise<Own> {
  const records = webhookRecords(desk.folders, desk.identity)
  const note = (shown: Partial<Subscription> & {id: string}) =>
    records.note({...shown, own: true}, new Date().toISOString())
  const switchTo = async (id: string, isActive: boolean) => {
    await client.call(setWebhookActive, {params: {webhookId: id}, body: {isActive}})
    await note({id, isActive})
  }
  const release = (id: string) => () =>
    switchTo(id, false).catch((error: unknown) => {
      // The next --subscribe takes it up, whatever it is now.
      if (!isFailure(error)) throw error
    })
  const before = (await records.all()).findLast(({own}) => own)
  if (before) requireFree(desk, before.id)
  const secret = before && (await keptSecret(desk, before.id))
  const taken = before && secret && (await takeUp(client, before.id, {url, eventTypes}))
  if (before && secret && taken) {
    await note({...taken, url, eventTypes})
    await switchTo(before.id, true)
    return {id: before.id, secrets: [secret], release: release(before.id)}
  }
  // Without its secret the earlier one is of no use, and would take a place.
  if (before) await release(before.id)()
  const made = await subscribe(client, {url, eventTypes})
  const told = (made as {signingSecret?: unknown}).signingSecret
  await note(made)
  if (typeof told !== 'string' || told === '')
    throw new Failure('ODD_ANSWER', {
      message: `The service made subscription ${made.id}, and did not tell its signing secret.`,
      hint: `Ask the account manager for it, then: \`scent webhooks listen --subscription ${made.id} --secret-stdin\`.`,
    })
  await saveWebhookSecret(desk, made.id, told)
  return {id: made.id, secrets: [told], release: release(made.id)}
}

/** Fails with BUSY if a listener of this machine serves it: its deliveries would come here, and end when this one ends. */
function requireFree({folders, identity}: Desk, id: string): void {
  const running = segmentsOf(folders, identity).filter(({held}) => held)
  for (const {record} of readSegments(running, identity))
    if (record.kind === 'opened' && record.subscription === id)
      throw new Failure('BUSY', {
        message: `Another listener of this machine, on port ${record.port}, serves this machine's own subscription.`,
        hint: '`scent webhooks events` and `scent notices inbox` show what it receives; stop it to listen here.',
        effect: 'none',
      })
}

/** Brings it up to date. Undefined if the service does not know it any more. */
async function takeUp(
  client: Client,
  id: string,
  body: {url: string; eventTypes: string[]},
): Promise<Subscription | undefined> {
  try {
    return await changeSubscription(client, id, body)
  } catch (error) {
    if (isFailure(error, 'NOT_FOUND_WEBHOOK_SUBSCRIPTION')) return undefined
    throw error
  }
}
