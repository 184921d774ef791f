import {describe, expect, it} from 'vitest'
import {money, time} from '../../src/terminal/cells.ts'
import type {Column} from '../../src/terminal/columns.ts'
import {chosen} from '../../src/terminal/columns.ts'
import {liveLines, rowsOf, tableText} from '../../src/terminal/table.ts'
import {width} from '../../src/terminal/text.ts'

interface Row {
  id: string
  name: string
  amount: number
  note?: string
  why?: string
}

const columns: Column<Row>[] = [
  {key: 'id', header: 'Id', isId: true, get: ({id}) => id},
  {key: 'name', header: 'Name', get: ({name}) => name},
  {key: 'amount', header: 'Amount', get: ({amount}) => money(amount, 'SAR')},
  {key: 'note', header: 'Note', yields: true, get: ({note}) => note},
]

const why: Column<Row> = {key: 'why', header: 'Why', wraps: true, get: (row) => row.why}

const rows: Row[] = [
  {id: 'aaaaaaaaaaaaaaaaaaaa', name: '香水 of the house, a very long name indeed', amount: 7, note: 'first'},
  {id: 'bbbbbbbbbbbbbbbbbbbb', name: 'short', amount: 1234.5},
]

async function shown(terminalWidth: number, all = columns, list = rows) {
  const {text, hidden} = await tableText(all, list, {terminalWidth})
  const lines = text.trimEnd().split('\n')
  expect(Math.max(...lines.map(width))).toBeLessThanOrEqual(terminalWidth)
  return {lines, hidden: hidden.map(({key}) => key)}
}

describe('a table in a terminal', () => {
  it('is aligned by cells, numbers to the right', async () => {
    const {lines, hidden} = await shown(100)
    const [header = '', ...below] = lines
    expect(header).toMatch(/^ID {20}NAME +AMOUNT {2}NOTE$/)
    const edges = below.map((line) => width(line.slice(0, line.indexOf('SAR') + 3)))
    expect(new Set([...edges, header.indexOf('AMOUNT') + 6]).size).toBe(1)
    expect(below[1]).toMatch(/^b{20} {2}short +1234\.50 SAR {2}-$/)
    expect(hidden).toEqual([])
  })

  it('cuts long text first, then leaves out long ids as a whole, then what matters least', async () => {
    expect((await shown(64)).lines[1]).toBe(
      'aaaaaaaaaaaaaaaaaaaa  香水 of the house, a …     7.00 SAR  first',
    )
    expect(await shown(50)).toMatchObject({
      lines: [expect.stringMatching(/^NAME +AMOUNT {2}NOTE$/), expect.anything(), expect.anything()],
      hidden: ['id'],
    })
    const narrow = await shown(35)
    expect(narrow.hidden).toEqual(['id', 'note'])
    expect(narrow.lines[1]).toBe('香水 of the house, a …     7.00 SAR')
  })

  it('never cuts what has to stay: rows stand upright instead', async () => {
    const {lines, hidden} = await shown(
      24,
      columns.map((column) => ({...column, keeps: true})),
    )
    expect(hidden).toEqual([])
    expect(lines.join(' ')).toContain('aaaaaaaaaaaaaaaaaaaa')
    expect(lines.join('\n')).toMatch(/^Amount {2}1234\.50 SAR$/m)
  })

  it('leaves out a column that is empty in every row, and one that is not is a dash', async () => {
    const {lines} = await shown(100, columns, rows.slice(1))
    expect(lines[0]).not.toContain('NOTE')
    expect((await shown(100)).lines[2]).toMatch(/ -$/)
  })

  it('keeps an empty column that was asked for', async () => {
    const {lines} = await shown(100, chosen(columns, 'name,note', 'terminal'), rows.slice(1))
    expect(lines[0]).toContain('NOTE')
  })
})

describe('a reason', () => {
  const text =
    'The service refused it: the price lock had expired before the order was sent. Nothing was charged.'
  const list = rows.map((row) => ({...row, why: text}))
  const all = [...columns.slice(1, 3), why]

  it('wraps beside its row if there is room', async () => {
    const {lines} = await shown(90, all, list)
    expect(lines[0]).toMatch(/WHY$/)
    const start = lines[0]?.indexOf('WHY') ?? 0
    // The name of the row holds two wide characters.
    expect(
      lines
        .slice(1, 4)
        .map((line, at) => line.slice(at === 0 ? start - 2 : start))
        .join(' '),
    ).toBe(text)
  })

  it.each([60, 40, 33])('wraps below its row otherwise, and is never cut (%i)', async (terminalWidth) => {
    const {lines, hidden} = await shown(terminalWidth, all, list)
    expect(hidden).toEqual([])
    const reason = lines.filter((line) => line.startsWith('  ')).map((line) => line.trim())
    expect(reason.join(' ')).toBe(`${text} ${text}`)
  })
})

describe('the times of a list', () => {
  const now = Date.parse('2026-02-01T12:00:00Z')
  const timed: Column<{at: string}>[] = [{key: 'at', header: 'At', get: ({at}) => time(at)}]
  it.each([
    ['2026-02-01T11:59:30Z', '30 s ago'],
    ['2026-02-01T11:46:00Z', '14 min ago'],
    ['2026-02-01T03:10:00Z', '8 h ago'],
    ['2026-01-20T12:00:00Z', '12 days ago'],
    ['2026-02-08T13:00:00Z', 'in 7 days'],
    ['2025-10-01T12:00:00Z', '2025-10-01'],
    ['soon', 'soon'],
  ])('are relative: %s is %s', async (at, text) => {
    expect((await tableText(timed, [{at}], {terminalWidth: 80, now})).text).toBe(`AT\n${text}\n`)
  })
})

describe('rows that are watched', () => {
  it('stand below each other as they come, and never wider than the terminal', async () => {
    const line = liveLines(columns, {terminalWidth: 50})
    const first = await line({id: 'aaaaaaaaaaaaaaaaaaaa', name: 'a', amount: 1})
    expect(first.text).toMatch(/^ID +NAME +AMOUNT +NOTE\na{20} +a +1\.00 SAR +-\n$/)
    const second = await line({
      id: 'bbbbbbbbbbbbbbbbbbbb',
      name: 'a name that is much too long for it',
      amount: 2,
    })
    expect(Math.max(...second.text.split('\n').map(width))).toBeLessThanOrEqual(50)
    expect(second.text).toMatch(/^Id +b{20}\nName +a name .*\nAmount +2\.00 SAR\n/)
  })
})

describe('a list inside an answer', () => {
  it.each([[null], [undefined], ['text'], [{}]])('that is none has no rows: %j', (list) => {
    expect(rowsOf(list as never)).toEqual([])
  })
})
