import {randomBytes} from 'node:crypto'
import * as fs from 'node:fs'
import {dirname, join} from 'node:path'
import * as z from 'zod/mini'
import {Failure} from '../contract/failure.ts'
import {attempt, removeOwn, syncFolder} from '../store/files.ts'
import {type Entry, type Journal, journal, ownHeader} from '../store/journal.ts'
import {isLocked, tryLock, withLock} from '../store/lock.ts'
import {base, locked, outcome, planned, submitting} from '../store/orders.ts'
import {type Folders, type Identity, recordsFolder} from '../store/paths.ts'
import {isJobId, noSuchJob} from './owner.ts'

const kinds = ['orders', 'cart'] as const
export type JobKind = (typeof kinds)[number]

const amount = z.string()
const counts = z.record(z.string(), z.int())

/** The first record: what the job is about, and what was approved for all of it. */
const head = z.object({
  step: z.literal('JOB'),
  at: z.string(),
  id: z.string(),
  kind: z.enum(kinds),
  /** Absolute path of the file, and SHA-256 of what it held. */
  file: z.string(),
  fileHash: z.string(),
  program: z.string(),
  /** The options that decide what the job does: a resume takes them from here. */
  options: z.record(z.string(), z.nullable(z.string())),
})

/** One order of a file: `rows` are its lines there, `goods` what they cost with VAT when it was planned. */
const plannedRow = z.extend(planned, {
  customerRef: z.string(),
  lines: z.array(z.object({variantId: z.string(), quantity: z.int()})),
  rows: z.array(z.int()),
  goods: z.nullable(amount),
})

/** From here on the cart may hold lines of this order. */
const filling = z.object({...base, step: z.literal('FILLING')})
/** The lines that were added for an order are out of its cart again. */
const cleared = z.object({...base, step: z.literal('CLEARED')})
const ledger = z.object({
  proved: z.boolean(),
  /** Debits found for placed orders, and what they add up to. */
  debits: z.int(),
  total: amount,
  /** Totals of placed orders that have no debit. */
  missing: z.array(amount),
  /** Debits of orders since the job began that are not the job's. */
  others: z.int(),
})
const done = z.object({
  step: z.literal('DONE'),
  at: z.string(),
  summary: counts,
  ledger: z.optional(ledger),
})

/** One cart of an import: what the file wants in it, each line with its line in the file. */
const wanted = z.object({
  step: z.literal('WANTED'),
  at: z.string(),
  customerRef: z.string(),
  lines: z.array(
    z.object({variantId: z.string(), sku: z.nullable(z.string()), quantity: z.int(), row: z.int()}),
  ),
})
/** What its lines held, and what they are to hold in the end: fixed before the first change. */
const target = z.object({
  step: z.literal('TARGET'),
  at: z.string(),
  customerRef: z.string(),
  lines: z.array(
    z.object({variantId: z.string(), sku: z.nullable(z.string()), before: z.int(), target: z.int()}),
  ),
})
/** A change is about to leave that must not arrive twice: an add, or the emptying if no variant is named. */
const sending = z.object({
  step: z.literal('SENDING'),
  at: z.string(),
  customerRef: z.string(),
  variantId: z.nullable(z.string()),
})
const cartOutcome = z.object({
  step: z.literal('CART'),
  at: z.string(),
  customerRef: z.string(),
  outcome: z.enum(['done', 'refused', 'unknown']),
  /** The lines that are not at their target; no variant if it is the whole cart. */
  failures: z.array(
    z.object({
      variantId: z.nullable(z.string()),
      outcome: z.enum(['refused', 'unknown']),
      state: z.string(),
      http: z.nullable(z.int()),
      message: z.string(),
    }),
  ),
})

export const jobRecord = z.discriminatedUnion('step', [
  head,
  plannedRow,
  filling,
  cleared,
  locked,
  submitting,
  outcome,
  done,
  wanted,
  target,
  sending,
  cartOutcome,
])
export type JobRecord = z.output<typeof jobRecord>
export type JobHead = z.output<typeof head>
/** Whether every placed order of a job has a debit of its own in the wallet's ledger. */
export type Ledger = z.output<typeof ledger>
export type PlannedRow = z.output<typeof plannedRow>
export type WantedCart = z.output<typeof wanted>
export type CartTarget = z.output<typeof target>
export type CartSending = z.output<typeof sending>
export type CartOutcome = z.output<typeof cartOutcome>

/** The journal of one job. */
export interface JobFile {
  head: JobHead
  append(record: JobRecord | JobRecord[], options?: {sync?: boolean}): Promise<void>
  entries(from?: number): Generator<Entry<JobRecord>>
  at(place: number): JobRecord
  last(): JobRecord | undefined
  /** Whether a process runs it now. */
  isRunning(): boolean
  /** Makes this process its only runner until the returned function is called. Fails with BUSY. */
  run(): () => void
}

/** A job that is still being planned: nothing knows of it before it is kept. */
export interface JobDraft {
  append(records: JobRecord[]): Promise<void>
  keep(): JobFile
  drop(): void
}

