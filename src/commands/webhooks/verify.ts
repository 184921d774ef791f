import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {momentOf} from '../../contract/forms.ts'
import {type Desk, openDesk} from '../../desk/desk.ts'
import type {Received} from '../../desk/receipts/records.ts'
import {importLine, referenceOf} from '../../desk/receipts/reference.ts'
import {everySecret, webhookSecrets} from '../../desk/receipts/secrets.ts'
import {besideOthers, storedCopy} from '../../desk/receipts/stored.ts'
import {discoveryTable, type Fits, fitsCard, tellWhy, whyLines} from '../../desk/screens/signature.ts'
import {type Captured, capturedIn} from '../../desk/signature/capture.ts'
import {type Judging, judge, signatureIn, TOLERANCE} from '../../desk/signature/judge.ts'
import {explain, type Why} from '../../desk/signature/reasons.ts'
import {parseScheme} from '../../desk/signature/schemes.ts'
import {type Discovery, discover} from '../../desk/signature/search.ts'
import {readBytes} from '../../store/input.ts'
import {apiFlags, requireUuid} from '../../terminal/flags.ts'
import {commandText} from '../../terminal/next.ts'
import {counted, roomOf} from '../../terminal/text.ts'
import {momentIn, timeFlag, timeHelp} from '../../terminal/times.ts'

export default class WebhooksVerify extends ScentCommand {
  static override summary = 'Check the signature of a delivery, and say why it does not fit.'
  static override description =
    `FILE is the raw body, or a delivery as JSON: "headers" as an object or as pairs, "body" as text, and if it is there "at", when it arrived. Instead of it, --stored names an event that \`webhooks listen\` has kept; of its copies the one that is worth least is checked. What the flags say goes before what the file says. The secret comes from stdin, from SCENT_WEBHOOK_SECRET, or from where it is kept for the subscription, never from a flag; several may be in force, one a line. Sends nothing, and needs no credential.\n\nIt exits with 0 if the signature fits, and otherwise with 6 (SIGNATURE_MISMATCH) and the reason: stale, no-signature, no-timestamp, no-secret, form, body, secret, timestamp, scheme or nothing. If the body was rewritten on the way, or the secret must be read in another way, that is found by trying.\n\nSchemes: default ({timestamp}.{body}, SHA-256 in hex), standard (Standard Webhooks), stripe, slack and github; without --scheme all that sign a timestamp are tried. Others are written as input, hash, encoding and prefix: '{timestamp}.{body} sha256 hex v1='. --discover searches for the one that fits.\n\n${timeHelp}`
  static override examples = [
    '<%= config.bin %> webhooks verify delivery.json --secret-stdin < secret.txt',
    '<%= config.bin %> webhooks verify body.json --signature "$SIGNATURE" --timestamp "$TIMESTAMP" --tolerance none --secret-stdin < secret.txt',
    '<%= config.bin %> webhooks verify --stored 77e0a1 --secret-stdin < secret.txt',
    '<%= config.bin %> webhooks verify delivery.json --discover --secret-stdin < secret.txt',
  ]
  static override args = {
    file: Args.string({description: 'Raw body, or a delivery with its headers; - for stdin.'}),
  }
  static override flags = {
    ...apiFlags,
    stored: Flags.string({
      summary:
        'An event that was received here: its id or the name of a receipt, or at least 6 characters of its beginning.',
      helpValue: 'EVENT_ID',
    }),
    signature: Flags.string({summary: 'What X-Service-Signature holds.', helpValue: 'TEXT'}),
    timestamp: Flags.string({summary: 'What X-Service-Timestamp holds.', helpValue: 'TEXT'}),
    id: Flags.string({
      summary: 'Id that was signed, in schemes that sign one; by default the eventId.',
      helpValue: 'ID',
    }),
    'secret-stdin': Flags.boolean({summary: 'Read the secret from stdin, or several, one a line.'}),
    subscription: Flags.string({
      summary: 'The subscription whose kept secret counts; of --stored, the one it was received for.',
      helpValue: 'ID',
      exclusive: ['secret-stdin'],
    }),
    scheme: Flags.string({
      summary: 'How deliveries are signed: a name, or its written form.',
      helpValue: 'SCHEME',
      exclusive: ['discover'],
    }),
    tolerance: Flags.string({
      summary: 'Seconds that a delivery may be old or ahead, or none for any age.',
      helpValue: 'SECONDS|none',
      default: String(TOLERANCE),
    }),
    at: timeFlag({summary: 'When it arrived, instead of what the file says, or now.'}),
    discover: Flags.boolean({summary: 'Search all schemes that can be written for those that fit.'}),
  }

  /** What the other receipts say about a reason. */
  private others = (why: Why) => why

