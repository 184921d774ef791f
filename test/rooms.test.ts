import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {describe, expect, test} from 'vitest'
import {readSources, type Source, sourceOf} from './support/source-tree.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** What a room may import. A room that is not named is closed to it; it may always import itself. */
interface Room {
  value: readonly string[]
  type?: readonly string[]
  /** Loaded on demand, so that a start does not pay for it. */
  late?: readonly string[]
  /** Packages and built-in modules; anything where it is left out. */
  packages?: RegExp
}

const pure = /^(zod\/mini|lossless-json|big\.js|i18n-iso-countries(\/.*)?)$/

const rooms: {[name: string]: Room} = {
  contract: {value: [], packages: pure},
  client: {value: ['contract']},
  store: {value: ['contract']},
  // Everything a flow works with is handed in.
  flows: {value: ['contract'], type: ['client', 'store'], packages: /^(zod\/mini|node:crypto|big\.js)$/},
  // Columns are made of the contract's schemas; of a client and of flows the terminal knows the shapes.
  terminal: {value: ['contract'], type: ['client', 'flows']},
  bulk: {value: ['contract', 'flows', 'store', 'terminal'], type: ['client', 'session']},
  desk: {value: ['contract', 'flows', 'store', 'terminal'], type: ['client', 'session']},
  sandbox: {value: ['contract']},
  commands: {
    value: ['contract', 'client', 'store', 'flows', 'terminal', 'bulk', 'desk', 'command', 'session'],
  },
  command: {
    value: ['contract', 'client', 'store', 'flows', 'terminal'],
    type: ['session'],
    late: ['session'],
  },
  session: {
    value: ['contract', 'client', 'store', 'flows', 'terminal'],
    type: ['command'],
  },
  main: {value: [], type: ['start'], late: ['start', 'oclif']},
  start: {value: [], type: ['command']},
  oclif: {value: ['contract', 'terminal', 'start']},
}

/** Ways of reaching a person: open only to the terminal and to those that use it. */
const speech =
  /\bprocess\.(stdout|stderr)\b|\bconsole\.|['"](inquirer|@inquirer\/[\w-]+|cli-table3|string-width|node:readline(\/promises)?|node:tty)['"]/
const speakers = ['terminal', 'bulk', 'desk', 'commands', 'command', 'session', 'oclif']

/** Where a file lives: its folder below src, or its own name. */
function roomOf(file: string): string {
  const [, first = ''] = file.split('/')
  return first.replace(/\.ts$/, '')
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
}

/** Every arrow of a file that the table forbids, in words. */
function forbiddenArrows({file, arrows}: Source): string[] {
  const name = roomOf(file)
  const room = rooms[name]
  if (!room) return [`${file} is in no room`]
  return arrows.flatMap(({to, kind}) => {
    const words = `${file} must not import ${kind === 'type' ? 'the types of ' : ''}${to}`
    if (!to.startsWith('src/'))
      return room.packages && kind !== 'type' && !room.packages.test(to) ? [words] : []
    const other = roomOf(to)
    if (other === name) return []
    // The service is large, so that even its own commands load it on demand.
    if (other === 'sandbox') return /^src\/commands\/sandbox\//.test(file) && kind !== 'value' ? [] : [words]
    const {value, type = [], late = []} = room
    const open = {value, type: [...value, ...type], late: [...value, ...late]}[kind]
    return open.some((path) => to === `src/${path}.ts` || to.startsWith(`src/${path}/`)) ? [] : [words]
  })
}

/** A file that passes all of another one on, or has nothing of its own. */
function isBarrel({arrows, exports}: Source): boolean {
  const handedOn = arrows.filter(({passedOn}) => passedOn).flatMap(({names}) => names)
  return handedOn.includes('*') || (handedOn.length > 0 && handedOn.length >= exports.length)
}

/** The circles of files that import each other, types included. */
function circlesOf(all: readonly Source[]): string[][] {
  const next = new Map(all.map(({file, arrows}) => [file, new Set(arrows.map(({to}) => to))]))
  const reach = new Map(all.map(({file}) => [file, reachedFrom(file, next)]))
  const circles = new Map<string, string>()
  for (const [file, reached] of reach) {
    const circle = [...reached].filter((other) => reach.get(other)?.has(file)).sort()
    if (circle.length > 0) circles.set(circle.join(' '), file)
  }
  return [...circles.keys()].map((circle) => circle.split(' '))
}

/** Every file that an arrow leads to, over others or directly. */
function reachedFrom(file: string, next: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set<string>()
  const open = [file]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const to of next.get(at) ?? []) {
      if (reached.has(to) || !next.has(to)) continue
      reached.add(to)
      open.push(to)
    }
  }
  return reached
}