interface Jobs {
  draft(about: Omit<JobHead, 'step' | 'id' | 'at'>, at: string): Promise<JobDraft>
  /** Runs work while no other process runs such. */
  oneAtATime<T>(work: () => T): Promise<T>
  /** The newest first. */
  list(): JobFile[]
  /** Fails with INVALID_INPUT if there is no such job; of one that another identity has it says whose it is. */
  open(id: string): JobFile
}

/** What must be on disk before the next step is taken. */
export const DURABLE: ReadonlySet<JobRecord['step']> = new Set([
  'FILLING',
  'SUBMITTING',
  'OUTCOME',
  'DONE',
  'TARGET',
  'SENDING',
  'CART',
])
const PLAN = '.plan'

/** Each call takes in what was appended to a journal since the last one; true if something was. */
export function readerOf(
  job: Pick<JobFile, 'entries'>,
  take: (record: JobRecord, place: number) => void,
): () => boolean {
  let next = 0
  return () => {
    const before = next
    for (const {record, place, next: after} of job.entries(next)) {
      take(record, place)
      next = after
    }
    return next > before
  }
}

const BATCH = 200

/** Appends records as they come, many at a time. */
export async function appendAll(
  draft: Pick<JobDraft, 'append'>,
  records: AsyncIterable<JobRecord>,
): Promise<void> {
  let batch: JobRecord[] = []
  for await (const record of records) {
    batch.push(record)
    if (batch.length < BATCH) continue
    await draft.append(batch)
    batch = []
  }
  await draft.append(batch)
}

/** The jobs of one identity; another identity's file is refused (FOREIGN_FILE). */
export function openJobs(folders: Folders, identity: Identity): Jobs {
  const folder = join(recordsFolder(folders, identity), 'jobs')
  const at = (path: string) =>
    journal({
      path,
      header: ownHeader('job', identity),
      record: jobRecord,
    })
  const pathOf = (id: string) => join(folder, `${id}.ndjson`)
  const open = (id: string): JobFile | undefined => {
    const path = pathOf(id)
    const file = at(path)
    const first = file.entries().next()
    return first.done || first.value.record.step !== 'JOB'
      ? undefined
      : jobFile(path, file, first.value.record)
  }
  return {
    async draft(about, when) {
      dropDead(folder)
      const id = newId(when)
      const path = `${pathOf(id)}${PLAN}`
      const release = tryLock(join(folder, id))
      const file = at(path)
      await file.append({...about, step: 'JOB', id, at: when})
      const letGo = file.hold()
      let ended = false
      const end = () => {
        if (ended) return
        ended = true
        letGo()
        for (const name of namesIn(folder)) {
          if (name.startsWith(`${id}.ndjson${PLAN}`)) removeOwn(join(folder, name))
        }
        release?.()
      }
      return {
        append: (records) => file.append(records),
        keep() {
          attempt(path, 'kept', () => {
            flush(path)
            fs.renameSync(path, pathOf(id))
            syncFolder(dirname(path))
          })
          end()
          return open(id) as JobFile
        },
        drop: end,
      }
    },
    oneAtATime: (work) => withLock(join(folder, 'begin'), work),
    list() {
      const ids = namesIn(folder).flatMap((name) => /^([\w-]+)\.ndjson$/.exec(name)?.[1] ?? [])
      return ids.flatMap((id) => open(id) ?? []).sort((a, b) => (a.head.at < b.head.at ? 1 : -1))
    },
    open(id) {
      const found = isJobId(id) ? open(id) : undefined
      if (found) return found
      throw noSuchJob(folders, id)
    },
  }
}

function jobFile(path: string, file: Journal<JobRecord>, about: JobHead): JobFile {
  const runner = path.replace(/\.ndjson$/, '')
  return {
    head: about,
    append: (record, {sync} = {}) =>
      file.append(record, {sync: sync ?? [record].flat().some(({step}) => DURABLE.has(step))}),
    entries: file.entries,
    at: file.at,
    last: file.last,
    isRunning: () => isLocked(runner),
    run() {
      const release = tryLock(runner)
      if (release) {
        const letGo = file.hold()
        return () => {
          letGo()
          release()
        }
      }
      throw new Failure('BUSY', {
        message: `Job ${about.id} is running in another process.`,
        hint: `Watch it: \`scent jobs show ${about.id} --watch\`.`,
      })
    },
  }
}

function flush(path: string): void {
  const fd = fs.openSync(path, 'r')
  fs.fsyncSync(fd)
  fs.closeSync(fd)
}

/** Plans that a killed process left behind: nothing was sent for them. */
function dropDead(folder: string): void {
  for (const name of namesIn(folder)) {
    const id = name.endsWith(`.ndjson${PLAN}`) ? name.slice(0, -`.ndjson${PLAN}`.length) : undefined
    if (id !== undefined && !isLocked(join(folder, id))) removeOwn(join(folder, name))
  }
}

function namesIn(folder: string): string[] {
  return fs.existsSync(folder) ? attempt(folder, 'read', () => fs.readdirSync(folder)) : []
}

/** Sorts by its time, and can be read out. */
function newId(at: string): string {
  const letters = 'abcdefghjkmnpqrstvwxyz23456789'
  const tail = [...randomBytes(4)].map((byte) => letters[byte % letters.length]).join('')
  return `${at.slice(0, 10).replaceAll('-', '')}-${at.slice(11, 19).replaceAll(':', '')}-${tail}`
}
