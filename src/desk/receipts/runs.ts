import {basename} from 'node:path'
import type {Glance, Note} from './glances.ts'

/** When one listener of this machine listened, in milliseconds. */
export interface Run {
  from: number
  /** Its last sign of life; Infinity while it runs. */
  to: number
  /** It runs, and does not write. */
  isFailing: boolean
  slept: {from: number; to: number}[]
  port: number
  /** Its process, as the name of its file has it. */
  pid: number
  /** Where the world reached it, and which subscription it listened for, as far as it was told. */
  publicUrl: string | null
  subscription: string | null
  hasSecret: boolean
  /** What it was told to answer to what it stored, if not 200. */
  answer: number | null
  /** What it refused without keeping it. */
  dropped: number
}

/** Whether its process is there, whether it writes or not. */
export const isThere = ({to, isFailing}: Run) => to === Number.POSITIVE_INFINITY || isFailing

/** Adds records of receipts up to when somebody listened. Each file of receipts is that of one listener. */
export function openRuns() {
  const runs = new Map<string, Run>()
  return {
    take(path: string, record: Glance | Note): Run | undefined {
      const at = record.kind === 'received' ? record.time : Date.parse(record.at)
      if (record.kind === 'opened') runs.set(path, begun(path, record, at))
      const run = runs.get(path)
      if (run === undefined) return undefined
      run.to = Math.max(run.to, at)
      if (record.kind === 'slept') run.slept.push({from: Date.parse(record.from), to: Date.parse(record.to)})
      if (record.kind === 'alive') run.dropped = record.dropped ?? 0
      return run
    },
    /** Those of these files; one whose file is held still runs. */
    all: (files: readonly {path: string; held: boolean; isWritten: boolean}[]): Run[] =>
      files.flatMap(({path, held, isWritten}) => {
        const run = runs.get(path)
        if (run === undefined) return []
        return [isWritten ? {...run, to: Number.POSITIVE_INFINITY} : {...run, isFailing: held}]
      }),
  }
}

function begun(path: string, record: Extract<Note, {kind: 'opened'}>, at: number): Run {
  const {port, public: publicUrl, subscription, secret, answer = null} = record
  return {
    ...{from: at, to: at, isFailing: false, slept: [], port, publicUrl, subscription},
    pid: Number(basename(path).split('-')[1]),
    ...{hasSecret: secret !== null, dropped: 0, answer},
  }
}
