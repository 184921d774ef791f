import {expect, test} from 'vitest'
import {createLimiter} from '../../src/sandbox/door/limits.ts'

const second = 1_000

function take(limiter: ReturnType<typeof createLimiter>, now: number, times = 1): (number | undefined)[] {
  return Array.from({length: times}, () => limiter.take('key', now))
}

test('permits return when their 15 s segment leaves the window, 45 to 60 s after use', () => {
  const limiter = createLimiter(10)
  expect(take(limiter, 0, 4)).toEqual([undefined, undefined, undefined, undefined])
  expect(take(limiter, 16 * second, 6).every((wait) => wait === undefined)).toBe(true)
  expect(take(limiter, 17 * second)).toEqual([43]) // the first segment ends its stay at 60 s
  expect(take(limiter, 59.9 * second)).toEqual([1])
  expect(take(limiter, 60 * second, 5)).toEqual([undefined, undefined, undefined, undefined, 15])
})

test('a refused request takes nothing', () => {
  const limiter = createLimiter(1)
  expect(take(limiter, 0)).toEqual([undefined])
  for (let now = 1; now < 60; now++) expect(take(limiter, now * second)).toEqual([60 - now])
  expect(take(limiter, 60 * second)).toEqual([undefined])
})

test('segments begin with the first request of a key, and keys do not share', () => {
  const limiter = createLimiter(1)
  expect(limiter.take('a', 7 * second)).toBeUndefined()
  expect(limiter.take('b', 20 * second)).toBeUndefined()
  expect(limiter.take('a', 66 * second)).toBe(1)
  expect(limiter.take('b', 66 * second)).toBe(14)
  expect(limiter.take('a', 67 * second)).toBeUndefined()
})

test('Retry-After is the time to the first segment that frees a permit, and then one is free', () => {
  for (const uses of [[0], [3, 14], [1, 20, 44], [14, 15, 30, 59]]) {
    const limiter = createLimiter(uses.length)
    for (const use of uses) expect(limiter.take('key', use * second)).toBeUndefined()
    const now = (uses.at(-1) ?? 0) * second + 250
    const wait = limiter.take('key', now) ?? 0
    expect(limiter.take('key', now + (wait - 1) * second)).not.toBeUndefined()
    expect(limiter.take('key', now + wait * second)).toBeUndefined()
  }
})

test('a long idle key starts with a whole window', () => {
  const limiter = createLimiter(2)
  take(limiter, 0, 2)
  expect(take(limiter, 3_600 * second, 3)).toEqual([undefined, undefined, 60])
})
