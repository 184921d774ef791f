import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {Readable} from 'node:stream'
import {describe, expect, test} from 'vitest'
import {cartsIn, checkCartFile} from '../../src/bulk/carts/file.ts'
import type {VariantsBySku} from '../../src/bulk/file/rows.ts'
import {openRows} from '../../src/store/rows.ts'
import {folder} from '../support/program.ts'
import {checkedRows} from '../support/told.ts'

const rose = '6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43'
const oud = '7c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43'

async function read(text: string, customer?: string, found?: VariantsBySku) {
  const path = join(folder(), 'lines')
  writeFileSync(path, text)
  const file = await openRows(path, Readable.from([]))
  try {
    const {checked, problems} = await checkedRows(checkCartFile(file, customer, found))
    const carts = []
    if (problems.length === 0)
      for await (const cart of cartsIn(file, checked, customer, found)) carts.push(cart)
    return {checked, carts, problems}
  } finally {
    await file.close()
  }
}

describe('the lines of one customer form one cart', () => {
  const carts = [
    {customerRef: 'C-2', lines: [{variantId: rose, quantity: 1}], rows: [3]},
    {
      customerRef: 'C-1',
      lines: [
        {variantId: rose, quantity: 2},
        {variantId: oud, quantity: 3},
      ],
      rows: [2, 4],
    },
  ]

  test('in a CSV file, wherever they stand', async () => {
    const text = `quantity,variantId,customerRef\n2,${rose},C-1\n1,${rose},C-2\n3,${oud.toUpperCase()},C-1\n`
    const {checked, carts: found} = await read(text)
    expect(found).toEqual(carts)
    expect(checked).toEqual({groups: 2, lines: 3, index: new Map([['C-1', 2]]), skus: []})
  })

  test('in an NDJSON file', async () => {
    const rows = [
      {customerRef: 'C-1', variantId: rose, quantity: 2},
      {customerRef: 'C-2', variantId: rose, quantity: 1},
      {customerRef: 'C-1', variantId: oud, quantity: 3},
    ]
    const {carts: found} = await read(`\n${rows.map((row) => JSON.stringify(row)).join('\n')}`)
    expect(found).toEqual(carts)
  })

  test('and --customer stands in where the column is missing or empty', async () => {
    const one = [{customerRef: 'C-1', lines: [{variantId: rose, quantity: 2}], rows: [2]}]
    expect((await read(`variantId,quantity\n${rose},2\n`, 'C-1')).carts).toEqual(one)
    expect((await read(`variantId,quantity,customerRef\n${rose},2,\n`, 'C-1')).carts).toEqual(one)
    expect((await read(`variantId,quantity,customerRef\n${rose},2,C-1\n`, 'C-1')).carts).toEqual(one)
    expect((await read(`\n{"variantId":"${rose}","quantity":2,"customerRef":null}`, 'C-1')).carts).toEqual(
      one,
    )
  })

  test('and a SKU stands in for a variant', async () => {
    const text = `sku,quantity\nR-1,2\nO-1,3\n`
    expect((await read(text, 'C-1')).checked.skus).toEqual(['R-1', 'O-1'])
    const found = new Map([
      ['R-1', [rose]],
      ['O-1', [oud]],
    ])
    expect((await read(text, 'C-1', found)).carts[0]?.lines).toEqual([
      {sku: 'R-1', variantId: rose, quantity: 2},
      {sku: 'O-1', variantId: oud, quantity: 3},
    ])
  })
})

describe('a line is refused', () => {
  test.each<[string, string, string | undefined, string]>([
    [
      'without a customer',
      `${rose},1,`,
      undefined,
      '2: customerRef is required, in the file or as --customer: the cart without one cannot be set',
    ],
    [
      'of another customer than asked for',
      `${rose},1,C-2`,
      'C-1',
      '2: customerRef "C-2" differs from that of --customer, "C-1"',
    ],
    [
      'of a customer that is a route',
      `${rose},1,items`,
      undefined,
      '2: customerRef "items" is the name of a route of carts; use another one',
    ],
    ['of a --customer that is no path', `${rose},1,`, '..', '2: customerRef ".." can\'t be part of a path'],
    ['of no quantity', `${rose},0,C-1`, undefined, '2: quantity "0" must be a whole number of 1 or more'],
    ['of no variant', 'rose,1,C-1', undefined, '2: variantId "rose" must be a UUID'],
    ['of too few cells', `${rose},1`, undefined, '2: has 2 cells, but the header has 3'],
  ])('%s', async (_, row, customer, problem) => {
    expect((await read(`variantId,quantity,customerRef\n${row}\n`, customer)).problems).toEqual([problem])
  })

  test('whose variant stands in the same cart already', async () => {
    const text = `variantId,quantity,customerRef\n${rose},1,C-1\n${rose},1,C-2\n${rose},1,C-1\n`
    const problem = `4: variantId "${rose}" is the variant of line 2 once more; put the whole quantity into one line`
    expect((await read(text)).problems).toEqual([problem])
  })

  test('whose SKU is unknown, or names what stands in the same cart already', async () => {
    const text = `variantId,sku,quantity\n${rose},,1\n,R-1,1\n,NONE,1\n`
    const found = new Map([
      ['R-1', [rose]],
      ['NONE', []],
    ])
    expect((await read(text, 'C-1', found)).problems).toEqual([
      '3: sku "R-1" is the variant of line 2 once more; put the whole quantity into one line',
      '4: sku "NONE" is not a SKU of the own assortment',
    ])
  })

  test('whose quantity and customer are wrong with its SKU as well', async () => {
    const text = 'sku,quantity,customerRef\nNONE,0,..\n'
    expect((await read(text)).checked.skus).toEqual(['NONE'])
    expect((await read(text, undefined, new Map([['NONE', []]]))).problems).toEqual([
      '2: quantity "0" must be a whole number of 1 or more',
      '2: sku "NONE" is not a SKU of the own assortment',
      '2: customerRef ".." can\'t be part of a path',
    ])
  })

  test('that is one too many for its cart', async () => {
    const ids = Array.from({length: 1001}, (_, n) => `6c1f8a52-3f0e-4b1d-9a70-${String(n).padStart(12, '0')}`)
    const text = `variantId,quantity\n${ids.map((id) => `${id},1\n`).join('')}`
    expect((await read(text, 'C-1')).problems).toEqual([
      '1002: customerRef "C-1" has more than 1000 lines in one cart',
    ])
    expect((await read(text.replace(/.*\n$/, ''), 'C-1')).carts[0]?.lines).toHaveLength(1000)
  })

  test('with a field that is none', async () => {
    expect((await read(`{"variantId":"${rose}","quantity":1,"customer":"C-1"}`, 'C-1')).problems).toEqual([
      '1: customer is not a field here; did you mean customerRef?',
    ])
    expect((await read(`variant,quantity\n${rose},1\n`, 'C-1')).problems).toEqual([
      '1: lacks variantId or sku',
      '1: has 1 column not known here: "variant"; did you mean variantId?',
    ])
    expect((await read('variantId,quantity\n', 'C-1')).problems).toEqual(['1: has a header and no rows'])
  })
})
