import {readdirSync} from 'node:fs'
import {describe, expect, test} from 'vitest'
import {openJobs} from '../../src/store/jobs.ts'
import {identity, planJob} from '../support/bulk.ts'
import {folder} from '../support/program.ts'

const about = {kind: 'orders', file: '/f.csv', fileHash: 'hash', program: 'test', options: {}} as const
const wish = {
  reference: 'PO-1',
  customerRef: 'C-1',
  lines: [{variantId: '3f2b8c1e-9d2a-4c3b-8e6f-1a2b3c4d5e6f', quantity: 1}],
}
const filesIn = (place: string) =>
  readdirSync(place, {recursive: true, encoding: 'utf8'}).filter((name) => /\.ndjson(\.plan)?$/.test(name))

describe('a job', () => {
  test('has one runner at a time', async () => {
    const place = folder()
    const job = await planJob([wish], place)
    const [same] = openJobs({config: place, state: place}, identity).list()
    const release = job.run()
    expect(() => same?.run()).toThrow(expect.objectContaining({code: 'BUSY'}))
    expect(same?.isRunning()).toBe(true)
    release()
    expect(same?.isRunning()).toBe(false)
    same?.run()()
  })

  test('is found again by its id, by the same identity alone', async () => {
    const place = folder()
    const folders = {config: place, state: place}
    const {head} = await planJob([wish], place)
    expect(openJobs(folders, identity).open(head.id).head).toEqual(head)
    const other = openJobs(folders, {...identity, clientId: 'another'})
    expect(other.list()).toEqual([])
    expect(() => other.open(head.id)).toThrow(expect.objectContaining({code: 'INVALID_INPUT'}))
  })

  test('whose plan was dropped, or cut off, leaves nothing behind', async () => {
    const place = folder()
    const jobs = openJobs({config: place, state: place}, identity)
    const dropped = await jobs.draft(about, '2026-11-20T03:00:00.000Z')
    dropped.drop()
    expect(filesIn(place)).toEqual([])
    await jobs.draft(about, '2026-11-20T03:00:00.000Z')
    expect(jobs.list()).toEqual([])
    expect(filesIn(place).filter((name) => !name.endsWith('.plan'))).toEqual([])
    expect(filesIn(place)).toHaveLength(1)
  })
})
