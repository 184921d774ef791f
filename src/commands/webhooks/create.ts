import * as Flags from '@oclif/core/flags'
import {addressesOf} from '../../client/addresses.ts'
import {ScentCommand} from '../../command.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import {printJson} from '../../contract/money.ts'
import type {Subscription} from '../../contract/webhooks.ts'
import {urlNote} from '../../flows/webhook-url.ts'
import {subscribe} from '../../flows/webhooks.ts'
import type {Session} from '../../session.ts'
import {apiFlags, needed, type OutputFlags} from '../../terminal/flags.ts'
import {nextText} from '../../terminal/next.ts'
import {subscriptionCard} from '../../terminal/views/webhooks.ts'
import {headersOf, webhookFlags} from '../../terminal/webhook-flags.ts'

export default class WebhooksCreate extends ScentCommand {
  static override summary = 'Subscribe a URL to event types.'
  static override description =
    'Needs --url and at least one --event. The URL must be https and public; the sandbox takes one of this machine too, unless it is --strict. At most 5 subscriptions may be active. If the answer holds a signing secret, it is shown this once, and kept only with --save-secret; --query or --columns that would hide it are refused. Sent once: after a lost answer there is no list to look it up in.'
  static override examples = [
    '<%= config.bin %> webhooks create --url https://hooks.example.com/scent --event order.completed',
    '<%= config.bin %> webhooks create --url https://hooks.example.com/scent --event order.completed --header X-Team=ops --json',
    '<%= config.bin %> webhooks create --url https://hooks.example.com/scent --event order.completed --save-secret --query id',
  ]
  static override flags = {
    ...apiFlags,
    ...webhookFlags,
    url: needed(webhookFlags.url),
    event: needed(webhookFlags.event),
    'save-secret': Flags.boolean({
      summary:
        'Keep the signing secret where the profile keeps its own, such as the keychain, and leave it out of the table.',
    }),
  }

  async run(): Promise<Subscription> {
    const {flags} = await this.parse(WebhooksCreate)
    const headers = headersOf(flags.header)
    if (!flags['save-secret']) await requireShown(flags)
    const session = await this.session(flags)
    const keep = flags['save-secret'] ? await secretsOf(session) : undefined
    const body = {url: flags.url, eventTypes: flags.event, ...(headers && {headers})}
    const created = await subscribe(session.client, body, addressesOf)
    // Without its id nothing can be kept of it.
    if (typeof created?.id === 'string') await session.sawWebhook(created)
    const note = urlNote(flags.url)
    if (note) this.note(note)
    const {signingSecret} = (created ?? {}) as {signingSecret?: unknown}
    const isKept = keep !== undefined && (await this.keepSecret(keep, created?.id, signingSecret))
    if (!isKept && signingSecret !== undefined) this.note('Keep the signing secret: it is shown this once.')
    const shown = isKept ? {...created, signingSecret: undefined} : created
    await this.showAnswer(shown, (one) => [subscriptionCard(one)])
    this.aside(nextText('webhooks', 'test', created?.id, '--event', flags.event[0]))
    return created
  }

  /** Whether the secret is kept. If it can't be, it is written out at once, whatever else is printed. */
  private async keepSecret(keep: Keep, id: unknown, secret: unknown): Promise<boolean> {
    if (typeof secret !== 'string') this.note('The answer holds no signing secret to keep.')
    if (typeof secret !== 'string' || typeof id !== 'string') return false
    try {
      await keep(id, secret)
      this.note('The signing secret is kept where this profile keeps its own.')
      return true
    } catch (error) {
      if (!isFailure(error)) throw error
      this.note(`The signing secret could not be kept: ${error.message} It is ${secret}`)
      return false
    }
  }
}

type Keep = (webhookId: string, secret: string) => Promise<void>

async function secretsOf({folders, settings, identity}: Session): Promise<Keep> {
  const {openWebhookSecrets} = await import('../../store/credentials.ts')
  return openWebhookSecrets(folders, settings, identity)
}

/** not shown: how the service tells the signing secret. This is the sandbox's way. */
const sample = {
  ...{id: 'the id', url: 'https://hooks.example.com/scent', eventTypes: ['order.completed'], isActive: true},
  ...{createdAt: '2026-01-02T03:04:05Z', signingSecret: 'the secret'},
}

/** Fails with INVALID_INPUT, before anything is sent, if what is printed would not hold the signing secret. */
async function requireShown({query, columns}: Partial<OutputFlags>): Promise<void> {
  const {openQuery} = await import('../../terminal/query/query.ts')
  const isQueried = query === undefined || printJson(openQuery(query)(sample)).includes(sample.signingSecret)
  const isColumn =
    query !== undefined || columns === undefined || /(^|,)\s*signingSecret\s*(,|$)/.test(columns)
  if (isQueried && isColumn) return
  const [flag, way] = isQueried ? ['--columns', ', or name signingSecret among the columns'] : ['--query', '']
  throw new Failure('INVALID_INPUT', {
    message: `${flag} would hide the signing secret, which the service tells once. Nothing was sent.`,
    hint: `Add --save-secret, which keeps it where this profile keeps its own${way}.`,
    effect: 'none',
  })
}
