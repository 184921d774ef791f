import {isFailure} from '../contract/failure.ts'
import type {JobCarts} from './carts/fold.ts'
import {cartSummaryOf} from './carts/report.ts'
import type {JobFile, JobHead, JobKind} from './journal.ts'
import type {JobOrders} from './orders/fold.ts'
import {summaryOf} from './orders/report.ts'

/** A job as a list shows it. */
export interface JobStanding {
  id: string
  kind: JobKind
  file: string
  state: 'running' | 'interrupted' | 'unsettled' | 'finished' | 'damaged'
  startedAt: string
  summary: Record<string, number>
}

/** Adds up the journal of a job. */
export interface JobReaders {
  orders(job: JobFile): JobOrders
  cart(job: JobFile): JobCarts
}

/** How far a job is: from its last record where that tells, else from all of them. */
export function jobStanding(job: JobFile, read: JobReaders): JobStanding {
  try {
    return standingOf(job, read)
  } catch (error) {
    // One that can't be read must not hide the others.
    if (!isFailure(error, 'CORRUPT_FILE')) throw error
    const {id, kind, file, at: startedAt} = job.head
    return {id, kind, file, state: 'damaged', startedAt, summary: {}}
  }
}

function standingOf(job: JobFile, read: JobReaders): JobStanding {
  const {id, kind, file, at: startedAt} = job.head
  const last = job.last()
  const done = last?.step === 'DONE' ? last.summary : undefined
  const sum = () => (kind === 'cart' ? cartSummaryOf(read.cart(job)) : summaryOf(read.orders(job)))
  const summary: Record<string, number> = done ?? {...sum()}
  const {unknown = 0, pending = 0} = summary
  const ended = done !== undefined && pending === 0
  const left = ended ? (unknown > 0 ? 'unsettled' : 'finished') : 'interrupted'
  return {id, kind, file, state: job.isRunning() ? 'running' : left, startedAt, summary}
}

/** What makes two jobs the same: they would do the same things twice. */
export interface SameJob {
  kind: JobKind
  fileHash: string
  /** Those of the options that matter for it. */
  options?: JobHead['options']
}

/** The newest of the jobs that are the same and have something left to do, or were begun after `since`. */
export function unfinishedJob(
  jobs: JobFile[],
  read: JobReaders,
  {kind, fileHash, options = {}}: SameJob,
  since?: string,
): JobFile | undefined {
  const isSame = ({head}: JobFile) =>
    head.kind === kind &&
    head.fileHash === fileHash &&
    Object.entries(options).every(([name, value]) => (head.options[name] ?? null) === value)
  const isNew = ({head}: JobFile) => since !== undefined && head.at > since
  return jobs.find((job) => isSame(job) && (isNew(job) || jobStanding(job, read).state !== 'finished'))
}
