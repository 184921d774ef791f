import {describe, expect, it} from 'vitest'
import {money, time} from '../../src/terminal/cells.ts'
import {type Column, chosen, rowsOf, tableText} from '../../src/terminal/table.ts'
import {width} from '../../src/terminal/text.ts'

interface Row {
  id: string
  name: string
  amount: number
  note?: string
}

const columns: Column<Row>[] = [
  {key: 'id', header: 'Id', whole: true, get: ({id}) => id},
  {key: 'name', header: 'Name', get: ({name}) => name},
  {key: 'amount', header: 'Amount', get: ({amount}) => money(amount, 'SAR')},
  {key: 'note', header: 'Note', yields: true, get: ({note}) => note},
  {key: 'currency', header: 'Currency', shown: 'plain', get: () => 'SAR'},
  {key: 'more', header: 'More', shown: 'asked', get: () => 'more'},
]

const rows: Row[] = [
  {id: 'aaaaaaaaaaaaaaaaaaaa', name: '香水 of the house, a very long name indeed', amount: 7, note: 'first'},
  {id: 'bbbbbbbbbbbbbbbbbbbb', name: 'short', amount: 1234.5},
]

const shown = (terminalWidth: number) =>
  tableText(chosen(columns, undefined, 'terminal'), rows, {terminalWidth})

describe('a table in a terminal', () => {
  it('is aligned by cells, numbers to the right', async () => {
    const [header = '', ...lines] = (await shown(100)).trimEnd().split('\n')
    expect(header).toMatch(/^ID {20}NAME +AMOUNT {2}NOTE$/)
    const edges = lines.map((line) => width(line.slice(0, line.indexOf('SAR') + 3)))
    expect(new Set([...edges, header.indexOf('AMOUNT') + 6]).size).toBe(1)
    expect(lines[1]).toMatch(/^b{20} {2}short +1234\.50 SAR {2}-$/)
  })

  it('leaves out what yields, then cuts long text, and never an id or a number', async () => {
    const lines = (await shown(50)).trimEnd().split('\n')
    expect(lines[0]).not.toContain('NOTE')
    expect(lines[1]).toBe('aaaaaaaaaaaaaaaaaaaa  香水 of the ho…     7.00 SAR')
    expect(lines[2]).toBe('bbbbbbbbbbbbbbbbbbbb  short            1234.50 SAR')
    expect(lines.map(width)).toEqual([50, 50, 50])
  })

  it('stays whole where nothing can be cut any more', async () => {
    expect(await shown(10)).toContain('aaaaaaaaaaaaaaaaaaaa')
    expect(await shown(10)).toContain('1234.50 SAR')
  })
})

describe('the choice of columns', () => {
  const keys = (names: string | undefined, target: 'terminal' | 'plain') =>
    chosen(columns, names, target).map(({key}) => key)

  it('by itself differs between a terminal and a pipe', () => {
    expect(keys(undefined, 'terminal')).toEqual(['id', 'name', 'amount', 'note'])
    expect(keys(undefined, 'plain')).toEqual(['id', 'name', 'amount', 'note', 'currency'])
  })

  it('follows --columns, in its order', () => {
    expect(keys('more, id', 'terminal')).toEqual(['more', 'id'])
  })

  it('keeps what it names, however narrow the terminal', async () => {
    const asked = chosen(columns, 'id,note', 'terminal')
    expect(await tableText(asked, rows, {terminalWidth: 20})).toContain('NOTE')
  })

  it('names the known columns where one is unknown', () => {
    expect(() => keys('id,nmae', 'plain')).toThrow(
      expect.objectContaining({code: 'INVALID_INPUT', hint: expect.stringContaining('id, name, amount')}),
    )
  })
})

describe('a list inside an answer', () => {
  it.each([[null], [undefined], ['text'], [{}], [[null, 1, 'x']]])('that is none has no rows: %j', (list) => {
    expect(rowsOf(list as never)).toEqual([])
  })
})

it.each([40, 50, 130])(
  'a time is never cut, however narrow, and a longer text makes room for it (%i)',
  async (terminalWidth) => {
    const timed: Column<Row>[] = [
      {key: 'name', header: 'Name', get: ({name}) => name},
      {key: 'at', header: 'At', get: () => time('2026-01-02T03:04:05Z')},
    ]
    const text = await tableText(timed, rows, {terminalWidth})
    expect(text.match(/2026-01-0\d \d\d:04:05 [+-]\d\d:\d\d/g)).toHaveLength(2)
  },
)
