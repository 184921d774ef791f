// webhooks verify by the built program: what it reads, what it answers, and what it never lets through.
import {createHmac} from 'node:crypto'
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {callerOf} from '../sandbox/caller.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import {folder} from '../support/program.ts'
import {drawn, inTerminal} from '../support/pty.ts'
import {serve} from '../support/server.ts'
import {emptyUser} from '../terminal/stage.ts'

const secret = 'whsec_c2VjcmV0LW9mLWEtc3Vic2NyaXB0aW9u'
const body = '{"eventId":"77e0a1b2c3d4","eventType":"order.completed","data":{"total":66.70}}'
const at = 1_795_341_600
const mac = (text: string | Buffer, time = at) =>
  createHmac('sha256', secret).update(`${time}.`).update(text).digest('hex')
const pairs = (text: string | Buffer): [string, string][] => [
  ['X-Service-Timestamp', String(at)],
  ['X-Service-Signature', `v1=${mac(text)}`],
]

const env: NodeJS.ProcessEnv = {...emptyUser(), SCENT_WEBHOOK_SECRET: secret}
const home = folder()
const file = (content: unknown): string => {
  const path = join(home, `${Math.random().toString(36).slice(2)}.json`)
  const isRaw = typeof content === 'string' || Buffer.isBuffer(content)
  writeFileSync(path, isRaw ? (content as string) : JSON.stringify(content))
  return path
}
const verify = (...argv: string[]) => scent(env, ['webhooks', 'verify', ...argv])
const fitting = {fits: true, scheme: 'default', ageSeconds: 3}
const arrived = '2026-11-22T10:00:03Z'

