// Each receipt can be opened, whatever id its event has: whoever sends a delivery chooses that. By the built program.
import {afterAll, beforeAll, expect, test} from 'vitest'
import {deliver, freePort, type Listening, listening, secret} from '../support/listening.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import {drawn, inTerminal} from '../support/pty.ts'
import {serve} from '../support/server.ts'
import {emptyUser} from '../terminal/stage.ts'

const env: NodeJS.ProcessEnv = {...emptyUser(), SCENT_WEBHOOK_SECRET: secret}
const event = (eventId: string, n = 1) => JSON.stringify({eventId, eventType: 'order.completed', data: {n}})
/** Bodies of deliveries that were refused. */
const bodies = {
  none: '{"hello":"world"}',
  empty: '',
  short: event('e1'),
  beginning: event('e1-is-the-beginning-of-this'),
  control: event('x\u001b[2J-1'),
  like: event('r-0123456789ab'),
}

let listener: Listening
beforeAll(async () => {
  listener = await listening(env)
  for (const body of Object.values(bodies)) expect(await listener.send(body, {secret: 'another'})).toBe(401)
  // The same bytes without an id, a second time.
  expect(await listener.send(bodies.none, {secret: 'another'})).toBe(401)
})
afterAll(() => listener.stop())

const run = (...argv: string[]) => scent(env, ['webhooks', ...argv])
const list = async (): Promise<{receipt: string; eventId: string | null; at: string}[]> =>
  JSON.parse((await run('events', '--trust', 'refused', '--json')).stdout).items
const bodyOf = async (name: string) => {
  const {code, stdout, stderr} = await run('events', name, '--body')
  return {code, stdout, stderr}
}

test('each has a name of its own, by which its exact bytes are shown', async () => {
  const items = await list()
  expect(new Set(items.map(({receipt}) => receipt)).size).toBe(items.length)
  const shown = await Promise.all(items.map(({receipt}) => bodyOf(receipt)))
  expect(shown.map(({code}) => code)).toEqual(items.map(() => 0))
  expect(shown.map(({stdout}) => stdout).sort()).toEqual([...Object.values(bodies), bodies.none].sort())
  expect(
    listener
      .told('delivery')
      .map(({receipt}) => receipt)
      .sort(),
  ).toEqual(items.map(({receipt}) => receipt).sort())
})

test('a list that was cut says so in a pipe as well, whose reader would lose the rest', async () => {
  for (const output of ['ndjson', 'json', 'table']) {
    const {code, stderr} = await run('events', '--limit', '2', '--output', output)
    expect([code, stderr]).toEqual([0, '7 fit, and the newest 2 are here; --limit takes more.\n'])
  }
})

test('a whole id names its event however short it is, and a beginning still needs 6 characters', async () => {
  expect((await bodyOf('e1')).stdout).toBe(bodies.short)
  const {code, stderr} = await bodyOf('e1-i')
  expect([code, stderr]).toEqual([2, expect.stringContaining('at least 6 characters')])
  expect((await bodyOf('e1-is-')).stdout).toBe(bodies.beginning)
  expect((await bodyOf('r-0123456789ab')).stdout).toBe(bodies.like)
  expect((await bodyOf('r-000000000000')).code).toBe(5)
})

test('verify and replay take it, too', async () => {
  const items = await list()
  const without = items.filter(({eventId}) => eventId === null).map(({receipt}) => receipt)
  for (const name of [...without, 'e1']) {
    const {code, stdout} = await run('verify', '--stored', name, '--json')
    expect([code, JSON.parse(stdout).error.details.reason]).toEqual([6, 'nothing'])
  }
  const receiver = await serve((_, response) => response.end())
  const {code, stdout} = await run('replay', ...without, 'e1', '--to', receiver.url, '--json')
  await receiver.close()
  expect([code, JSON.parse(stdout).summary]).toEqual([0, {sent: 4, ok: 4}])
  const arrived = receiver.seen.map(({body}) => body)
  expect(arrived.sort()).toEqual([bodies.none, bodies.none, bodies.empty, bodies.short].sort())
  expect(JSON.parse(stdout).items.map((item: {receipt: string}) => item.receipt)).toEqual(
    expect.arrayContaining(without),
  )
})

test.each([80, 40])('a terminal of %i columns shows names that can be typed', async (columns) => {
  const {code, text} = await inTerminal(env, ['webhooks', 'events', '--trust', 'refused'], {columns})
  const {lines, broken} = drawn(text, columns)
  expect([code, broken]).toEqual([0, []])
  const names = lines.join('\n').match(/\br-[\da-f]{12}\b/g) ?? []
  const meant = (await list()).filter(({eventId}) => eventId === null || eventId.includes('\u001b'))
  for (const {receipt} of meant) expect(names).toContain(receipt)
})

test.each([80, 40])(
  'a listener in a terminal of %i columns names the command for one without an id',
  async (columns) => {
    const port = await freePort()
    const {text} = await inTerminal(
      {...env, ...emptyUser()},
      ['webhooks', 'listen', '--port', String(port)],
      {
        columns,
        answers: [
          ['signatures checked', () => void deliver(port, bodies.none, {secret: 'another'})],
          ['verify --stored r-', '\u0003'],
        ],
      },
    )
    expect(text).not.toContain('never asked')
  },
)

test('of a notice that only a refused one tells of, show says why it knows nothing', async () => {
  const id = 'c6c0dd6c-5d76-4b5d-9eff-250400d2b556'
  const notice = {id, status: 'AwaitingPartnerResponse'}
  const body = JSON.stringify({eventId: 'of-a-notice', eventType: 'notice.raised', data: {notice}})
  expect(await listener.send(body, {secret: 'another'})).toBe(401)
  const {code, stdout} = await scent(env, ['notices', 'show', id, '--json'])
  expect([code, JSON.parse(stdout).error]).toMatchObject([
    5,
    {
      message: `Only a delivery that was refused here tells of notice ${id}.`,
      hint: expect.stringMatching(
        /^See why it was refused, and take it in if it fits the secret that is in force now: `scent webhooks verify --stored (r-[\da-f]{12}) && scent webhooks events \1 --body \| scent notices import -`\.$/,
      ),
    },
  ])
  const other = await scent(env, ['notices', 'show', id.replace('c6', 'c7'), '--json'])
  expect(JSON.parse(other.stdout).error.message).toContain('Nothing here tells of notice c7')
})

test('a type that is long takes no room from the other columns of any row, and programs get it whole', async () => {
  const user = {...emptyUser(), SCENT_WEBHOOK_SECRET: secret}
  const own = await listening(user)
  const long = `order.${'completed'.repeat(20)}`
  const order = 'aab897a7-4d30-479b-85c5-5380b35917dc'
  const bodyOf = (eventId: string, eventType: string) =>
    JSON.stringify({eventId, eventType, data: {orderId: order}})
  expect(await own.send(bodyOf('of-a-long-type', long))).toBe(200)
  expect(await own.send(bodyOf('of-a-short-type', 'order.completed'))).toBe(200)
  await own.stop()
  const {text} = await inTerminal(user, ['webhooks', 'events'], {columns: 110})
  expect(text).toMatch(/TIME.*EVENT.*ORDER.*SIGNED.*COPIES.*EVENT ID/)
  expect(text).toContain(`${long.slice(0, 23)}…  ${order}`)
  const json = await scent(user, ['webhooks', 'events', '--json'])
  expect(JSON.parse(json.stdout).items[1].eventType).toBe(long)
  expect((await scent(user, ['webhooks', 'events'])).stdout).toContain(long)
})
