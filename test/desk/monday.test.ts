// A Monday morning: the laptop slept since Friday, and the inbox must say what is due, what was missed, and what it can't know.
import {rmSync} from 'node:fs'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {receiptsFolder} from '../../src/desk/receipts/segment.ts'
import {foldersOf} from '../../src/store/paths.ts'
import {readConfig} from '../../src/store/profiles.ts'
import {identityOf, settingsOf} from '../../src/store/settings.ts'
import {callerOf, control, variantOf} from '../sandbox/caller.ts'
import {drawn, inTerminal, oneLine} from '../support/pty.ts'
import {type Running, scent, start} from '../support/scent.ts'
import {openBare} from '../terminal/stage.ts'
import {HOUR, listened} from './records.ts'

const SKU = 'RML-SAF-050'
let stage: Awaited<ReturnType<typeof openBare>>
let port = ''
/** Ids of the six notices, in the order in which they were raised, and the events of the colleague's machine. */
const raised: string[] = []
const events: object[] = []
const running: Running[] = []

/** Its clock stands still between these moments: nothing becomes due while a listener starts, however long that takes. */
const clockTo = (at: number, freeze = true) =>
  control(stage.sandbox, 'POST', 'clock', {to: new Date(at).toISOString(), freeze})

/** Waits for what a listener says, which must not end before. */
const seen = (listener: Running, text: string) =>
  Promise.race([
    listener.said(text),
    listener.ended.then(({stdout, stderr}) => {
      throw new Error(`it ended without ${text}: ${stdout}${stderr}`)
    }),
  ])

const own = [
  '--subscribe',
  ...['raised', 'resolved', 'expired'].flatMap((what) => ['--event', `notice.${what}`]),
]

/** Starts the listener, and waits until it is ready. */
async function listen(argv: string[], input = ''): Promise<Running> {
  const listener = start(stage.env, ['webhooks', 'listen', '--output', 'ndjson', ...argv], input)
  running.push(listener)
  listener.child.stdout?.on('data', (text: string) => {
    port = /127\.0\.0\.1:(\d+)/.exec(text)?.[1] ?? port
  })
  await seen(listener, '"ready"')
  return listener
}

async function raise(departed = false): Promise<void> {
  const caller = callerOf(stage.sandbox)
  const reference = `PO-${raised.length + 1}`
  const {payload} = await caller.filled(reference, {[variantOf(stage.sandbox, SKU)]: 2})
  await caller.order(reference, payload.lockId, reference)
  const body = {lineId: SKU, availableQuantity: 1, departed}
  const answer = await control(stage.sandbox, 'POST', `orders/${reference}/notices`, body)
  raised.push(answer.payload.notice.id)
  events.push(answer.payload.event)
  await stage.sandbox.state.deliverer.settled()
}

const inbox = async (columns: number, ...argv: string[]) => {
  const seen = await inTerminal(stage.env, ['notices', 'inbox', ...argv], {columns})
  const {lines, broken} = drawn(seen.text, columns)
  expect(broken, lines.join('\n')).toEqual([])
  return {code: seen.code, text: oneLine(lines.join('\n'))}
}
const codes = async (...argv: string[]) => {
  const {stdout} = await scent(stage.env, ['notices', 'inbox', '--json', ...argv])
  return JSON.parse(stdout).blind.map(({code}: {code: string}) => code)
}

beforeAll(async () => {
  stage = await openBare()
  const now = Date.now()
  const login = ['auth', 'login', '--sandbox', '--storage', 'file']
  expect((await scent(stage.env, login)).code).toBe(0)
  const {clock} = stage.sandbox.state
  clock.freeze()
  clock.moveTo(now - 76 * HOUR)
  // The subscription of this machine, whose listener is never closed: the lid is.
  const friday = await listen([...own, '--port', '0'])
  friday.child.kill('SIGKILL')
  await friday.ended
}, 120_000)

afterAll(async () => {
  for (const {child} of running) child.kill('SIGKILL')
  await stage.close()
})

