// webhooks verify --stored by the built program: what a listener has kept is taken apart later.
import {afterAll, beforeAll, expect, test} from 'vitest'
import {deskOf, eventBody, HOUR, listened, receipt} from '../desk/records.ts'
import {type Listening, listening, secret} from '../support/listening.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import {drawn, inTerminal, oneLine} from '../support/pty.ts'
import {userOf} from '../support/service.ts'
import {emptyUser} from '../terminal/stage.ts'

const env = emptyUser()
const given = {...env, SCENT_WEBHOOK_SECRET: secret}
const event = (eventId: string) => JSON.stringify({eventId, eventType: 'order.completed', data: {a: 1}})
const spaced = (text: string) => text.replace(/(,|":)/g, '$1 ')

let listener: Listening
beforeAll(async () => {
  listener = await listening(env)
  const send = async (body: string, status: number, letter?: object) =>
    expect([body, await listener.send(body, letter)]).toEqual([body, status])
  await send(event('77e0a1-good'), 200)
  await send(event('77e0a2-changed'), 200)
  await send(spaced(event('77e0a2-changed')), 401, {signed: event('77e0a2-changed')})
  await send(event('stale-1'), 401, {age: 4_000})
  await send(event('foreign-1'), 401, {secret: 'another'})
})
afterAll(() => listener.stop())

const verify = async (id: string, ...more: string[]) => {
  const {code, stdout} = await scent(given, ['webhooks', 'verify', '--stored', id, '--json', ...more])
  return {code, document: JSON.parse(stdout)}
}

test('a delivery that fitted fits later too, at the time at which it came, named by the beginning of its id', async () => {
  for (const id of ['77e0a1-good', '77e0a1'])
    expect(await verify(id)).toMatchObject({
      code: 0,
      document: {fits: true, scheme: 'default'},
    })
})

test('of an event that came well and changed, the changed copy is explained', async () => {
  const {code, document} = await verify('77e0a2-changed')
  expect(code).toBe(6)
  expect(document.error).toMatchObject({
    state: 'SIGNATURE_MISMATCH',
    details: {reason: 'body', change: 'compact'},
  })
})

test('a filter that no event fits is told which types were received', async () => {
  const {code, stderr} = await scent(env, ['webhooks', 'events', '--event', 'order.complete'])
  expect([code, stderr]).toEqual([5, expect.stringContaining('Received here: order.completed; see also')])
})

test('an id that fits two events, is too short, or is unknown is told so', async () => {
  expect(await verify('77e0a')).toMatchObject({code: 2, document: {error: {state: 'INVALID_INPUT'}}})
  await listener.send(event('same-beginning-1'))
  await listener.send(event('same-beginning-2'))
  const {code, document} = await verify('same-beg')
  expect([code, document.error.message]).toEqual([2, expect.stringContaining('fits 2 events')])
  expect(await verify('unknown-id')).toMatchObject({code: 5, document: {error: {state: 'NOTHING_MATCHED'}}})
  expect(await verify('__proto__')).toMatchObject({code: 5})
  expect(await verify('../../../etc/passwd')).toMatchObject({code: 5})
})

test('a receipt is named by the beginning of its name, too, also if its event has an id, and so is an id that looks like one', async () => {
  const shown = async (name: string) => {
    const {code, stdout} = await scent(env, ['webhooks', 'events', name, '--json'])
    const {copies, error} = JSON.parse(stdout)
    return {code, ids: copies?.map(({eventId}: {eventId: string}) => eventId), message: error?.message}
  }
  const {items} = JSON.parse((await scent(env, ['webhooks', 'events', '--json'])).stdout)
  const {receipt: name} = items.find(({eventId}: {eventId: string}) => eventId === '77e0a1-good')
  for (const part of [name, name.slice(0, 8), name.slice(0, 6)])
    expect(await shown(part)).toMatchObject({code: 0, ids: ['77e0a1-good']})
  expect((await verify(name.slice(0, 9))).document).toMatchObject({fits: true})
  expect(await shown(name.slice(0, 5))).toMatchObject({
    code: 2,
    message: expect.stringContaining('too short'),
  })
  const alike = 'r-0123456789ab'
  await listener.send(event(alike))
  for (const part of [alike, alike.slice(0, 10)])
    expect(await shown(part)).toMatchObject({code: 0, ids: [alike]})
  // A sender that knows the name of a receipt does not get in its way.
  await listener.send(event(name))
  await listener.send(event(`${name.slice(0, 9)}-`))
  expect(await shown(name)).toMatchObject({code: 0, ids: ['77e0a1-good']})
  const several = await shown(name.slice(0, 8))
  expect([several.code, several.message]).toEqual([2, expect.stringMatching(/fits 2 events|fits 3 events/)])
  expect(several.message).toContain(`${name.slice(0, 9)}-`)
  expect(await shown(`${name.slice(0, 9)}-`)).toMatchObject({code: 0, ids: [`${name.slice(0, 9)}-`]})
})

test('a file and --stored, or neither, are refused', async () => {
  const both = await scent(given, ['webhooks', 'verify', 'x.json', '--stored', '77e0a1', '--json'])
  expect([both.code, JSON.parse(both.stdout).error.state]).toEqual([2, 'INVALID_INPUT'])
  const none = await scent(given, ['webhooks', 'verify', '--json'])
  expect([none.code, JSON.parse(none.stdout).error.state]).toEqual([2, 'MISSING_INPUT'])
  const bad = await verify('77e0a1', '--subscription', 'nonsense')
  expect(bad).toMatchObject({
    code: 2,
    document: {error: {message: expect.stringContaining('--subscription')}},
  })
})

test('a delivery that is off by the same time as others tells that a clock is wrong', async () => {
  const stale = async () => (await verify('stale-1')).document.error.details
  const {reason, ageSeconds} = await stale()
  expect([reason, Math.abs(ageSeconds - 4_000) < 10]).toEqual(['stale', true])
  expect(await stale()).not.toHaveProperty('change')
  for (const id of ['stale-2', 'stale-3']) await listener.send(event(id), {age: 4_010})
  expect(await stale()).toMatchObject({reason: 'stale', change: 'clock'})
  expect((await verify('stale-1', '--tolerance', 'none')).code).toBe(0)
  expect((await verify('stale-1', '--at', new Date(Date.now() - 4_000_000).toISOString())).code).toBe(0)
})

test('a foreign secret is told with the fingerprint of the one that fitted last', async () => {
  const {document} = await verify('foreign-1')
  const {reason, fingerprints, fitted} = document.error.details
  expect([reason, fitted]).toEqual(['nothing', fingerprints])
  const same = await inTerminal(given, ['webhooks', 'verify', '--stored', 'foreign-1'], {columns: 80})
  expect(oneLine(same.text)).toContain('it may have been changed since at the service')
  const wrong = {...env, SCENT_WEBHOOK_SECRET: 'wrong'}
  const {code, text} = await inTerminal(wrong, ['webhooks', 'verify', '--stored', '77e0a1'], {columns: 80})
  expect(code).toBe(6)
  expect(oneLine(text)).toContain(`the one that fitted last has the fingerprint ${fitted[0]}`)
})

test.each([[[]], [['--json']]])(
  'in a pipe what follows from the fingerprints is told, too: %j',
  async (argv) => {
    const said = async (env: NodeJS.ProcessEnv, id: string) => {
      const {code, stdout, stderr} = await scent(env, ['webhooks', 'verify', '--stored', id, ...argv])
      expect(code).toBe(6)
      const {message, hint} = argv.length > 0 ? JSON.parse(stdout).error : {message: stderr, hint: stderr}
      return {message: oneLine(message), hint: oneLine(hint)}
    }
    // The secret that is given is the one that fitted last: there is nothing to compare it with.
    const same = await said(given, 'foreign-1')
    expect(same.message).toContain('it may have been changed since at the service')
    expect(same.hint).toContain('Give the secret that is in force now.')
    expect(same.hint).not.toContain('Compare the secret')
    const other = await said({...env, SCENT_WEBHOOK_SECRET: 'wrong'}, '77e0a1')
    expect(other.message).toMatch(/the one that fitted last has the fingerprint (\S+); or/)
    const fingerprint = /has the fingerprint (\S+); or/.exec(other.message)?.[1]
    expect(other.hint).toContain(`the one with the fingerprint ${fingerprint}, or a newer one`)
  },
)

test.each([80, 40])('a screen of %i columns says what was changed on the way', async (columns) => {
  const {code, text} = await inTerminal(given, ['webhooks', 'verify', '--stored', '77e0a2'], {columns})
  const {lines, broken} = drawn(text, columns)
  expect([code, broken]).toEqual([6, []])
  expect(oneLine(text)).toContain('fits it when its JSON is written without spaces')
  expect(lines.join('\n')).toContain('signed  ')
})

test('a time without an offset is UTC, wherever this machine is', async () => {
  const env = {...userOf('http://127.0.0.1:9'), TZ: 'Asia/Riyadh'}
  const at = Date.parse('2026-11-20T10:00:00Z')
  await listened(deskOf(env), {from: at - HOUR, to: at + HOUR, records: [receipt(at, eventBody('event-1'))]})
  const code = async (...argv: string[]) => (await scent(env, ['webhooks', 'events', ...argv])).code
  expect(await code('--since', '2026-11-20T09:59')).toBe(0)
  expect(await code('--since', '2026-11-20T10:01')).toBe(5)
  expect(await code('--until', '2026-11-20T10:01')).toBe(0)
  expect(await code('--until', '2026-11-20T09:59')).toBe(5)
})
