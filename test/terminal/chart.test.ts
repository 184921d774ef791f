import {describe, expect, it} from 'vitest'
import {chart} from '../../src/terminal/chart.ts'
import {seriesOf} from '../../src/terminal/views/reports.ts'

const ends = ['2026-01-01', '2026-01-31'] as const

describe('a chart', () => {
  const drawn = (points: number[], keep: 'last' | 'highest' = 'last') =>
    chart(points, {width: 60, ends, keep}).trimEnd().split('\n')

  it('has its highest and lowest value at the left, and its ends below', () => {
    const lines = drawn([0, 120.5, 60])
    expect([lines[0], lines.at(-2)]).toEqual([
      expect.stringMatching(/^ *120\.50 [┤┼]/),
      expect.stringMatching(/^ *0\.00 ┼/),
    ])
    expect(lines.at(-1)).toMatch(/^ {8}2026-01-01 {20,}2026-01-31$/)
    expect(Math.max(...lines.slice(0, -1).map((line) => line.trimEnd().length))).toBe(lines.at(-1)?.length)
  })

  it('of more points than cells keeps the end, or what stands out', () => {
    const points = Array.from({length: 400}, (_, at) => (at === 13 ? 900 : at === 399 ? 7 : 0))
    expect(drawn(points)[0]).toMatch(/^ *7\.00/)
    expect(drawn(points, 'highest')[0]).toMatch(/^ *900\.00/)
    expect(Math.max(...drawn(points).map((line) => line.length))).toBeLessThanOrEqual(60)
  })

  it('of a flat line names its value', () => {
    expect(drawn([100.4, 100.4])[0]).toMatch(/^100\.40 /)
  })

  it('shows nothing of its ends that a terminal acts on', () => {
    expect(chart([1, 2], {width: 60, ends: ['\u001b[2J', 'b']})).toContain('\\u{1b}[2J')
  })
})

describe('a report over time', () => {
  const row = (date: string, netSales: number) => ({date, netSales})
  const asked = {report: 'by-day', from: '2026-01-01', to: '2026-02-01'}
  const now = Date.parse('2026-06-01')

  it('by day has a zero for each day that is left out', () => {
    const series = seriesOf([row('2026-01-03', 5), row('2026-01-30', 7)], asked, now)
    expect(series).toMatchObject({name: 'netSales', ends})
    const expected = Array.from({length: 31}, (_, at) => (at === 2 ? 5 : at === 29 ? 7 : 0))
    expect(series?.points).toEqual(expected)
  })

  it('has no day that is still to come', () => {
    const series = seriesOf([row('2026-01-03', 5)], asked, Date.parse('2026-01-04T12:00:00Z'))
    expect(series).toMatchObject({points: [0, 0, 5, 0], ends: ['2026-01-01', '2026-01-04']})
  })

  it('adds up the rows of one day, in any order', () => {
    const rows = [row('2026-01-04', 1), row('2026-01-02', 2), row('2026-01-04', 3)]
    const series = seriesOf(rows, {...asked, from: '2026-01-02', to: '2026-01-05'}, now)
    expect(series?.points).toEqual([2, 0, 4])
  })

  it('of another step than a day is drawn by its rows alone, the oldest first', () => {
    const rows = [row('2026-01-12', 5), row('2026-01-05', 7)]
    const series = seriesOf(rows, {...asked, report: 'by-week'}, now)
    expect(series).toMatchObject({points: [7, 5], ends: ['2026-01-05', '2026-01-12']})
  })

  it.each([
    ['soon', '2026-02-01'],
    ['0001-01-01', '2026-02-01'],
  ])('from %s to %s is drawn by its rows alone', (from, to) => {
    expect(seriesOf([row('2026-01-03', 5)], {...asked, from, to}, now)?.points).toEqual([5])
  })

  it('without a date, or without an amount, is none', () => {
    expect(seriesOf([{sku: 'a', netSales: 1}], asked)).toBeUndefined()
    expect(seriesOf([{date: '2026-01-01', sku: 'a'}], asked)).toBeUndefined()
    expect(seriesOf([], asked)).toBeUndefined()
  })
})
