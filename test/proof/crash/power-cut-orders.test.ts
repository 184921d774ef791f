import {readFileSync, truncateSync, writeFileSync} from 'node:fs'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import type {JobFile} from '../../../src/bulk/journal.ts'
import {planJob, plannedRows} from '../../support/bulk.ts'
import {folder} from '../../support/program.ts'
import {type CrashShop, live, openCrashShop, resultOf, wishesOf} from './order-shop.ts'
import {every, jobIn, journalIn, resumeEach, runUntilDeath, steps, takeUp} from './power-cut.ts'

/** A new sandbox after this many jobs: its tables grow with each. */
const JOBS_OF_A_SHOP = 200

const place = folder()
let shop: CrashShop
let jobs = 0
beforeAll(async () => {
  await planJob([], place)
})
afterAll(() => shop.close())

/** Runs a job of three orders, one of which is refused, on a machine that dies after this many records. */
async function play(records: number, concurrency = 1) {
  if (jobs % JOBS_OF_A_SHOP === 0) {
    if (jobs > 0) await shop.close()
    shop = await openCrashShop()
  }
  jobs += 1
  const wishes = wishesOf(String(jobs).padStart(5, '0'), shop.variants).slice(0, 3)
  shop.fund()
  const torn = await runUntilDeath(place, plannedRows(wishes), records, (job, life) => {
    shop.next(life)
    return live(shop, job, concurrency)
  })
  return {torn, resume: () => takeUp(place, (job) => resultOf(shop, job, wishes))}
}

/** More records than a job of three orders writes. */
const ALL = 99

describe('a job whose machine dies while it writes', () => {
  test.each([
    [every(steps.alone), 1, steps.alone],
    [every(steps.beside), 3, steps.beside],
  ])(
    'comes to the same end, cut at %s of what may be lost then (%i at a time)',
    async (_, concurrency, step) => {
      const whole = await play(ALL, concurrency)
      const expected = await whole.resume()
      expect(expected.rows.map(({state}) => state)).toEqual(['placed', 'refused', 'placed'])
      const resumes = await resumeEach(place, (records) => play(records, concurrency), expected, step)
      console.log(`${resumes} resumes of orders, ${concurrency} at a time`)
      // Its records have more bytes than that, and each of them may be lost.
      expect(resumes).toBeGreaterThan(500 / step)
    },
    600_000,
  )
})

/** The bytes at which the last three records of a journal begin, and at which it ends. */
function lastThree(job: JobFile): number[] {
  const entries = [...job.entries()]
  return [...entries.slice(-3).map(({place}) => place), entries.at(-1)?.next ?? 0]
}

describe('a journal whose end is lost', () => {
  // Cut off when the first order was written down as sent, after the second was refused and its cart cleared, and at its end.
  test.each([3, 8, ALL])(
    'up to any byte of its last three records can be read and written on (%i)',
    async (records) => {
      await play(records)
      const path = journalIn(place)
      const text = readFileSync(path)
      const whole = jobIn(place)
      const [first = 0, ...others] = lastThree(whole)
      const all = [...whole.entries()].map((entry) => entry.record)
      const mark = {step: 'CLEARED', reference: 'PO', at: 'now'} as const
      for (let bytes = first; bytes <= text.length; bytes++) {
        writeFileSync(path, text.subarray(0, bytes))
        const job = jobIn(place)
        // A record of which only the end of its line is lost is whole.
        const kept = all.length - others.filter((end) => bytes < end - 1).length
        await job.append(mark)
        const read = [...job.entries()].map((entry) => entry.record)
        expect(read, `${bytes} bytes`).toEqual([...all.slice(0, kept), mark])
      }
    },
  )

  // The lost records had been on disk, and acted on: the same reference still charges once, whatever the verdict.
  test.each([
    [3, steps.beside],
    [4, steps.beside],
    [8, steps.beside],
    [ALL, steps.alone],
  ])(
    'up to any byte of its last three records is told truly at its resume, and charges nothing twice (%i)',
    async (records, step) => {
      let resumes = 0
      for (let lost = 1; ; lost += step) {
        const {resume} = await play(records)
        const job = jobIn(place)
        const [first = 0, , , end = 0] = lastThree(job)
        if (end - lost < first) break
        truncateSync(journalIn(place), end - lost)
        const {rows} = await resume()
        resumes += 1
        for (const {state, total, orders} of rows) {
          const exists = state === 'placed' || state === 'already-placed'
          expect(orders, `${lost} bytes`).toHaveLength(exists ? 1 : 0)
          if (exists) expect(orders).toMatchObject([{debits: 1, total: Math.round(Number(total) * 100)}])
        }
      }
      console.log(`${resumes} resumes of orders that lost what was acted on`)
      expect(resumes).toBeGreaterThan(300 / step)
    },
    600_000,
  )
})
