import {Failure, isFailure} from '../contract/failure.ts'
import {digits} from '../contract/money.ts'
import type {Session} from '../session.ts'
import type {View} from '../terminal/output.ts'
import {type Board, openBoard, type Standing} from './board.ts'
import {jobCarts} from './carts/fold.ts'
import {openCartJob} from './carts/kind.ts'
import type {JobDraft, JobFile, JobRecord} from './journal.ts'
import {openMeter} from './meter.ts'
import {jobOrders} from './orders/fold.ts'
import {openOrderJob} from './orders/kind.ts'
import {type SameJob, unfinishedJob} from './standing.ts'

export interface JobOptions {
  /** Orders under way at a time. */
  concurrency: number
  /** Where to write the refused rows; undefined for nowhere. */
  refused?: string | undefined
}

export interface ShowOptions {
  refused?: string | undefined
  /** Given where the job is followed until it ends; aborted where that is enough. */
  watch?: AbortSignal
}

/** Where a job shows itself. */
export interface JobScreen {
  stderr: NodeJS.WriteStream
  show(...views: View[]): void
  finding(failure: Failure): void
  note(text: string): void
  /** Writes a result at once, where results are written as they come. */
  event(document: object): Promise<void>
  inTerminal: boolean
  streams: boolean
  /** What an interrupt says, and the way on; the signal is aborted by the first one. */
  onInterrupt(story: () => string, hint: string): AbortSignal
}

/** How far a job is, in rows. */
export type Counts = Pick<Standing, 'done' | 'total' | 'refused' | 'unknown' | 'charged' | 'currency'>

/** What differs between the kinds of jobs. */
export interface JobWork {
  /** What its rows are, such as `orders`. */
  rows: string
  /** What a resume never does. */
  promise: string
  /** Requests that a row takes on average, where nothing goes wrong. */
  requestsEach(): number
  /** Takes in what was written to the journal since; true where something was. */
  readOn(): boolean
  counts(): Counts
  summary(): Record<string, number>
  /** Brings the rows to their ends; calls `changed` whenever the counts have. Throws what stops the whole job. */
  run(stop: AbortSignal, say: (text: string) => void, changed: () => void): Promise<void>
  /** What the last record says besides the summary, of a job that has just ended. */
  proof(): Promise<Pick<Extract<JobRecord, {step: 'DONE'}>, 'ledger'>>
  /** Shows what became of the rows; returns the document of it. */
  report(refused: string | undefined): Promise<unknown>
  /** What the exit code has to tell; undefined where all is well. */
  verdict(): Failure | undefined
}

const read = {orders: jobOrders, cart: jobCarts}

/** The newest unfinished job of the same file, if there is one. */
export async function openJobOf(session: Session, same: SameJob): Promise<JobFile | undefined> {
  return unfinishedJob((await session.jobs()).list(), read, same)
}

/**
 * Makes a job of its draft. Fails with JOB_UNFINISHED where another process has begun the same one since this one looked:
 * of two that are started at once only one may go on.
 */
export async function beginJob(session: Session, draft: JobDraft, same: SameJob): Promise<JobFile> {
  const jobs = await session.jobs()
  const started = new Date(Date.now() - process.uptime() * 1000).toISOString()
  return jobs.oneAtATime(() => {
    const other = unfinishedJob(jobs.list(), read, same, started)
    if (other === undefined) return draft.keep()
    const {id} = other.head
    throw new Failure('JOB_UNFINISHED', {
      message: `Job ${id} of this very file was begun by another process at the same time. Nothing was sent.`,
      hint: `See what becomes of it: \`scent jobs show ${id}\`.`,
      details: {job: id},
    })
  })
}

/** Runs a job to its end, alone among all processes, and shows what became of it. Fails with BUSY where another runs it. */
export async function runJob(
  session: Session,
  job: JobFile,
  options: JobOptions,
  screen: JobScreen,
): Promise<unknown> {
  const release = job.run()
  const work = openWork(session, job, options, screen)
  const board = openBoard(screen.stderr)
  session.showOn(board)
  try {
    await screen.event({event: 'job', job: job.head.id, [work.rows]: work.counts().total})
    await runRows(session, job, work, screen, board)
    const summary = work.summary()
    await job.append({step: 'DONE', at: new Date().toISOString(), summary, ...(await work.proof())})
    const document = await work.report(options.refused)
    const failure = work.verdict()
    if (failure) screen.finding(failure)
    return document
  } finally {
    board.clear()
    release()
  }
}

function openWork(session: Session, job: JobFile, {concurrency}: JobOptions, screen: JobScreen): JobWork {
  return job.head.kind === 'cart'
    ? openCartJob(session, job, screen)
    : openOrderJob(session, job, concurrency, screen)
}

