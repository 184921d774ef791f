import {describe, expect, it} from 'vitest'
import type {Digits} from '../../src/contract/money.ts'
import {parseJson} from '../../src/contract/money.ts'
import {
  badge,
  type Cell,
  deadline,
  money,
  moneyText,
  plain,
  pretty,
  span,
  time,
} from '../../src/terminal/cells.ts'
import {paintFor} from '../../src/terminal/text.ts'

const digits = (text: string) => parseJson(text) as Digits
const paint = paintFor({isTTY: true}, {})

describe('money', () => {
  it.each([
    ['12', '12.00 SAR'],
    ['12.5', '12.50 SAR'],
    ['0.10', '0.10 SAR'],
    ['-3', '-3.00 SAR'],
    ['1.234', '1.234 SAR'],
    ['9007199254740993.10', '9007199254740993.10 SAR'],
    ['1e3', '1e3 SAR'],
  ])('%s reads %s', (amount, expected) => {
    expect(moneyText(digits(amount), 'SAR')).toBe(expected)
  })

  it('goes into a pipe as the digits that came, without its currency', () => {
    expect(plain(money(digits('10.50'), 'SAR'))).toBe('10.50')
  })

  it('is a dash where there is none', () => {
    expect([pretty(money(null, 'SAR')), plain(money(undefined, 'SAR'))]).toEqual(['-', ''])
  })
})

describe('a time', () => {
  it('is local with its zone for people, and as it came in a pipe', () => {
    const at = '2026-01-31T22:30:05.123Z'
    expect(pretty(time(at))).toMatch(/^2026-0[12]-\d\d \d\d:\d0:05 [+-]\d\d:\d\d$/)
    expect(plain(time(at))).toBe(at)
  })

  it('without an offset is UTC', () => {
    expect(pretty(time('2026-01-31T22:30:05'))).toBe(pretty(time('2026-01-31T22:30:05Z')))
  })

  it('that is none is shown as it came', () => {
    expect(pretty(time('soon\u001b[2J'))).toBe('soon\\u{1b}[2J')
  })
})

describe('a deadline', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  it.each([
    ['2026-01-03T23:12:00Z', 'in 71 h 12 min'],
    ['2026-01-01T00:14:00Z', 'in 14 min'],
    ['2026-01-01T00:00:40Z', 'in 40 s'],
    ['2025-12-31T22:00:00Z', '2 h ago'],
  ])('%s is %s', (at, expected) => {
    expect(pretty(deadline(at), undefined, now)).toBe(expected)
  })

  it('that is near or over has a colour', () => {
    expect(pretty(deadline('2026-01-01T00:14:00Z'), paint, now)).toContain('\u001b[1m')
    expect(pretty(deadline('2025-12-31T22:00:00Z'), paint, now)).toContain('\u001b[31m')
    expect(span(3_600_000)).toBe('1 h')
  })
})

describe('any other cell', () => {
  it.each<[Cell, string, string]>([
    [true, 'yes', 'true'],
    [null, '-', ''],
    ['', '-', ''],
    [7, '7', '7'],
    [digits('9007199254740993'), '9007199254740993', '9007199254740993'],
    ['a\tb', 'a\\u{9}b', 'a\tb'],
    [badge('Debit', {Debit: 'warn'}), 'Debit', 'Debit'],
    [badge('Unheard\u001b', {Debit: 'warn'}), 'Unheard\\u{1b}', 'Unheard\u001b'],
  ])('%j reads %s, and %s in a pipe', (cell, forPeople, forPipes) => {
    expect([pretty(cell), plain(cell)]).toEqual([forPeople, forPipes])
  })
})
