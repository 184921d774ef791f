import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {type Desk, openDesk} from '../../desk/desk.ts'
import {openListener} from '../../desk/listener/listener.ts'
import {openQueue} from '../../desk/listener/queue.ts'
import {receiverUrl} from '../../desk/listener/receiver.ts'
import {localUrl, publicOf, sandboxTypes} from '../../desk/listener/source.ts'
import type {Own} from '../../desk/listener/subscribe.ts'
import type {ListenerEvent, Whole} from '../../desk/listener/told.ts'
import {isWanted, openSave} from '../../desk/listener/wanted.ts'
import {largeText, PRUNE, receiptsSize} from '../../desk/receipts/room.ts'
import {keepSecret, webhookSecrets} from '../../desk/receipts/secrets.ts'
import {refusalText} from '../../desk/screens/handed.ts'
import {liveHead, liveLine, nextLines, openDues, stateText} from '../../desk/screens/live.ts'
import {type Line, liveColumns} from '../../desk/screens/receipts.ts'
import {TOLERANCE} from '../../desk/signature/judge.ts'
import type {Listened} from '../../desk/signature/reasons.ts'
import {parseScheme} from '../../desk/signature/schemes.ts'
import {limitHeap} from '../../store/heap.ts'
import {apiFlags, requireUuid, type SessionFlags} from '../../terminal/flags.ts'
import type {Listing} from '../../terminal/output.ts'
import {counted, paintFor, roomOf} from '../../terminal/text.ts'
import {secondsFlag} from '../../terminal/times.ts'

/** Tried first, so that a tunnel keeps its target over restarts. */
const usualPort = 4750
const usualPagePort = 4751

/** The port that was asked for alone, else the usual one, or a free one; never one that is taken by our own. */
const portsOf = (asked: number | undefined, usual: number, taken?: number) =>
  asked === undefined ? [usual, 0].filter((port) => port === 0 || port !== taken) : [asked]

export default class WebhooksListen extends ScentCommand {
  static override shows = async () => liveColumns
  static override summary = 'Receive deliveries on this machine, and keep them.'
  static override description =
    `Listens on 127.0.0.1 until Ctrl-C. A delivery is on disk before it is answered with 200, so no notice is lost; one whose signature does not fit gets 401, one that can't be written 503. It takes 32 connections at once and bodies of up to 1 MiB: what is beyond that is not taken, and the service sends it again. The service delivers to public https URLs only: put a tunnel or proxy of yours before the port, and give its URL with --public-url, which is then tried every minute. The sandbox delivers to this machine directly.

The signing secret comes from stdin, from SCENT_WEBHOOK_SECRET, or from the keychain for --subscription. Without one nothing is checked, and everything says so. Filters choose what is shown and forwarded; everything is stored. With --output ndjson each event is one line: ready, delivery, forward, state, stopped. --ui shows the same on a page; the address that it prints is the only key to it.`
  static override examples = [
    '<%= config.bin %> webhooks listen --subscribe',
    '<%= config.bin %> webhooks listen --forward-to http://127.0.0.1:3000/hook --secret-stdin < secret.txt',
    '<%= config.bin %> webhooks listen --ui --forward-to http://127.0.0.1:3000/hook',
    '<%= config.bin %> webhooks listen --limit 1 --for 1s --output ndjson',
  ]
  static override flags = {
    ...apiFlags,
    port: Flags.integer({
      summary: 'Port on 127.0.0.1; 0 picks a free one. By default 4750, or a free one if that is taken.',
      min: 0,
      max: 65_535,
      helpValue: 'N',
    }),
    'forward-to': Flags.string({summary: 'Send each delivery on to this receiver.', helpValue: 'URL'}),
    'allow-remote': Flags.boolean({summary: 'Let the receiver be on another machine.'}),
    save: Flags.string({summary: 'Append each delivery to this file, as a line of JSON.', helpValue: 'FILE'}),
    ui: Flags.boolean({summary: 'Show what arrives on a page too, for a browser on this machine.'}),
    'ui-port': Flags.integer({
      summary: 'Port of the page; 0 picks a free one. By default 4751, or a free one if that is taken.',
      min: 0,
      max: 65_535,
      helpValue: 'N',
      dependsOn: ['ui'],
    }),
    limit: Flags.integer({summary: 'End after this many deliveries.', min: 1, helpValue: 'N'}),
    for: secondsFlag({summary: 'End after this time.', min: 1}),
    event: Flags.string({
      summary: 'Only this type of event; repeatable.',
      helpValue: 'TYPE',
      multiple: true,
      multipleNonGreedy: true,
    }),
    notices: Flags.boolean({summary: 'Only what tells of a notice.'}),
    order: Flags.string({summary: 'Only what speaks of this order.', helpValue: 'ID'}),
    problems: Flags.boolean({summary: 'Only what was refused, came again, or could not be forwarded.'}),
    body: Flags.boolean({summary: 'Show the bodies too.'}),
    'secret-stdin': Flags.boolean({summary: 'Read the signing secret from stdin; several, one a line.'}),
    subscription: Flags.string({summary: 'The subscription that it listens for.', helpValue: 'ID'}),
    'save-secret': Flags.boolean({
      summary: 'Keep the secret for --subscription where the profile keeps its own.',
      dependsOn: ['subscription'],
    }),
    scheme: Flags.string({
      summary: 'How deliveries are signed; see `webhooks verify`. By default what fits first.',
      helpValue: 'SCHEME',
    }),
    tolerance: secondsFlag({
      summary: 'How old, or ahead, a delivery may be.',
      default: TOLERANCE,
      min: 1,
    }),
    subscribe: Flags.boolean({
      summary: "Take up this machine's own subscription, or make it; it is deactivated at the end.",
      exclusive: ['subscription', 'secret-stdin'],
    }),
    'public-url': Flags.string({summary: 'Where the world reaches this port.', helpValue: 'URL'}),
    answer: Flags.integer({
      summary: 'Store, and answer this status: a rehearsal of how the service repeats.',
      min: 200,
      max: 599,
      helpValue: 'STATUS',
    }),
  }

