import {readdirSync, readFileSync} from 'node:fs'
import {dirname, join, posix} from 'node:path'
import {fileURLToPath} from 'node:url'
import {describe, expect, test} from 'vitest'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

interface Source {
  /** From the project's root, such as src/client/retry.ts. */
  file: string
  text: string
}

/** One way from a file to a module: `type` leaves nothing behind at run time, `late` is loaded when the line runs. */
interface Arrow {
  to: string
  kind: 'value' | 'type' | 'late'
}

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
  // The error class and the printing of digits have no I/O; of the rest the terminal knows the shapes.
  terminal: {
    value: ['failure', 'money', 'countries', 'address', 'time', 'nearest', 'spreadsheet', 'uuid'].map(
      (name) => `contract/${name}`,
    ),
    type: ['contract', 'client', 'flows'],
  },
  bulk: {value: ['contract', 'flows', 'store', 'terminal'], type: ['client', 'session']},
  sandbox: {value: ['contract']},
  commands: {
    value: ['contract', 'client', 'store', 'flows', 'terminal', 'bulk', 'command', 'session'],
  },
  command: {
    value: ['contract', 'client', 'store', 'flows', 'terminal'],
    type: ['session', 'bulk'],
    late: ['session', 'bulk'],
  },
  session: {
    value: ['contract', 'client', 'store', 'flows', 'terminal'],
    type: ['command', 'bulk'],
    late: ['bulk'],
  },
  main: {value: [], late: ['oclif']},
  oclif: {value: ['contract', 'terminal']},
}

/** Ways of reaching a person: open only to the terminal and to those that use it. */
const speech =
  /\bprocess\.(stdout|stderr)\b|\bconsole\.|['"](inquirer|@inquirer\/[\w-]+|cli-table3|string-width|node:readline(\/promises)?|node:tty)['"]/
const speakers = ['terminal', 'bulk', 'commands', 'command', 'session', 'oclif']

/** Where a file lives: its folder below src, or its own name. */
function roomOf(file: string): string {
  const [, first = ''] = file.split('/')
  return first.replace(/\.ts$/, '')
}

function arrowsOf({file, text}: Source): Arrow[] {
  const code = withoutComments(text)
  const found: Arrow[] = []
  const statement = /^(?:import|export)\s+(type\b)?([^'"`;()]*?from\s+)?['"]([^'"]+)['"]/gm
  for (const [, type, names, to = ''] of code.matchAll(statement)) {
    found.push({to: target(file, to), kind: type || onlyTypes(names) ? 'type' : 'value'})
  }
  for (const [, type, to = ''] of code.matchAll(/(\btypeof\s+|[:<|&]\s*)?\bimport\(\s*['"]([^'"]+)['"]/g)) {
    found.push({to: target(file, to), kind: type ? 'type' : 'late'})
  }
  for (const [, to = ''] of code.matchAll(/\brequire\(\s*['"]([^'"]+)['"]/g)) {
    found.push({to: target(file, to), kind: 'late'})
  }
  return found
}

/** `import {type A, type B} from` is left in place by verbatimModuleSyntax, but its module holds nothing we use. */
function onlyTypes(names = ''): boolean {
  const list = /^\{([^}]*)\}\s*from\s+$/
    .exec(names)?.[1]
    ?.split(',')
    .filter((name) => name.trim() !== '')
  return list?.every((name) => name.trim().startsWith('type ')) ?? false
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
}

function target(from: string, to: string): string {
  return to.startsWith('.') ? posix.join(posix.dirname(from), to) : to
}

/** Every arrow of a file that the table forbids, in words. */
function forbiddenArrows(source: Source): string[] {
  const name = roomOf(source.file)
  const room = rooms[name]
  if (!room) return [`${source.file} is in no room`]
  return arrowsOf(source).flatMap(({to, kind}) => {
    const words = `${source.file} must not import ${kind === 'type' ? 'the types of ' : ''}${to}`
    if (!to.startsWith('src/'))
      return room.packages && kind !== 'type' && !room.packages.test(to) ? [words] : []
    const other = roomOf(to)
    if (other === name) return []
    // The service is large, so that even its own commands load it on demand.
    if (other === 'sandbox')
      return /^src\/commands\/sandbox\//.test(source.file) && kind !== 'value' ? [] : [words]
    const {value, type = [], late = []} = room
    const open = {value, type: [...value, ...type], late: [...value, ...late]}[kind]
    return open.some((path) => to === `src/${path}.ts` || to.startsWith(`src/${path}/`)) ? [] : [words]
  })
}

/** A file that only passes on what others export. */
function isBarrel({text}: Source): boolean {
  const code = withoutComments(text).trim()
  const rest = code.replace(/^export\s+(type\s+)?(\*|\{[^}]*\})[^'"]*['"][^'"]+['"];?$/gm, '').trim()
  const passesOn = rest !== code
  return /^export\s+(type\s+)?\*/m.test(code) || (passesOn && !/^export\b/m.test(rest))
}

const vague = /(^|[/-])(manager|helper|util|common|misc|service|impl)s?(\.|-|\/)/

const sources: Source[] = readdirSync(join(root, 'src'), {recursive: true, encoding: 'utf8'})
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `src/${name.replaceAll('\\', '/')}`)
  .map((file) => ({file, text: readFileSync(join(root, file), 'utf8')}))

describe('the house', () => {
  test('every file imports only what its room may import', () => {
    expect(sources.length).toBeGreaterThan(20)
    expect(sources.flatMap(forbiddenArrows)).toEqual([])
  })

  test('no file only passes on what others export', () => {
    expect(sources.filter(isBarrel).map(({file}) => file)).toEqual([])
  })

  test('only the terminal and the commands speak to a person', () => {
    const loud = sources.filter(
      ({file, text}) => !speakers.includes(roomOf(file)) && speech.test(withoutComments(text)),
    )
    expect(loud.map(({file}) => file)).toEqual([])
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
    ['src/terminal/x.ts', `import {\n  cart,\n  type Cart,\n} from '../contract/cart.ts'`],
    ['src/commands/cart/x.ts', `const {start} = await import('../../sandbox/sandbox.ts')`],
    ['src/commands/sandbox/x.ts', `import {start} from '../../sandbox/sandbox.ts'`],
    ['src/command.ts', `import {openSession} from './session.ts'`],
    ['src/helpers/x.ts', ''],
  ])('%s: %s', (file, text) => {
    expect(forbiddenArrows({file, text})).toHaveLength(1)
  })

  test.each([
    ['src/flows/x.ts', `import type {Client} from '../client/client.ts'`],
    ['src/terminal/x.ts', `import {type Cart, type CartItem} from '../contract/cart.ts'`],
    ['src/terminal/x.ts', `let cart: import('../contract/cart.ts').Cart`],
    ['src/commands/sandbox/x.ts', `const {start} = await import('../../sandbox/sandbox.ts')`],
    ['src/command.ts', `const {openSession} = await import('./session.ts')`],
  ])('and lets pass %s: %s', (file, text) => {
    expect(forbiddenArrows({file, text})).toEqual([])
  })

  test('a barrel, whole or with an import of its own', () => {
    expect(isBarrel({file: '', text: `// all\nexport * from './a.ts'\nexport const x = 1`})).toBe(true)
    expect(
      isBarrel({file: '', text: `export {\n  a,\n  b,\n} from './a.ts'\nexport type {C} from './c.ts'`}),
    ).toBe(true)
    expect(isBarrel({file: '', text: `export type {C} from './c.ts'\nexport const x = 1`})).toBe(false)
  })
})
