import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {
  copiesToSend,
  lackedBy,
  planned,
  type Replayed,
  replay,
  replayUrl,
} from '../../desk/deliveries/replay.ts'
import {type Desk, openDesk} from '../../desk/desk.ts'
import {isTaken} from '../../desk/receipts/records.ts'
import {webhookSecrets} from '../../desk/receipts/secrets.ts'
import {openReplays} from '../../desk/receipts/segment.ts'
import {eventFilters, filterOf, isFiltered} from '../../desk/screens/filters.ts'
import {replayFailure} from '../../desk/screens/handed.ts'
import {replayedColumns} from '../../desk/screens/receipts.ts'
import {parseScheme} from '../../desk/signature/schemes.ts'
import type {Ask} from '../../terminal/ask.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {commandText} from '../../terminal/next.ts'
import {openProgress} from '../../terminal/progress.ts'
import {counted} from '../../terminal/text.ts'

export default class WebhooksReplay extends ScentCommand {
  static override shows = async () => replayedColumns
  static override summary = 'Send events that were received here to a receiver again.'
  static override description =
    `Sends the bytes and headers that were stored, marked with X-Scent-Replay: 1, one after another, the oldest first: the events that are named, or all that fit the filters. Events that were refused go only with --trust refused, or by their ids. --problems chooses what the receiver of the listener, its --forward-to, did not take, and leaves out what --to took when it was sent again: so it can be repeated until all is taken. --untaken leaves out whatever --to took before, so a replay that was interrupted can be gone on with. The receiver is on this machine unless --allow-remote says otherwise, and never the service, nor a listener of this record.

The signature stays the one that came, so a receiver that checks its age refuses it: --resign signs each event now, with the secret from stdin, from SCENT_WEBHOOK_SECRET, or from the keychain for --subscription. Values of headers that may be secrets are not stored, and so not sent.`
  static override examples = [
    '<%= config.bin %> webhooks replay 9f2c41d0 --to http://127.0.0.1:3000/hook',
    '<%= config.bin %> webhooks replay --since 1h --to http://127.0.0.1:3000/hook --dry-run',
    '<%= config.bin %> webhooks replay --problems --since 1h --to http://127.0.0.1:3000/hook',
    '<%= config.bin %> webhooks replay --since 1h --to http://127.0.0.1:3000/hook --untaken',
    '<%= config.bin %> webhooks replay --event order.completed --to http://127.0.0.1:3000/hook --resign --secret-stdin < secret.txt',
  ]
  static override strict = false
  static override args = {
    events: Args.string({description: 'Event ids, their beginnings, or names of receipts.'}),
  }
  static override flags = {
    ...apiFlags,
    to: Flags.string({summary: 'The receiver.', helpValue: 'URL', required: true}),
    ...eventFilters,
    problems: Flags.boolean({
      summary: 'Only what the receiver of `webhooks listen --forward-to` did not take.',
    }),
    untaken: Flags.boolean({summary: 'Only what --to has not taken yet.'}),
    'dry-run': Flags.boolean({summary: 'List what would be sent, and send nothing.'}),
    rate: Flags.integer({summary: 'At most so many events a second.', min: 1, helpValue: 'N'}),
    resign: Flags.boolean({summary: 'Sign each event now.'}),
    'secret-stdin': Flags.boolean({summary: 'Read the signing secret from stdin.', dependsOn: ['resign']}),
    subscription: Flags.string({
      summary: 'Sign with the secret that is kept for this subscription.',
      helpValue: 'ID',
      dependsOn: ['resign'],
    }),
    scheme: Flags.string({
      summary: 'How to sign; see `webhooks verify`. By default as each event was signed.',
      helpValue: 'SCHEME',
      dependsOn: ['resign'],
    }),
    'allow-remote': Flags.boolean({summary: 'Let the receiver be on another machine.'}),
  }

