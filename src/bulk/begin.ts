import {resolve} from 'node:path'
import {Failure} from '../contract/failure.ts'
import type {Session, SessionOptions} from '../session.ts'
import {openRows} from '../store/rows.ts'
import {requireGoodRows} from './file/check.ts'
import {mappingOf, withNames} from './file/header.ts'
import type {VariantsBySku} from './file/rows.ts'
import {type JobFile, openJobs} from './journal.ts'
import type {Wish} from './kind.ts'
import {kinds} from './kinds.ts'
import type {JobHead} from './records.ts'
import {runJob, staySmall} from './run.ts'
import {type JobScreen, requireNew} from './screen.ts'
import {unfinishedJob} from './standing.ts'

/** A file to import, as a command was told. */
interface Import
  extends Pick<JobHead, 'kind' | 'program' | 'options'>,
    Pick<Wish, 'concurrency' | 'yes' | 'preview'> {
  path: string
  dryRun: boolean
  /** Where to write the refused rows; undefined for nowhere. */
  refused: string | undefined
  /** What columns of the file stand for, each as `HEADER=column`, and whether those that are not known are left out. */
  map: readonly string[]
  ignoreColumns: boolean
}

/** The header of a file of that kind. */
export const templateOf = (kind: JobHead['kind']) => `${kinds[kind].columns.join(',')}\n`

/**
 * Imports a file: checks all of it offline, then shows what a job would do, or makes one and runs it; returns the
 * document of either. Goes on with an unfinished job of the very same file instead, if the user agrees.
 */
export async function importFile(
  screen: JobScreen,
  open: (how: SessionOptions) => Promise<Session>,
  {kind, path, program, refused, dryRun, map, ignoreColumns: ignore, ...how}: Import,
): Promise<unknown> {
  staySmall()
  if (refused !== undefined) requireNew(refused)
  const options = {...how.options, ...(map.length > 0 && {map: map.join('\n')})}
  const {columns} = kinds[kind]
  const naming = {map: mappingOf(map, columns), ignore}
  const opened = await openRows(path, process.stdin)
  // Its problems are read while they are printed.
  screen.atEnd(opened.close)
  const file = withNames(opened, [...columns, 'problem'], naming)
  const source = {
    path,
    headerLine: file.header.line,
    check: (found?: VariantsBySku) => kinds[kind].check(file, options, found),
  }
  const checked = await requireGoodRows(source, async () => {
    const {progress, catalogTools} = await open({job: true})
    progress.say('Reading the catalog …')
    return catalogTools()
  })
  const session = await open({job: true, board: true})
  const wish = {...how, screen, session, file, source, checked, options}
  if (dryRun) return kinds[kind].dryRun(wish)
  const name = path === '-' ? '-' : resolve(path)
  const about = {kind, file: name, fileHash: file.hash, program, options}
  const job = (await openEarlier(screen, session, about)) ?? (await begin(wish, about))
  return runJob(screen, session, job, {...how, refused})
}

type About = Omit<JobHead, 'step' | 'id' | 'at'>

/**
 * The unfinished job of the very same file, which a person agrees to go on with: that is what does each row once.
 * Undefined if there is none. Fails with JOB_UNFINISHED if nobody can be asked.
 */
async function openEarlier(screen: JobScreen, session: Session, about: About): Promise<JobFile | undefined> {
  const job = unfinishedJob(openJobs(session.folders, session.identity).list(), about)
  if (job === undefined) return undefined
  const {id, options} = job.head
  const ask = await screen.ask()
  if (!ask.interactive)
    throw new Failure('JOB_UNFINISHED', {
      message: `Job ${id} of this very file is not finished. Nothing was sent.`,
      hint: `Go on with it: \`scent jobs resume ${id}\`.`,
      details: {job: id},
    })
  const how = options.mode ? `, begun with --mode ${options.mode},` : ''
  await ask.confirm(`Job ${id} of this very file${how} is not finished. Go on with it?`)
  return job
}

/**
 * Plans a job and makes it, once it is approved. Fails with JOB_UNFINISHED if another process has begun the same one
 * since this one looked: of two that are started at once only one may go on.
 */
async function begin(wish: Wish, about: About): Promise<JobFile> {
  const {screen, session} = wish
  const jobs = openJobs(session.folders, session.identity)
  const started = new Date(Date.now() - process.uptime() * 1000).toISOString()
  const at = new Date().toISOString()
  const draft = await jobs.draft(about, at)
  try {
    await kinds[about.kind].plan(wish, draft, at)
    const job = await jobs.oneAtATime(() => {
      const other = unfinishedJob(jobs.list(), about, started)
      if (other) throw begunElsewhere(other)
      return draft.keep()
    })
    const {id} = job.head
    screen.note(`Job ${id}. If it is cut off: \`scent jobs resume ${id}\`.`)
    return job
  } catch (error) {
    draft.drop()
    throw error
  }
}

const begunElsewhere = ({head: {id}}: JobFile) =>
  new Failure('JOB_UNFINISHED', {
    message: `Job ${id} of this very file was begun by another process at the same time. Nothing was sent.`,
    hint: `See what becomes of it: \`scent jobs show ${id}\`.`,
    details: {job: id},
  })