/** Shows what is known of a job, from its journal alone. */
export async function showJob(
  session: Session,
  job: JobFile,
  {refused, watch}: ShowOptions,
  screen: JobScreen,
): Promise<unknown> {
  const work = openWork(session, job, {concurrency: 1}, screen)
  if (watch) await watchJob(session, job, work, watch, screen)
  const document = await work.report(refused)
  const {id} = job.head
  const {done, total} = work.counts()
  if (job.isRunning()) screen.note(`Job ${id} is running in another process.`)
  else if (done < total) screen.note(`Job ${id} is not finished: \`scent jobs resume ${id}\` goes on.`)
  return document
}

/** How often the journal of a job is looked into that another process runs. */
const LOOK_MS = 500

async function watchJob(
  session: Session,
  job: JobFile,
  work: JobWork,
  signal: AbortSignal,
  screen: JobScreen,
): Promise<void> {
  const board = openBoard(screen.stderr)
  session.showOn(board)
  const show = openTicker(session, work, board, signal, openTeller(job, screen))
  while (!signal.aborted) {
    const running = job.isRunning()
    await show(work.readOn() ? {summary: work.summary()} : undefined)
    if (!running) break
    await session.time.sleep(LOOK_MS, signal)
  }
  board.end()
}

async function runRows(
  session: Session,
  job: JobFile,
  work: JobWork,
  screen: JobScreen,
  board: Board,
): Promise<void> {
  const {id} = job.head
  const goOn = `\`scent jobs resume ${id}\`; ${work.promise}.`
  const story = () =>
    stop.aborted
      ? `Left at once. ${progress()} Of those that were under way only a resume can tell what became.`
      : `Interrupted. No further ${work.rows.replace(/s$/, '')} of job ${id} is started.`
  const stop: AbortSignal = screen.onInterrupt(story, `Go on: ${goOn}`)
  const ticker = follow(session, work, board, stop, openTeller(job, screen))
  const progress = () =>
    `Job ${id} has stopped; ${work.counts().done} of ${work.counts().total} ${work.rows} are done.`
  // The records know more than this process was told where a write of it failed.
  const about = () => {
    work.readOn()
    return {job: id, summary: work.summary()}
  }
  try {
    await work.run(stop, board.say, ticker.show)
  } catch (error) {
    if (!isFailure(error)) throw error
    const {code, facts, message, hint, cause} = error
    throw new Failure(
      code,
      {
        ...facts,
        message: `${message} ${progress()}`,
        hint: `${hint} Then go on: ${goOn}`,
        details: {...(typeof facts.details === 'object' ? facts.details : {}), ...about()},
      },
      {cause},
    )
  } finally {
    ticker.end()
  }
  const {done, total} = work.counts()
  if (stop.aborted && done < total)
    throw new Failure('INTERRUPTED', {
      message: `Interrupted. ${progress()}`,
      hint: `Go on: ${goOn}`,
      details: about(),
    })
}

/** Keeps a board up to date until that is ended. */
export function follow(session: Session, work: Measured, board: Board, stop: AbortSignal, tell?: Tell) {
  const show = openTicker(session, work, board, stop, tell)
  const timer = setInterval(show, 250)
  void show()
  return {
    show: () => void show(),
    end() {
      clearInterval(timer)
      board.end()
    },
  }
}

type Measured = Pick<JobWork, 'counts' | 'requestsEach'>
type Tell = (standing: Standing, news?: object) => Promise<void>

/** Each call shows how far a job is, and tells it, with the news that there are. */
function openTicker(
  session: Session,
  work: Measured,
  board: Board,
  stop: AbortSignal,
  tell: Tell = async () => {},
): (news?: object) => Promise<void> {
  const {time, quota, waiting} = session
  const read = openMeter({...work, ticks: time.ticks, quota, waiting})
  return (news) => {
    const standing = {...work.counts(), ...read()}
    // What is stopped does not do what is left.
    if (stop.aborted) standing.leftMs = null
    board.show(standing)
    return tell(standing, news)
  }
}

/** How often the events tell how far a job is that has no news. */
const TOLD_MS = 10_000

function openTeller({head: {id}}: JobFile, screen: JobScreen): Tell {
  let toldMs = 0
  return async (standing, news) => {
    if (news === undefined && standing.elapsedMs - toldMs < TOLD_MS) return
    toldMs = standing.elapsedMs
    await screen.event({event: 'progress', job: id, ...news, ...progressOf(standing)})
  }
}

function progressOf({charged, currency, leftMs, waiting, ...standing}: Standing): object {
  const {done, total, refused, unknown, rate, quota} = standing
  return {
    ...{done, total, refused, unknown},
    ...(charged !== null && {charged: digits(charged), currency}),
    rate,
    leftMs: leftMs === null ? null : Math.round(leftMs),
    quota,
    waiting: waiting && {why: waiting.why, ms: Math.round(waiting.ms)},
  }
}
