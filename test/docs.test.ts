import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {describe, expect, test} from 'vitest'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Page {
  path: string
  text: string
}

const pages: Page[] = [
  'README.md',
  ...readdirSync(join(root, 'docs'), {recursive: true, encoding: 'utf8'})
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`),
].map((path) => ({path, text: read(path)}))
const sources: Page[] = ['src', 'test'].flatMap((folder) =>
  readdirSync(join(root, folder), {recursive: true, encoding: 'utf8'})
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .map((path) => ({path, text: read(path)})),
)

/** The first cells of the rows of all tables of a page. */
const rowsOf = (text: string) => [...text.matchAll(/^\| *([^|\n]+?) *\|/gm)].map(([, cell = '']) => cell)

/** The ids of assumptions that a text cites, such as G07. */
const citedIds = (text: string, letters: string) =>
  [...text.matchAll(new RegExp(`(?<![\\w-])[${letters}]\\d\\d(?![\\w-]|:\\d)`, 'g'))].map(([id]) => id)

/** The rows of the decision table that a text cites, such as "row 17" or "rows 15 and 16". */
const citedRows = (text: string) =>
  [...text.matchAll(/\brows? (\d+)(?:(?:, | and | to )(\d+))*/g)]
    .flatMap(([words]) => words.match(/\d+/g) ?? [])
    .map(Number)

/** The files and folders that a page names, such as `flows/order/` or `test/docs.test.ts`. */
const namedPaths = (text: string) =>
  [...text.matchAll(/`([\w<>.-]+(?:\/[\w<>.-]+)*(?:\/|\.(?:ts|js|md)))`/g)].map(([, path = '']) => path)

/** A path is named from the root, from src, or from the page's own folder. `<noun>` stands for any name. */
function exists(path: string, page: string): boolean {
  const whole = path.replace(/\/?[^/]*<.*$/, '')
  return [root, join(root, 'src'), join(root, dirname(page))].some((from) => existsSync(join(from, whole)))
}

/** The targets of the links of a page: other pages, and headings of this or another page. */
const linksOf = (text: string) => [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)

const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )

function isDead(target: string, {path, text}: Page): boolean {
  if (/^https:\/\//.test(target)) return false
  const [file = '', anchor] = target.split('#')
  const place = file === '' ? path : join(dirname(path), file)
  if (!existsSync(join(root, place))) return true
  return anchor !== undefined && !anchorsOf(file === '' ? text : read(place)).includes(anchor)
}

describe('the pages for newcomers', () => {
  test('list every assumption that code or a test cites', () => {
    const known = new Set(rowsOf(read('docs/assumptions.md')).filter((cell) => /^[A-Z]\d\d$/.test(cell)))
    expect(known.size).toBeGreaterThan(200)
    const letters = [...new Set([...known].map((id) => id[0]))].join('')
    const unknown = sources.flatMap(({path, text}) =>
      citedIds(text, letters)
        .filter((id) => !known.has(id))
        .map((id) => `${path}: ${id}`),
    )
    expect(unknown).toEqual([])
  })

  test('list every row of the decision table that code or a test cites', () => {
    const known = rowsOf(read('docs/ordering.md')).map(Number)
    expect(known).toContain(32)
    const citing = sources.filter(
      ({path, text}) => /^(src|test)\/flows\/order\//.test(path) || text.includes('docs/ordering.md'),
    )
    const cited = citing.flatMap(({path, text}) => citedRows(text).map((row) => ({path, row})))
    expect(cited.length).toBeGreaterThan(32)
    expect(cited.filter(({row}) => !known.includes(row))).toEqual([])
  })

  test.each(pages)('$path names only files that exist', ({path, text}) => {
    expect(namedPaths(text).filter((named) => !exists(named, path))).toEqual([])
  })

  test.each(pages)('$path has no dead link', (page) => {
    expect(linksOf(page.text).filter((target) => isDead(target, page))).toEqual([])
  })
})

describe('what the checks catch', () => {
  test('an id and a row, wherever they are cited', () => {
    expect(citedIds('// G19. not shown: (O05, W08), PO-C01, C01-x, T00:00', 'GOWCT')).toEqual([
      'G19',
      'O05',
      'W08',
    ])
    expect(citedRows('row 3: x; as rows 15 and 16, row 32')).toEqual([3, 15, 16, 32])
  })

  test('a file that is gone, and a link to nothing', () => {
    expect(namedPaths('see `flows/order/`, `contract/<noun>.ts`, `npm test` and `x.ts`')).toEqual([
      'flows/order/',
      'contract/<noun>.ts',
      'x.ts',
    ])
    expect(exists('flows/gone.ts', 'docs/x.md')).toBe(false)
    expect(exists('contract/<noun>.ts', 'docs/x.md')).toBe(true)
    const page = {path: 'README.md', text: '# A first order\n'}
    expect(
      linksOf('[a](#a-first-order) [b](#b) [c](docs/gone.md)').map((link) => isDead(link, page)),
    ).toEqual([false, true, true])
  })
})