/** Exports that no file of src imports, as `file name`. oclif takes the default of a command's file. */
function unusedExports(all: readonly Source[]): string[] {
  const used = new Set(
    all.flatMap(({arrows}) => arrows.flatMap(({to, names}) => names.map((name) => `${to} ${name}`))),
  )
  return all.flatMap(({file, exports}) => {
    const isCommand = file.startsWith('src/commands/')
    const free = exports.filter((name) => !used.has(`${file} ${name}`) && !(isCommand && name === 'default'))
    return used.has(`${file} *`) ? [] : free.map((name) => `${file} ${name}`)
  })
}

const vague = /(^|[/-])(manager|helper|util|common|misc|service|impl)s?(\.|-|\/)/
const MOST_FILES = 30

function fullFolders(all: readonly Pick<Source, 'file'>[]): string[] {
  const counts = new Map<string, number>()
  for (const {file} of all) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  return [...counts].filter(([, count]) => count > MOST_FILES).map(([folder]) => folder)
}

/** Files that a browser runs. What is not theirs would be sent along, or is not there. */
const isOfBrowser = ({file}: Source) => /^src\/desk\/page\/(\w+\.tsx|stream\.ts)$/.test(file)
const forBrowser =
  /^(preact(\/hooks)?|src\/desk\/page\/(\w+\.tsx|stream\.ts|shapes\.ts)|src\/contract\/forms\.ts)$/

