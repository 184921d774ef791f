import {afterEach, beforeEach, expect, test, vi} from 'vitest'
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
  clock.keep(2 * HOUR)
  expect(clock.read()).toBe(2 * HOUR)
  expect(clock.localTimes()(noon - 48 * HOUR)).toBe(noon - 50 * HOUR)
})

test('a clock that was moved counts as moved only since then', () => {
  const clock = fresh()
  clock.keep(0)
  vi.setSystemTime(noon + HOUR)
  clock.keep(31 * HOUR)
  const localOf = clock.localTimes()
  expect(localOf(noon)).toBe(noon)
  expect(localOf(noon + 33 * HOUR)).toBe(noon + 2 * HOUR)
  // It never showed this: it was passed over while the clock was moved.
  expect(localOf(noon + 12 * HOUR)).toBe(noon + HOUR)
  expect(localOf(noon + 25 * HOUR)).toBe(noon + HOUR)
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
