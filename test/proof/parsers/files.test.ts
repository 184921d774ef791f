// Files that people and other programs write: whatever is in them, no row is lost or invented, and what is wrong is named.
import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {Readable} from 'node:stream'
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import * as z from 'zod/mini'
import {cartColumns, checkCartFile} from '../../../src/bulk/carts/file.ts'
import {checkOrderFile, type FileOrder, orderColumns, ordersIn} from '../../../src/bulk/orders/file.ts'
import {guarded} from '../../../src/contract/forms.ts'
import {noticeChoices} from '../../../src/contract/notices.ts'
import {importNotices} from '../../../src/desk/notices/import.ts'
import {wantedIn} from '../../../src/desk/notices/wanted.ts'
import {bytesOf, encodeBody, keptHeaders, readBody} from '../../../src/desk/receipts/body.ts'
import {isReceived, receiptRecord} from '../../../src/desk/receipts/records.ts'
import {capturedIn} from '../../../src/desk/signature/capture.ts'
import {changeOf, settingRow, settingRows} from '../../../src/session/config.ts'
import {journal} from '../../../src/store/journal.ts'
import {changeConfig, readConfig} from '../../../src/store/profiles.ts'
import {openRows, type Row} from '../../../src/store/rows.ts'
import {address} from '../../support/address.ts'
import {identity} from '../../support/bulk.ts'
import {folder} from '../../support/program.ts'
import {checkedRows} from '../../support/told.ts'
import {document, goodText, holds, isRefused, nearlyJson, oddText, refusalOr, tellRuns} from './chance.ts'

tellRuns('parsers of files')

const place = folder()
const written = (bytes: string | Uint8Array): string => {
  const path = join(place, 'file')
  writeFileSync(path, bytes)
  return path
}

