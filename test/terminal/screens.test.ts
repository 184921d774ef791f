// One main screen of every command, by the built program, in a pipe and in real terminals of 80 and of 40 columns. For
// the terminals the service is slow: what asks it shows a sign of life after a second.
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {afterAll, beforeAll, describe, expect, test, vi} from 'vitest'
import {drawn, inTerminal, plain} from '../support/pty.ts'
import {scent} from '../support/scent.ts'
import {type Screen, screens} from './screens.ts'
import {emptyUser, openBare, openStage, type Stage} from './stage.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const {commands} = JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8')) as {
  commands: {[id: string]: unknown}
}

/** Where the pages are left to be looked at: SCENT_TEST_PAGES=/tmp/pages. */
const pages = process.env.SCENT_TEST_PAGES

/** Tables that are still wider than the terminal, or cut what they hold. */
const KNOWN: Record<80 | 40, string[]> = {80: [], 40: []}

/** They ask no service, or have a token at hand and need no more; or they are one. */
const asksNobody = new Set(
  [
    'auth:list auth:logout auth:status auth:token auth:use autocomplete complete config:get config:list config:set',
    'config:unset doctor explain help jobs:list jobs:resume jobs:show orders:list notices:import notices:inbox',
    'notices:show sandbox:start sandbox:stop version webhooks:events webhooks:listen webhooks:verify',
    'webhooks:list webhooks:prune webhooks:replay',
  ].flatMap((ids) => ids.split(' ')),
)

/** What turns while an answer is waited for. */
const SIGN_OF_LIFE = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/

// Most of them wait, so more than usual can run at once.
vi.setConfig({maxConcurrency: 12})

const closing: (() => Promise<void>)[] = []
const place = {} as Record<'pipe' | 80 | 40, Stage>

beforeAll(async () => {
  if (pages) mkdirSync(pages, {recursive: true})
  await Promise.all(
    (['pipe', 80, 40] as const).map(async (name) => {
      place[name] = await openStage()
      if (name !== 'pipe') place[name].slowDown()
      closing.push(place[name].close)
    }),
  )
}, 180_000)

afterAll(() => Promise.all(closing.map((close) => close())))

test('every command has a main screen here', () => {
  expect(Object.keys(screens).sort()).toEqual(Object.keys(commands).sort())
})

describe.each([80, 40] as const)('in a terminal of %i columns', (columns) => {
  test.concurrent.each(Object.entries(screens))(
    '%s',
    async (id, screen) => {
      const env = await userOf(screen, place[columns])
      const argv = place[columns].fill(screen.line)
      if (screen.before) await scent(env, place[columns].fill(screen.before))
      const seen = await inTerminal(env, argv, {columns, answers: screen.asks ?? []})
      const {lines, broken} = drawn(seen.text, columns)
      const page = lines.join('\n')
      if (pages) writeFileSync(join(pages, `${id.replaceAll(':', '-')}-${columns}`), page)

      const said = plain(seen.text)
      expect(said).not.toMatch(/bug in scent|\n\s+at .*:\d+:\d+|never asked/)
      const piped = screen.asks ? undefined : await inPipe(id, screen)
      expect(seen.code, said).toBe(piped?.code ?? 0)
      const typed = (screen.asks ?? []).flatMap(([, keys]) => String(keys).match(/[\w+-]{2,}/g) ?? [])
      expect(
        typed.filter((word) => !lines.some((line) => line.includes(word))),
        page,
      ).toEqual([])
      if (KNOWN[columns].includes(id)) return
      if (!asksNobody.has(id)) expect(seen.text).toMatch(SIGN_OF_LIFE)
      if (!screen.isForPrograms) expect(broken, page).toEqual([])
      const words = piped && !screen.isForPrograms && !screen.differsInPipe ? wordsOf(piped, page) : []
      const facts = [...screen.holds, ...words, ...((columns === 80 && screen.wide) || [])]
      expect(
        facts.filter((fact) => !dense(page).includes(dense(fact))),
        page,
      ).toEqual([])
    },
    180_000,
  )
})

async function userOf({user}: Screen, stage: Stage): Promise<NodeJS.ProcessEnv> {
  if (user === 'without anything') return emptyUser()
  if (user === 'another of the sandbox') return stage.another()
  if (user === undefined) return stage.env
  const {env, close, slowDown} = await openBare()
  closing.push(close)
  slowDown()
  return env
}

type Ran = Awaited<ReturnType<typeof scent>>

const ran = new Map<string, Promise<Ran>>()

/** The same in a pipe, on a stage of its own, once for both terminals. */
function inPipe(id: string, screen: Screen): Promise<Ran> {
  const run = async () => {
    const env = await userOf(screen, place.pipe)
    if (screen.before) await scent(env, place.pipe.fill(screen.before))
    return scent(env, place.pipe.fill(screen.line))
  }
  const running = ran.get(id) ?? run()
  ran.set(id, running)
  return running
}

/** A text without what is added where a line is broken: blanks, and the backslash of a command. */
const dense = (text: string) => text.replace(/ \\\n|\s+/g, '')

/** Cells that a terminal shows in another way, or that differ on each stage: numbers, times, ids, yes and no. */
const OTHERWISE =
  /^(true|false|[A-Z]{3}|[^A-Za-z]*|\d{4}-\d\d-\d\dT.*|.*[\da-f]{12}.*|\d{8}-\d{6}-.*|.*(127\.0\.0\.1:|\/tmp\/|whsec_).*)$/

/** The words that the pipe shows and a terminal must as well, unless it says that it hides columns. */
function wordsOf({stdout}: Ran, page: string): string[] {
  if (/columns? hidden/.test(page)) return []
  const rows = stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')]))
  // A card has a name before each value, which a terminal words in another way.
  const isCard = rows.every(({length}) => length === 2)
  const cells = rows.flatMap((row) => (isCard ? row.slice(1) : row))
  return [...new Set(cells)].filter((cell) => !OTHERWISE.test(cell))
}
