import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest'
import {serviceOffset} from '../../src/store/clock.ts'
import {foldersOf} from '../../src/store/paths.ts'
import {bareHome} from '../support/keyring.ts'

const HOUR = 3_600_000
const noon = Date.parse('2026-11-20T12:00:00.000Z')
const identity = {origin: 'local', clientId: 'local', onBehalfOf: null}

beforeEach(() => void vi.useFakeTimers({now: noon, toFake: ['Date']}))
afterEach(() => void vi.useRealTimers())

const fresh = () => serviceOffset(foldersOf(bareHome()), identity)

test('a clock that was always as far off tells local times by that', () => {
  const clock = fresh()
  expect(clock.localTimes()(noon)).toBe(noon)
  clock.hear(2 * HOUR)
  expect(clock.read()).toBe(2 * HOUR)
  expect(clock.localTimes()(noon - 48 * HOUR)).toBe(noon - 50 * HOUR)
})

test('a clock that was moved counts as moved only since then', () => {
  const clock = fresh()
  clock.hear(0)
  vi.setSystemTime(noon + HOUR)
  clock.hear(31 * HOUR)
  const localOf = clock.localTimes()
  expect(localOf(noon)).toBe(noon)
  expect(localOf(noon + 33 * HOUR)).toBe(noon + 2 * HOUR)
  // It never showed this: it was passed over while the clock was moved.
  expect(localOf(noon + 12 * HOUR)).toBe(noon + HOUR)
  expect(localOf(noon + 25 * HOUR)).toBe(noon + HOUR)
})

describe('the time that the clock of the service showed', () => {
  const timeOf = (clock: ReturnType<typeof fresh>, at: number) => clock.told().timeAt(at)

  test('is the same as here before anything was told, and as far ahead as was told first', () => {
    const clock = fresh()
    expect(timeOf(clock, noon)).toBe(noon)
    clock.hear(2 * HOUR)
    expect(timeOf(clock, noon - 48 * HOUR)).toBe(noon - 46 * HOUR)
  })

  test('is told exactly by who has moved it, and is the latest that it may be by who only hears of it', () => {
    const [mover, hearer] = [fresh(), fresh()]
    for (const clock of [mover, hearer]) clock.hear(0)
    vi.setSystemTime(noon + 2 * HOUR)
    mover.hear(31 * HOUR, noon + HOUR)
    hearer.hear(31 * HOUR)
    expect(timeOf(mover, noon + HOUR - 1)).toBe(noon + HOUR - 1)
    expect(timeOf(hearer, noon + HOUR - 1)).toBe(noon + 32 * HOUR - 1)
    for (const clock of [mover, hearer]) {
      expect(timeOf(clock, noon + 1.5 * HOUR)).toBe(noon + 32.5 * HOUR)
      expect(timeOf(clock, noon + 3 * HOUR)).toBe(noon + 34 * HOUR)
    }
  })

  test('is not known of what was before all that is remembered', () => {
    const clock = fresh()
    for (let hour = 0; hour < 300; hour += 1) {
      vi.setSystemTime(noon + hour * HOUR)
      clock.hear(hour * HOUR, noon + hour * HOUR)
    }
    expect(timeOf(clock, noon)).toBe(Number.POSITIVE_INFINITY)
    expect(timeOf(clock, noon + 299 * HOUR)).toBe(noon + 598 * HOUR)
  })

  test('is not moved by less than five seconds, nor by what no clock can show', () => {
    const clock = fresh()
    for (const ahead of [HOUR, HOUR + 4_000, Number.NaN, Number.POSITIVE_INFINITY]) clock.hear(ahead)
    expect(clock.told().offsetMs).toBe(HOUR)
  })
})

test('what an earlier version has kept, and what is damaged, is read as far as it goes', async () => {
  const home = foldersOf(bareHome())
  const {sharedFile} = await import('../../src/store/shared.ts')
  const {identityName} = await import('../../src/store/paths.ts')
  const file = sharedFile(`${home.state}/clocks/${identityName(identity)}.txt`)
  file.write('90000')
  expect(serviceOffset(home, identity).read()).toBe(90_000)
  file.write('90000 0\nnothing\n-5000 x\n1e99 3')
  expect(serviceOffset(home, identity).read()).toBe(90_000)
})
