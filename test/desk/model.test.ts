import {copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {readEvidence} from '../../src/desk/notices/evidence.ts'
import {type InboxItem, inbox, isOpen, type Known, serviceClock} from '../../src/desk/notices/inbox.ts'
import {receiptsFolder} from '../../src/desk/receipts/segment.ts'
import {recordsFolder} from '../../src/store/paths.ts'
import {effort} from '../support/effort.ts'
import {folder} from '../support/program.ts'
import {derived, type Inbox, openWorld, type Step, steps, type World} from './model.ts'
import {HOUR} from './records.ts'

const RUNS = effort({little: 25, all: 3_000})
const isSure = ({trust}: Known['told'][number]) => trust !== 'unchecked' && trust !== 'stale'

/** A file of a few receipts at such a path is large enough that what they tell is kept beside it. */
const LONG = '/'.padEnd(300_000, 'x')

/** Lives in which a fault was found once. */
const FOUND: Step[][] = [
  // The one notice shows that the service's clock is ahead; since when is not known of the other one.
  [
    {do: 'turn', isSeen: false, hours: 1},
    {do: 'raise', departed: false, lost: false, form: 'nested'},
    {do: 'raise', departed: false, lost: false, form: 'id-only'},
    {do: 'listen', secret: 'right'},
    {do: 'send', isAnswerLost: false},
  ],
]

/** A seeded choice that a failing run shrinks with. */
const pick = fc.nat({max: 1_000_000})

/** Plays the steps, and compares the inbox with the model after each of them. Returns the world as it is then. */
async function play(
  all: readonly Step[],
  inboxOf: Inbox,
  counted: () => void,
  path?: string,
): Promise<World> {
  const world = openWorld(path)
  for (const step of all) {
    await world.step(step)
    const evidence = world.evidence()
    const clock = serviceClock(evidence.told, world.now, evidence.offsetMs)
    expect(clock).toEqual(world.known())
    const items = inboxOf(evidence, clock)
    expect(derived(items)).toEqual(world.expected())
    atMost(items, world.left())
    const ids = items.map(({id}) => id)
    for (const id of world.acknowledged()) expect(ids).toContain(id)
    counted()
  }
  return world
}

/** What is left at most is never less than the truth. */
function atMost(items: readonly InboxItem[], left: ReadonlyMap<string, number>): void {
  for (const {id, desk} of items)
    if (desk.deadline === 'at most') {
      expect(desk.leftMs).toBeGreaterThanOrEqual(left.get(id) ?? Number.NEGATIVE_INFINITY)
      expect(desk.leftMs).toBeLessThanOrEqual(72 * HOUR)
    }
}

describe('the inbox is what the model says', () => {
  test(`in ${RUNS} lives of a service, two operators and a liar, and so is what the records allow`, async () => {
    let played = 0
    let kept = 0
    const details = await fc.check(
      fc.asyncProperty(steps, pick, async (all, at) => {
        const world = await play(all, inbox, () => (played += 1), at % 2 ? LONG : undefined)
        holds(world.evidence(), world.known(), at)
        kept += fresh(world)
        twice(world)
        prefix(world, at)
      }),
      {numRuns: RUNS, includeErrorInReport: true, examples: FOUND.map((all) => [all, 0])},
    )
    console.log(`model: ${played} steps in ${details.numRuns} lives, ${kept} digests, seed ${details.seed}`)
    expect(kept).toBeGreaterThan(0)
    expect(fc.defaultReportMessage(details)).toBe(undefined)
  }, 1_800_000)
})

/** What holds of any records at all. */
function holds(evidence: Known, clock: Parameters<typeof inbox>[1], at: number): void {
  const items = inbox(evidence, clock)
  const turn = <T>(list: readonly T[]) =>
    [...list.slice(at % (list.length + 1)), ...list.slice(0, at % (list.length + 1))].reverse()
  expect(inbox({told: turn(evidence.told), answers: turn(evidence.answers)}, clock)).toEqual(items)
  // Without what proves nothing no notice is closed, and with it none is closed or put off.
  const sure = inbox({...evidence, told: evidence.told.filter(isSure)}, clock)
  const every = new Map(items.map((item) => [item.id, item]))
  for (const item of sure) {
    const full = every.get(item.id)
    expect(full && isOpen(full)).toBe(isOpen(item))
    expect(full?.desk.leftMs ?? 0).toBeLessThanOrEqual(item.desk.leftMs ?? 0)
  }
  // Time closes, and never opens.
  const later = new Map(
    inbox(evidence, {...clock, now: clock.now + (at % 100) * HOUR}).map((item) => [item.id, item]),
  )
  for (const item of items) {
    const then = later.get(item.id)
    if (!isOpen(item)) expect(then && isOpen(then)).toBe(false)
  }
}

const listOf = (world: World, folders: World['folders']) =>
  inbox(readEvidence(folders, world.identity, 0), world.known())

/** The same records without what is kept beside them. Returns how many files that are. */
function fresh(world: World): number {
  const copy = {config: folder(), state: folder()}
  cpSync(world.folders.state, copy.state, {recursive: true})
  const files = receiptsFolder(copy, world.identity)
  const digests = namesIn(files, '.digest')
  for (const name of digests) rmSync(join(files, name))
  expect(readEvidence(copy, world.identity, 0)).toEqual(world.evidence())
  return digests.length
}

/** The same records, once more: each file of receipts as that of another listener. */
function twice(world: World): void {
  const files = receiptsFolder(world.folders, world.identity)
  const names = namesIn(files)
  const copies = {config: folder(), state: folder()}
  cpSync(world.folders.state, copies.state, {recursive: true})
  const into = receiptsFolder(copies, world.identity)
  for (const name of names) copyFileSync(join(files, name), join(into, `9${name}`))
  expect(listOf(world, copies)).toEqual(listOf(world, world.folders))
}

const namesIn = (path: string, end = '.ndjson') => {
  try {
    return readdirSync(path).filter((name) => name.endsWith(end))
  } catch {
    return []
  }
}

/** A file that ends at any byte is that file with some records less. */
function prefix(world: World, at: number): void {
  const {folders, identity} = world
  const journal = join(recordsFolder(folders, identity), 'inbox.ndjson')
  const files = receiptsFolder(folders, identity)
  const paths = [...namesIn(files).map((name) => join(files, name)), journal].filter(
    (path) => sizeOf(path) > 0,
  )
  const path = paths[at % Math.max(1, paths.length)]
  if (path === undefined) return
  const bytes = readFileSync(path)
  // Its first line is there as soon as the file is.
  const head = bytes.indexOf(10) + 1
  const cut = head + (at % (bytes.length - head + 1))
  const before = bytes.subarray(0, cut).lastIndexOf(10) + 1
  const after = bytes.indexOf(10, cut) + 1 || bytes.length
  const [whole, without, within] = [cut, before, after].map((end) => {
    const copy = {config: folder(), state: folder()}
    cpSync(folders.state, copy.state, {recursive: true})
    const target = join(copy.state, path.slice(folders.state.length))
    mkdirSync(dirname(target), {recursive: true})
    writeFileSync(target, bytes.subarray(0, end))
    return JSON.stringify(listOf(world, copy))
  })
  expect([without, within]).toContain(whole)
}

function sizeOf(path: string): number {
  try {
    return readFileSync(path).length
  } catch {
    return 0
  }
}

describe('a mistake is found', () => {
  const mistakes: [string, Inbox][] = [
    [
      'a copy that proves nothing closes a notice',
      (known, clock) =>
        inbox(
          {...known, told: known.told.map((one) => ({...one, trust: isSure(one) ? one.trust : 'verified'}))},
          clock,
        ),
    ],
    [
      'an answer without an outcome is forgotten',
      ({told, answers}, clock) => inbox({told, answers: answers.filter(({outcome}) => outcome)}, clock),
    ],
    [
      'what a copy that proves nothing tells is dropped',
      (known, clock) => inbox({...known, told: known.told.filter(isSure)}, clock),
    ],
    [
      "a deadline that nobody told counts by this machine's clock",
      ({told, answers}, clock) => {
        const local = <One extends {at: number}>(one: One) => ({...one, by: one.at})
        return inbox({told: told.map(local), answers: answers.map(local)}, clock)
      },
    ],
    [
      'an end that only the type of an event tells does not count',
      ({told, answers}, clock) => inbox({told: told.map((one) => ({...one, saysEnd: null})), answers}, clock),
    ],
    [
      'a clock that is shown to be further ahead was so only since then',
      (known, {now}) => inbox(known, {now}),
    ],
    ['the deadline is an hour too late', (known, clock) => inbox(known, {...clock, now: clock.now - HOUR})],
    [
      'an end counts only if it came last',
      ({told, answers}, clock) => {
        const last = new Map(told.map((one) => [one.id, one]))
        return inbox(
          {told: told.filter((one) => !one.fields.responseChoice || last.get(one.id) === one), answers},
          clock,
        )
      },
    ],
  ]
  test.each(mistakes)(
    '%s',
    async (_, mistaken) => {
      const details = await fc.check(
        fc.asyncProperty(steps, async (all) => void (await play(all, mistaken, () => {}))),
        {numRuns: 3_000, endOnFailure: true, examples: FOUND.map((all) => [all])},
      )
      expect(details.failed).toBe(true)
    },
    120_000,
  )
})