/** Ways of turning text into markup or code: whoever sends a delivery chooses its text. */
const markup =
  /innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|setHTML|srcdoc|javascript:|\beval\(|new Function|trustedTypes/i

/** What build.js takes of the program. */
const built = ['src/main.ts run', 'src/terminal/help.ts ScentHelp']

/** Packages that are large, or that few commands need: their own files load them when they are used. */
const latePackages = [
  'src/client/node-http.ts node:https',
  'src/command.ts node:v8',
  'src/desk/listener/forward.ts node:https',
  'src/store/keychain.ts node:child_process',
  'src/terminal/ask.ts inquirer',
  'src/terminal/show.ts csv-stringify/sync',
  'src/terminal/table.ts cli-table3',
]

const sources = readSources(root)

describe('the house', () => {
  test('every file imports only what its room may import', () => {
    expect(sources.length).toBeGreaterThan(20)
    expect(sources.flatMap(forbiddenArrows)).toEqual([])
  })

  test('no two files import each other, however far around', () => {
    expect(circlesOf(sources)).toEqual([])
  })

  test('no file only passes on what others export', () => {
    expect(sources.filter(isBarrel).map(({file}) => file)).toEqual([])
  })

  test('everything that is exported is imported, and not by a test alone', () => {
    expect(unusedExports(sources).filter((one) => !built.includes(one))).toEqual([])
  })

  test('no folder holds more files than a person can look over', () => {
    expect(fullFolders(sources)).toEqual([])
  })

  test('a package is loaded on demand only by the files that say so', () => {
    const late = sources.flatMap(({file, arrows}) =>
      arrows.filter(({to, kind}) => kind === 'late' && !to.startsWith('src/')).map(({to}) => `${file} ${to}`),
    )
    expect(late.filter((one) => !latePackages.includes(one))).toEqual([])
  })

  test('only the terminal and the commands speak to a person', () => {
    const loud = sources.filter(
      ({file, text}) => !speakers.includes(roomOf(file)) && speech.test(withoutComments(text)),
    )
    expect(loud.map(({file}) => file)).toEqual([])
  })

  test('a browser is given its own files and nothing that makes markup of text', () => {
    const pages = sources.filter(isOfBrowser)
    expect(pages.length).toBeGreaterThan(0)
    const foreign = pages.flatMap(({arrows}) =>
      arrows.filter(({to, kind}) => kind !== 'type' && !forBrowser.test(to)),
    )
    expect(foreign).toEqual([])
    expect(pages.filter(({text}) => markup.test(text)).map(({file}) => file)).toEqual([])
  })

  test('no file has a name that says nothing', () => {
    expect(sources.filter(({file}) => vague.test(file)).map(({file}) => file)).toEqual([])
  })
})

describe('what the rules catch', () => {
  test.each([
    ['src/client/x.ts', `import {world} from '../sandbox/world.ts'`],
    ['src/sandbox/x.ts', `import type {Client} from '../client/client.ts'`],
    ['src/contract/x.ts', `import {readFileSync} from 'node:fs'`],
    ['src/contract/x.ts', `import {request} from 'undici'`],
    ['src/store/x.ts', `export {call} from '../client/client.ts'`],
    ['src/flows/x.ts', `import {createClient, type Client} from '../client/client.ts'`],
    ['src/flows/x.ts', `const {readRecord} = await import('../store/journal.ts')`],
    ['src/flows/x.ts', `import type {JobFile} from '../bulk/journal.ts'`],
    ['src/store/x.ts', `const {runJob} = await import('../bulk/run.ts')`],
    ['src/bulk/x.ts', `import {listen} from '../desk/listener.ts'`],
    ['src/terminal/x.ts', `import {\n  walk,\n  type Walker,\n} from '../flows/order/walk.ts'`],
    ['src/commands/cart/x.ts', `const {start} = await import('../../sandbox/sandbox.ts')`],
    ['src/commands/sandbox/x.ts', `import {start} from '../../sandbox/sandbox.ts'`],
    ['src/command.ts', `import {openSession} from './session.ts'`],
    ['src/command.ts', `import {runJob} from './bulk/run.ts'`],
    ['src/helpers/x.ts', ''],
  ])('%s: %s', (file, text) => {
    expect(forbiddenArrows(sourceOf(file, text))).toHaveLength(1)
  })

  test.each([
    ['src/flows/x.ts', `import type {Client} from '../client/client.ts'`],
    ['src/terminal/x.ts', `import {type Offer, type Walker} from '../flows/order/walk.ts'`],
    ['src/terminal/x.ts', `let cart: import('../contract/cart.ts').Cart`],
    ['src/commands/sandbox/x.ts', `const {start} = await import('../../sandbox/sandbox.ts')`],
    ['src/command.ts', `const {openSession} = await import('./session.ts')`],
    [
      'src/client/x.ts',
      `// import {world} from '../sandbox/world.ts'\nconst text = "import '../sandbox/world.ts'"`,
    ],
  ])('and lets pass %s: %s', (file, text) => {
    expect(forbiddenArrows(sourceOf(file, text))).toEqual([])
  })

  test('a barrel, whole or with an import of its own', () => {
    const barrel = (text: string) => isBarrel(sourceOf('src/x.ts', text))
    expect(barrel(`// all\nexport * from './a.ts'\nexport const x = 1`)).toBe(true)
    expect(barrel(`export {\n  a,\n  b,\n} from './a.ts'\nexport type {C} from './c.ts'`)).toBe(true)
    expect(barrel(`export type {C} from './c.ts'\nexport const x = 1`)).toBe(false)
  })

  test('a circle, also of types and of what is loaded late', () => {
    const a = sourceOf('src/a.ts', `import type {B} from './b.ts'`)
    const b = sourceOf('src/b.ts', `const {c} = await import('./c.ts')`)
    const c = sourceOf('src/c.ts', `import {a} from './a.ts'`)
    const d = sourceOf('src/d.ts', `import {a} from './a.ts'`)
    expect(circlesOf([a, b, c, d])).toEqual([['src/a.ts', 'src/b.ts', 'src/c.ts']])
    expect(circlesOf([a, b, d])).toEqual([])
  })

  test.each([
    ['const, function, class, type and interface', '', ['a', 'b', 'C', 'D', 'E']],
    ['but one that is imported', `import {a, type D} from './x.ts'\nlet e: import('./x.ts').E`, ['b', 'C']],
    [
      'and one that is loaded late',
      `const {b} = await import('./x.ts')\n;(await import('./x.ts')).C`,
      ['a', 'D', 'E'],
    ],
    ['and none where all may be used', `import * as x from './x.ts'`, []],
  ])('an export that nothing imports: %s', (_, importer, unused) => {
    const text =
      'export const a = 1\nexport function b() {}\nexport class C {}\nexport type D = 1\nexport interface E {}'
    const found = unusedExports([sourceOf('src/x.ts', text), sourceOf('src/y.ts', importer)])
    expect(found).toEqual(unused.map((name) => `src/x.ts ${name}`))
  })

  test.each(['<p dangerouslySetInnerHTML={x} />', 'place.outerHTML = x', 'document.writeln(x)', "eval('x')"])(
    'markup out of text: %s',
    (text) => expect(markup.test(text)).toBe(true),
  )

  test('a folder of 31 files', () => {
    const files = Array.from({length: MOST_FILES + 1}, (_, n) => ({file: `src/client/x${n}.ts`}))
    expect(fullFolders(files)).toEqual(['src/client'])
    expect(fullFolders(files.slice(1))).toEqual([])
  })
})
