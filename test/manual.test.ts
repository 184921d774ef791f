// What the pages of the manual say of commands, exit codes, variables and error codes is what the program has.
import {readdirSync, readFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {describe, expect, test} from 'vitest'
import {type Code, catalogue, entryOf, exitOf, reasons} from '../src/contract/errors.ts'
import {limits} from '../src/contract/limits.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const filesOf = (folder: string, end: string) =>
  readdirSync(join(root, folder), {recursive: true, encoding: 'utf8'})
    .filter((name) => name.endsWith(end))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)

interface Flag {
  type: string
  required?: boolean
  allowNo?: boolean
  options?: string[]
  default?: unknown
}
interface Command {
  args: {[name: string]: {required?: boolean}}
  flags: {[name: string]: Flag}
  strict?: boolean
}
const {commands} = JSON.parse(read('oclif.manifest.json')) as {commands: {[id: string]: Command}}
const pages = ['README.md', 'CHANGELOG.md', ...filesOf('docs', '.md')]

/** The rows of all tables of a page, without their headers. */
const rowsOf = (page: string) =>
  [...read(page).matchAll(/^\|[-|]+\|\n((?:\|.*\|\n)*)/gm)].flatMap(([, rows = '']) =>
    rows
      .trimEnd()
      .split('\n')
      .map((row) =>
        row
          .split(/(?<!\\)\|/)
          .slice(1, -1)
          .map((cell) => cell.trim()),
      ),
  )