  /** How many were shown, of how many that were asked for. */
  private shown = 0
  /** Why a delivery was refused last. */
  private refused: string | null = null
  /** What was said last of one that the receiver did not take. */
  private missed = ''
  private listened: Listened = {port: 0, subscription: null, isOwn: false}

  async run(): Promise<Listing | undefined> {
    const {flags} = await this.parse(WebhooksListen)
    if (flags.subscription !== undefined) requireUuid('--subscription', flags.subscription)
    const {scheme, port, limit, save, answer, tolerance} = flags
    if (port && port === flags['ui-port'])
      throw new Failure('INVALID_INPUT', {
        message: `--port and --ui-port are both ${port}: the page has a port of its own, so that no tunnel to the listener shows it.`,
        hint: 'Give another --ui-port, or leave it out.',
      })
    const desk = openDesk(flags)
    const forwardTo =
      flags['forward-to'] && receiverUrl(desk, '--forward-to', flags['forward-to'], flags['allow-remote'])
    const publicUrl = flags['public-url'] && publicOf(flags['public-url'])
    // It runs for weeks: garbage is collected before it is half of what is in use.
    limitHeap({'heap-growing-percent': 30})
    const stop = this.interrupts.until('unheard')
    const lines = openQueue<Line>()
    const source = await this.source(flags, desk, publicUrl || undefined)
    const draws = this.inTerminal && flags.columns === undefined
    const put = (line: Line) => {
      if (draws) this.draw(line)
      else lines.add(line)
      this.shown += 1
      if (this.shown === limit) lines.end()
    }
    const asked = scheme === undefined ? undefined : parseScheme(scheme)
    const due = openDues(desk)
    const telling = {
      due,
      body: flags.body,
      forwards: Boolean(forwardTo),
      save: save ? openSave(save) : undefined,
    }
    const tell = this.teller(put, telling)
    const large = largeText(receiptsSize(desk.folders, desk.identity).bytes)
    // Nothing may fail from here on without closing it again.
    const page = flags.ui
      ? await (await import('../../desk/page/server.ts')).openPage({
          ...{desk, forwardTo: forwardTo || undefined},
          ...{ports: portsOf(flags['ui-port'], usualPagePort, port), files: __dirname},
        })
      : undefined
    const listener = await openListener({
      ...desk,
      ports: portsOf(port, usualPort),
      ...{tolerance, answer, ui: page?.url},
      begin: async (at) => {
        const begun = await source.begin(at)
        this.listened = {port: at, subscription: begun.subscription, isOwn: flags.subscribe}
        return begun
      },
      tell(event, whole) {
        tell(event, whole)
        page?.tell(event)
      },
      scheme: asked,
      forwardTo: forwardTo || undefined,
      publicUrl: publicUrl || undefined,
      wanted: (one) => isWanted(flags, one),
    }).catch(async (error: unknown) => {
      await page?.close()
      await source.release().catch(() => {})
      throw error
    })
    if (large) this.note(`Files of receipts: ${large} ${PRUNE} removes old ones.`)
    // Ctrl-C may have come as soon as it was ready.
    if (stop.aborted) lines.end()
    stop.addEventListener('abort', () => lines.end())
    const timer = flags.for === undefined ? undefined : setTimeout(() => lines.end(), flags.for * 1_000)
    const rows = lines.all(async () => {
      clearTimeout(timer)
      await source.release()
      await listener.close()
      await page?.close()
      const came = counted(this.shown, 'event')
      if (limit !== undefined && this.shown < limit && !stop.aborted)
        this.finding(new Failure('NOTHING_MATCHED', {message: `${came} came, and ${limit} were waited for.`}))
    })
    // One document, once it has ended.
    if (this.mode === 'json') return {items: rows}
    if (this.streams || draws) for await (const _ of rows);
    else this.show({rows, columns: liveColumns, live: true})
    return undefined
  }

