import {readdirSync, readFileSync, statSync, truncateSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {type JobFile, openJobs} from '../../src/store/jobs.ts'
import {identity, planJob} from '../support/bulk.ts'
import {folder} from '../support/program.ts'
import {type CrashShop, lifeOf, live, openCrashShop, resultOf, wishesOf} from './crash-points.ts'

let shop: CrashShop
let runs = 0
beforeAll(async () => {
  shop = await openCrashShop()
})
afterAll(() => shop.close())

interface Stage {
  /** The record that the process writes when it is killed, counted from the first after the plan. */
  record: number
  /** How much of it gets written, from 0 to 1. */
  part: number
}

/** The journal of a job, and where its file lies. */
function fileOf(place: string): string {
  const found = readdirSync(place, {recursive: true, encoding: 'utf8'}).find((name) =>
    /jobs\/.*\.ndjson$/.test(name),
  )
  if (found === undefined) throw new Error('there is no journal')
  return join(place, found)
}

/** Runs a job until it is killed while it writes a record, of which a part is on disk then. */
async function tear({record, part}: Stage) {
  runs += 1
  const name = String(runs).padStart(5, '0')
  const wishes = wishesOf(name, shop.variants).slice(0, 3)
  const place = folder()
  const job = await planJob(wishes, place)
  const path = fileOf(place)
  let written = 0
  const sizes = {before: 0, after: 0}
  shop.next(lifeOf(null))
  shop.fund()
  const killed: JobFile = {
    ...job,
    async append(added, options) {
      if (written > record) throw new Error('killed')
      sizes.before = statSync(path).size
      await job.append(added, options)
      sizes.after = statSync(path).size
      written += 1
      if (written > record) throw new Error('killed')
    },
  }
  await live(shop, killed, 1)
  const bytes = sizes.before + Math.floor((sizes.after - sizes.before) * part)
  if (written > record) truncateSync(path, bytes)
  return {place, wishes, done: written <= record, length: sizes.after - sizes.before}
}

async function resume(place: string, wishes: Awaited<ReturnType<typeof tear>>['wishes']) {
  const [job] = openJobs({config: place, state: place}, identity).list()
  if (job === undefined) throw new Error('the job is lost')
  return resultOf(shop, job, wishes)
}

describe('a job that is killed in the middle of writing a record', () => {
  test('comes to the same end, whichever record it is', async () => {
    const whole = await tear({record: 999, part: 1})
    const expected = await resume(whole.place, whole.wishes)
    expect(expected.rows.map(({state}) => state)).toEqual(['placed', 'refused', 'placed'])
    let records = 0
    for (let done = false; !done; records++) {
      for (const part of [0, 0.5, 0.999]) {
        const torn = await tear({record: records, part})
        done = torn.done
        expect(await resume(torn.place, torn.wishes), `record ${records}, ${part} of it`).toEqual(expected)
      }
    }
    expect(records).toBe(14)
  })
})

/** Where the last three records of a journal begin, and where it ends. */
function lastThree(job: JobFile): number[] {
  const entries = [...job.entries()]
  return [...entries.slice(-3).map(({place}) => place), entries.at(-1)?.next ?? 0]
}

describe('a journal whose end is lost', () => {
  // Cut off after the first order was sent, after the second was refused and its cart cleared, and at its end.
  test.each([2, 7, 999])(
    'up to any byte of its last three records can be read and written on (%i)',
    async (record) => {
      const {place, wishes} = await tear({record, part: 1})
      const path = fileOf(place)
      const text = readFileSync(path)
      const jobs = () => openJobs({config: place, state: place}, identity).list()
      const [whole] = jobs()
      if (whole === undefined) throw new Error('the job is lost')
      const [first = 0, ...others] = lastThree(whole)
      const all = [...whole.entries()].map((entry) => entry.record)
      const mark = {step: 'CLEARED', reference: wishes[0]?.reference ?? '', at: 'now'} as const
      for (let bytes = first; bytes <= text.length; bytes++) {
        writeFileSync(path, text.subarray(0, bytes))
        const [job] = jobs()
        // A record of which only the end of its line is lost is whole.
        const kept = all.length - others.filter((end) => bytes < end - 1).length
        await job?.append(mark)
        const read = [...(job?.entries() ?? [])].map((entry) => entry.record)
        expect(read, `${bytes} bytes`).toEqual([...all.slice(0, kept), mark])
      }
    },
  )

  // What was lost had been on disk, and acted on: then the same reference still charges once, whatever the verdict.
  test.each([2, 3, 7, 999])('is told truly at its resume, and charges nothing twice (%i)', async (record) => {
    for (let lost = 1; lost <= 3; lost++) {
      for (const torn of [0, 20]) {
        const {place, wishes} = await tear({record, part: 1})
        const [job] = openJobs({config: place, state: place}, identity).list()
        if (job === undefined) throw new Error('the job is lost')
        truncateSync(fileOf(place), (lastThree(job).at(-1 - lost) ?? 0) + torn)
        const {rows} = await resume(place, wishes)
        for (const {state, total, orders} of rows) {
          const stands = state === 'placed' || state === 'already-placed'
          expect(orders).toHaveLength(stands ? 1 : 0)
          if (stands) expect(orders).toMatchObject([{debits: 1, total: Math.round(Number(total) * 100)}])
        }
      }
    }
  })
})
