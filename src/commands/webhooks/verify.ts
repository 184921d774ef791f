import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {momentOf} from '../../contract/forms.ts'
import {discoveryTable, type Fits, fitsCard, tellWhy, whyLines} from '../../desk/screens/signature.ts'
import {type Captured, capturedIn} from '../../desk/signature/capture.ts'
import {type Judging, judge, signatureIn, TOLERANCE} from '../../desk/signature/judge.ts'
import {secretsOf} from '../../desk/signature/keys.ts'
import {explain, type Why} from '../../desk/signature/reasons.ts'
import {parseScheme} from '../../desk/signature/schemes.ts'
import {type Discovery, discover} from '../../desk/signature/search.ts'
import {readBytes, readInput} from '../../store/input.ts'
import {outputFlags} from '../../terminal/flags.ts'
import {counted, roomOf} from '../../terminal/text.ts'
import {momentIn, timeFlag, timeHelp} from '../../terminal/times.ts'

export default class WebhooksVerify extends ScentCommand {
  static override summary = 'Check the signature of a delivery, and say why it does not fit.'
  static override description =
    `FILE is the raw body, or a delivery as JSON: "headers" as an object or as pairs, "body" as text, and if it is there "at", when it arrived. What the flags say goes before what the file says. The secret comes from stdin or SCENT_WEBHOOK_SECRET, never from a flag; several may be in force, one a line. Sends nothing, and needs no credential.\n\nIt exits with 0 if the signature fits, and otherwise with 6 (SIGNATURE_MISMATCH) and the reason: stale, no-signature, no-timestamp, form, body, secret, timestamp, scheme or nothing. If the body was rewritten on the way, or the secret must be read in another way, that is found by trying.\n\nSchemes: default ({timestamp}.{body}, SHA-256 in hex), standard (Standard Webhooks), stripe, slack and github; without --scheme all that sign a timestamp are tried. Others are written as input, hash, encoding and prefix: '{timestamp}.{body} sha256 hex v1='. --discover searches for the one that fits.\n\n${timeHelp}`
  static override examples = [
    '<%= config.bin %> webhooks verify delivery.json --secret-stdin < secret.txt',
    '<%= config.bin %> webhooks verify body.json --signature "$SIGNATURE" --timestamp "$TIMESTAMP" --tolerance none --secret-stdin < secret.txt',
    '<%= config.bin %> webhooks verify delivery.json --discover --secret-stdin < secret.txt',
  ]
  static override args = {
    file: Args.string({
      description: 'Raw body, or a delivery with its headers; - for stdin.',
      required: true,
    }),
  }
  static override flags = {
    ...outputFlags,
    signature: Flags.string({summary: 'What X-Service-Signature holds.', helpValue: 'TEXT'}),
    timestamp: Flags.string({summary: 'What X-Service-Timestamp holds.', helpValue: 'TEXT'}),
    id: Flags.string({
      summary: 'Id that was signed, in schemes that sign one; by default the eventId.',
      helpValue: 'ID',
    }),
    'secret-stdin': Flags.boolean({summary: 'Read the secret from stdin, or several, one a line.'}),
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

  async run(): Promise<Fits | {items: Discovery[]; tried: number}> {
    const {args, flags} = await this.parse(WebhooksVerify)
    const scheme = flags.scheme === undefined ? undefined : parseScheme(flags.scheme)
    const tolerance = toleranceOf(flags.tolerance)
    const delivery = await deliveryIn(args.file, flags)
    const secrets = await secretsIn(args.file, flags['secret-stdin'])
    const arrived = flags.at === undefined ? delivery.at : momentOf(momentIn(flags.at, Date.now()))
    const judging: Judging = {secrets, scheme, tolerance, now: arrived ?? Date.now()}
    if (flags.discover) return this.discover(delivery, judging)
    const verdict = judge(delivery, judging)
    if (verdict.trust !== 'verified') throw this.refusal(explain(delivery, judging))
    const fits: Fits = {fits: true, scheme: verdict.scheme.name, ageSeconds: verdict.ageSeconds}
    this.show(fitsCard(fits))
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
  private refusal(why: Why): Failure {
    const {says, next} = tellWhy(why)
    if (!this.inTerminal) return new Failure('SIGNATURE_MISMATCH', {message: says, hint: next, details: why})
    process.stdout.write(`${whyLines(why, roomOf(process.stdout)).join('\n')}\n`)
    return new Failure('SIGNATURE_MISMATCH', {hint: next})
  }
}

interface Told {
  id?: string | undefined
  signature?: string | undefined
  timestamp?: string | undefined
}

/** The delivery that is named: the only place that knows where deliveries come from. */
async function deliveryIn(file: string, {id, signature, timestamp}: Told): Promise<Captured> {
  const delivery = capturedIn(await readBytes(file), file === '-' ? 'stdin' : `"${file}"`)
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

async function secretsIn(file: string, fromStdin: boolean): Promise<string[]> {
  if (fromStdin && file === '-')
    throw new Failure('INVALID_INPUT', {
      message: 'Only one of the delivery and the secret can be read from stdin.',
    })
  const secrets = secretsOf(fromStdin ? await readInput('-') : (process.env.SCENT_WEBHOOK_SECRET ?? ''))
  if (secrets.length > 0) return secrets
  throw new Failure('MISSING_INPUT', {
    message: `There is no secret to check the signature with${fromStdin ? ' on stdin' : ''}.`,
    hint: 'Pipe it into --secret-stdin, or set SCENT_WEBHOOK_SECRET.',
    details: {reason: 'no-secret'},
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
