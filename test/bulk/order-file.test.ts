import {execFileSync} from 'node:child_process'
import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {Readable} from 'node:stream'
import {describe, expect, test} from 'vitest'
import type {VariantsBySku} from '../../src/bulk/file/rows.ts'
import {checkOrderFile, type FileOrder, ordersIn} from '../../src/bulk/orders/file.ts'
import {refusalColumns} from '../../src/bulk/orders/report.ts'
import {writeRefused} from '../../src/bulk/screen.ts'
import {openRows} from '../../src/store/rows.ts'
import {folder, program} from '../support/program.ts'
import {checkedRows} from '../support/told.ts'

const rose = '6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43'
const oud = '7c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43'

const good = {
  externalReference: 'A',
  customerRef: 'C-1',
  variantId: rose,
  quantity: '2',
  recipient: 'Noura Al-Harbi',
  line1: 'King Fahd Road 12',
  line2: '',
  city: 'Riyadh',
  nationalAddress: 'RRRD2929',
  region: '',
  postalCode: '',
  countryCode: 'SAU',
  phone: '+966501234567',
  discountCode: '',
}
const {externalReference, customerRef, variantId, quantity, discountCode, ...address} = good
const later = Object.fromEntries(Object.keys(good).map((name) => [name, '']))

type Cells = Record<string, string>

const quoted = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** A CSV file: the first row names the columns. */
const csv = (...rows: Cells[]) => {
  const names = Object.keys(rows[0] ?? {})
  return `${[names, ...rows.map((row) => names.map((name) => row[name] ?? ''))].map((row) => row.map(quoted).join(',')).join('\n')}\n`
}

const order = {
  externalReference,
  customerRef,
  shippingAddress: Object.fromEntries(Object.entries(address).filter(([, value]) => value !== '')),
  lines: [{variantId, quantity: 2}],
}
const ndjson = (...orders: unknown[]) => orders.map((one) => `${JSON.stringify(one)}\n`).join('')

async function read(text: string | Buffer, found?: VariantsBySku) {
  const path = join(folder(), 'orders')
  writeFileSync(path, text)
  const file = await openRows(path, Readable.from([]))
  try {
    const {checked, problems} = await checkedRows(checkOrderFile(file, found))
    const orders: FileOrder[] = []
    if (problems.length === 0) for await (const one of ordersIn(file, checked, found)) orders.push(one)
    return {checked, problems, orders}
  } finally {
    await file.close()
  }
}

const problemsOf = async (text: string | Buffer, found?: VariantsBySku) => (await read(text, found)).problems

describe('rows of one reference form one order', () => {
  const whole = {
    reference: 'A',
    customerRef: 'C-1',
    lines: [
      {variantId: rose, quantity: 2},
      {variantId: oud, quantity: 3},
    ],
    address: order.shippingAddress,
  }

  test.each([
    ['that say the rest once', later],
    ['that say the rest again', good],
    ['of which some is said again', {...later, phone: good.phone, customerRef}],
  ])('in a CSV file, %s', async (_, rest) => {
    const {checked, orders} = await read(
      csv(
        good,
        {...good, externalReference: 'B', discountCode: 'SAVE5'},
        {...rest, externalReference: 'A', variantId: oud, quantity: '3'},
        {...good, externalReference: 'C'},
      ),
    )
    expect(checked).toEqual({groups: 3, lines: 4, index: new Map([['A', 2]]), skus: []})
    expect(orders).toEqual([
      {...whole, reference: 'B', lines: [whole.lines[0]], discountCode: 'SAVE5', rows: [3]},
      {...whole, rows: [2, 4]},
      {...whole, reference: 'C', lines: [whole.lines[0]], rows: [5]},
    ])
  })

  test('in an NDJSON file, whose lines hold one order or a part of one', async () => {
    const {orders} = await read(
      ndjson(
        {...order, lines: [...order.lines, {variantId: oud.toUpperCase(), quantity: 3}]},
        {...order, externalReference: 'B', discountCode: null},
        {externalReference: 'B', lines: [{sku: 'RML-1', quantity: 1}]},
      ),
    )
    expect(orders).toEqual([
      {...whole, rows: [1]},
      {...whole, reference: 'B', lines: [whole.lines[0], {sku: 'RML-1', quantity: 1}], rows: [2, 3]},
    ])
  })

  test('whatever the order of the columns, and with a column of problems, one of SKUs, one of nothing', async () => {
    const names = ['problem', 'sku', ...Object.keys(good).reverse(), '']
    const row = Object.fromEntries(names.map((name) => [name, good[name as 'city'] ?? '']))
    const {orders} = await read(csv({...row, problem: 'BUSINESS_VARIANT_UNAVAILABLE: …'}))
    expect(orders).toEqual([{...whole, lines: [whole.lines[0]], rows: [2]}])
  })

  test('but what differs in one letter is another one', async () => {
    const {orders} = await read(
      csv(good, {...good, externalReference: 'a'}, {...good, externalReference: 'Å'}),
    )
    expect(orders.map(({reference}) => reference)).toEqual(['A', 'a', 'Å'])
  })
})