async function rowsOf(bytes: string | Uint8Array): Promise<Row[]> {
  const file = await openRows(written(bytes), Readable.from([]))
  const rows: Row[] = []
  try {
    for await (const row of file.rows()) rows.push(row)
  } finally {
    await file.close()
  }
  return rows
}

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`
const isBlank = (cells: readonly string[]) => cells.every((cell) => cell.trim() === '')

describe('a CSV file', () => {
  const names = ['a', 'b', 'c']
  const table = fc.record({
    rows: fc.array(fc.array(goodText, {minLength: 3, maxLength: 3}), {maxLength: 8}),
    separator: fc.constantFrom(',', ';', '\t', '|'),
    end: fc.constantFrom('\n', '\r\n', '\r'),
    last: fc.boolean(),
    mark: fc.boolean(),
    always: fc.boolean(),
  })

  test('gives back every cell of every row, and no other row', () =>
    holds(table, async ({rows, separator, end, last, mark, always}) => {
      const cellOf = (cell: string) => (always || /["\r\n,;|\t]/.test(cell) ? quoted(cell) : cell)
      const lines = [names, ...rows].map((cells) => cells.map(cellOf).join(separator))
      const read = await rowsOf(`${mark ? '\ufeff' : ''}${lines.join(end)}${last ? end : ''}`)
      const wanted = rows.filter((cells) => !isBlank(cells))
      const isHeader = (cells: string[]) => cells.every((cell, at) => cell.trim() === names[at])
      expect(read.map(({fields, problem}) => problem ?? Object.values(fields))).toEqual(
        wanted.map((cells) => (isHeader(cells) ? 'is the header once more' : cells)),
      )
    }))

  test('of any bytes is refused, or has rows in their order, each with its cells or what is wrong', () =>
    holds(
      fc.oneof(
        fc.uint8Array({maxLength: 300}),
        oddText.map((text) => Buffer.from(text)),
      ),
      async (bytes) => {
        const read = await refusalOr(() => rowsOf(bytes))
        if (isRefused(read)) return
        const lines = read.map(({line}) => line)
        expect(lines).toEqual([...lines].sort((a, b) => a - b))
        expect(read.length).toBeLessThanOrEqual(
          Buffer.from(bytes)
            .toString('latin1')
            .split(/[\r\n]/).length,
        )
        for (const {fields, problem} of read)
          expect(problem === undefined || Object.keys(fields).length === 0).toBe(true)
      },
    ))
})

describe('an NDJSON file', () => {
  test('gives back every object, and names every other line', () =>
    holds(
      fc.array(
        fc.oneof(
          document,
          nearlyJson.map((text) => ({text})),
        ),
        {minLength: 1, maxLength: 8},
      ),
      async (values) => {
        const lines = values.map((value) => JSON.stringify(value))
        const read = await rowsOf(`{"first":1}\n${lines.join('\n')}`)
        expect(read).toHaveLength(lines.length + 1)
        for (const [at, value] of values.entries()) {
          const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
          const {problem, fields} = read[at + 1] as Row
          if (isObject && problem === undefined) expect(Object.keys(fields)).toEqual(Object.keys(value))
          else if (isObject) expect(lines[at]).toContain('__proto__')
          else expect(problem).toBe('must be one JSON object')
        }
      },
    ))

  test('of any lines has one row for each that is not blank', () =>
    holds(fc.array(fc.oneof(nearlyJson, goodText), {maxLength: 8}), async (texts) => {
      const lines = ['{}', ...texts.map((text) => text.replaceAll('\n', ' '))]
      const read = await refusalOr(() => rowsOf(lines.join('\n')))
      if (isRefused(read)) expect(lines.join('')).toMatch(/\0/)
      else expect(read).toHaveLength(lines.filter((line) => line.trim() !== '').length)
    }))
})

const key = goodText
  .map((text) =>
    text
      .replace(/\p{Cc}/gu, '')
      .trim()
      .slice(0, 60),
  )
  .filter(
    (text) => text !== '' && !['.', '..', 'items', 'notify', 'checkout-preview'].includes(text.toLowerCase()),
  )
const line = fc.record({variantId: fc.uuid(), quantity: fc.integer({min: 1, max: 1_000_000})})
const order = fc.record({
  reference: key,
  customerRef: key,
  lines: fc.uniqueArray(line, {minLength: 1, maxLength: 4, selector: ({variantId}) => variantId}),
})
const orders = fc.uniqueArray(order, {minLength: 1, maxLength: 5, selector: ({reference}) => reference})

async function ordersOf(text: string | Uint8Array) {
  const file = await openRows(written(text), Readable.from([]))
  try {
    const {checked, problems} = await checkedRows(checkOrderFile(file))
    const found: FileOrder[] = []
    if (problems.length === 0) for await (const one of ordersIn(file, checked)) found.push(one)
    return {checked, problems, found}
  } finally {
    await file.close()
  }
}

type Wish = {reference: string; customerRef: string; lines: {variantId: string; quantity: number}[]}

function csvOf(wishes: readonly Wish[]): string {
  const rows = wishes.flatMap(({reference, customerRef, lines}) =>
    lines.map(({variantId, quantity}) => {
      const cells: Record<string, unknown> = {
        externalReference: reference,
        customerRef,
        variantId,
        quantity,
        ...address,
      }
      return orderColumns.map((column) => quoted(guarded(String(cells[column] ?? '')))).join(',')
    }),
  )
  return [orderColumns.join(','), ...rows].join('\n')
}

const bare = ({found}: {found: FileOrder[]}): Wish[] =>
  found.map(({reference, customerRef, lines}) => ({
    reference,
    customerRef,
    lines: lines.map(({variantId = '', quantity}) => ({variantId, quantity})),
  }))

describe('a file of orders', () => {
  test('gives the same orders as CSV and as NDJSON, each once', () =>
    holds(
      orders,
      async (wishes) => {
        const json = wishes.map(({reference: externalReference, ...rest}) =>
          JSON.stringify({externalReference, ...rest, shippingAddress: address}),
        )
        for (const text of [csvOf(wishes), json.join('\n')]) {
          const read = await ordersOf(text)
          expect(read.problems).toEqual([])
          expect(bare(read)).toEqual(wishes)
        }
      },
      {cost: 2},
    ))

  test('with bytes changed is refused, names problems, or holds orders of which each has its lines', () =>
    holds(
      fc.tuple(orders, fc.array(fc.tuple(fc.nat(), fc.nat(255)), {minLength: 1, maxLength: 3})),
      async ([wishes, changes]) => {
        const bytes = Buffer.from(csvOf(wishes))
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte
        const read = await refusalOr(() => ordersOf(bytes))
        if (isRefused(read) || read.problems.length > 0) return
        expect(read.found).toHaveLength(read.checked.groups)
        expect(read.found.flatMap(({lines}) => lines)).toHaveLength(read.checked.lines)
        for (const {lines, rows} of read.found) expect(rows).toHaveLength(lines.length)
      },
      {cost: 2},
    ))
})

test('a file of carts of any text is refused, or names what is wrong with its rows', () =>
  holds(
    fc.tuple(fc.array(fc.array(goodText, {minLength: 1, maxLength: 5}), {maxLength: 5}), fc.option(key)),
    async ([rows, customer]) => {
      const text = [cartColumns, ...rows].map((cells) => cells.map(quoted).join(',')).join('\n')
      const file = await openRows(written(text), Readable.from([]))
      const {checked, problems} = await checkedRows(checkCartFile(file, customer ?? undefined))
      await file.close()
      expect(problems.length + checked.lines).toBeGreaterThanOrEqual(
        rows.filter((cells) => !isBlank(cells)).length,
      )
    },
  ))

describe('a file of answers', () => {
  const answer = fc.record({notice: fc.uuid(), choice: fc.constantFrom(...noticeChoices)})
  const answers = fc.uniqueArray(answer, {minLength: 1, maxLength: 6, selector: ({notice}) => notice})
  const style = fc.record({
    header: fc.constantFrom('notice,choice', 'NOTICE ID,Choice', 'id,choice', 'notice-id,CHOICE', ''),
    upper: fc.boolean(),
    json: fc.boolean(),
  })

  test('answers each notice that it names, once and as it says', () =>
    holds(fc.tuple(answers, style), async ([all, {header, upper, json}]) => {
      const cased = (text: string) => (upper ? text.toUpperCase() : text)
      const lines = json
        ? all.map((one) => JSON.stringify(one))
        : [...(header ? [header] : []), ...all.map(({notice, choice}) => `${cased(notice)},${cased(choice)}`)]
      const wanted = await wantedIn(written(lines.join('\n')), [])
      expect(wanted.map(({id, choice}) => ({notice: id, choice}))).toEqual(all)
    }))

  test('of any text answers nothing that does not stand in it', () =>
    holds(
      fc.array(fc.array(fc.oneof(goodText, fc.uuid(), fc.constantFrom(...noticeChoices)), {maxLength: 3}), {
        maxLength: 6,
      }),
      async (rows) => {
        const text = rows.map((cells) => cells.join(',')).join('\n')
        const wanted = await refusalOr(() => wantedIn(written(text), []))
        if (isRefused(wanted)) return
        for (const {id, choice} of wanted)
          expect(
            rows.some(
              (cells) =>
                cells.join(',').toLowerCase().includes(id) && cells.join(',').includes(choice.slice(1)),
            ),
          ).toBe(true)
      },
    ))
})

describe('settings', () => {
  const folders = {config: folder(), state: place}
  const path = join(folders.config, 'config.json')

  test('of any document are read, or refused with the name of the file', () =>
    holds(
      fc.oneof(
        document.map((value) => JSON.stringify(value)),
        nearlyJson,
        goodText,
      ),
      async (text) => {
        writeFileSync(path, text)
        const read = await refusalOr(() => readConfig(folders), 'CORRUPT_FILE')
        if (isRefused(read)) expect(read.refused).toContain(path)
        else settingRows(read, folders, {})
        expect(readFileSync(path, 'utf8')).toBe(text)
      },
    ))

  test('keep what a later version wrote, and give back what was set', async () => {
    const names = fc.oneof(
      fc.constantFrom('output', 'customer', 'max-total', 'accessible', 'columns.orders.list', 'alias.warda'),
      oddText,
    )
    const values = fc.oneof(oddText, fc.uuid(), fc.constantFrom('csv', 'JSON', '305.90', 'on', 'sku,total'))
    await holds(
      fc.tuple(names, values),
      async ([name, value]) => {
        writeFileSync(path, JSON.stringify({version: 1, profiles: {}, later: {kept: [1.5]}}))
        const change = await refusalOr(
          () => changeOf(name, value, readConfig(folders)),
          'INVALID_INPUT',
          'NO_CREDENTIALS',
        )
        if (isRefused(change)) return
        await changeConfig(folders, change)
        expect(JSON.parse(readFileSync(path, 'utf8')).later).toEqual({kept: [1.5]})
        expect(settingRow(name, readConfig(folders), {}).value?.toLowerCase()).toBe(value.toLowerCase())
      },
      {cost: 4},
    )
  })
})

describe('a journal', () => {
  const header = {journal: 'chance', version: 1}
  const record = z.object({n: z.number(), text: z.string()})
  const texts = fc.array(goodText, {minLength: 1, maxLength: 6})
  const at = (path: string) => journal({path, header, record})
  async function filled(all: readonly string[]): Promise<string> {
    const path = join(folder(), 'chance.ndjson')
    await at(path).append(all.map((text, n) => ({n, text})))
    return path
  }
  const read = (path: string) =>
    refusalOr(() => [...at(path).records()].map(({text}) => text), 'CORRUPT_FILE', 'FOREIGN_FILE')

  test('cut at any byte holds the first of its records, and takes more behind them', () =>
    holds(
      fc.tuple(texts, fc.nat()),
      async ([all, cut]) => {
        const path = await filled(all)
        const bytes = readFileSync(path)
        const start = bytes.indexOf(10) + 1
        writeFileSync(path, bytes.subarray(0, start + (cut % (bytes.length - start + 1))))
        const kept = await read(path)
        expect(kept).toEqual(all.slice(0, (kept as string[]).length))
        await at(path).append({n: 9, text: 'more'})
        expect(await read(path)).toEqual([...(kept as string[]), 'more'])
      },
      {cost: 4},
    ))

  test('with bytes changed, or a line of somebody else, never holds a record that nobody wrote', () =>
    holds(
      fc.tuple(
        texts,
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), {maxLength: 3}),
        fc.option(fc.tuple(fc.nat(), oddText)),
      ),
      async ([all, changes, foreign]) => {
        const path = await filled(all)
        const bytes = readFileSync(path)
        for (const [place, byte] of changes) bytes[place % bytes.length] = byte
        const lines = bytes.toString('latin1').split('\n')
        if (foreign) lines.splice(foreign[0] % lines.length, 0, Buffer.from(foreign[1]).toString('latin1'))
        writeFileSync(path, Buffer.from(lines.join('\n'), 'latin1'))
        const kept = await read(path)
        if (isRefused(kept)) expect(kept.refused).toContain(path)
        else expect(kept).toEqual(all.slice(0, kept.length))
      },
      {cost: 4},
    ))
})

describe('deliveries', () => {
  const bodies = fc.oneof(
    document.map((value) => JSON.stringify(value)),
    nearlyJson,
    oddText,
  )

  test('of any body are read, and no id is longer or stranger than a record may hold', () =>
    holds(bodies, (text) => {
      const {eventId, eventType, notices} = readBody(text)
      for (const id of [eventId, eventType])
        if (id !== null) expect(id.length <= 200 * 10 && !/\p{Surrogate}/u.test(id)).toBe(true)
      expect(Array.isArray(notices)).toBe(true)
    }))

  test('come back byte for byte from their record', () =>
    holds(
      fc.oneof(
        fc.uint8Array({maxLength: 200}),
        bodies.map((text) => Buffer.from(text)),
      ),
      (bytes) => {
        const kept = JSON.parse(JSON.stringify(encodeBody(Buffer.from(bytes))))
        expect(bytesOf(kept).equals(Buffer.from(bytes))).toBe(true)
      },
    ))

  test('leave no secret in the headers that are kept', () =>
    holds(
      fc.array(
        fc.tuple(
          fc.constantFrom('Authorization', 'x-api-key', 'Cookie', 'x-token', 'accept'),
          fc.string({minLength: 20}),
        ),
      ),
      (headers) => {
        for (const [at, [name, value]] of keptHeaders(headers).entries())
          expect(value === headers[at]?.[1]).toBe(name === 'accept')
      },
    ))

  test('are the same by the quick judge of records and by the schema', () =>
    holds(
      fc.tuple(
        fc.jsonValue(),
        fc.constantFrom('at', 'n', 'headers', 'notices', 'trust', 'encoding', 'more', 'why'),
      ),
      ([value, field]) => {
        const good = {
          ...{
            kind: 'received',
            at: '',
            n: 1,
            remote: '',
            path: '',
            headers: [['a', 'b']],
            body: '',
            encoding: 'utf8',
          },
          ...{
            bytes: 0,
            sha256: '',
            eventId: null,
            eventType: null,
            notices: ['x'],
            trust: 'stale',
            scheme: null,
            why: null,
          },
        }
        const changed = {...good, [field]: value}
        if (isReceived(changed))
          expect(receiptRecord.safeParse(changed)).toEqual({success: true, data: changed})
        expect(isReceived(good)).toBe(true)
      },
    ))

  test('that somebody kept in a file are one delivery, or refused', () =>
    holds(
      fc.oneof(
        bodies,
        fc.tuple(document, bodies).map(([headers, body]) => JSON.stringify({headers, body})),
      ),
      async (text) => {
        const found = await refusalOr(() => capturedIn(Buffer.from(text), 'the file'))
        if (!isRefused(found))
          for (const pair of found.headers)
            expect(pair.map((one) => typeof one)).toEqual(['string', 'string'])
      },
    ))

  test('are imported or named, each document of a file', () =>
    holds(
      fc.array(fc.oneof(document, fc.record({eventId: fc.uuid(), eventType: fc.string(), data: document})), {
        minLength: 1,
        maxLength: 5,
      }),
      async (values) => {
        const home = folder()
        const text = values.map((value) => JSON.stringify(value)).join('\n')
        const found = await refusalOr(() =>
          importNotices({folders: {config: home, state: home}, identity, settings: undefined}, text),
        )
        // One array, or one list, is taken apart.
        if (isRefused(found) || values.length === 1) return
        expect(found.imported + found.known + found.unreadable.length).toBe(values.length)
      },
      {cost: 4},
    ))
})
