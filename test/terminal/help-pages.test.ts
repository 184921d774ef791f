// Every page of help, by the built program, in a real terminal of 80 and of 40 columns.
import {readdirSync, readFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {describe, expect, test, vi} from 'vitest'
import {drawn, inTerminal, plain} from '../support/pty.ts'
import {type Ran, scent} from '../support/scent.ts'
import {emptyUser} from './stage.ts'

vi.setConfig({maxConcurrency: 6})

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'))
const {commands} = read('oclif.manifest.json') as {
  commands: {[id: string]: {summary: string; flags: {[name: string]: unknown}}}
}
const {topics} = read('package.json').oclif as {topics: {[id: string]: {description: string}}}
const guides = readdirSync(join(root, 'docs/help')).map((name) => name.replace(/\.md$/, ''))
const env = emptyUser()

const lines: string[][] = [
  [],
  ['--help'],
  ['help'],
  ['help', 'orders', 'get'],
  ['orders', 'get', '-h'],
  ['help', 'help'],
  ...guides.map((name) => ['help', name]),
  ...Object.keys(topics).map((id) => (id in commands ? ['help', id] : [id])),
  ...Object.keys(topics).map((id) => [id, '--help']),
  ...Object.keys(commands).map((id) => [...id.split(':'), '--help']),
]
/** A guide of no topic has no usage. */
const isGuide = ([first, name = '']: string[]) =>
  first === 'help' && guides.includes(name) && !(name in topics)
const wrong = [['nonsense'], ['orders', 'nonsense'], ['help', 'nonsense'], ['orders', 'get', '--nonsense']]

/** Without what the width decides: blanks, and where the lines of an example end. */
const dense = (text: string) => plain(text).replace(/ \\\n|\s/g, '')
const withoutExamples = (text: string) => plain(text).replace(/^EXAMPLES\n(?:(?: .*)?\n)*/m, '')

/** The same page in a pipe, which has no width: it is asked for once. */
const pages = new Map<string, Promise<Ran>>()
function inPipe(argv: string[]): Promise<Ran> {
  const line = argv.join(' ')
  const page = pages.get(line) ?? scent(env, argv)
  pages.set(line, page)
  return page
}

describe.each([80, 40])('in a terminal of %i columns', (columns) => {
  test.concurrent.each(lines)('scent %s %s %s', async (...argv) => {
    const {code, text} = await inTerminal(env, argv, {columns})
    expect(drawn(columns === 80 ? text : withoutExamples(text), columns).broken).toEqual([])
    const piped = await inPipe(argv)
    expect(code).toBe(piped.code)
    expect(dense(text)).toBe(dense(piped.stdout))
    if (!isGuide(argv)) expect(text).toContain('USAGE')
  })

  test.concurrent.each(wrong)('scent %s %s %s says what is wrong', async (...argv) => {
    const {code, text} = await inTerminal(env, argv, {columns})
    const page = drawn(text, columns)
    expect(page.broken).toEqual([])
    expect(page.lines[0]).toMatch(/^Error: /)
    expect(code).toBe(2)
    expect(text).not.toMatch(/\n\s+at |bug in scent/)
  })
})

const examples = Object.entries(topics).flatMap(([topic, {description}]) =>
  description
    .split('\n')
    .filter((line) => line.startsWith('$ '))
    .map((line) => [topic, line] as const),
)

test.each(examples)('the page of %s begins with commands that there are: %s', (topic, line) => {
  const [, bin, ...words] = line.split(' ')
  const id = words.slice(0, 2).join(':')
  expect([bin, words[0], Object.keys(commands)]).toEqual(['scent', topic, expect.arrayContaining([id])])
  const known = ['--help', ...Object.keys(commands[id]?.flags ?? {}).map((name) => `--${name}`)]
  expect(known).toEqual(expect.arrayContaining(words.filter((word) => word.startsWith('--'))))
})

test('every topic but that which is a command says where to begin', () => {
  const begun = new Set(examples.map(([topic]) => topic))
  expect(Object.keys(topics).filter((topic) => !begun.has(topic) && !(topic in commands))).toEqual([])
})

describe('guides', () => {
  const read = (name: string) => readFileSync(join(root, 'docs/help', `${name}.md`), 'utf8')

  test.each(guides)('%s is made of a title, a sentence, paragraphs, lists and tables', (name) => {
    const [title, summary = '', ...blocks] = read(name)
      .trim()
      .split(/\n{2,}/)
    expect(title).toMatch(/^# [A-Z][A-Za-z ]+$/)
    // It stands on one line of the list.
    expect(summary).toMatch(/^[A-Z].{20,59}\.$/)
    expect(blocks.filter((block) => /^#|^```|^ |\]\(/.test(block))).toEqual([])
  })

  test('are listed by the root, by their topic, and by completion', async () => {
    const {stdout} = await inPipe(['--help'])
    for (const name of guides) expect(stdout).toMatch(new RegExp(`^  help ${name} +[A-Z].*\\.$`, 'm'))
    for (const name of ['auth', 'webhooks', 'sandbox']) {
      expect((await inPipe([name])).stdout).toContain(`\nGUIDES\n  help ${name}  `)
      const both = (await inPipe(['help', name])).stdout
      expect(both).toContain(`\n  ${name} `)
      expect(both).not.toContain('GUIDES')
    }
    const [, words = ''] =
      /'help'\) words='([^']*)'/.exec((await inPipe(['autocomplete', 'bash'])).stdout) ?? []
    expect(words.split(' ')).toEqual(expect.arrayContaining([...guides, 'orders', 'doctor']))
  })

  test('say what the manual says, word for word', async () => {
    for (const name of guides) {
      const {stdout} = await inPipe(['help', name])
      const words = read(name).replace(/^# .*$|^\|[-|]+\|\n|^\|.*\|\n(?=\|[-|]+\|)|^- |\\?\|/gm, '')
      const [summary = '', ...rest] = words.trim().split(/\n{2,}/)
      // Below the page of a topic the sentence would stand twice.
      const said = name in topics ? rest : [summary, ...rest]
      for (const part of said.flatMap((one) => one.split('\n')))
        expect(dense(stdout), name).toContain(dense(part))
    }
  })

  test('are found by a name that is nearly theirs', async () => {
    for (const line of [['help', 'exit-code'], ['exit-codes'], ['exit-codes', '--help']]) {
      const {code, stderr} = await inPipe(line)
      expect({code, stderr}).toEqual({code: 2, stderr: expect.stringContaining('`scent help exit-codes`')})
    }
  })
})
