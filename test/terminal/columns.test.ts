import {Writable} from 'node:stream'
import {describe, expect, it} from 'vitest'
import * as z from 'zod/mini'
import {parseJson} from '../../src/contract/money.ts'
import {decimal, oneOf, ratio, shown, timestamp, toned, uuid} from '../../src/contract/wire.ts'
import {chosen, columns, localColumns} from '../../src/terminal/columns.ts'
import {Outlet} from '../../src/terminal/output.ts'
import {showViews} from '../../src/terminal/show.ts'
import {card, type View} from '../../src/terminal/table.ts'

const code = z.looseObject({
  id: uuid,
  code: z.string(),
  value: ratio,
  discountType: oneOf('Percent'),
  status: shown(toned(oneOf('Active'), {good: ['Active']})),
  validFrom: shown(timestamp),
  pricing: shown(z.looseObject({currency: shown(z.string()), unitPrice: shown(decimal), rate: shown(ratio)})),
  priceDisplay: shown(decimal),
  reason: shown(z.string()),
  tags: shown(z.array(z.string())),
})

const all = columns(
  code,
  'id Code; code!; value Worth; discountType+; status; validFrom From; pricing.unitPrice; tags? Words',
  {value: ({value}) => `${value} %`},
)

const row = parseJson(`{
  "id": "6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43", "code": "2026-01-01T00:00:00Z", "value": 15,
  "discountType": "Percent", "status": "Active", "validFrom": "2026-01-01T00:00:00Z",
  "pricing": {"currency": "KWD", "unitPrice": 10.5, "rate": 3}, "priceDisplay": 2, "displayCurrency": "EUR",
  "tags": ["a", "b"], "unheard": {"of": 12.50}, "a.b": 1
}`) as z.output<typeof code>

class Screen extends Writable {
  text = ''
  columns = 100
  isTTY = false
  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.text += chunk
    done()
  }
}

