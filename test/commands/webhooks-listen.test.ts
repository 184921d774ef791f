// What `webhooks listen` says while deliveries come: to a person, to a script, and without cursor moves.
import {describe, expect, test} from 'vitest'
import {deliver, freePort, listening, secret} from '../support/listening.ts'
import {drawn, inTerminal, oneLine} from '../support/pty.ts'
import {scent} from '../support/scent.ts'
import {serve} from '../support/server.ts'
import {emptyUser} from '../terminal/stage.ts'

const noticeId = 'c6c0dd6c-5d76-4b5d-9eff-250400d2b556'
const raised = (eventId: string) =>
  JSON.stringify({
    ...{eventId, eventType: 'notice.raised'},
    data: {
      notice: {
        id: noticeId,
        responseDeadlineAt: new Date(Date.now() + 72 * 3_600_000 - 30_000).toISOString(),
      },
    },
  })
const completed = (eventId: string, more: object = {}) =>
  JSON.stringify({eventId, eventType: 'order.completed', ...more})
const spaced = (text: string) => text.replace(/(,|":)/g, '$1 ')

/** A listener in a terminal, to which these are sent one after the other. */
async function screen(
  columns: number,
  sends: (port: number) => Promise<unknown>[] | Promise<unknown>,
  {env = {}, argv = []}: {env?: NodeJS.ProcessEnv; argv?: string[]} = {},
) {
  const port = await freePort()
  const line = ['webhooks', 'listen', '--port', String(port), '--for', '25s', ...argv]
  const seen = inTerminal({...emptyUser(), SCENT_WEBHOOK_SECRET: secret, ...env}, line, {columns})
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      ({status}) => status,
      () => 0,
    )
  await expect.poll(isUp, {timeout: 20_000, interval: 100}).toBe(405)
  await sends(port)
  const {code, text} = await seen
  return {code, text, ...drawn(text, columns)}
}

const story = async (port: number) => {
  await deliver(port, raised('9f2c41d07be3'))
  await deliver(port, completed('11ab0c9d7e21'))
  await deliver(port, completed('11ab0c9d7e21'))
  await new Promise((done) => setTimeout(done, 1_100))
  await deliver(port, spaced(completed('77e0a1b2c3d4')), {signed: completed('77e0a1b2c3d4')})
}

describe('the screen of a listener', () => {
  const time = '\\d\\d:\\d\\d:\\d\\d'

  test('of 80 columns is a line for each delivery, and says what to do about one that was refused', async () => {
    const failing = await serve((_, response) => response.writeHead(500).end('{"error":"no such customer"}'))
    const argv = ['--forward-to', failing.url, '--limit', '4']
    const {lines, broken, code} = await screen(80, story, {argv})
    await failing.close()
    expect([code, broken]).toEqual([0, []])
    const all = lines.join('\n')
    expect(all).toMatch(/^Ready on http:\/\/127\.0\.0\.1:\d+\/ · signatures checked$/m)
    expect(all).toContain('TIME      EVENT            SIGNED        FORWARDED   NOTICE         EVENT ID')
    const row = (text: string) => expect(all).toMatch(new RegExp(`^${time}  ${text}`, 'm'))
    row(
      'notice.raised    fits          500  \\d+ ms +71 h 59 min    9f2c41d07be3\\n  \\{"error":"no such customer"\\}',
    )
    row('order.completed  fits          500  \\d+ ms +11ab0c9d7e21')
    row('order.completed  again, same   500  \\d+ ms +11ab0c9d7e21')
    row('order.completed  WRONG: body changed \\(re-encoded\\) +77e0a1b2c3d4')
    expect(all).toContain('\n  `scent webhooks verify --stored 77e0a1b2c3d4`')
    expect(all).toMatch(/^Degraded since .*: the receiver failed three times in a row/m)
  }, 60_000)

  test('of 40 columns is a block for each delivery', async () => {
    const {lines, broken, code} = await screen(40, story, {argv: ['--limit', '4']})
    expect([code, broken]).toEqual([0, []])
    const all = lines.join('\n')
    expect(all).toMatch(new RegExp(`^${time} notice.raised\\n  fits · 71 h 59 min\\n  9f2c41d07be3$`, 'm'))
    expect(all).toMatch(
      new RegExp(`^${time} order.completed\\n  WRONG: body changed \\(re-encoded\\)\\n  77e0a1b2c3d4$`, 'm'),
    )
    expect(oneLine(all)).toContain('scent webhooks verify --stored 77e0a1b2c3d4')
  }, 60_000)

  test.each([{ACCESSIBLE: '1'}, {TERM: 'dumb'}])(
    'only grows with %j',
    async (env) => {
      const {text, broken} = await screen(80, story, {env, argv: ['--limit', '4']})
      expect(broken).toEqual([])
      // Colours alone; with TERM=dumb not even these.
      expect(text.replace(/\u001b\[\d+m/g, '')).not.toMatch(/[\u001b\r\b]/)
      expect(text).toContain('WRONG: body changed (re-encoded)')
    },
    60_000,
  )

  test('lets nothing of a delivery act on the terminal', async () => {
    const hostile = '\u001b]0;owned\u0007\u001b[2J\u202e'
    const body = JSON.stringify({eventId: hostile, eventType: hostile})
    for (const columns of [80, 40]) {
      const sends = async (port: number) => {
        await deliver(port, body)
        await deliver(port, body, {signature: 'v1=00'})
      }
      const {text, broken} = await screen(columns, sends, {argv: ['--body', '--limit', '2']})
      expect(broken).toEqual([])
      expect(text.replace(/\u001b\[\d+m/g, '')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    }
  }, 90_000)
})

test('a pipe gets a row for each delivery and no escape', async () => {
  const env = emptyUser()
  const port = await freePort()
  const given = {...env, SCENT_WEBHOOK_SECRET: secret}
  const ran = scent(given, ['webhooks', 'listen', '--port', String(port), '--limit', '2', '--for', '20s'])
  await expect.poll(() => deliver(port, completed('first-event')), {timeout: 15_000}).toBe(200)
  await deliver(port, spaced(completed('other-event')), {signed: completed('other-event')})
  const {code, stdout, stderr} = await ran
  expect([code, `${stdout}${stderr}`]).toEqual([0, expect.not.stringContaining('\u001b')])
  expect(stdout.split('\n')).toHaveLength(3)
  expect(stdout).toContain('\trefused\t')
  expect(stdout).toContain('\tbody changed (re-encoded)\t')
})

test('--json gets one document, once it has ended', async () => {
  const env = {...emptyUser(), SCENT_WEBHOOK_SECRET: secret}
  const port = await freePort()
  const none = await scent(env, ['webhooks', 'listen', '--port', String(port), '--for', '1s', '--json'])
  expect([none.code, JSON.parse(none.stdout)]).toEqual([0, {items: []}])
  const ran = scent(env, [
    'webhooks',
    'listen',
    '--port',
    String(port),
    '--limit',
    '1',
    '--query',
    'items[].eventId',
  ])
  await expect.poll(() => deliver(port, completed('one-event')), {timeout: 15_000}).toBe(200)
  const {code, stdout} = await ran
  expect([code, JSON.parse(stdout)]).toEqual([0, ['one-event']])
})

test('the first line for a script says where it listens, and whether there is a page', async () => {
  const listener = await listening(emptyUser())
  const url = `http://127.0.0.1:${listener.port}/`
  expect(listener.told('ready')).toEqual([
    {event: 'ready', url, ui: null, public: null, pid: expect.any(Number), known: 0, checked: true},
  ])
  await listener.stop()
})

test.each([80, 40])('a terminal of %i columns shows the address of the page whole', async (columns) => {
  const argv = ['webhooks', 'listen', '--port', '0', '--for', '1s', '--ui', '--ui-port', '0']
  const {code, text} = await inTerminal(emptyUser(), argv, {columns})
  expect({code, text}).toMatchObject({
    code: 0,
    text: expect.stringMatching(/^Page: http:\/\/127\.0\.0\.1:\d+\/#t=[\w-]{43}$/m),
  })
})

test('a script is told why in the same words, of one delivery a second', async () => {
  const listener = await listening(emptyUser())
  const [here, signed] = [spaced(completed('77e0a1b2c3d4')), completed('77e0a1b2c3d4')]
  for (let n = 0; n < 3; n += 1) expect(await listener.send(here, {signed})).toBe(401)
  await new Promise((done) => setTimeout(done, 1_100))
  expect(await listener.send(here, {signed})).toBe(401)
  await listener.send(completed('later'), {secret: 'another'})
  await listener.saw('delivery', ({eventId}) => eventId === 'later')
  expect(listener.told('delivery').map(({why}) => why)).toEqual([
    'body changed (re-encoded)',
    'does not fit',
    'does not fit',
    'body changed (re-encoded)',
    'does not fit',
  ])
  expect(listener.told('state')).toMatchObject([{state: 'degraded', why: 'refusing'}])
  const {code, stdout} = await listener.stop()
  expect(code).toBe(0)
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual({
    event: 'stopped',
    received: 5,
    stored: 5,
  })
})

test('a hostile body keeps the listener from answering for a moment only', async () => {
  const listener = await listening(emptyUser())
  const bodies = ['['.repeat(1_000_000), `{"a":[${'"\\u00e9/",'.repeat(100_000)}1]}`, '%'.repeat(1_000_000)]
  for (const body of bodies) {
    expect(await listener.send(body, {signed: 'x'})).toBe(401)
    const began = performance.now()
    expect(await listener.send(completed('good'))).toBe(200)
    expect(performance.now() - began).toBeLessThan(15_000)
    await new Promise((done) => setTimeout(done, 1_100))
  }
  await listener.stop()
})
