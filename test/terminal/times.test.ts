// Times and spans as people type them, by the built program against a service whose clock is its own.
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {momentIn, periodIn} from '../../src/terminal/times.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import {inTerminal, oneLine} from '../support/pty.ts'
import {page, type Reply, service, userOf} from '../support/service.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const now = Date.parse('2026-11-22T13:00:00Z')

describe('a span', () => {
  it.each([
    ['90s', 90_000],
    ['14m55s', 14 * MINUTE + 55_000],
    ['14 min 55 s', 14 * MINUTE + 55_000],
    ['1h30m', 90 * MINUTE],
    ['7d', 7 * DAY],
    ['2W', 14 * DAY],
    ['0s', 0],
  ])('%s', (text, ms) => expect(momentIn(text, now)).toBe(new Date(now - ms).toISOString()))

  it.each(['', '7', 'd', '7x', '-7d', '7d ago', '1.5h', '7d,', '999999999w', '9999999999d'])(
    '%j is none',
    (text) => expect(momentIn(text, now)).toBeUndefined(),
  )
})

describe('a time', () => {
  it.each([
    ['2026-01-31', '2026-01-31'],
    ['2026-01-31T10:00:00+03:00', '2026-01-31T10:00:00+03:00'],
    ['2026-10', '2026-10-01'],
    ['today', '2026-11-22'],
    ['Yesterday', '2026-11-21'],
    ['tomorrow', '2026-11-23'],
    ['now', '2026-11-22T13:00:00.000Z'],
    ['7d', '2026-11-15T13:00:00.000Z'],
    ['14m55s', '2026-11-22T12:45:05.000Z'],
  ])('%s is %s', (text, at) => expect(momentIn(text, now)).toBe(at))

  it('of what is to come lies ahead', () => {
    expect(momentIn('30d', now, {isAhead: true})).toBe('2026-12-22T13:00:00.000Z')
  })

  it.each(['', '2026-13', '2026-02-31', '0000-01', 'noon', '__proto__', '7d7', '2026-1-1'])(
    '%j is none',
    (text) => expect(momentIn(text, now)).toBeUndefined(),
  )
})

it.each([
  ['2026-10', '2026-10-01', '2026-11-01'],
  ['2026-12', '2026-12-01', '2027-01-01'],
  ['2028-02', '2028-02-01', '2028-03-01'],
])('the month %s is from %s to %s', (month, from, to) => {
  expect(periodIn({month, from: undefined, to: undefined}, now)).toEqual({from, to})
})

/** The service is this far ahead. */
const AHEAD = 30 * DAY
let shop: Awaited<ReturnType<typeof service>>
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  shop = await service((_, response): Reply => {
    const at = new Date(Date.now() + AHEAD)
    response.setHeader('date', at.toUTCString())
    const timestamp = new Date(at.getTime() - 3.5 * 3_600_000).toISOString()
    return page([JSON.stringify({timestamp, transactionType: 'Debit', amount: 1})])
  })
  env = userOf(shop.url)
})

afterAll(() => shop.close())

const queryOf = () => Object.fromEntries(new URL(shop.seen.at(-1)?.url ?? '', 'http://x').searchParams)
const ran = async (...argv: string[]) => {
  const {code, stderr} = await scent(env, argv)
  expect(code, stderr).toBe(0)
  return queryOf()
}

describe('a command that takes a period', () => {
  it('takes a month', async () => {
    const asked = {fromUtc: '2026-10-01', toUtc: '2026-11-01'}
    expect(await ran('wallet', 'transactions', '--month', '2026-10')).toMatchObject(asked)
    expect(await ran('reports', 'sales', '--month', '2026-10')).toEqual(asked)
    expect(await ran('statements', 'report', '--month', '2026-10')).toEqual({
      from: '2026-10-01',
      to: '2026-11-01',
    })
  })

  it("counts a span back from the service's now, which an earlier answer told, to that now", async () => {
    await ran('wallet', 'transactions')
    const {fromUtc, toUtc} = await ran('reports', 'sales', '--from', '7d')
    const there = Date.now() + AHEAD
    for (const [text, at] of [
      [fromUtc, there - 7 * DAY],
      [toUtc, there],
    ] as const)
      expect(Math.abs(Date.parse(text ?? '') - at)).toBeLessThan(60_000)
  })

  it.each([
    [['wallet', 'transactions', '--from', 'noon'], '--from "noon" is not a valid time.'],
    [['wallet', 'transactions', '--month', '2026-13'], '--month "2026-13" is not a valid month.'],
    [['wallet', 'transactions', '--month', '2026-10', '--to', 'now'], '--to does not go with --month.'],
    [['reports', 'sales', '--to', '1d'], 'Missing --from TIME.'],
    [
      ['catalog', 'variants', '--changed-since', '\u001b[2J'],
      '--changed-since "\\u{1b}[2J" is not a valid time.',
    ],
    [['wallet', 'balance', '--timeout', 'soon'], '--timeout "soon" is not a valid span of at least 1 s.'],
    [['wallet', 'balance', '--timeout', '0'], '--timeout "0" is not a valid span'],
    [['discounts', 'update', 'x', '--valid-to', '7 days'], '--valid-to "7 days" is not a valid time.'],
  ])('refuses %j before anything is sent', async (argv, message) => {
    const before = shop.seen.length
    const {code, stderr} = await scent(env, argv)
    expect([code, stderr.replace(/\s+/g, ' ')]).toEqual([2, expect.stringContaining(message)])
    expect(shop.seen.length).toBe(before)
  })
})

it('a huge text is refused like any other', async () => {
  const {code, stderr} = await scent(env, ['wallet', 'transactions', '--from', '9'.repeat(100_000)])
  expect([code, stderr.length < 2_000]).toEqual([2, true])
})

it('a time of a list is told by the clock of the service that answered', async () => {
  const {text} = await inTerminal(env, ['wallet', 'transactions'], {columns: 80})
  expect(oneLine(text)).toContain('3 h ago')
})
