import {randomBytes} from 'node:crypto'
import * as fs from 'node:fs'
import {dirname, join} from 'node:path'
import {Failure} from '../contract/failure.ts'
import {attempt, namesIn, removeOwn, syncFolder} from '../store/files.ts'
import {type Entry, type Journal, journal, ownHeader} from '../store/journal.ts'
import {isLocked, tryLock, withLock} from '../store/lock.ts'
import {type Folders, type Identity, recordsFolder} from '../store/paths.ts'
import {noSuchJob, severalJobs} from './owner.ts'
import {DURABLE, type JobHead, type JobRecord, jobRecord} from './records.ts'

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
  /**
   * The job with this id, or the only one whose id begins so, or without any the latest. Fails with INVALID_INPUT if
   * there is none, or several; of one that another identity has it says whose it is.
   */
  open(id: string | undefined): JobFile
}

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
  const list = () => {
    const jobs = idsIn(folder).flatMap((id) => open(id) ?? [])
    return jobs.sort((a, b) => (a.head.at < b.head.at ? 1 : -1))
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
    list,
    open(id) {
      const ids = id ? idsIn(folder).filter((one) => one.startsWith(id)) : []
      const [only, ...others] = ids.filter((one) => one === id || !ids.includes(id ?? ''))
      if (others.length > 0) throw severalJobs(id ?? '', ids)
      const found = id === undefined ? list()[0] : only && open(only)
      if (found) return found
      throw noSuchJob(folders, id)
    },
  }
}

const idsIn = (folder: string) =>
  namesIn(folder).flatMap((name) => /^([\w-]+)\.ndjson$/.exec(name)?.[1] ?? [])

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

/** Sorts by its time, and can be read out. */
function newId(at: string): string {
  const letters = 'abcdefghjkmnpqrstvwxyz23456789'
  const tail = [...randomBytes(4)].map((byte) => letters[byte % letters.length]).join('')
  return `${at.slice(0, 10).replaceAll('-', '')}-${at.slice(11, 19).replaceAll(':', '')}-${tail}`
}