  /** What deliveries come from, and how they are signed. */
  private async source(flags: SourceFlags, desk: Desk, publicUrl: URL | undefined) {
    const {subscription} = flags
    if (!flags.subscribe) {
      const secrets = await webhookSecrets(desk, {
        ...{stdin: flags['secret-stdin'], subscription, ask: () => this.ask()},
      })
      if (flags['save-secret'] && subscription) await keepSecret(desk, subscription, secrets)
      const begin = async () => ({secrets, subscription: subscription ?? null})
      return {begin, release: async () => {}}
    }
    const {client} = await this.session(flags)
    const {ownSubscription} = await import('../../desk/listener/subscribe.ts')
    const types = flags.event ?? sandboxTypes(desk)
    let own: Own | undefined
    const begin = async (port: number) => {
      own = await ownSubscription(desk, client, (publicUrl ?? localUrl(desk, port)).href, types)
      return {secrets: own.secrets, subscription: own.id}
    }
    return {begin, release: async () => own?.release()}
  }

  /** Puts each delivery on the screen once it was handed on, and writes each event for a script at once. */
  private teller(put: (line: Line) => void, {due, body, forwards, save}: Telling) {
    const waiting = new Map<string, Line>()
    return (event: ListenerEvent, whole?: Whole): void => {
      void this.event(event)
      if (event.event === 'ready' || event.event === 'state') this.sayState(event)
      if (event.event === 'delivery' && whole) {
        const {event: _, ...facts} = event
        const line = {...facts, due: due(whole)}
        const unsaved = save?.(facts, whole)
        if (unsaved) this.note(unsaved)
        if (body && !this.streams) this.note(whole.body.toString('utf8'))
        if (forwards && event.answered < 300) waiting.set(keyOf({...event, receivedAt: event.at}), line)
        else put(line)
        this.sayNext(line)
      }
      if (event.event === 'forward') {
        const line = waiting.get(keyOf(event))
        waiting.delete(keyOf(event))
        if (line) put({...line, forward: event})
        if (event.status === null || event.status >= 300) this.sayRefused(event)
      }
    }
  }

  private sayState(event: Extract<ListenerEvent, {event: 'ready' | 'state'}>): void {
    if (this.streams) return
    if (event.event === 'ready') {
      const signatures = event.checked ? 'signatures checked' : 'SIGNATURES NOT CHECKED: no secret was given'
      const known = event.known > 0 ? ` · ${counted(event.known, 'earlier event')} known` : ''
      this.note(`Ready on ${event.public ?? event.url} · ${signatures}${known}`)
      // Whole in any terminal: it can't be opened if it is broken.
      if (event.ui !== null) process.stderr.write(`Page: ${event.ui}\n`)
    } else this.note(stateText(event))
  }

  /** A row at once, so that what is said of it stands below it. */
  private draw(line: Line): void {
    const paint = paintFor(process.stdout)
    const head = this.shown === 0 ? liveHead(roomOf(process.stdout), paint) : ''
    this.put(head + liveLine(line, roomOf(process.stdout), paint))
  }

  /** What to do about a delivery that was refused, unless the one before was refused for the same. */
  private sayNext(line: Line): void {
    if (this.streams || line.answered !== 401 || line.why === this.refused) return
    this.refused = line.why
    // Below what is said of the listener itself.
    setImmediate(() => {
      for (const text of nextLines(line, this.listened)) this.note(text)
    })
  }

  /** What the receiver answered, or why it did not: that is said once for all that follow. */
  private sayRefused(event: Extract<ListenerEvent, {event: 'forward'}>): void {
    const text = event.body || refusalText(event)
    if (!this.streams && (event.body || text !== this.missed)) this.note(`  ${text.slice(0, 500)}`)
    this.missed = text
  }
}

type SourceFlags = SessionFlags & {
  subscribe: boolean
  subscription: string | undefined
  'secret-stdin': boolean
  'save-secret': boolean
  event: string[] | undefined
}

interface Telling {
  due: ReturnType<typeof openDues>
  body: boolean
  forwards: boolean
  save: ReturnType<typeof openSave> | undefined
}

const keyOf = ({eventId, receivedAt}: {eventId: string | null; receivedAt: string}) =>
  `${eventId} ${receivedAt}`
