// One main screen of every command, by the built program, in a pipe and in real terminals of 80 and of 40 columns. For
// the terminals the service is slow: what asks it shows a sign of life after a second.
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {afterAll, beforeAll, describe, expect, test, vi} from 'vitest'
import {watchedMachine} from '../support/machine-hook.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import {drawn, inTerminal} from '../support/pty.ts'
import type {Ran} from '../support/scent.ts'
import {expectScreen} from './expect-screen.ts'
import {type Screen, screens} from './screens.ts'
import {emptyUser, openBare, openStage, type Stage} from './stage.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const {commands} = JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8')) as {
  commands: {[id: string]: unknown}
}

/** Where the pages are left to be looked at: SCENT_TEST_PAGES=/tmp/pages. */
const pages = process.env.SCENT_TEST_PAGES

/** They ask no service, or have a token at hand and need no more; or they are one. */
const asksNobody = new Set(
  [
    'auth:list auth:logout auth:status auth:token auth:use autocomplete complete config:get config:list config:set',
    'config:unset doctor explain help jobs:list jobs:resume jobs:show orders:list notices:import notices:inbox',
    'notices:show sandbox:start sandbox:stop version webhooks:events webhooks:listen webhooks:verify',
    'webhooks:list webhooks:prune webhooks:replay update-check',
  ].flatMap((ids) => ids.split(' ')),
)

/** What turns while an answer is waited for. */
const SIGN_OF_LIFE = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/

// Most of them wait, so more than usual can run at once.
vi.setConfig({maxConcurrency: 12})

/** Who is called by the commands in the terminal of 80 columns. */
const machine = watchedMachine()
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
  Object.assign(place[80].env, machine.env)
}, 180_000)

afterAll(() => Promise.all(closing.map((close) => close())))

test('every command has a main screen here', () => {
  expect(Object.keys(screens).sort()).toEqual(Object.keys(commands).sort())
})

// What lists things comes first, so that it finds the same on each stage whatever the others make there.
const lists = (id: string) => /:(list|show|deliveries|transactions)$/.test(id)
const inTurn = [true, false].flatMap((first) => ([80, 40] as const).map((columns) => ({first, columns})))

describe.each(inTurn)('in a terminal of $columns columns', ({first, columns}) => {
  test.concurrent.each(Object.entries(screens).filter(([id]) => lists(id) === first))(
    '%s',
    async (id, screen) => {
      const env = await userOf(screen, place[columns])
      const argv = place[columns].fill(screen.line)
      if (screen.before) await scent(env, place[columns].fill(screen.before))
      const seen = await inTerminal(env, argv, {columns, answers: screen.asks ?? []})
      const page = drawn(seen.text, columns).lines.join('\n')
      if (pages) writeFileSync(join(pages, `${id.replaceAll(':', '-')}-${columns}`), page)
      if (!asksNobody.has(id)) expect(seen.text).toMatch(SIGN_OF_LIFE)
      expectScreen(screen, seen, columns, screen.asks ? undefined : await inPipe(id, screen))
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

test('none of them opens a connection to anybody but the service', async () => {
  await inTerminal(place[80].env, ['catalog', 'variants'], {columns: 80})
  expect([...new Set(machine.called())]).toEqual(['127.0.0.1'])
})