async function written(
  view: View,
  mode: 'table' | 'csv' | 'ndjson',
  names?: string,
  isTTY = false,
  cells = 100,
) {
  const screen = Object.assign(new Screen(), {isTTY, columns: cells})
  const said = await showViews(new Outlet(screen as never), [view], mode, names)
  return {text: screen.text.replaceAll(/\u001b\[\d+m/g, ''), said}
}

const list: View = {rows: [row], columns: all}

describe('columns of a schema', () => {
  const seen = (key: string) => all.find((column) => column.key === key)?.get(row)

  it('have the path of their field as their key, and a heading that is made of it', () => {
    expect(all.slice(0, 8).map(({key, header}) => [key, header])).toEqual([
      ['id', 'Code'],
      ['code', 'Code'],
      ['value', 'Worth'],
      ['discountType', 'Discount type'],
      ['status', 'Status'],
      ['validFrom', 'From'],
      ['pricing.unitPrice', 'Unit price'],
      ['tags', 'Words'],
    ])
  })

  it('show a field as what the contract says it is', () => {
    expect(seen('pricing.unitPrice')).toEqual({
      kind: 'money',
      amount: row.pricing?.unitPrice,
      currency: 'KWD',
    })
    expect(seen('priceDisplay')).toMatchObject({kind: 'money', currency: 'EUR'})
    expect(seen('pricing.rate')).toBe(3)
    expect(seen('validFrom')).toEqual({kind: 'time', at: '2026-01-01T00:00:00Z'})
    expect(seen('status')).toEqual({kind: 'badge', text: 'Active', tone: 'good'})
    expect(seen('code')).toBe('2026-01-01T00:00:00Z')
    expect(seen('tags')).toBe('a, b')
    expect(seen('reason')).toBeNull()
  })

  it('are refused where the contract has no such field', () => {
    expect(() => columns(code, 'id; nmae')).toThrow('The contract has no field "nmae"')
  })

  it('take the first of several fields that is there', () => {
    const [either] = columns(code, 'reason|code Why')
    expect([either?.key, either?.get(row), either?.value?.(row)]).toEqual(['reason', row.code, row.code])
  })
})

describe('the choice of columns', () => {
  const keys = (names: string | undefined, target: 'terminal' | 'plain', rows: unknown[] = [row]) =>
    chosen(all, names, target, rows).map(({key}) => key)

  it('by itself differs between a terminal and a pipe', () => {
    const shown = ['id', 'code', 'value', 'status', 'validFrom', 'pricing.unitPrice']
    expect(keys(undefined, 'terminal')).toEqual(shown)
    expect(keys(undefined, 'plain')).toEqual([...shown.slice(0, 3), 'discountType', ...shown.slice(3)])
  })

  it('follows --columns, in its order, with any path of the contract', () => {
    expect(keys('tags, pricing.rate ,id', 'terminal')).toEqual(['tags', 'pricing.rate', 'id'])
  })

  it('takes a path that a row has, though the contract does not know it, and any if there is no row', () => {
    expect(keys('unheard.of,a.b,pricing', 'plain')).toEqual(['unheard.of', 'a.b', 'pricing'])
    expect(keys('unheard.from', 'plain', [])).toEqual(['unheard.from'])
  })

  it.each(['nmae', 'id,', 'pricing.unitPrice.value', 'toString'])(
    'refuses %j with the known ones',
    (names) => {
      expect(() => keys(names, 'plain')).toThrow(
        expect.objectContaining({code: 'INVALID_INPUT', hint: expect.stringContaining('pricing.unitPrice')}),
      )
    },
  )
})

describe('rows for a program', () => {
  it('have the fields as they came, below their paths', async () => {
    expect((await written(list, 'csv')).text).toBe(
      'id,code,value,discountType,status,validFrom,pricing.unitPrice\n' +
        `${row.id},2026-01-01T00:00:00Z,15,Percent,Active,2026-01-01T00:00:00Z,10.5\n`,
    )
    expect((await written(list, 'table')).text).toContain('\t15\tPercent\t')
    expect((await written(list, 'ndjson')).text).toContain('"unheard":{"of":12.50}')
  })

  it.each(['ndjson', 'csv', 'table'] as const)(
    'take any path in %s, also of rows that are on their way',
    async (mode) => {
      const rows = async function* () {
        yield row
        yield {...row, unheard: null}
      }
      const {text} = await written({...list, rows: rows()}, mode, 'pricing.unitPrice,unheard.of')
      expect(text).toBe(
        {
          ndjson:
            '{"pricing.unitPrice":10.5,"unheard.of":12.50}\n{"pricing.unitPrice":10.5,"unheard.of":null}\n',
          csv: 'pricing.unitPrice,unheard.of\n10.5,12.50\n10.5,\n',
          table: '10.5\t12.50\n10.5\t\n',
        }[mode],
      )
    },
  )

  it('of a computed column have what it computes', async () => {
    const computed = columns(code, 'id; length', {length: ({code}) => code.length})
    expect((await written({rows: [row], columns: computed}, 'ndjson', 'length')).text).toBe('{"length":20}\n')
  })
})

describe('rows for a person', () => {
  it('say which columns there was no room for, and how to see them', async () => {
    const {text, said} = await written(list, 'table', undefined, true, 48)
    expect(text).toMatch(/^CODE +WORTH +STATUS +FROM\n/)
    expect(text).toContain('15 %')
    expect(said).toEqual(['2 columns hidden: --columns id,pricing.unitPrice shows them.'])
  })

  it('of our own have cells by their values', () => {
    const [at, id] = localColumns<{at: string; id: number}>('at; id- Number')
    expect(at?.get({at: '2026-01-01T00:00:00Z', id: 1})).toMatchObject({kind: 'time'})
    expect([id?.header, id?.yields]).toEqual(['Number', true])
  })

  it('on a card have what a list shows only if asked, if there is any', async () => {
    const one = card(row, all)
    expect((await written(one, 'table', undefined, true)).text).toMatch(/^Words +a, b$/m)
    const {tags: _, ...without} = row
    expect((await written(card(without as typeof row, all), 'table', undefined, true)).text).not.toContain(
      'Words',
    )
    expect((await written(card(without as typeof row, all), 'table')).text).toContain('tags\t\n')
  })
})