  async run(): Promise<Fits | {items: Discovery[]; tried: number}> {
    const {args, flags} = await this.parse(WebhooksVerify)
    requireOne(args.file, flags.stored)
    if (flags.subscription !== undefined) requireUuid('--subscription', flags.subscription)
    const tolerance = toleranceOf(flags.tolerance)
    const asked = flags.scheme === undefined ? undefined : parseScheme(flags.scheme)
    const desk = flags.stored !== undefined || flags.subscription !== undefined ? openDesk(flags) : undefined
    const stored = desk && flags.stored !== undefined ? await storedCopy(desk, flags.stored) : undefined
    const delivery = withTold(stored?.delivery ?? (await deliveryIn(args.file, flags['secret-stdin'])), flags)
    const {subscription = stored?.listener?.subscription ?? undefined, 'secret-stdin': stdin} = flags
    const given = await webhookSecrets(desk, {stdin, subscription, ask: () => this.ask()})
    const isOpen = stored !== undefined && !stdin && flags.subscription === undefined
    const arrived = flags.at === undefined ? delivery.at : momentOf(momentIn(flags.at, Date.now()))
    const scheme = asked ?? stored?.scheme
    const asGiven: Judging = {secrets: given, scheme, tolerance, now: arrived ?? Date.now()}
    const judging = desk && isOpen ? await withKept(desk, delivery, asGiven) : asGiven
    if (judging.secrets.length === 0)
      throw this.refusal({reason: 'no-secret', ...(subscription !== undefined && {subscription})})
    if (stored && desk) this.others = (why) => besideOthers(desk, why, stored.listener)
    if (flags.discover) return this.discover(delivery, judging)
    const verdict = judge(delivery, judging)
    if (verdict.trust !== 'verified') throw this.refusal(explain(delivery, judging))
    const fits: Fits = {fits: true, scheme: verdict.scheme.name, ageSeconds: verdict.ageSeconds}
    this.show(fitsCard(fits))
    if (stored?.record.trust === 'refused') this.aside(fitsNowText(stored.record, stdin))
    return fits
  }

  private discover(delivery: Captured, judging: Judging) {
    const seen = signatureIn(delivery)
    const found = 'why' in seen ? undefined : discover(delivery, seen, judging.secrets, judging.now)
    if (found === undefined) throw this.refusal(explain(delivery, judging))
    if (found.items.length === 0) throw this.refusal({...explain(delivery, judging), tried: found.tried})
    const [first] = found.items
    const only = found.items.length === 1 ? 'It is the only one that fits' : 'These fit'
    this.aside(
      `${only} of ${counted(found.tried, 'reading')}. Check with it: \`--scheme '${first?.scheme}'\`.`,
    )
    this.show(discoveryTable(found.items))
    return found
  }

  /** In a terminal the reason is a screen; elsewhere it is in the details. */
  private refusal(found: Why): Failure {
    const why = this.others(found)
    const {says, so, next} = tellWhy(why)
    const message = [says, so].filter(Boolean).join(' ')
    if (!this.inTerminal) return new Failure('SIGNATURE_MISMATCH', {message, hint: next, details: why})
    this.put(`${whyLines(why, roomOf(process.stdout)).join('\n')}\n`)
    return new Failure('SIGNATURE_MISMATCH', {hint: next})
  }
}

/** The same with all secrets that are kept, if one of them fits: a listener may have had a wrong one, and no subscription. */
async function withKept(desk: Desk, delivery: Captured, judging: Judging): Promise<Judging> {
  const fits = (one: Judging) => ['verified', 'stale'].includes(judge(delivery, one).trust)
  if (fits(judging)) return judging
  const all = {...judging, secrets: await everySecret(desk)}
  return fits(all) || judging.secrets.length === 0 ? all : judging
}

/** What to do about a delivery that was refused when it came; `isPiped`: with a secret that nobody else has. */
function fitsNowText(record: Received, isPiped: boolean): string {
  const receipt = referenceOf(record)
  const was = 'It was refused when it came, so it does not count yet.'
  if (record.notices.length === 0)
    return `${was} Hand it on: ${commandText('webhooks', 'replay', receipt, '--to', 'URL')}.`
  const keep = isPiped
    ? ' That checks it once more: keep the secret for its subscription first (`scent webhooks listen --save-secret`), or set SCENT_WEBHOOK_SECRET.'
    : ''
  return `${was} Take what it tells into the inbox: \`${importLine(receipt)}\`.${keep}`
}

interface Told {
  id?: string | undefined
  signature?: string | undefined
  timestamp?: string | undefined
}

function requireOne(file: string | undefined, stored: string | undefined): void {
  const hint = 'Give a file, - for stdin, or --stored with the id of an event that was received here.'
  if (file === undefined && stored === undefined)
    throw new Failure('MISSING_INPUT', {message: 'Which delivery?', hint})
  if (file !== undefined && stored !== undefined)
    throw new Failure('INVALID_INPUT', {message: 'Only one of a file and --stored can be checked.', hint})
}

async function deliveryIn(file = '-', secretStdin = false): Promise<Captured> {
  if (secretStdin && file === '-')
    throw new Failure('INVALID_INPUT', {
      message: 'Only one of the delivery and the secret can be read from stdin.',
    })
  return capturedIn(await readBytes(file), file === '-' ? 'stdin' : `"${file}"`)
}

/** A delivery with what the flags say of it instead of its own headers. */
function withTold(delivery: Captured, {id, signature, timestamp}: Told): Captured {
  const told = Object.entries({'x-service-signature': signature, 'x-service-timestamp': timestamp})
  const instead = told.flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  )
  const kept = delivery.headers.filter(([name]) => !instead.some(([other]) => other === name.toLowerCase()))
  const headers = [...kept, ...instead]
  if (headers.length > 0) return {...delivery, id: id ?? delivery.id, headers}
  throw new Failure('MISSING_INPUT', {
    message: 'A raw body needs its signature: --signature, and --timestamp.',
    details: {reason: 'no-signature'},
  })
}

function toleranceOf(text: string): number {
  if (text === 'none') return Number.POSITIVE_INFINITY
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new Failure('INVALID_INPUT', {
    message: `--tolerance "${text}" is not a valid number of seconds.`,
    hint: 'Give whole seconds, such as 300, or none.',
  })
}
