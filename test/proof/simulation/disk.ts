import * as z from 'zod/mini'
import type {JobFile} from '../../../src/bulk/journal.ts'
import {DURABLE, type JobHead, type JobRecord, jobRecord} from '../../../src/bulk/records.ts'
import {Failure} from '../../../src/contract/failure.ts'

/** The places at which a process may be cut off while it writes a record. */
export type Boundary = 'append' | 'written' | 'synced'

export interface SimulatedDisk {
  job: JobFile
  records: readonly JobRecord[]
  /** Called at each boundary; while what it returns is pending, the writer waits. */
  at(boundary: Boundary): void | Promise<void>
  /** The process is gone. With the power, records that were not synced may be gone too: `kept` of them, from 0 to 1. */
  crash(power: boolean, kept: number): void
  /** How many records are safe from a power failure. */
  synced(): number
  /** Forgets all but the first records, synced or not. */
  lose(kept: number): void
}

/** The journal of a job in memory: what is written stays when a process dies, what is synced when the power fails. */
export function simulatedDisk(head: JobHead, planned: JobRecord[]): SimulatedDisk {
  const records: JobRecord[] = [head, ...planned]
  let synced = records.length
  let running = false
  const disk: SimulatedDisk = {
    records,
    at: () => {},
    synced: () => synced,
    crash(power, kept) {
      running = false
      if (power) records.length = synced + Math.floor((records.length - synced) * kept)
      synced = Math.min(synced, records.length)
    },
    lose(kept) {
      records.length = kept
      synced = kept
    },
    job: {
      head,
      async append(added, options) {
        const list = [added].flat()
        const sync = options?.sync ?? list.some(({step}) => DURABLE.has(step))
        const parsed = list.map((record) => z.parse(jobRecord, record))
        await disk.at('append')
        records.push(...parsed)
        const written = records.length
        await disk.at('written')
        if (!sync) return
        synced = Math.max(synced, written)
        await disk.at('synced')
      },
      *entries(from = 0) {
        for (let place = from; place < records.length; place++) {
          yield {record: records[place] as JobRecord, place, next: place + 1}
        }
      },
      at: (place) => records[place] as JobRecord,
      last: () => records.at(-1),
      isRunning: () => running,
      run() {
        if (running) throw new Failure('BUSY')
        running = true
        synced = records.length
        return () => {
          running = false
        }
      },
    },
  }
  return disk
}