describe('on a Monday morning', () => {
  test('the inbox tells what is due, what was missed, and what it can not know', async () => {
    const now = Date.now()
    const desk = recordsOf(stage.env)
    rmSync(receiptsFolder(desk.folders, desk.identity), {recursive: true})
    const slept = {from: new Date(now - 75.5 * HOUR).toISOString(), to: new Date(now - HOUR).toISOString()}
    await listened(desk, {
      from: now - 100 * HOUR,
      to: now - HOUR,
      records: [{kind: 'slept', at: slept.to, ...slept}],
    })
    // Two on Friday, which pass their deadline; one that a colleague answers; three that are open on Monday.
    await clockTo(now - 75 * HOUR)
    await raise()
    await clockTo(now - 74 * HOUR - 60_000)
    await raise(true)
    await clockTo(now - 50 * HOUR)
    await raise()
    await raise()
    await clockTo(now - 20 * HOUR)
    const answered = await callerOf(stage.sandbox).ask(
      'PATCH',
      `/scent/unfulfillable-notices/${raised[2]}/respond`,
      {
        body: {choice: 'ShipAvailable'},
      },
    )
    expect(answered.status).toBe(200)
    events.push(answered.payload)
    await clockTo(now - 10 * HOUR - 15_000)
    await raise()
    await clockTo(now - 5 * HOUR - 8_000)
    await raise()
    // With the secret of the year before, then with the right one.
    await clockTo(now - 20_000)
    const wrong = await listen(['--port', port, '--secret-stdin'], 'whsec_of-last-year')
    await clockTo(now - 10_000)
    await seen(wrong, '"refused"')
    wrong.child.kill('SIGINT')
    await wrong.ended
    const right = await listen(['--port', port, ...own])
    await clockTo(Date.now(), false)
    await seen(right, '"verified"')
  }, 120_000)

  test.each([80, 40])('at %i columns: by itself', async (columns) => {
    const {code, text} = await inbox(columns)
    expect(code).toBe(0)
    expect(text).toContain('1 notice to answer')
    expect(text).toMatch(/Nothing listened \w{3} \d+ \w{3} \d\d:\d\d to/)
    expect(text).toContain('1 delivery was refused for the signature, and speaks of a notice.')
    expect(text).toContain('scent notices inbox --check')
  })

  test.each([80, 40])('at %i columns: after the service was asked', async (columns) => {
    const {text} = await inbox(columns, '--check')
    expect(text).toMatch(/events of the last 72 hours that the service has sent are not here/)
    expect(text).toContain('It has given up')
  })

  test('and a script is told that it can not trust a short list', async () => {
    expect(await codes('--check')).toEqual(expect.arrayContaining(['gaps', 'missing', 'refused']))
    expect(await codes()).toEqual(['gaps', 'missing', 'refused'])
    const {code} = await scent(stage.env, ['notices', 'inbox', '--due-within', '6h'])
    expect(code).toBe(12)
  })

  test('and with what a colleague keeps, the list is whole', async () => {
    const told = events.map((event) => JSON.stringify(event)).join('\n')
    const {code} = await scent(stage.env, ['notices', 'import', '-'], told)
    expect(code).toBe(0)
    for (const columns of [80, 40]) {
      const {text} = await inbox(columns)
      expect(text).toContain('3 notices to answer')
      expect(text).toContain(
        '2 notices passed their deadline unanswered in the last 7 days: `scent notices inbox --all`.',
      )
    }
    const all = JSON.parse((await scent(stage.env, ['notices', 'inbox', '--all', '--json'])).stdout)
    const states = new Map(
      all.items.map((item: {id: string; desk: {state: string}}) => [item.id, item.desk.state]),
    )
    expect(raised.map((id) => states.get(id))).toEqual([
      'overdue',
      'overdue',
      'answered-elsewhere',
      'open',
      'open',
      'open',
    ])
  })
})

function recordsOf(env: NodeJS.ProcessEnv) {
  const folders = foldersOf(env)
  return {folders, identity: identityOf(settingsOf({}, env, readConfig(folders)))}
}