test('an apostrophe that guards a cell of a spreadsheet is taken back, and no other one', async () => {
  const {orders} = await read(
    csv({
      ...good,
      phone: "'+966501234567",
      recipient: "'Abd al-Rahman",
      line1: "'=1+1",
      line2: "''-x",
      region: "''x",
    }),
  )
  expect(orders[0]?.address).toMatchObject({
    phone: '+966501234567',
    recipient: "'Abd al-Rahman",
    line1: '=1+1',
    line2: "'-x",
    region: "''x",
  })
  const json = await read(ndjson({...order, shippingAddress: {...order.shippingAddress, line1: "'=1+1"}}))
  expect(json.orders[0]?.address.line1).toBe("'=1+1")
})

test('refused orders that scent wrote come back letter for letter', async () => {
  const texts = ['=1+1', '@x', "'+966 50 123 4567", "''=x", "'Abd", '\t-', '＋٩٦٦', 'say "hi", twice\r\n2']
  for (const text of [...texts, 'نورة\u200f\u202bالحربي', '👩🏽‍🚀\u00ad', '\u001b[1m', '\ufeffx']) {
    const path = join(folder(), 'refused.csv')
    const written = {...address, recipient: text, line2: text}
    const problem = `\u001b[2J${text}`
    const row = {...written, externalReference: '-A', customerRef: '+C', variantId, quantity: 2, problem}
    await writeRefused(path, {columns: refusalColumns, rows: [row]})
    const raw = readFileSync(path, 'utf8')
    expect(raw).toContain('\\u{1b}[2J')
    const {orders} = await read(raw)
    expect(orders[0]).toMatchObject({
      reference: '-A',
      customerRef: '+C',
      address: {recipient: text, line2: text},
    })
    expect(raw).not.toMatch(/(^|,)"?[=+\-@＋]/m)
  }
})

describe('a row is refused', () => {
  const long = 'x'.repeat(129)
  test.each<[Cells, string]>([
    [{quantity: '0'}, '2: quantity "0" must be a whole number of 1 or more'],
    [{quantity: '-1'}, '2: quantity "-1" must be a whole number of 1 or more'],
    [{quantity: '1.0'}, '2: quantity "1.0" must be a whole number of 1 or more'],
    [{quantity: '1e3'}, '2: quantity "1e3" must be a whole number of 1 or more'],
    [{quantity: ' 1'}, '2: quantity " 1" must be a whole number of 1 or more'],
    [{quantity: '٢'}, '2: quantity "٢" must be a whole number of 1 or more'],
    [{quantity: ''}, '2: quantity is required'],
    [{quantity: '1000001'}, '2: quantity "1000001" must be at most 1000000'],
    [{quantity: '9'.repeat(400)}, `2: quantity "${'9'.repeat(100)}…" must be at most 1000000`],
    [{variantId: ''}, '2: variantId is required, or sku'],
    [{variantId: 'RML-1'}, '2: variantId "RML-1" must be a UUID'],
    [{externalReference: ''}, '2: externalReference is required'],
    [{externalReference: '  '}, '2: externalReference "  " must not be blank'],
    [{externalReference: 'A '}, '2: externalReference "A " must not begin or end with a space'],
    [{externalReference: 'A\u00a0'}, '2: externalReference "A\u00a0" must not begin or end with a space'],
    [{externalReference: 'A\nB'}, '2: externalReference "A\\nB" must not hold control characters'],
    [
      {externalReference: 'A\ufffd'},
      '2: externalReference "A\ufffd" must be UTF-8 text; some of its bytes were none',
    ],
    [
      {externalReference: 'x'.repeat(1001)},
      `2: externalReference "${'x'.repeat(100)}…" must have at most 1000 characters`,
    ],
    [
      {customerRef: ''},
      '2: customerRef is required: the cart without one cannot be cleared, so it is never used for bulk orders',
    ],
    [{customerRef: ' '}, '2: customerRef " " must not be blank'],
    [{customerRef: '..'}, '2: customerRef ".." can\'t be part of a path'],
    [{customerRef: 'a\u0007'}, '2: customerRef "a\\u0007" must not hold control characters'],
    [{customerRef: 'Items'}, '2: customerRef "Items" is the name of a route of carts; use another one'],
    [{customerRef: 'notify'}, '2: customerRef "notify" is the name of a route of carts; use another one'],
    [
      {customerRef: 'checkout-preview'},
      '2: customerRef "checkout-preview" is the name of a route of carts; use another one',
    ],
    [{customerRef: long}, `2: customerRef "${'x'.repeat(100)}…" must have at most 128 characters`],
    [{recipient: ''}, '2: recipient is required'],
    [{city: ' '}, '2: city " " must not be blank'],
    [{countryCode: 'SA'}, '2: countryCode "SA" is not an ISO 3166-1 alpha-3 code in capitals, such as SAU'],
    [{phone: '12'}, '2: phone "12" needs at least 5 digits'],
    [{line2: 'a\ufffd'}, '2: line2 "a\ufffd" must be UTF-8 text; some of its bytes were none'],
    [{discountCode: ' '}, '2: discountCode " " must not be blank'],
  ])('for %j', async (cells, problem) => {
    expect(await problemsOf(csv({...good, ...cells}))).toEqual([problem])
  })

  test.each<[object, string]>([
    [{lockId: rose}, '1: lockId is not to be given: each order gets a lock of its own'],
    [{customerref: 'C'}, '1: customerref is not a field here; did you mean customerRef?'],
    [{lines: []}, '1: lines "[]" must be a list of at least one {"variantId", "quantity"}'],
    [{lines: undefined}, '1: lines must be a list of at least one {"variantId", "quantity"}'],
    [{lines: [null]}, '1: lines[0] must be an object'],
    [{lines: [{variantId, quantity: 1.5}]}, '1: lines[0].quantity "1.5" must be a whole number of 1 or more'],
    [{lines: [{variantId, quantity: null}]}, '1: lines[0].quantity is required'],
    [
      {lines: [{variantId, quantity: true}]},
      '1: lines[0].quantity "true" must be a whole number of 1 or more',
    ],
    [
      {lines: [{variantId, sku: 'X', quantity: 1}]},
      '1: lines[0].sku "X" stands beside a variantId; give one of them',
    ],
    [{lines: [{sku: 7, quantity: 1}]}, '1: lines[0].sku "7" must be text'],
    [
      {lines: [{variantId, quantity: 1, qty: 1}]},
      '1: lines[0].qty is not a field here; known are variantId, sku, quantity',
    ],
    [
      {
        lines: [
          {variantId, quantity: 1},
          {variantId, quantity: 1},
        ],
      },
      `1: variantId "${rose}" is the variant of line 1 once more; put the whole quantity into one line`,
    ],
    [{externalReference: 7}, '1: externalReference "7" must be text'],
    [{customerRef: '\ud800'}, '1: customerRef "\\ud800" must be well-formed text; it holds half a character'],
    [{shippingAddress: 'x'}, '1: shippingAddress "x" must be an object'],
    [
      {shippingAddress: {...order.shippingAddress, phone: 966501234567}},
      '1: shippingAddress.phone "966501234567" must be text',
    ],
    [
      {shippingAddress: {...order.shippingAddress, zip: '1'}},
      '1: shippingAddress.zip is not a field here; known are recipient, line1, line2, city, nationalAddress, region, postalCode, countryCode, phone',
    ],
  ])('for %j in NDJSON', async (fields, problem) => {
    expect((await problemsOf(ndjson({...order, ...fields})))[0]).toBe(problem)
  })

  test('once, however many lines above the limit one row holds', async () => {
    const lines = Array.from({length: 100_000}, () => ({}))
    const problems = await problemsOf(ndjson({...order, lines}))
    expect(problems[0]).toBe('1: externalReference "A" has more than 1000 lines in one order')
    expect(problems).toHaveLength(1 + 2 * 1000)
  })

  test('one line too many for its order', async () => {
    const lines = Array.from({length: 1001}, (_, n) => ({
      variantId: `6c1f8a52-3f0e-4b1d-9a70-${String(n).padStart(12, '0')}`,
      quantity: 1,
    }))
    expect(await problemsOf(ndjson({...order, lines}))).toEqual([
      '1: externalReference "A" has more than 1000 lines in one order',
    ])
    expect(await problemsOf(ndjson({...order, lines: lines.slice(1)}))).toEqual([])
  })

  test('for a SKU beside a variant, for none, and for one in spaces', async () => {
    const rows = [
      {...good, sku: 'RML-1'},
      {...good, externalReference: 'B', variantId: '', sku: ''},
      {...good, externalReference: 'C', variantId: '', sku: ' RML-1'},
      {...good, externalReference: 'D', variantId: '', sku: 'RML-1'},
    ]
    expect(await problemsOf(csv(...rows))).toEqual([
      '2: sku "RML-1" stands beside a variantId; give one of them',
      '3: variantId is required, or sku',
      '4: sku " RML-1" must not begin or end with a space',
    ])
  })

  test('with all that is wrong with it, and with the others', async () => {
    const problems = await problemsOf(
      csv({...good, quantity: 'x', phone: '', city: ''}, {...good, externalReference: '', customerRef: '.'}),
    )
    expect(problems).toEqual([
      '2: quantity "x" must be a whole number of 1 or more',
      '2: city is required',
      '2: phone is required',
      '3: externalReference is required',
      '3: customerRef "." can\'t be part of a path',
    ])
  })

  test('also where the quantity beside it is wrong: its variant counts, and its SKU is looked up', async () => {
    const rows = [
      {...good, quantity: '0'},
      {...later, externalReference: 'A', variantId: rose, quantity: '1'},
      {...good, externalReference: '', variantId: '', sku: 'NONE', quantity: 'x', phone: '1'},
    ]
    const text = csv({...rows[0], sku: ''}, ...rows.slice(1))
    expect((await read(text)).checked.skus).toEqual(['NONE'])
    expect(await problemsOf(text, new Map([['NONE', []]]))).toEqual([
      '2: quantity "0" must be a whole number of 1 or more',
      `3: variantId "${rose}" is the variant of line 2 once more; put the whole quantity into one line`,
      '4: quantity "x" must be a whole number of 1 or more',
      '4: sku "NONE" is not a SKU of the own assortment',
      '4: externalReference is required',
      '4: phone "1" needs at least 5 digits',
    ])
  })

  test('where it says something else than the first row of its order', async () => {
    const other = {...good, variantId: oud}
    expect(
      await problemsOf(
        csv(
          good,
          {...other, customerRef: 'C-2'},
          {...other, variantId: rose.replace('6', '8'), line2: 'x', phone: '1'},
        ),
      ),
    ).toEqual([
      '3: customerRef "C-2" differs from line 2, which is of the same order',
      '4: line2 "x" differs from line 2, which is of the same order',
      '4: phone "1" differs from line 2, which is of the same order',
    ])
  })

  test('where a variant stands in its order already, also rows apart', async () => {
    const other = {...good, externalReference: 'B'}
    expect(
      await problemsOf(
        csv(good, other, {...later, externalReference: 'A', variantId: rose.toUpperCase(), quantity: '1'}),
      ),
    ).toEqual([
      `4: variantId "${rose}" is the variant of line 2 once more; put the whole quantity into one line`,
    ])
  })
})

describe('the SKUs of a file', () => {
  const by = (sku: string, more: Cells = {}) => ({...good, variantId: '', sku, ...more})

  test('are told once each, and give the lines their variants', async () => {
    const text = csv(
      by('R-1'),
      by('O-1', {...later, externalReference: 'A', quantity: '1'}),
      by('R-1', {externalReference: 'B'}),
    )
    expect((await read(text)).checked.skus).toEqual(['R-1', 'O-1'])
    const {orders} = await read(
      text,
      new Map([
        ['R-1', [rose]],
        ['O-1', [oud]],
      ]),
    )
    expect(orders[0]?.lines).toEqual([
      {sku: 'R-1', variantId: rose, quantity: 2},
      {sku: 'O-1', variantId: oud, quantity: 1},
    ])
  })

  test('are refused where they stand for nothing, for two variants, or for one that the order holds already', async () => {
    const found = new Map([
      ['R-1', [rose]],
      ['TWO', [rose, oud]],
      ['NONE', []],
    ])
    const next = (sku: string, externalReference: string) => by(sku, {externalReference})
    const twin = {...later, externalReference: 'A', variantId: rose, quantity: '1'}
    expect(
      await problemsOf(
        csv(by('R-1'), next('TWO', 'B'), next('NONE', 'C'), twin, next('R-1', 'D'), next('NONE', 'E')),
        found,
      ),
    ).toEqual([
      `3: sku "TWO" stands for several variants: ${rose}, ${oud}; give one as variantId`,
      '4: sku "NONE" is not a SKU of the own assortment',
      `5: variantId "${rose}" is the variant of line 2 once more; put the whole quantity into one line`,
      '7: sku "NONE" is not a SKU of the own assortment',
    ])
  })
})

describe('the columns of a CSV file', () => {
  test('are known, each once, and none is missing', async () => {
    const {phone, variantId: _, ...rest} = good
    const header = `${[...Object.keys(rest), 'phones', 'sku ', 'sku', 'Quantity'].join(',')}\n1,2\n`
    expect(await problemsOf(header)).toEqual([
      '1: lacks phone',
      '1: has twice: sku',
      '1: has 2 columns not known here: "phones", "Quantity"; did you mean phone, quantity?',
    ])
    expect(await problemsOf(csv({...rest, phone}))).toEqual(['1: lacks variantId or sku'])
  })

  test('that are none do not hide what is wrong in the rows', async () => {
    const row = {...good, phones: ''}
    expect(await problemsOf(csv(row, {...row, externalReference: 'B', phone: '1'}))).toEqual([
      '1: has 1 column not known here: "phones"; did you mean phone?',
      '3: phone "1" needs at least 5 digits',
    ])
  })

  test('are not enough without a row', async () => {
    expect(await problemsOf(csv(good).split('\n')[0] ?? '')).toEqual(['1: has a header and no rows'])
  })
})

test('every line with bytes that are no UTF-8 is named, with its column', async () => {
  const rows = ['No\xfbra', 'Noura', '\xe4\xe6\xd1\xc9'].map((recipient, n) => ({
    ...good,
    externalReference: `R-${n}`,
    recipient,
  }))
  const rule = 'must be UTF-8 text; some of its bytes were none'
  expect(await problemsOf(Buffer.from(csv(...rows), 'latin1'))).toEqual([
    `2: recipient "No\ufffdra" ${rule}`,
    `4: recipient "\ufffd\ufffd\ufffd\ufffd" ${rule}`,
  ])
  const [first] = rows.map(({recipient}) => ({
    ...order,
    shippingAddress: {...order.shippingAddress, recipient},
  }))
  const other = {...order, externalReference: 'B', 'No\xfbra': 1}
  expect(await problemsOf(Buffer.from(ndjson(first, other), 'latin1'))).toEqual([
    `1: shippingAddress.recipient "No\ufffdra" ${rule}`,
    expect.stringMatching(/^2: No\ufffdra is not a field here/),
  ])
})

test('hostile lines in the middle of an NDJSON file are told, and the others read', async () => {
  const lines = [order, [], 'x', null, {...order, externalReference: 'B'}, {__proto__: null, a: 1}]
  const problems = await problemsOf(`${ndjson(...lines)}not json\n${'{"lines":'.repeat(50_000)}\n`)
  expect(problems.filter((one) => !/is required|must be a list/.test(one))).toEqual([
    '2: must be one JSON object',
    '3: must be one JSON object',
    '4: must be one JSON object',
    expect.stringMatching(/^6: a is not a field here/),
    expect.stringMatching(/^7: is not a JSON object/),
    '8: nests too deep',
  ])
})

test('100,000 rows take little memory', () => {
  const child = program(`
    import {openRows} from './src/store/rows.ts'
    import {checkOrderFile, ordersIn} from './src/bulk/orders/file.ts'
    async function main() {
      const file = await openRows('-', process.stdin)
      const check = checkOrderFile(file)
      let problems = 0
      let step = await check.next()
      for (; !step.done; step = await check.next()) problems += 1
      let orders = 0
      for await (const order of ordersIn(file, step.value)) orders += 1
      console.log(JSON.stringify([problems, orders, process.memoryUsage.rss() / 2 ** 20]))
    }
    main()
  `)
  const [header = '', row = ''] = csv(good).split('\n')
  const first = `${header}\n${row}\n`
  const rows = Array.from(
    {length: 50_000},
    (_, at) => `${row.replace(/^A/, `R-${at}`)}\nR-${at},,${oud},1,,,,,,,,,,`,
  ).join('\n')
  const last = `\nA,,${oud},1,,,,,,,,,,\n`
  const out = execFileSync(process.execPath, [child], {input: first + rows + last, encoding: 'utf8'})
  const [problems, orders, megabytes] = JSON.parse(out)
  expect([problems, orders]).toEqual([0, 50_001])
  expect(megabytes).toBeLessThan(150)
})
