// Every difference between both sides is named, and none without cause: random histories against a model.
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {type Row, timeline} from '../../src/desk/deliveries/timeline.ts'
import {effort} from '../support/effort.ts'
import {type Expected, type History, histories, played} from './timeline-model.ts'

const RUNS = effort({little: 1_000, all: 50_000})

type Timeline = typeof timeline

const seenIn = (rows: readonly Row[]) =>
  new Map(
    rows.map(({item: {eventId, subscriptionId, state, finding, here}}): [string, Expected] => [
      `${eventId} ${subscriptionId}`,
      {state, finding, copies: here?.copies ?? 0, isHere: here !== null},
    ]),
  )

const sorted = (found: ReadonlyMap<string, Expected>) => [...found].sort(([a], [b]) => (a < b ? -1 : 1))

function holds(history: History, judge: Timeline): void {
  const {input, expected} = played(history)
  expect(sorted(seenIn(judge(...input)))).toEqual(sorted(expected))
}

test(`${RUNS} histories: each finding is named, and none without cause`, () => {
  const named: Record<string, number> = {}
  fc.assert(
    fc.property(histories, (history) => {
      holds(history, timeline)
      for (const {finding} of played(history).expected.values())
        named[String(finding)] = (named[String(finding)] ?? 0) + 1
    }),
    {numRuns: RUNS},
  )
  console.log(`timeline: ${JSON.stringify(named)}`)
  // Otherwise nothing was shown of it.
  for (const finding of [
    'delivered-not-here',
    'here-not-delivered',
    'here-only',
    'bodies-differ',
    'late',
    'gap',
    'null',
  ])
    expect(named[finding], finding).toBeGreaterThan(5)
}, 600_000)

test('the order of the records changes nothing', () => {
  fc.assert(
    fc.property(histories, fc.infiniteStream(fc.nat()), (history, stream) => {
      const {input, expected} = played(history)
      const [sent, around] = input
      const keys = [...stream.take(200)]
      const shuffled = sent.map((one) => ({
        ...one,
        attempts: one.attempts
          .map((attempt, index) => ({attempt, key: keys[index] ?? 0}))
          .sort((a, b) => a.key - b.key)
          .map(({attempt}) => attempt),
      }))
      expect(sorted(seenIn(timeline(shuffled, around)))).toEqual(sorted(expected))
    }),
    {numRuns: effort({little: 200, all: 5_000})},
  )
})

/** Mistakes, as if they were in the judge. */
const mistakes: {[name: string]: (...input: Parameters<Timeline>) => Parameters<Timeline>} = {
  'takes the clock of the service for its own': (sent, around) => [sent, {...around, localOf: (at) => at}],
  'counts what was refused as here': (sent, around) => [sent, withCopies(around, {trust: 'verified'})],
  'forgets that a machine slept': (sent, around) => [
    sent,
    {...around, runs: around.runs.map((run) => ({...run, slept: []}))},
  ],
  'takes a listener for that of the subscription that it says, wherever it is': (sent, around) => [
    sent,
    {
      ...around,
      runs: around.runs.map((run) => ({...run, publicUrl: urlOf(around, run.subscription) ?? run.publicUrl})),
    },
  ],
  'takes a listener that was told nothing for that of any subscription': (sent, around) => [
    sent,
    {...around, known: []},
  ],
  'counts a copy for a subscription whose URL another one shares': (sent, around) => [
    sent,
    {
      ...around,
      known: around.known.filter(
        ({urls}, at, all) =>
          all.findIndex((one) => one.urls.some(({url}) => urls.some((own) => own.url === url))) === at,
      ),
    },
  ],
  'forgets whose secret a signature fitted': (sent, around) => [sent, withRuns(around, {subscription: null})],
  'takes the URL of today for that of any time': (sent, around) => [
    sent.map((one) => ({...one, subscription: unmoved(one.subscription)})),
    {...around, known: around.known.map(unmoved)},
  ],
  'believes that all bodies are the same': (sent, around) => [sent, withCopies(around, {sha256: 'one'})],
  'does not mind what has been on its way for an hour': (sent, around) => [
    sent,
    withCopies(around, undefined, -HOUR),
  ],
  'takes what is forgotten for a gap': (sent, around) => [
    sent,
    {...around, now: around.now - 20 * 24 * HOUR},
  ],
  'takes what was not asked for to be all there is': (sent, around) => [sent, {...around, isWhole: false}],
  'calls what is just on its way not delivered': (sent, around) => [
    sent,
    {...around, now: around.now + HOUR},
  ],
  'knows nothing of imports': (sent, around) => [sent, {...around, imported: new Set()}],
  'takes what is forgotten for what was never recorded': (sent, around) => [
    sent,
    {...around, askedFrom: around.askedFrom - 24 * HOUR},
  ],
  'loses the last record of each event': (sent, around) => [
    sent.map((one) => ({...one, attempts: one.attempts.slice(1)})),
    around,
  ],
}
const HOUR = 3_600_000

type Around = Parameters<Timeline>[1]
type Known = Around['known'][number]
const urlOf = ({known}: Around, id: string | null) => known.find((one) => one.id === id)?.urls.at(-1)?.url
const unmoved = (one: Known): Known => ({
  ...one,
  urls: one.urls.slice(-1).map(({url}) => ({url, from: Number.NEGATIVE_INFINITY})),
})
function withCopies(around: Around, change: object | undefined, by = 0): Around {
  const copies = [...around.copies].map(
    ([id, all]) => [id, all.map((one) => ({...one, ...change, at: one.at + by}))] as const,
  )
  return {...around, copies: new Map(copies)}
}

function withRuns(around: Around, change: object): Around {
  const runs = new Map(around.runs.map((run) => [run, {...run, ...change}]))
  const copies = [...around.copies].map(
    ([id, all]) => [id, all.map((one) => ({...one, run: runs.get(one.run) ?? one.run}))] as const,
  )
  return {...around, runs: [...runs.values()], copies: new Map(copies)}
}

describe('a judge is found out that', () => {
  test.each(Object.entries(mistakes))('%s', (_, mistake) => {
    const wrong: Timeline = (...input) => timeline(...mistake(...input))
    const property = fc.property(histories, (history) => holds(history, wrong))
    expect(fc.check(property, {numRuns: 1_000, endOnFailure: true}).failed).toBe(true)
  })
})
