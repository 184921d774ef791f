import {jobCarts} from '../../src/bulk/carts/fold.ts'
import type {CartImportEvent} from '../../src/bulk/carts/run.ts'
import {runCartImport} from '../../src/bulk/carts/run.ts'
import {type JobFile, openJobs} from '../../src/bulk/journal.ts'
import type {JobRecord} from '../../src/bulk/records.ts'
import type {ImportMode} from '../../src/flows/cart/steps.ts'
import {identity} from './bulk.ts'
import {folder} from './program.ts'
import type {Shop} from './shop.ts'
import type {CartImportRun} from './types.ts'

export interface CartWish {
  customerRef: string
  lines: {variantId: string; quantity: number}[]
}

const at = '2026-11-20T03:00:00.000Z'

/** An import on disk that holds these carts, and none of them begun. */
export async function planImport(mode: ImportMode, wishes: CartWish[], place = folder()): Promise<JobFile> {
  const jobs = openJobs({config: place, state: place}, identity)
  const about = {
    kind: 'cart',
    file: '/carts.csv',
    fileHash: 'hash',
    program: 'test',
    options: {mode},
  } as const
  const draft = await jobs.draft(about, at)
  await draft.append(wantedCarts(wishes))
  return draft.keep()
}

export function wantedCarts(wishes: CartWish[]): JobRecord[] {
  let row = 1
  return wishes.map(({customerRef, lines}) => ({
    step: 'WANTED',
    at,
    customerRef,
    lines: lines.map((line) => {
      row += 1
      return {...line, sku: null, row}
    }),
  }))
}

/** Runs an import against a shop, as a process would that has just been started. Its wall clock is the shop's. */
export async function runImport(shop: Shop, job: JobFile, more: Partial<CartImportRun> = {}) {
  const carts = jobCarts(job)
  carts.readOn()
  const events: CartImportEvent[] = []
  const {client, now, sleep, random} = shop.tools
  const run: CartImportRun = {
    job,
    carts,
    tools: {client, now, sleep, random, clock: () => new Date(Date.parse(at) + now()).toISOString()},
    stop: new AbortController().signal,
    alone: (_customer, work) => work(),
    tell: (event) => events.push(event),
    ...more,
  }
  const problem = await runCartImport(run).then(
    () => undefined,
    (error: unknown) => error,
  )
  carts.readOn()
  const states = Array.from({length: carts.size}, (_, n) => carts.state(n))
  return {carts, events, problem, states}
}
