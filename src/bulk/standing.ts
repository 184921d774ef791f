import {isFailure} from '../contract/failure.ts'
import {badge} from '../terminal/cells.ts'
import {localColumns} from '../terminal/columns.ts'
import type {Tone} from '../terminal/text.ts'
import type {JobFile} from './journal.ts'
import {kinds} from './kinds.ts'
import type {JobHead, JobKind} from './records.ts'

/** A job as a list shows it. */
interface JobStanding {
  id: string
  kind: JobKind
  file: string
  state: 'running' | 'interrupted' | 'unsettled' | 'finished' | 'damaged'
  startedAt: string
  summary: Record<string, number>
}

/** How far a job is: from its last record if that tells, else from all of them. */
export function jobStanding(job: JobFile): JobStanding {
  const {id, kind, file, at: startedAt} = job.head
  try {
    const last = job.last()
    const done = last?.step === 'DONE' ? last.summary : undefined
    const summary = done ?? kinds[kind].open(job).summary()
    const {unknown = 0, pending = 0} = summary
    const ended = done !== undefined && pending === 0
    const left = ended ? (unknown > 0 ? 'unsettled' : 'finished') : 'interrupted'
    return {id, kind, file, state: job.isRunning() ? 'running' : left, startedAt, summary}
  } catch (error) {
    // A damaged job must not hide the others.
    if (!isFailure(error, 'CORRUPT_FILE')) throw error
    return {id, kind, file, state: 'damaged', startedAt, summary: {}}
  }
}

/** What makes two jobs the same: they would do the same things twice. */
type SameJob = Pick<JobHead, 'kind' | 'fileHash' | 'options'>

/** The newest of the jobs that are the same and have something left to do, or were begun after `since`. */
export function unfinishedJob(jobs: JobFile[], same: SameJob, since?: string): JobFile | undefined {
  const isSame = ({kind, fileHash, options}: SameJob) =>
    kind === same.kind &&
    fileHash === same.fileHash &&
    ['map', ...kinds[kind].sameBy].every((name) => (options[name] ?? null) === (same.options[name] ?? null))
  const isNew = ({at}: JobHead) => since !== undefined && at > since
  return jobs.find((job) => isSame(job.head) && (isNew(job.head) || jobStanding(job).state !== 'finished'))
}

const jobTones: Record<string, Tone> = {
  running: 'warn',
  interrupted: 'bad',
  damaged: 'bad',
  unsettled: 'bad',
  finished: 'good',
}

export const jobColumns = localColumns<JobStanding>(
  'id! Job; kind; state!; startedAt Started; summary; file-',
  {state: ({state}) => badge(state, jobTones), summary: ({summary}) => summaryText(summary)},
)

const words: Record<string, string> = {alreadyPlaced: 'ordered before', pending: 'not begun'}

function summaryText(summary: Record<string, number>): string {
  const some = Object.entries(summary).filter(([, count]) => count > 0)
  return some.map(([name, count]) => `${count} ${words[name] ?? name}`).join(', ') || 'nothing yet'
}
