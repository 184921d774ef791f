import {readdirSync, truncateSync} from 'node:fs'
import {join} from 'node:path'
import {expect} from 'vitest'
import {type JobFile, openJobs} from '../../../src/bulk/journal.ts'
import type {JobRecord} from '../../../src/bulk/records.ts'
import {identity} from '../../support/bulk.ts'
import {effort} from '../../support/effort.ts'
import {simulatedDisk} from '../simulation/disk.ts'
import type {Life} from './life.ts'

/** Distance between the bytes at which journals are cut: one row at a time (`alone`), or several (`beside`). */
export const steps = {alone: effort({little: 13, all: 1}), beside: 49}
export const every = (step: number) =>
  step === 1 ? 'every byte (before its last three records every 7th)' : `every ${step}th byte`

/** A journal whose machine died: its file may end at any byte from `synced` to `written`. */
export interface Torn {
  synced: number
  written: number
  /** False if the job came to its end before. */
  died: boolean
}

/**
 * Runs a job of this plan on a machine that loses its power as soon as this many records are written, and makes the
 * journal in a place what it had written by then. What was flushed is safe; of the rest any part may be there, and
 * nothing was done that had to wait for its flush.
 */
export async function runUntilDeath(
  place: string,
  plan: JobRecord[],
  records: number,
  run: (job: JobFile, life: Life) => Promise<unknown>,
): Promise<Torn> {
  const file = jobIn(place)
  const disk = simulatedDisk(file.head, plan)
  const died = () => disk.records.length - 1 - plan.length >= records
  const pass = () => {
    if (died()) throw new Error('killed')
  }
  disk.at = async (boundary) => {
    pass()
    // Others write while a flush takes its time.
    if (boundary === 'written') await new Promise((turn) => setImmediate(turn))
    pass()
  }
  await run(disk.job, {pass, isDead: died, passed: []})
  const [head] = file.entries()
  truncateSync(journalIn(place), head?.next)
  await file.append(disk.records.slice(1), {sync: false})
  const ends = [...file.entries()].map(({next}) => next)
  return {synced: ends[disk.synced() - 1] ?? 0, written: ends.at(-1) ?? 0, died: died()}
}

/** The file of the only job in a place. */
export function journalIn(place: string): string {
  const found = readdirSync(place, {recursive: true, encoding: 'utf8'}).find((name) =>
    /jobs\/.*\.ndjson$/.test(name),
  )
  if (found === undefined) throw new Error('there is no journal')
  return join(place, found)
}

/** The only job in a place, as a process that has just been started finds it. */
export function jobIn(place: string): JobFile {
  const [job] = openJobs({config: place, state: place}, identity).list()
  if (job === undefined) throw new Error('the job is lost')
  return job
}

/** Takes up the job of a place as its only runner. Flushes are left out: they take their time, and show in no file. */
export async function takeUp<R>(place: string, run: (job: JobFile) => Promise<R>): Promise<R> {
  const job = jobIn(place)
  const release = job.run()
  try {
    return await run({...job, append: (added) => job.append(added, {sync: false})})
  } finally {
    release()
  }
}

/** A job that was run until its machine died, and what a resume makes of it. */
export interface Played<R> {
  torn: Torn
  resume(): Promise<R>
}

/**
 * Plays a job again and again, on machines that die after its first, its second … its last record, and cuts from its
 * journal what may be lost then: nothing, its last byte, and so on in steps, and all of it. The steps are for its last
 * three records; before them they are 7 bytes at least. Each resume must come to the same end. Returns how many there
 * were.
 */
export async function resumeEach<R>(
  place: string,
  play: (records: number) => Promise<Played<R>>,
  expected: R,
  step: number,
): Promise<number> {
  let resumes = 0
  await play(Number.POSITIVE_INFINITY)
  const planned = ['JOB', 'PLANNED', 'WANTED']
  const all = [...jobIn(place).entries()].filter(({record}) => !planned.includes(record.step)).length
  for (let records = 1, died = true; died; records++) {
    const by = records > all - 3 ? step : Math.max(step, 7)
    for (let lost = 0, last = false; !last; lost += lost === 0 ? 1 : by) {
      const {torn, resume} = await play(records)
      const bytes = Math.max(torn.synced, torn.written - lost)
      truncateSync(journalIn(place), bytes)
      expect(await resume(), `after record ${records}, ${torn.written - bytes} bytes lost`).toEqual(expected)
      resumes += 1
      died = torn.died
      last = bytes === torn.synced
    }
  }
  return resumes
}
