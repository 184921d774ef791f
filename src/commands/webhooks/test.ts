import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import type {Delivery} from '../../contract/webhooks.ts'
import type {RoundTrip} from '../../desk/deliveries/round-trip.ts'
import {fireTest} from '../../flows/webhooks.ts'
import type {Session} from '../../session.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {secondsFlag} from '../../terminal/times.ts'
import {deliveryColumns} from '../../terminal/views/webhooks.ts'

export default class WebhooksTest extends ScentCommand {
  static override shows = async (flags: {wait?: number}) =>
    flags.wait === undefined
      ? deliveryColumns
      : (await import('../../desk/screens/round-trip.ts')).roundTripCard({} as never, {} as never).columns
  static override summary = 'Send a real signed delivery of an event type to a subscription.'
  static override description =
    `It goes the way of a real event: signed, delivered and retried. Sent once: a repeat would be a second delivery. Without --event a terminal offers the types that the subscription is known to hold.

--wait looks for it on both sides, in the service's records and among what \`webhooks listen\` receives here, and gives one verdict: round-trip, delivered-elsewhere or here-not-recorded (exit 0), refused (6), no-answer or retrying (10), nothing (12).`
  static override examples = [
    '<%= config.bin %> webhooks test aff5afa7-c6bd-4c04-b245-89e6b7e40128 --event order.completed',
    '<%= config.bin %> webhooks test aff5afa7-c6bd-4c04-b245-89e6b7e40128 --event order.completed --wait 2s',
  ]
  static override args = {id: Args.string({description: 'Webhook id, a UUID.', required: true})}
  static override flags = {
    ...apiFlags,
    event: Flags.string({summary: 'Event type the subscription holds; needed.', helpValue: 'TYPE'}),
    wait: secondsFlag({
      summary: 'Wait up to this long until it has come, and say what became of it.',
      min: 1,
    }),
  }

  async run(): Promise<Delivery | RoundTrip> {
    const {args, flags} = await this.parse(WebhooksTest)
    const session = await this.session(flags)
    const type = flags.event ?? (await this.askType(session, args.id))
    const delivery = await fireTest(session.client, args.id, type)
    await session.sawWebhook({id: args.id})
    if (flags.wait !== undefined) return this.waited(session, args.id, delivery, flags.wait * 1_000)
    this.show({rows: [delivery], upright: true, columns: deliveryColumns})
    return delivery
  }

  /** One of the types that the local record knows of the subscription. */
  private async askType(session: Session, id: string): Promise<string> {
    const types = (await knownAs(session, id))?.eventTypes ?? []
    const ask = await this.ask()
    const question = {message: 'Event type the subscription holds (--event TYPE)', flag: '--event TYPE'}
    if (!ask.interactive) {
      const held = types.length > 0 ? `: the subscription holds ${types.join(', ')}` : ''
      const hint = 'See `scent webhooks test --help`.'
      throw new Failure('MISSING_INPUT', {message: `Missing --event TYPE${held}.`, hint})
    }
    if (types.length > 0)
      return ask.choose({...question, choices: types.map((value) => ({name: value, value}))})
    return ask.text({...question, check: (answer) => (answer === '' ? 'It is needed.' : undefined)})
  }

  private async waited(
    session: Session,
    webhookId: string,
    fired: Delivery,
    waitMs: number,
  ): Promise<RoundTrip> {
    const {awaitRoundTrip} = await import('../../desk/deliveries/follow.ts')
    const {failureOf, followCommand, roundTripCard, verdictWords} = await import(
      '../../desk/screens/round-trip.ts'
    )
    const {client, time, progress} = session
    if (process.stderr.isTTY) progress.say('Waiting until it has come …')
    this.interrupts.during({
      story: () => `Interrupted. Event ${fired.eventId} was sent, and is looked for no longer.`,
      hint: `${followCommand(webhookId, fired)} shows what became of it.`,
    })
    const waiting = {client, waitMs, sleep: time.sleep}
    const {trip, ...who} = await awaitRoundTrip(session, webhookId, fired, waiting)
    const known = await knownAs(session, webhookId)
    const about = {url: known?.url ?? null, own: known?.own === true, isActive: known?.isActive !== false}
    const tested = {id: webhookId, ...about, ...who, now: session.serviceNow()}
    this.show(roundTripCard(trip, tested))
    const failure = failureOf(trip, tested)
    const {says, next} = verdictWords(trip, tested)
    if (failure) this.finding(failure)
    else for (const line of [says, `  ${next}`]) this.aside(line)
    return trip
  }
}

/** What the local record has of a subscription. */
async function knownAs(session: Session, id: string) {
  const all = await (await session.webhooks()).all()
  return all.find((one) => one.id.toLowerCase() === id.toLowerCase())
}
