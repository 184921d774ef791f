import fs from 'node:fs'
import {syncBuiltinESMExports} from 'node:module'
import {afterEach, describe, expect, test, vi} from 'vitest'
import type {JobRecord} from '../../src/bulk/records.ts'
import {planJob} from '../support/bulk.ts'

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

/** How often the disk is asked to keep what was written, counted at the system's own call. */
function flushes() {
  const asked = vi.spyOn(fs, 'fsync')
  syncBuiltinESMExports()
  return () => asked.mock.calls.length
}

const base = {reference: 'PO-1', at: '2026-11-20T03:00:00.000Z'}
const none = {http: null, orderId: null, total: null, currency: null, status: null}
const durable: JobRecord[] = [
  {...base, step: 'FILLING'},
  {...base, step: 'SUBMITTING', attempt: 1, lockId: 'L', bodyHash: 'h'},
  {...base, ...none, step: 'OUTCOME', outcome: 'refused', state: 'X'},
]

describe('a job that runs', () => {
  test.each(durable.map((record) => [record.step, record] as const))(
    'has %s on disk before its next step',
    async (_, record) => {
      const job = await planJob([{reference: 'PO-1', customerRef: 'C-1', lines: []}])
      const release = job.run()
      const count = flushes()
      await job.append(record)
      expect(count()).toBe(1)
      release()
    },
  )

  test('shares one flush among records that are written at the same time', async () => {
    const job = await planJob([{reference: 'PO-1', customerRef: 'C-1', lines: []}])
    const release = job.run()
    const count = flushes()
    await Promise.all(Array.from({length: 20}, () => job.append(durable[1] as JobRecord)))
    expect(count()).toBeLessThanOrEqual(2)
    release()
  })

  test('stops where the disk refuses to keep a record', async () => {
    const job = await planJob([{reference: 'PO-1', customerRef: 'C-1', lines: []}])
    const release = job.run()
    const refuse = (_: number, done: (error: NodeJS.ErrnoException) => void) =>
      done(Object.assign(new Error('no'), {code: 'EIO'}))
    vi.spyOn(fs, 'fsync').mockImplementation(refuse as typeof fs.fsync)
    syncBuiltinESMExports()
    await expect(job.append(durable[1] as JobRecord)).rejects.toMatchObject({code: 'FILE_FAILED'})
    vi.restoreAllMocks()
    syncBuiltinESMExports()
    await expect(job.append(durable[1] as JobRecord)).rejects.toMatchObject({code: 'FILE_FAILED'})
    release()
  })
})
