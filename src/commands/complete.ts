import {basename} from 'node:path'
import * as Args from '@oclif/core/args'
import {openJobs} from '../bulk/journal.ts'
import {ScentCommand} from '../command.ts'
import {catalogCache} from '../store/catalog.ts'
import {orderRecords} from '../store/orders.ts'
import {type Folders, foldersOf, type Identity} from '../store/paths.ts'
import {readConfig} from '../store/profiles.ts'
import {identityOf, settingsOf} from '../store/settings.ts'
import {webhookRecords} from '../store/webhooks.ts'
import {type RecordKind, recordKinds} from '../terminal/completion.ts'
import {safe} from '../terminal/text.ts'
import {columnsOf} from '../terminal/views/known.ts'

/** What may stand in a place of a command line, and what it is. */
interface Candidate {
  value: string
  about?: string | undefined
}

interface Records {
  folders: Folders
  identity: Identity
}

/** TAB waits for it: what has not been found after so much work is left out. A machine that is busy leaves out nothing. */
const MOST_WORK_MS = 400
const workMs = () => {
  const {user, system} = process.cpuUsage()
  return (user + system) / 1_000
}
const MOST = 1_000

export default class Complete extends ScentCommand {
  static override hidden = true
  static override summary = 'Print what the local records know for a place of a command line.'
  static override description =
    'The scripts of `scent autocomplete` call it. It asks the service nothing, and never fails.'
  static override examples = ['<%= config.bin %> complete orders "orders get" -- orders get PO-']
  static override strict = false
  static override args = {
    kind: Args.string({description: `What is completed: ${recordKinds.join(', ')}.`}),
    command: Args.string({description: 'The command that is typed.'}),
  }
  static override flags = {}

  async run(): Promise<void> {
    const dash = this.argv.indexOf('--')
    const [kind = '', command = ''] = this.argv.slice(0, Math.max(dash, 0))
    const words = this.argv.slice(dash + 1)
    const begun = words.at(-1) ?? ''
    const found = new Map<string, string>()
    try {
      const end = workMs() + MOST_WORK_MS
      for await (const {value, about} of candidates(kind as RecordKind, command, words)) {
        if (value.startsWith(begun) && isPlain(value) && !found.has(value)) found.set(value, about ?? '')
        if (found.size === MOST || workMs() > end) break
      }
    } catch {
      // A record that can't be read offers nothing; any command that needs it says why.
    }
    for (const [value, about] of found)
      process.stdout.write(`${value}\t${safe(about).replace(/\s+/g, ' ')}\n`)
  }
}

/** A shell takes a candidate for a line, and a tab for the end of its value. */
const isPlain = (value: string) => value !== '' && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)

async function* candidates(kind: RecordKind, command: string, words: string[]): AsyncGenerator<Candidate> {
  const folders = foldersOf()
  const config = readConfig(folders)
  if (kind === 'profiles') {
    for (const [value, {baseUrl}] of Object.entries(config.profiles)) yield {value, about: baseUrl}
    return
  }
  if (kind === 'columns') return yield* columnList(command, words.at(-1) ?? '')
  const flags = Object.fromEntries(
    ['profile', 'base-url', 'as'].map((name) => [name, flagIn(words, `--${name}`)]),
  )
  const records = {folders, identity: identityOf(settingsOf(flags, process.env, config))}
  yield* {variants, orders, customers, jobs, webhooks}[kind](records, words.at(-1) ?? '')
}

function flagIn(words: string[], flag: string): string | undefined {
  const at = words.indexOf(flag)
  return at < 0 ? words.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1) : words[at + 1]
}

/** Columns behind those that are named already. */
async function* columnList(command: string, begun: string): AsyncGenerator<Candidate> {
  const before = begun.slice(0, begun.lastIndexOf(',') + 1)
  const all =
    command === 'jobs list' ? (await import('../bulk/standing.ts')).jobColumns : await columnsOf(command)
  for (const {key, header} of all) yield {value: before + key, about: header}
}

async function* variants({folders, identity}: Records): AsyncGenerator<Candidate> {
  const catalog = await catalogCache(folders, identity).read()
  for (const {id, sku, scentId, sizeMl} of catalog.variants.values()) {
    const about = [catalog.scents.get(scentId ?? '')?.name, sizeMl && `${sizeMl} ml`]
    yield {value: sku ?? id, about: about.filter((text) => text).join(', ')}
  }
}

interface Known {
  reference: string
  customerRef: string | null
  orderId: string | null
}

/** The orders made from here, those of jobs among them; an id is known once there is an outcome. */
async function* known({folders, identity}: Records): AsyncGenerator<Known> {
  for (const {reference, customerRef, outcome} of (await orderRecords(folders, identity).all()).reverse())
    yield {reference, customerRef, orderId: outcome?.orderId ?? null}
  for (const job of openJobs(folders, identity).list())
    for (const {record} of job.entries()) {
      if (record.step === 'PLANNED') yield {...record, orderId: null}
      if (record.step === 'OUTCOME') yield {...record, customerRef: null}
    }
}

/** References, and ids only if the beginning of one is typed: each order once. */
async function* orders(records: Records, begun: string): AsyncGenerator<Candidate> {
  const byId = /^[\da-f][\da-f-]{2,}$/.test(begun)
  for await (const {reference, customerRef, orderId} of known(records)) {
    yield {value: reference, about: customerRef ?? ''}
    if (byId && orderId) yield {value: orderId, about: reference}
  }
}

async function* customers(records: Records): AsyncGenerator<Candidate> {
  for await (const {customerRef} of known(records)) if (customerRef) yield {value: customerRef}
}

async function* jobs({folders, identity}: Records): AsyncGenerator<Candidate> {
  for (const {head} of openJobs(folders, identity).list())
    yield {value: head.id, about: `${head.kind} of ${basename(head.file)}`}
}

async function* webhooks({folders, identity}: Records): AsyncGenerator<Candidate> {
  for (const {id, url} of await webhookRecords(folders, identity).all()) yield {value: id, about: url ?? ''}
}
