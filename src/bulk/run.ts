import {Failure, isFailure} from '../contract/failure.ts'
import {digits} from '../contract/money.ts'
import type {Session} from '../session.ts'
import {limitHeap} from '../store/heap.ts'
import {type Board, follow, openBoard, openTicker} from './board.ts'
import type {JobFile} from './journal.ts'
import type {OpenJob, Work} from './kind.ts'
import {kinds} from './kinds.ts'
import type {Standing} from './meter.ts'
import {type JobScreen, writeRefused} from './screen.ts'

interface RunOptions {
  /** Orders under way at a time. */
  concurrency: number
  /** Where to write the refused rows; undefined for nowhere. */
  refused?: string | undefined
}

interface ShowOptions {
  refused?: string | undefined
  /** Given if the job is followed until it ends; aborted when the user has seen enough. */
  watch?: AbortSignal
}

/** Call before anything else. */
export const staySmall = () => limitHeap({'heap-growing-percent': 30, 'semi-space-growth-factor': 1})

/**
 * Runs a planned job, or goes on with one, to its end, alone among all processes, and shows what became of its rows;
 * returns the document of that. Fails with BUSY if another process runs it.
 */
export async function runJob(
  screen: JobScreen,
  session: Session,
  job: JobFile,
  {concurrency, refused}: RunOptions,
): Promise<unknown> {
  const release = job.run()
  const board = openBoard(process.stderr)
  session.showOn(board)
  try {
    const {rows, open} = kinds[job.head.kind]
    const work = open(job)
    await screen.event({event: 'job', job: job.head.id, [rows]: work.counts().total})
    await runRows(screen, session, job, work, {board, concurrency})
    const note = (text: string) => screen.note(text)
    const proof = await work.proof?.(session, note)
    await job.append({step: 'DONE', at: new Date().toISOString(), summary: work.summary(), ...proof})
    const document = await report(screen, job, work, refused)
    const failure = work.verdict(note)
    if (failure) screen.finding(failure)
    else screen.aside(work.next())
    return document
  } finally {
    board.clear()
    release()
  }
}

/** Shows what is known of a job, from its journal alone. */
export async function showJob(
  screen: JobScreen,
  session: Session,
  job: JobFile,
  {refused, watch}: ShowOptions,
): Promise<unknown> {
  const work = kinds[job.head.kind].open(job)
  if (watch) await watchJob(screen, session, job, work, watch)
  const document = await report(screen, job, work, refused)
  const {id} = job.head
  const {done, total} = work.counts()
  if (job.isRunning()) screen.note(`Job ${id} is running in another process.`)
  else if (done < total) screen.note(`Job ${id} is not finished: \`scent jobs resume ${id}\` goes on.`)
  return document
}

/** Shows what became of the rows of a job, and returns the document of it. */
async function report(screen: JobScreen, {head}: JobFile, work: OpenJob, refused: string | undefined) {
  const {rows, more = {}, refusals, views} = work.report()
  const summary = work.summary()
  if (refused !== undefined) screen.note(await writeRefused(refused, refusals))
  if (screen.streams) {
    await screen.event({event: 'summary', job: head.id, summary, ...more})
    screen.show({columns: [], rows: []})
  } else screen.show(...views(screen.inTerminal))
  return {job: head.id, [kinds[head.kind].rows]: rows, summary, ...more}
}

/** How often the journal of a job is read that another process runs. */
const LOOK_MS = 500

async function watchJob(
  screen: JobScreen,
  session: Session,
  job: JobFile,
  work: OpenJob,
  signal: AbortSignal,
): Promise<void> {
  const board = openBoard(process.stderr)
  session.showOn(board)
  const show = openTicker(session, work, board, signal, openTeller(screen, job))
  while (!signal.aborted) {
    const running = job.isRunning()
    await show(work.readOn() ? {summary: work.summary()} : undefined)
    if (!running) break
    await session.time.sleep(LOOK_MS, signal)
  }
  board.end()
}

async function runRows(
  screen: JobScreen,
  session: Session,
  job: JobFile,
  work: OpenJob,
  {board, concurrency}: {board: Board; concurrency: number},
): Promise<void> {
  const {id, kind} = job.head
  const {rows, promise} = kinds[kind]
  const goOn = `\`scent jobs resume ${id}\`; ${promise}.`
  const progress = () =>
    `Job ${id} has stopped; ${work.counts().done} of ${work.counts().total} ${rows} are done.`
  const story = () =>
    stop.aborted
      ? `Stopped immediately. ${progress()} What was under way may or may not have been done; a resume finds out.`
      : `Interrupted. No further ${rows.slice(0, -1)} of job ${id} is started.`
  const awaits = 'What is under way is brought to its end'
  const hint = `Go on: ${goOn}`
  const stop: AbortSignal = screen.interrupts.during({story, holds: () => true, awaits, hint})
  const ticker = follow(board, openTicker(session, work, board, stop, openTeller(screen, job)))
  const {say} = board
  const changed: Work['changed'] = (ended) => {
    work.readOn()
    ticker.show()
    if (ended) void screen.event(ended)
  }
  const alone: Work['alone'] = (customerRef, order) => session.alone(customerRef, order, {say, stop})
  try {
    await work.run({session, concurrency, stop, say, alone, changed})
  } catch (error) {
    if (!isFailure(error)) throw error
    // The journal knows more than this process was told if a write of it failed.
    work.readOn()
    throw cutShort(error, progress(), goOn, {job: id, summary: work.summary()})
  } finally {
    ticker.end()
  }
  work.readOn()
  const {done, total} = work.counts()
  const details = {job: id, summary: work.summary()}
  if (stop.aborted && done < total)
    throw new Failure('INTERRUPTED', {message: `Interrupted. ${progress()}`, hint, details})
}

/** A failure that stopped a job, with how far the job is and how to go on. */
function cutShort(
  {code, facts, message, hint, cause}: Failure,
  progress: string,
  goOn: string,
  about: object,
): Failure {
  return new Failure(
    code,
    {
      ...facts,
      message: `${message} ${progress}`,
      hint: `${hint} Then go on: ${goOn}`,
      details: {...(typeof facts.details === 'object' ? facts.details : {}), ...about},
    },
    {cause},
  )
}

/** How often the events tell how far a job is that has no news. */
const TOLD_MS = 10_000

function openTeller(screen: JobScreen, {head: {id}}: JobFile) {
  let toldMs = 0
  return async (standing: Standing, news?: object) => {
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
