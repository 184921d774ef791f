import {Failure, isFailure} from '../../contract/failure.ts'
import {nearest} from '../../contract/nearest.ts'
import {type CatalogTools, resolveSkus} from '../../flows/catalog.ts'
import type {Catalog} from '../../store/catalog.ts'
import {fileName, type Problem} from '../../store/problems.ts'
import {toUtf8} from '../../store/rows.ts'
import {NO_ROWS, type RowsFile, type Source} from './groups.ts'
import type {VariantsBySku} from './rows.ts'

/** A file of rows that a command was given. */
export interface NamedFile {
  /** What the user calls it. */
  path: string
  /** The line of its header. */
  headerLine: number
  /** Reads all of it, as often as asked; see checkRows(). */
  check(found?: VariantsBySku): AsyncGenerator<Problem, RowsFile>
}

/**
 * Checks a whole file offline, and returns what it adds up to. If that finds problems the SKUs are looked up all the
 * same, so that one refusal names whatever is wrong; if they can't be, it says why. Fails with INVALID_INPUT.
 */
export async function requireGoodRows(
  file: NamedFile,
  catalog: () => Promise<CatalogTools>,
): Promise<RowsFile> {
  const read = await readThrough(file)
  const {count, rows} = read
  if (count === 0) return rows
  const looked = await lookUp(rows.skus, catalog)
  if (isFailure(looked)) throw refused(file, read, {found: new Map(), meant: ''}, looked)
  throw refused(file, looked.found.size === 0 ? read : await readThrough(file, looked.found), looked)
}

/** A file that was checked, and what is known of the variants in it. */
export interface CheckedRows {
  file: Source
  checked: Pick<RowsFile, 'index'>
  found: VariantsBySku
  /** What the local catalog knows of the variants, by their ids, to show it. */
  names: Catalog['variants']
}

/**
 * Looks up the SKUs of a file that is good so far. Fails with INVALID_INPUT if one stands for no variant, for several,
 * or for one that its order or cart holds already.
 */
export async function lookUpSkus(
  {file, source, checked}: {file: Source; source: NamedFile; checked: RowsFile},
  catalog: CatalogTools,
): Promise<CheckedRows> {
  const {found, names, meant} = await lookedUp(checked.skus, catalog)
  const read = checked.skus.length === 0 ? undefined : await readThrough(source, found)
  if (read && read.count > 0) throw refused(source, read, {found, meant})
  return {file, checked, found, names}
}

/** The variants of SKUs, and a sentence about the SKUs that the unknown ones may stand for. */
interface LookedUp {
  found: VariantsBySku
  meant: string
}

/** Unknown SKUs for which others are proposed: of more of them the column is another one. */
const PROPOSED = 3

async function lookedUp(
  skus: readonly string[],
  catalog: CatalogTools,
): Promise<LookedUp & Pick<CheckedRows, 'names'>> {
  const found = await resolveSkus(catalog, skus)
  const {variants: names} = await catalog.cache.read()
  const unknown = skus.filter((sku) => found.get(sku)?.length === 0)
  const known = unknown.length > PROPOSED ? [] : [...names.values()].flatMap(({sku}) => sku ?? [])
  const meant = unknown.flatMap((sku) => {
    const [first] = nearest(sku, known)
    return first === undefined ? [] : `${first} for ${JSON.stringify(sku)}`
  })
  return {found, names, meant: meant.length === 0 ? '' : `Did you mean ${meant.join(', ')}?`}
}

async function lookUp(
  skus: readonly string[],
  catalog: () => Promise<CatalogTools>,
): Promise<LookedUp | Failure> {
  if (skus.length === 0) return {found: new Map(), meant: ''}
  try {
    return await lookedUp(skus, await catalog())
  } catch (error) {
    if (isFailure(error)) return error
    throw error
  }
}

/** How many problems a file has, and how to mend those that are no single lines'. */
interface ReadThrough {
  count: number
  ways: ReadonlySet<string>
  rows: RowsFile
}

async function readThrough(file: NamedFile, found?: VariantsBySku): Promise<ReadThrough> {
  const reading = file.check(found)
  const ways = new Set<string>()
  let encoding = ''
  for (let count = 0; ; count += 1) {
    const step = await reading.next()
    if (step.done) return {count, ways: encoding ? ways.add(encoding) : ways, rows: step.value}
    const {line, rule, value} = step.value
    if (line !== null && line === file.headerLine && rule !== NO_ROWS) ways.add(NAMES)
    if (rule.includes('UTF-8') && !encoding) encoding = toUtf8(fileName(file.path), value ?? '')
  }
}

const NAMES =
  "Say what a column is by --map 'HEADER=column', and leave out others by --ignore-columns. --template prints the header."

/** A file that is refused as a whole: nothing of it was sent. It is read once more while its problems are printed. */
function refused(
  file: NamedFile,
  {count, ways}: ReadThrough,
  {found, meant}: LookedUp,
  unread?: Failure,
): Failure {
  const why = unread?.message.replace(/ Nothing was sent\.$/, '')
  const skus = why === undefined ? '' : ` Its SKUs were not looked up: ${why}`
  return new Failure('INVALID_INPUT', {
    message: `${fileName(file.path)} has ${count === 1 ? 'a problem' : `${count} problems`}. Nothing was sent.${skus}`,
    hint: [meant, [...ways].join(' ') || 'Correct the lines, and run the command again.'].join(' ').trim(),
    details: {problems: {count, [Symbol.asyncIterator]: () => toTheEnd(file.check(found))}},
    effect: 'none',
  })
}

/** That a file can't be read to its end again is the last of its problems. */
async function* toTheEnd(problems: AsyncIterable<Problem>): AsyncGenerator<Problem> {
  try {
    yield* problems
  } catch (error) {
    if (!isFailure(error)) throw error
    yield {line: null, column: null, value: null, rule: error.message}
  }
}