describe('webhooks verify', () => {
  const encoded = Buffer.from([0xff, 0x00, 0x7b])
  test.each<[string, string | Buffer | object, string[]]>([
    ['a raw body', body, ['--signature', `v1=${mac(body)}`, '--timestamp', String(at), '--at', arrived]],
    [
      'a line that a listener saved',
      `${JSON.stringify({event: 'delivery', at: arrived, headers: pairs(body), body, encoding: 'utf8'})}\n`,
      [],
    ],
    [
      'a saved line whose body is no text',
      {at: arrived, headers: pairs(encoded), body: encoded.toString('base64'), encoding: 'base64'},
      [],
    ],
    [
      'a capture with an object of headers',
      {headers: Object.fromEntries(pairs(body)), body},
      ['--at', arrived],
    ],
    [
      'a capture with lists of values',
      {
        headers: Object.fromEntries(pairs(body).map(([name, value]) => [name.toLowerCase(), [value]])),
        body,
        at: arrived,
      },
      [],
    ],
    [
      'flags that go before the file',
      {headers: [...pairs('other')], body, at: arrived},
      ['--signature', mac(body), '--timestamp', String(at)],
    ],
  ])('reads %s', async (_, content, flags) => {
    const {code, stdout, stderr} = await verify(file(content), '--json', ...flags)
    expect(stderr).toBe('')
    expect([code, JSON.parse(stdout)]).toEqual([0, fitting])
  })

  test('reads a delivery from stdin, and a secret from stdin, but not both', async () => {
    const delivery = JSON.stringify({at: arrived, headers: pairs(body), body})
    const piped = await scent(env, ['webhooks', 'verify', '-', '--json'], delivery)
    expect(JSON.parse(piped.stdout)).toEqual(fitting)
    const {SCENT_WEBHOOK_SECRET: _, ...bare} = env
    const argv = ['webhooks', 'verify', file(delivery), '--json', '--secret-stdin']
    const rotated = await scent(bare, argv, `older\r\n${secret}\r\n`)
    expect(JSON.parse(rotated.stdout)).toEqual(fitting)
    const both = await scent(env, ['webhooks', 'verify', '-', '--secret-stdin', '--json'], delivery)
    expect([both.code, JSON.parse(both.stdout).error.state]).toEqual([2, 'INVALID_INPUT'])
  })

  test('exits with 6 and says in the details what makes it fit', async () => {
    const delivery = file({at: arrived, headers: pairs(body), body: body.replaceAll(',', ', ')})
    const {code, stdout, stderr} = await verify(delivery, '--json')
    const {error} = JSON.parse(stdout)
    expect([code, stderr, error.state, error.exitCode]).toEqual([6, '', 'SIGNATURE_MISMATCH', 6])
    expect(error.details).toMatchObject({reason: 'body', change: 'compact', scheme: 'default', ageSeconds: 3})
    expect(body[error.details.at]).not.toBe(body.replaceAll(',', ', ')[error.details.at])
    const piped = await verify(delivery)
    expect(piped.stdout).toBe('')
    expect(piped.stderr).toContain('change: compact')
  })

  test.each<[string, string[], object]>([
    ['stale', [], {reason: 'stale'}],
    ['another secret', ['--tolerance', 'none', '--signature', 'ab'.repeat(32)], {reason: 'nothing'}],
    ['another scheme', ['--tolerance', 'none', '--scheme', 'slack'], {reason: 'scheme', pin: 'default'}],
    ['no signature', ['--signature', ''], {reason: 'no-signature'}],
  ])('tells a delivery that is or has %s', async (_, flags, details) => {
    const {code, stdout} = await verify(file({headers: pairs(body), body}), '--json', ...flags)
    expect([code, JSON.parse(stdout).error.details]).toMatchObject([6, details])
  })

  test('takes the age that it is told to take', async () => {
    const delivery = file({headers: pairs(body), body})
    for (const flags of [
      ['--tolerance', 'none'],
      ['--at', '2026-11-22T10:04:59Z'],
      ['--at', arrived, '--tolerance', '3'],
    ])
      expect((await verify(delivery, ...flags)).code).toBe(0)
    expect((await verify(delivery, '--at', arrived, '--tolerance', '2')).code).toBe(6)
  })

  test.each<[string, string[], string]>([
    ['a file that is not there', ['/nowhere/x'], 'INVALID_INPUT'],
    ['a folder', [home], 'INVALID_INPUT'],
    ['a raw body without its signature', [file(body)], 'MISSING_INPUT'],
    ['a body that was parsed', [file({headers: {}, body: {eventId: 'x'}})], 'INVALID_INPUT'],
    ['two deliveries', [file(`{"headers":[],"body":""}\n{"headers":[],"body":""}\n`)], 'INVALID_INPUT'],
    ['an unknown scheme', [file(body), '--scheme', 'md5'], 'INVALID_INPUT'],
    ['a tolerance that is not a number', [file(body), '--tolerance', '-1'], 'INVALID_INPUT'],
    ['a time that is not one', [file(body), '--at', 'noon'], 'INVALID_INPUT'],
    ['no file', [], 'MISSING_INPUT'],
  ])('refuses %s with 2', async (_, argv, state) => {
    const {code, stdout} = await verify(...argv, '--json')
    expect([code, JSON.parse(stdout).error.state]).toEqual([2, state])
  })

  test.each(['', '\n \n', '""'])(
    'says that there is no secret to check with, as any other reason: %j',
    async (value) => {
      const given = {...env, SCENT_WEBHOOK_SECRET: value}
      const {code, stdout} = await scent(given, [
        'webhooks',
        'verify',
        file({headers: pairs(body), body}),
        '--json',
      ])
      const {error} = JSON.parse(stdout)
      expect([code, error.state, error.details]).toEqual([6, 'SIGNATURE_MISMATCH', {reason: 'no-secret'}])
      expect(error.hint).toContain('--secret-stdin')
      expect(
        await scent(given, ['webhooks', 'verify', file({headers: pairs(body), body}), '--discover']),
      ).toMatchObject({
        ...{code: 6, stdout: ''},
        stderr: expect.stringContaining('no secret'),
      })
    },
  )

  test('searches for a scheme, and the one it prints takes the delivery', async () => {
    const odd = createHmac('sha512', secret).update(`${body}${at}`).digest('base64')
    const delivery = file({
      at: arrived,
      headers: {'X-Service-Timestamp': String(at), 'X-Service-Signature': `s=${odd}`},
      body,
    })
    expect((await verify(delivery)).code).toBe(6)
    const {items, tried} = JSON.parse((await verify(delivery, '--discover', '--json')).stdout)
    expect(items).toEqual([{scheme: '{body}{timestamp} sha512 base64 s=', change: null, ageSeconds: 3}])
    expect(tried).toBeGreaterThan(400)
    expect((await verify(delivery, '--scheme', items[0].scheme)).code).toBe(0)
    const none = await verify(delivery, '--discover', '--signature', 'ab'.repeat(32), '--json')
    expect([none.code, JSON.parse(none.stdout).error.details]).toMatchObject([6, {reason: 'nothing'}])
  })

  test('takes what the sandbox sends', async () => {
    const sandbox = await createSandbox({limits: false})
    const receiver = await serve((_, response) => response.end())
    const caller = callerOf(sandbox)
    const {payload} = await caller.ask('POST', '/scent/webhooks', {
      body: {url: `${receiver.url}/`, eventTypes: ['order.completed']},
    })
    await caller.ask('POST', `/scent/webhooks/${payload.id}/test-fire`, {
      body: {eventType: 'order.completed'},
    })
    await receiver.close()
    await sandbox.close()
    const {rawHeaders = [], body: text} = receiver.seen[0] ?? {}
    const headers = rawHeaders.flatMap((name, n) => (n % 2 ? [] : [[name, rawHeaders[n + 1]]]))
    const delivery = file({headers, body: text})
    const given = {...env, SCENT_WEBHOOK_SECRET: payload.signingSecret}
    const {code, stdout} = await scent(given, ['webhooks', 'verify', delivery, '--json'])
    expect([code, JSON.parse(stdout)]).toMatchObject([0, {fits: true, scheme: 'default'}])
  })

  const hostile = '\u001b]0;owned\u0007\u001b[2J\u202e\u0085'
  test.each([80, 40])('lets nothing of a delivery act on a terminal of %i columns', async (columns) => {
    const wild = `{"eventId": "${hostile}"}`
    const signed = {at: arrived, headers: pairs(wild.replace(': ', ':')), body: wild, eventId: hostile}
    const odd = {
      headers: [
        ['X-Service-Signature', hostile],
        ['X-Service-Timestamp', hostile],
      ],
      body: wild,
    }
    for (const content of [signed, odd]) {
      const {text, code} = await inTerminal(env, ['webhooks', 'verify', file(content)], {columns})
      expect(code).toBe(6)
      expect(text.replace(/\u001b\[\d+m/g, '')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
      expect(drawn(text, columns).broken).toEqual([])
    }
  })
})
