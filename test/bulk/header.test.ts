import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {Readable} from 'node:stream'
import {describe, expect, test} from 'vitest'
import {checkCartFile} from '../../src/bulk/carts/file.ts'
import {mappingOf, withNames} from '../../src/bulk/file/header.ts'
import {openRows} from '../../src/store/rows.ts'
import {folder} from '../support/program.ts'
import {checkedRows} from '../support/told.ts'

const known = ['customerRef', 'variantId', 'sku', 'quantity', 'problem']

/** A file of cart lines, its problems, and the cells of its first row. */
async function read(text: string, {map = [] as string[], ignore = false} = {}) {
  const path = join(folder(), 'lines.csv')
  writeFileSync(path, text)
  const opened = await openRows(path, Readable.from([]))
  try {
    const file = withNames(opened, known, {map: mappingOf(map, known), ignore})
    const {problems} = await checkedRows(checkCartFile(file, undefined))
    const row = (await file.rows().next()).value
    return {problems, cells: row?.fields as Record<string, unknown>}
  } finally {
    await opened.close()
  }
}

const cells = {customerRef: 'C-1', sku: 'A', quantity: '2'}

describe('columns of a CSV file', () => {
  test.each([
    ['in another case', 'CUSTOMERREF;Sku;QUANTITY\nC-1;A;2\n'],
    ['with blanks', ' Customer Ref ;SKU;\u00a0Quantity\nC-1;A;2\n'],
    ['with underscores and hyphens', 'customer_ref,sku,quan-tity\nC-1,A,2\n'],
  ])('may be named %s', async (_, text) => {
    expect(await read(text)).toEqual({problems: [], cells})
  })

  test('may have names of their own, in any case, that --map tells', async () => {
    const text = 'Kunde;Artikel;Menge\nC-1;A;2\n'
    const map = ['kunde=customerRef', 'Artikel = SKU', 'MENGE=quantity']
    expect(await read(text, {map})).toEqual({problems: [], cells})
  })

  test('may be mapped if their own name holds an equals sign, or is known', async () => {
    const map = ['a=b=sku', 'sku=customerRef']
    expect(await read('SKU,a=b,quantity\nC-1,A,2\n', {map})).toEqual({problems: [], cells})
  })

  test('that are not known are named in one line, and left out if that is asked for', async () => {
    const names = Array.from({length: 100}, (_, n) => `Extra ${n}`)
    const text = `customerRef,sku,quantity,${names.join()}\nC-1,A,2,${names.map(() => 'x').join()}\n`
    const {problems} = await read(text)
    expect(problems).toEqual([expect.stringMatching(/^1: has 100 columns not known here: "Extra 0", /)])
    expect(problems[0]).toMatch(/"Extra 7" and 92 more$/)
    expect(await read(text, {ignore: true})).toEqual({problems: [], cells})
  })

  test('that are missing are named in one line, whatever is left out', async () => {
    const {problems} = await read('Kunde,Artikel\nC-1,A\n', {ignore: true})
    expect(problems).toEqual(['1: lacks variantId or sku, quantity'])
  })

  test('are not left out if two of them are the same', async () => {
    const {problems} = await read('customerRef,sku,SKU,Menge,quantity\nC,A,B,1,2\n', {
      map: ['Menge=quantity'],
    })
    expect(problems).toEqual(['1: has twice: sku, quantity'])
  })

  test('have names that can not act on what is told of them', async () => {
    const long = 'x'.repeat(500)
    const {problems} = await read(`__proto__,constructor,${long},customerRef,sku,quantity\n1,2,3,C-1,A,2\n`)
    expect(problems).toEqual([
      `1: has 3 columns not known here: "__proto__", "constructor", "${'x'.repeat(40)}…"`,
    ])
  })
})

describe('a mapping is refused', () => {
  test.each([
    ['that names no column of ours', 'Kunde=client', /"client" is not a column here; known are customerRef/],
    ['that nearly names one', 'Menge=quantty', /is not a column here; did you mean quantity\.$/],
    ['without a column', 'Kunde', /must be 'HEADER=column', as in 'Order no=customerRef'/],
    ['without a header', '=sku', /must be 'HEADER=column'/],
  ])('%s', async (_, map, message) => {
    await expect(read('Kunde,sku\nC,A\n', {map: [map]})).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(message),
    })
  })

  test('that names a column which the file does not have', async () => {
    await expect(read('Kunde,sku\nC,A\n', {map: ['Client=customerRef']})).rejects.toMatchObject({
      message: '--map names a column "Client", which the file does not have. It has "Kunde", "sku".',
    })
    await expect(read('{"sku":"A"}\n', {map: ['Client=customerRef']})).rejects.toMatchObject({
      message: expect.stringMatching(/It is NDJSON, which has fields instead of columns\.$/),
    })
  })
})
