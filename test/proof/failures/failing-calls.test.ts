// Every call that a run makes to the system fails once: files, locks, flushes, connections, ports, processes. And the disk
// is full, or read-only, from each of its changes on. Whatever fails, the run says what and why, and what to do; nothing is
// ordered twice, and the next run goes on.
import {basename} from 'node:path'
import {afterAll, beforeAll, expect, test, vi} from 'vitest'
import {effort} from '../../support/effort.ts'
import {openShop, type Shop} from '../../support/served-shop.ts'
import {type CallFault, changes, type SystemCall} from './failing-calls.ts'
import {type Attempt, attempt, errorIn, type Trial, trials} from './trials.ts'

vi.setConfig({testTimeout: 3_600_000})

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

/** How many places of a run are tried: all of them take hours. */
const PLACES = Number(process.env.SCENT_TEST_PLACES) || effort({little: 1, all: 60})
const IS_PROOF = PLACES > 2

/** So many numbers from 1 to `count`, evenly; others with each `turn`. */
function spread(count: number, most: number, turn = 0): number[] {
  if (count <= most) return Array.from({length: count}, (_, at) => at + 1)
  const step = count / most
  return Array.from({length: most}, (_, at) => 1 + ((Math.floor((at + 0.5) * step) + turn) % count))
}

/** What a person reads of it, in a line. */
function lineOf(call: SystemCall | undefined, {onwards}: CallFault, {end}: Attempt): string {
  const what = call
    ? `${call.code} ${call.call} ${basename(call.path).replace(/\d{3,}|-[\da-f]{6,}|[\da-f]{8,}/g, '*')}`
    : ''
  const error = errorIn(end)
  const said = error ? `${error.state}: ${error.message}` : (/^(?:Error: |! ).*/m.exec(end.stderr)?.[0] ?? '')
  return `${onwards ? 'from here on ' : ''}${what} → ${end.code} ${said}`
    .replace(/\/tmp\/\S*\//g, '…/')
    .slice(0, 240)
}

async function sweep(trial: Trial, faults: (calls: SystemCall[]) => CallFault[], kinds?: CallFault['kinds']) {
  const first = await attempt(shop, trial, kinds && {at: 0, kinds})
  expect({wrongs: first.wrongs}).toEqual({wrongs: []})
  const lines: string[] = []
  const wrongs: string[] = []
  let struck = 0
  for (const fault of faults(first.calls)) {
    const one = await attempt(shop, trial, fault)
    const call = one.calls.find(({code}) => code !== undefined)
    if (call !== undefined) struck += 1
    lines.push(lineOf(call, fault, one))
    wrongs.push(
      ...one.wrongs.map((wrong) => `${call?.code} at ${fault.at} (${call?.call} ${call?.path}): ${wrong}`),
    )
  }
  const silent = lines.filter((line) => / → 0 /.test(line)).length
  console.log(`${trial.name}: ${first.calls.length} calls, ${struck} failed, ${silent} of them without harm`)
  if (process.env.SCENT_TEST_PROOFS || process.env.SCENT_TEST_PLACES)
    console.log([...new Set(lines)].map((line) => `  ${line}`).join('\n'))
  expect(wrongs).toEqual([])
  expect(struck).toBeGreaterThan(0)
}

test.each(trials.map((trial) => [trial.name, trial] as const))(
  '%s says which call failed, and the next run goes on',
  (_, trial) =>
    sweep(trial, (calls) => {
      // Connections, ports and processes are few: each of them is tried.
      const rare = calls.flatMap(({kind}, at) =>
        ['connect', 'listen', 'spawn'].includes(kind) ? [at + 1] : [],
      )
      const places = [...new Set([...(IS_PROOF ? rare : rare.slice(0, 1)), ...spread(calls.length, PLACES)])]
      return places.map((at) => ({at}))
    }),
)

const onDisk = trials.filter(({name}) => !/keychain|detach/.test(name))

test.each(onDisk.map((trial) => [trial.name, trial] as const))(
  '%s on a disk that is full, or read-only, from some change on',
  (_, trial) =>
    sweep(
      trial,
      (calls) =>
        spread(calls.length, PLACES, 1).map((at) => ({
          at,
          code: at % 2 ? 'ENOSPC' : 'EROFS',
          kinds: changes,
          onwards: true,
        })),
      changes,
    ),
)

test('a checkout whose order can not be written down any more says that it stands', async () => {
  const trial = trials.find(({name}) => name === 'checkout') as Trial
  const kinds = ['write'] as const
  const {calls} = await attempt(shop, trial, {at: 0, kinds})
  const at = 1 + calls.findLastIndex(({path}) => path.endsWith('/orders.ndjson'))
  const {end, wrongs} = await attempt(shop, trial, {at, kinds, code: 'ENOSPC', onwards: true})
  expect(errorIn(end)).toMatchObject({
    state: 'FILE_FAILED',
    message: expect.stringMatching(
      /^The order F\d+ stands \(id [\da-f-]{36}\), but .*orders\.ndjson could not be written \(ENOSPC\)/,
    ),
    hint: expect.stringContaining('orders nothing twice'),
  })
  expect(wrongs).toEqual([])
})
