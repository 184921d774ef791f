import {appendFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {Readable} from 'node:stream'
import {afterEach, expect, test} from 'vitest'
import {checkCartFile} from '../../src/bulk/carts/file.ts'
import {lookUpSkus, requireGoodRows} from '../../src/bulk/file/check.ts'
import type {VariantsBySku} from '../../src/bulk/file/rows.ts'
import {Failure} from '../../src/contract/failure.ts'
import type {CatalogTools} from '../../src/flows/catalog.ts'
import {catalogCache} from '../../src/store/catalog.ts'
import type {Problem} from '../../src/store/problems.ts'
import {openRows, type RowFile} from '../../src/store/rows.ts'
import {folder} from '../support/program.ts'
import {openShop, type Shop} from '../support/shop.ts'
import {failureText} from '../support/told.ts'

let shop: Shop
let file: RowFile
afterEach(() => Promise.all([shop.close(), file.close()]))

/** A file of cart lines of one customer, and a catalog to look its SKUs up in. */
async function open(...rows: string[]) {
  shop = await openShop()
  const path = join(folder(), 'lines.csv')
  writeFileSync(path, `sku,quantity\n${rows.join('\n')}\n`)
  file = await openRows(path, Readable.from([]))
  const state = folder()
  const identity = {origin: 'http://127.0.0.1:1', clientId: 'c', onBehalfOf: null}
  const tools: CatalogTools = {
    client: shop.client,
    cache: catalogCache({config: state, state}, identity),
    now: Date.now,
  }
  const source = {path, headerLine: 1, check: (found?: VariantsBySku) => checkCartFile(file, 'C-1', found)}
  return {path, source, tools, catalog: async () => tools}
}

/** The refusal, and its problems as `line: column rule`. */
async function refusal(work: Promise<unknown>): Promise<{failure: Failure; problems: string[]}> {
  const failure = await work.then(
    () => expect.unreachable(),
    (error: Failure) => error,
  )
  expect(failure).toMatchObject({code: 'INVALID_INPUT', exitCode: 2})
  const {problems} = failure.facts.details as {problems: AsyncIterable<Problem>}
  const told: string[] = []
  for await (const {line, column, rule} of problems) told.push(`${line}: ${column} ${rule}`)
  return {failure, problems: told}
}

const wrong = 'must be a whole number of 1 or more'

test('a file is refused once, with its unknown SKUs beside all else that is wrong, line by line', async () => {
  const {source, catalog, path} = await open('NONE,1', 'RML-SAF-050,0', 'NADA,x', 'RML-SAF-100,1')
  const {failure, problems} = await refusal(requireGoodRows(source, catalog))
  expect(problems).toEqual([
    '2: sku is not a SKU of the own assortment',
    `3: quantity ${wrong}`,
    `4: quantity ${wrong}`,
    '4: sku is not a SKU of the own assortment',
  ])
  expect(failure.message).toBe(`"${path}" has 4 problems. Nothing was sent.`)
  const whole = (await failureText(failure)).split('\n').length - 1
  expect(await failureText(failure, whole + 2)).not.toMatch(/and \d+ more/)
  expect(await failureText(failure, whole + 1)).toMatch(
    /line 4: quantity "x" .*\n {2}… and 1 more; --json.*\nNext: /,
  )
})

test('a bad file asks for nothing where no SKU of it could be read', async () => {
  const {source, catalog} = await open('RML-SAF-050 ,1', ',2', '"a\nb",1')
  const {problems} = await refusal(requireGoodRows(source, catalog))
  expect(problems).toHaveLength(3)
  expect(shop.requests).toEqual([])
})

test('a good file is not looked up before that is asked for, and then refused for its SKUs alone', async () => {
  const {source, catalog, tools} = await open('NONE,1', 'RML-SAF-050,1')
  const checked = await requireGoodRows(source, catalog)
  expect([checked.lines, shop.requests]).toEqual([2, []])
  const {problems} = await refusal(lookUpSkus({file, source, checked}, tools))
  expect(problems).toEqual(['2: sku is not a SKU of the own assortment'])
})

test('a bad file whose SKUs can not be looked up is refused all the same, and says why', async () => {
  const {source} = await open('RML-SAF-050,0', 'NONE,1')
  const down = async () => {
    throw new Failure('NO_CONNECTION', {message: 'No connection to 127.0.0.1:1. Nothing was sent.'})
  }
  const {failure, problems} = await refusal(requireGoodRows(source, down))
  expect(problems).toEqual([`2: quantity ${wrong}`])
  expect(failure.message).toMatch(
    / has a problem\. Nothing was sent\. Its SKUs were not looked up: No connection to 127\.0\.0\.1:1\.$/,
  )
  const bug = async () => {
    throw new TypeError('a bug')
  }
  await expect(requireGoodRows(source, bug)).rejects.toThrow(TypeError)
})

test('a file that changes while its problems are printed says so behind the last that could be read', async () => {
  const {source, catalog, path} = await open('RML-SAF-050,0')
  const failure = await requireGoodRows(source, catalog).catch((error: Failure) => error)
  appendFileSync(path, 'RML-SAF-050,0\n')
  expect(await failureText(failure as Failure)).toContain(
    `  "${path}" can't be read: it changed while it was read.\n`,
  )
})

test('a value from a file can not act on a terminal', async () => {
  const {source, catalog} = await open('RML-SAF-050,\u001b[2J\u202e1')
  const failure = await requireGoodRows({...source, path: '\u001b[1m'}, catalog).catch(
    (error: Failure) => error,
  )
  expect(await failureText(failure as Failure)).not.toMatch(/[\u001b\u202e]/)
})

test('a SKU is taken in any capitals, and one that is unknown is told what may be meant', async () => {
  const {source, tools} = await open('rml-saf-050,1', 'Rml-Saf-100,1')
  const checked = await requireGoodRows(source, async () => tools)
  const {found} = await lookUpSkus({file, source, checked}, tools)
  expect([...found.keys()]).toEqual(['rml-saf-050', 'Rml-Saf-100'])
  expect([...found.values()].map(({length}) => length)).toEqual([1, 1])
  await Promise.all([shop.close(), file.close()])
  const wrongOne = await open('RML-SAV-050,1')
  const good = await requireGoodRows(wrongOne.source, wrongOne.catalog)
  const {failure} = await refusal(lookUpSkus({file, source: wrongOne.source, checked: good}, wrongOne.tools))
  expect(failure.hint).toMatch(/^Did you mean RML-SAF-050 for "RML-SAV-050"\?/)
})