  async run(): Promise<object> {
    const {argv, flags} = await this.parse(WebhooksReplay)
    const ids = argv.map(String)
    const hasFilters = isFiltered(flags) || flags.untaken
    if (ids.length === 0 && !hasFilters)
      throw new Failure('MISSING_INPUT', {
        message: 'Which events?',
        hint: 'Give their ids, or a filter such as --since 1h.',
      })
    if (ids.length > 0 && hasFilters)
      throw new Failure('INVALID_INPUT', {
        message: 'Events are named by their ids or chosen by filters, not both.',
        hint: 'Leave out the ids, or the filters.',
      })
    const desk = openDesk(flags)
    const to = replayUrl(desk, flags.to, flags['allow-remote'])
    const wanted = {...filterOf(flags), untaken: flags.untaken, to: to.href}
    const {copies, leftOut, onceMore} = copiesToSend(desk, ids, wanted)
    if (leftOut) this.note(`Left out: ${leftOut}`)
    if (onceMore) this.note(`${onceMore} They are sent once more: --untaken leaves them out.`)
    if (flags['dry-run']) return this.told(Array.from(copies, planned))
    const sign = flags.resign ? await signing(desk, flags, () => this.ask()) : undefined
    const items: Replayed[] = []
    const story = () => `Interrupted. ${counted(items.length, 'event')} went to ${to.href} before.`
    const stop = this.interrupts.during({story, holds: () => true, awaits: 'The event under way is sent'})
    const progress = openProgress(process.stderr)
    const lacked = new Set<string>()
    let unproved = 0
    const noted = function* () {
      for (const copy of copies) {
        for (const name of lackedBy(copy)) lacked.add(name)
        if (copy.trust !== 'verified') unproved += 1
        yield copy
      }
    }
    const replays = openReplays(desk)
    for await (const item of replay(noted(), {to, rate: flags.rate, sign, stop, note: replays.note})) {
      items.push(item)
      if (process.stderr.isTTY) progress.say(`Sent ${counted(items.length, 'event')} …`)
    }
    replays.close()
    progress.clear()
    const unwritten = replays.lost()
    if (unwritten)
      this.note(`! It could not be written down what was sent, so it counts as unsent: ${unwritten.message}`)
    if (sign && unproved > 0)
      this.note(
        `! Of these, ${counted(unproved, 'event')} did not prove here to be the service's own: with the new signature the receiver takes ${unproved === 1 ? 'it' : 'them'} for that.`,
      )
    if (lacked.size > 0)
      this.note(`Without the values of ${[...lacked].join(', ')}: they may be secrets, and are not stored.`)
    if (stop.aborted && items.length !== ids.length)
      throw new Failure('INTERRUPTED', {
        message: story(),
        hint: `The rest: ${restCommand(this.argv, ids.slice(0, items.length), ids.length > 0)}.`,
      })
    const failure = replayFailure(items, {to, isOld: !flags.resign})
    if (failure) this.finding(failure)
    return this.told(items)
  }

  private told(items: Replayed[]): object {
    this.show({rows: items, columns: replayedColumns})
    const sent = items.filter(({ms}) => ms !== null).length
    return {items, summary: {sent, ok: items.filter(isTaken).length}}
  }
}

/** Sends what is left: of events that are named the others, else what the receiver has not taken. */
function restCommand(typed: readonly string[], done: readonly string[], isNamed: boolean): string {
  const others = typed.filter((word) => !done.includes(word) && word !== '--untaken')
  return commandText('webhooks', 'replay', ...others, isNamed ? null : '--untaken')
}

async function signing(
  desk: Desk,
  flags: {'secret-stdin': boolean; subscription: string | undefined; scheme: string | undefined},
  ask: () => Promise<Ask>,
) {
  const {subscription, scheme} = flags
  const [secret] = await webhookSecrets(desk, {stdin: flags['secret-stdin'], subscription, ask})
  if (secret === undefined)
    throw new Failure('MISSING_INPUT', {
      message: '--resign needs the signing secret.',
      hint: 'Pipe it in with --secret-stdin, or name the subscription whose secret is kept: --subscription ID.',
    })
  return {secret, scheme: scheme === undefined ? undefined : parseScheme(scheme)}
}