/** Command lines of a page: those of shells, of which all must be there, and those that a text speaks of. */
function linesOf(text: string): {line: string; isWhole: boolean}[] {
  const blocks = [...text.matchAll(/^```(?:sh|yaml)\n([\s\S]*?)^```$/gm)]
  const whole = blocks.flatMap(([, block = '']) => {
    const code = block.replace(/\\\n\s*/g, '').replace(/#.*$/gm, '')
    return [...code.matchAll(/(?<![\w./-])scent ((?:"[^"]*"|'[^']*'|[^|;<>)\n"'])+)/g)].map(
      ([, line = '']) => ({
        line,
        isWhole: true,
      }),
    )
  })
  const without = text.replace(/^```[\s\S]*?^```$/gm, '')
  const spoken = [...without.matchAll(/`scent ([^`|<>]+)[^`]*`/g)].map(([, line = '']) => ({
    line,
    isWhole: false,
  }))
  return [...whole, ...spoken]
}

/** What is wrong with a command line, by what the manifest knows; undefined if it could be typed. */
function wrongIn(line: string, isWhole = true): string | undefined {
  const words = (line.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? []).filter((word) => !/^\d?$|^&$/.test(word))
  if (words.some((word) => word === '…' || word === 'COMMAND')) return undefined
  const ids = Object.keys(commands)
  const named = words.findIndex((word) => !/^[a-z-]+$/.test(word) || word.startsWith('-'))
  const leading = words.slice(0, named < 0 ? words.length : named)
  const depth = leading.findLastIndex((_, at) => ids.includes(leading.slice(0, at + 1).join(':')))
  const command = commands[leading.slice(0, depth + 1).join(':')]
  if (command === undefined) {
    const isTopic = leading.length === 1 && ids.some((id) => id.startsWith(`${leading[0]}:`))
    const isRoot =
      ['--version', '--help'].includes(words.join(' ')) || words[0] === 'TOPIC' || words[1] === 'GUIDE'
    return isTopic || isRoot ? undefined : 'no such command'
  }
  const rest = words.slice(depth + 1)
  const given = new Set<string>()
  let values = 0
  for (let at = 0; at < rest.length; at++) {
    const [flag = '', joined] = (rest[at] ?? '').split(/=(.*)/s)
    if (!flag.startsWith('--')) {
      values += 1
      continue
    }
    const name = flag.slice(2)
    if (name === 'help') continue
    const known = command.flags[name] ?? (name.startsWith('no-') ? command.flags[name.slice(3)] : undefined)
    if (known === undefined) return `no flag ${flag}`
    given.add(name)
    if (known.type !== 'option') continue
    const value = joined ?? rest[++at]
    if (value === undefined && isWhole) return `${flag} without a value`
    if (known.options && value && /^[a-z]/.test(value) && !known.options.includes(value))
      return `${flag} takes no ${value}`
  }
  const args = Object.values(command.args)
  if (command.strict !== false && values > args.length) return `takes ${args.length} arguments`
  if (!isWhole || rest.includes('--help') || rest.includes('--template')) return undefined
  if (values < args.filter(({required}) => required).length) return 'an argument is missing'
  const missing = Object.entries(command.flags).filter(([name, {required}]) => required && !given.has(name))
  return missing.length > 0 ? `--${missing[0]?.[0]} is missing` : undefined
}

describe('command lines', () => {
  test.each(pages)('of %s could be typed', (page) => {
    const wrong = linesOf(read(page)).flatMap(({line, isWhole}) => {
      const why = wrongIn(line, isWhole)
      return why === undefined ? [] : [`${line}: ${why}`]
    })
    expect(wrong).toEqual([])
  })

  test('that errors name lack nothing', () => {
    const said = [...Object.values(catalogue), ...Object.values(reasons)]
    const wrong = said.flatMap(({next}) =>
      [...next.matchAll(/`scent ([^`]+)`/g)].flatMap(([, line = '']) => {
        const why = wrongIn(line)
        return why === undefined ? [] : [`${line}: ${why}`]
      }),
    )
    expect(wrong).toEqual([])
  })

  test('that are wrong are found', () => {
    const page = [
      '```sh\nscent orders import x.csv \\\n  --yess\n$(scent cart set A) | scent orders create --lock=1\n```',
      '`scent orders gett`, `scent sandbox fault --effect bang`, `scent orders get`, `scent cart`',
    ]
    expect(linesOf(page.join('\n')).map(({line, isWhole}) => wrongIn(line, isWhole))).toEqual([
      'no flag --yess',
      '--customer is missing',
      '--reference is missing',
      'no such command',
      '--effect takes no bang',
      undefined,
      undefined,
    ])
  })
})

describe('tables', () => {
  test('of exit codes have every code and remedy that an error can end with', () => {
    const codes = Object.keys(catalogue) as Code[]
    const first = rowsOf('docs/help/exit-codes.md').map(([cell = '']) => cell.replaceAll('`', ''))
    const exits = new Set([0, ...codes.map((code) => exitOf(code))])
    const remedies = new Set(codes.map((code) => entryOf(code).remedy))
    expect(first.sort()).toEqual(
      [...exits]
        .map(String)
        .concat([...remedies])
        .sort(),
    )
  })

  test('of variables have every one that the program reads, and no other', () => {
    const sources = [...filesOf('src', '.ts'), ...filesOf('bin', '.js')].map(read).join('\n')
    const ours = [...sources.matchAll(/(?<!\w)SCENT_[A-Z_]+[A-Z]\b/g)].map(([name]) => name)
    const others = [...sources.matchAll(/\benv(?:\.|\?\.)([A-Z][A-Z_]+)\b/g)].map(([, name = '']) => name)
    // Not for people to set: where a home is, what a test of help pages needs, and what is refused.
    const silent = ['HOME', 'SHELL', 'OCLIF_COLUMNS', 'NODE_TLS_REJECT_UNAUTHORIZED']
    const named = rowsOf('docs/help/environment.md').flatMap(
      ([cell = '']) => cell.match(/[A-Z]{2}[A-Z_]*|NO_COLOR/g) ?? [],
    )
    const readOnes = [...new Set([...ours, ...others])].filter((name) => !silent.includes(name))
    expect(readOnes.filter((name) => !named.includes(name))).toEqual([])
    expect(named.filter((name) => name.startsWith('SCENT_') && !ours.includes(name))).toEqual([])
  })

  test('of variables name the flag that does the same', () => {
    const flags = Object.values(commands).flatMap(({flags}) => Object.entries(flags)) as [
      string,
      Flag & {env?: string},
    ][]
    const byVariable = new Map(flags.flatMap(([name, {env}]) => (env ? [[env, `--${name}`] as const] : [])))
    expect(byVariable.size).toBeGreaterThan(5)
    const rows = rowsOf('docs/help/environment.md')
    for (const [variable, flag] of byVariable)
      expect(rows.find(([cell]) => cell === variable)?.[1], variable).toContain(`\`${flag}\``)
  })

  test('of defaults are those of the flags', () => {
    const rows = rowsOf('docs/help/environment.md')
    const flags = Object.values(commands).flatMap(({flags}) => Object.entries(flags))
    const usual = flags.filter(
      ([, {default: value}]) => value && !(Array.isArray(value) && value.length === 0),
    )
    expect(usual.length).toBeGreaterThan(100)
    for (const [name, {default: value}] of usual)
      expect(rows.find(([cell]) => cell === `\`--${name}\``)?.[1], name).toMatch(new RegExp(`\\b${value}\\b`))
  })

  test('of limits are what commands keep to', () => {
    const rows = Object.fromEntries(rowsOf('docs/help/limits.md'))
    expect(rows['requests of a credential']).toBe(`${limits.requests} in 60 seconds.`)
    expect(rows['tokens of a client id']).toBe(`${limits.tokens} in 60 seconds.`)
  })

  test('name no error code that is not there', () => {
    const known = new Set(Object.keys(catalogue))
    const prefixes = [...new Set([...known].map((code) => code.replace(/_.*/, '')))]
      .join('|')
      .replace(/\bNOT\b/, 'NOT_FOUND')
    const wrong = pages.flatMap((page) =>
      [...read(page).matchAll(new RegExp(`\`((?:${prefixes})_[A-Z_]+)\``, 'g'))]
        .filter(([, code = '']) => !known.has(code))
        .map(([code]) => `${page}: ${code}`),
    )
    expect(wrong).toEqual([])
  })
})

/** All error codes as a page. It is written by `npx vitest run test/manual.test.ts -u`. */
function errorCodes(): string {
  const codes = Object.keys(catalogue) as Code[]
  const cell = (text: string) => text.replaceAll('|', '\\|')
  const rows = codes.map((code) => {
    const {http, remedy, says, next} = entryOf(code)
    return `| \`${code}\` | ${http ?? ''} | ${exitOf(code)} | ${remedy} | ${cell(says)} | ${cell(next)} |`
  })
  return [
    '# Error codes',
    '',
    'Every code that an error can carry, as `scent explain CODE` tells it without a network. A code without an HTTP status is',
    "the program's own. What the exit codes and remedies mean is in [exit codes](help/exit-codes.md); by symptom they are in",
    '[troubleshooting.md](troubleshooting.md). A test holds this table to the program.',
    '',
    '| code | HTTP | exit | remedy | what happened | what to do |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

test('the page of error codes is that of the catalogue', async () => {
  await expect(errorCodes()).toMatchFileSnapshot(join(root, 'docs/error-codes.md'))
})
