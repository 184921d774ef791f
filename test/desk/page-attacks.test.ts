import {readFileSync, writeFileSync} from 'node:fs'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {segmentsOf} from '../../src/desk/receipts/read.ts'
import {foldersOf} from '../../src/store/paths.ts'
import {freePort, listening} from '../support/listening.ts'
import {type Paged, paged} from '../support/page.ts'
import {oneLine} from '../support/pty.ts'
import {scent} from '../support/scent.ts'
import {type Seen, serve, type TestServer} from '../support/server.ts'
import {userOf} from '../support/service.ts'

const event = (eventId: string, more: object = {}) =>
  JSON.stringify({eventId, eventType: 'order.completed', ...more})

let env: NodeJS.ProcessEnv
let page: Paged
let receiver: TestServer & {seen: Seen[]}
const host = () => `127.0.0.1:${page.uiPort}`

beforeAll(async () => {
  env = userOf('http://127.0.0.1:1')
  receiver = await serve((_, response) => response.end('taken'))
  page = await paged(env, '--forward-to', `${receiver.url}/hook`)
  expect(await page.send(event('first'))).toBe(200)
  await page.saw('forward')
})
afterAll(async () => {
  await page.stop()
  await receiver.close()
  console.log(`page: ${page.refused()} requests refused`)
})

/** What must hold of every answer, whatever it is. */
function expectGuarded(headers: object): void {
  expect(headers).toMatchObject({
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  })
  expect(Object.keys(headers).filter((name) => /^access-control|^set-cookie$/.test(name))).toEqual([])
}

const data = ['/api/state', '/api/events', '/api/events/first', '/api/events/first/body', '/api/stream']

describe('without the token', () => {
  test.each(data)('%s says nothing', async (path) => {
    const attempts = [
      {token: null},
      {token: ''},
      {token: `${page.token}x`},
      {token: page.token.slice(0, -1)},
      {token: page.token.toUpperCase()},
      {token: null, headers: {Cookie: `t=${page.token}`}},
      {token: null, headers: {Authorization: `Basic ${page.token}`}},
    ]
    for (const asked of attempts) {
      const {status, headers, body} = await page.ask(path, asked)
      expect({status, body}).toEqual({status: 401, body: 'the token is needed\n'})
      expectGuarded(headers)
    }
  })

  test('it counts for nothing in an address', async () => {
    for (const name of ['t', 'token', 'access_token', 'authorization']) {
      const {status} = await page.ask(`/api/events?${name}=${page.token}`, {token: null})
      expect(status).toBe(401)
    }
  })

  test('the shell holds no data, and the token is 32 random bytes', async () => {
    for (const path of ['/', '/page.js', '/page.css']) {
      const {status, headers, body} = await page.ask(path, {token: null})
      expect(status).toBe(200)
      expectGuarded(headers)
      expect(body).not.toContain('order.completed')
      expect(body).not.toContain(page.token)
    }
    expect(Buffer.from(page.token, 'base64url')).toHaveLength(32)
  })
})

describe('who may ask, with the token', () => {
  const everywhere = ['/', '/page.js', '/api/events']

  test.each([
    ['a foreign Host', () => ({Host: 'evil.example'}), 421],
    ['a foreign Host with our port', () => ({Host: `evil.example:${page.uiPort}`}), 421],
    ['the Host of the listener', () => ({Host: `127.0.0.1:${page.port}`}), 421],
    ['localhost with a dot', () => ({Host: `localhost.:${page.uiPort}`}), 421],
    ['a name that begins like ours', () => ({Host: `127.0.0.1:${page.uiPort}.evil.example`}), 421],
    ['a foreign Origin', () => ({Origin: 'https://evil.example'}), 403],
    ['the Origin null', () => ({Origin: 'null'}), 403],
    ['the Origin of another port', () => ({Origin: `http://127.0.0.1:${page.port}`}), 403],
    ['our Origin by another name', () => ({Origin: `http://localhost:${page.uiPort}`}), 403],
    ['another site', () => ({'Sec-Fetch-Site': 'cross-site'}), 403],
    ['another port of this machine', () => ({'Sec-Fetch-Site': 'same-site'}), 403],
  ])('%s is refused', async (_, headers, refused) => {
    for (const path of everywhere) {
      const {status, headers: answered, body} = await page.ask(path, {headers: headers()})
      expect(status).toBe(refused)
      expectGuarded(answered)
      expect(body.length).toBeLessThan(40)
    }
  })

  test('this page itself and an address that a person opens are let in', async () => {
    for (const headers of [
      {Origin: `http://${host()}`, 'Sec-Fetch-Site': 'same-origin'},
      {'Sec-Fetch-Site': 'none'},
      {Host: `LOCALHOST:${page.uiPort}`},
    ])
      for (const path of everywhere) expect((await page.ask(path, {headers})).status).toBe(200)
  })

  test('the Host of a tunnel shows nothing, neither here nor at the port that it leads to', async () => {
    const port = await freePort()
    const tunnelled = await paged(
      env,
      '--port',
      String(port),
      '--public-url',
      `http://127.0.0.1:${port}/hook`,
    )
    // As a tunnel does that was put before the wrong port, with or without a rewritten Host.
    for (const name of ['abc.trycloudflare.com', `127.0.0.1:${port}`])
      for (const path of everywhere)
        expect((await tunnelled.ask(path, {headers: {Host: name}})).status).toBe(421)
    for (const path of ['/', '/page.js', '/api/events', '/hook']) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: {Authorization: `Bearer ${tunnelled.token}`},
      })
      expect([404, 405]).toContain(response.status)
      expect((await response.text()).length).toBeLessThan(40)
    }
    await tunnelled.stop()
  })

  test.each([
    '/../package.json',
    '/%2e%2e/package.json',
    '/..%2fpackage.json',
    '/page.js/../../package.json',
    '/page.css/',
    '//etc/passwd',
    '/index.html',
    '/scent.cjs',
    '/api/../page.js',
    '/api/events/..',
    '/api/events/../../../etc/passwd',
    '/api/events/%2e%2e%2fstate',
    '/api/events/first/../../state',
    '/api/events/first/headers',
    '/api/__proto__',
    '/__proto__',
    '/constructor',
  ])('%s leads nowhere', async (path) => {
    const {status, headers, body} = await page.ask(path)
    expect(status).toBe(404)
    expectGuarded(headers)
    expect(body.length).toBeLessThan(50)
  })

  test('other methods are refused, and a preflight allows nothing', async () => {
    for (const path of ['/', ...data])
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        const {status, headers} = await page.ask(path, {method})
        expect(status).toBe(405)
        expectGuarded(headers)
      }
    const bare = await page.ask('/api/events/first/replay')
    expect([bare.status, bare.headers.allow]).toEqual([405, 'POST'])
    expect((await page.ask('/', {method: 'POST'})).headers.allow).toBe('GET, HEAD')
    expect((await page.ask('/api/stream', {method: 'HEAD'})).headers.allow).toBe('GET')
  })

  test('HEAD answers as GET does, without the body', async () => {
    for (const path of [
      '/',
      '/page.js',
      '/page.css',
      '/api/events',
      '/api/events/first',
      '/api/events/first/body',
    ]) {
      const [head, get] = [await page.ask(path, {method: 'HEAD'}), await page.ask(path)]
      expect([head.status, head.body], path).toEqual([200, ''])
      expectGuarded(head.headers)
      expect(head.headers['content-type']).toBe(get.headers['content-type'])
    }
    expect((await page.ask('/api/events', {method: 'HEAD', token: null})).status).toBe(401)
    expect((await page.ask('/nowhere', {method: 'HEAD'})).status).toBe(404)
  })
})

test('an event of another identity is not there', async () => {
  const other = await paged(
    {...env, SCENT_CLIENT_ID: 'another-client'},
    '--forward-to',
    `${receiver.url}/hook`,
  )
  expect(await other.send(event('theirs'))).toBe(200)
  expect((await other.json('/api/events')).items).toMatchObject([{eventId: 'theirs'}])
  for (const path of ['/api/events/theirs', '/api/events/theirs/body'])
    expect((await page.ask(path)).status).toBe(404)
  const {status} = await page.ask('/api/events/theirs/replay', {
    method: 'POST',
    headers: {'Content-Type': 'application/json'},
    body: '{}',
  })
  expect(status).toBe(404)
  expect((await page.json('/api/events')).items.map(({eventId}: {eventId: string}) => eventId)).toEqual([
    'first',
  ])
  expect((await other.ask('/api/events', {token: page.token})).status).toBe(401)
  await other.stop()
})

describe('a replay', () => {
  const replay = (body: string, headers: Record<string, string> = {'Content-Type': 'application/json'}) =>
    page.ask('/api/events/first/replay', {method: 'POST', headers, body})
  const replayed = () => receiver.seen.filter(({headers}) => 'x-scent-replay' in headers)

  test('is sent by no form of a web page', async () => {
    const before = receiver.seen.length
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x'])
      expect((await replay('{"copy":1}', {'Content-Type': type})).status).toBe(415)
    expect((await replay('{}', {})).status).toBe(415)
    const {status} = await page.ask('/api/events/first/replay', {
      method: 'POST',
      token: null,
      headers: {'Content-Type': 'application/json'},
      body: '{}',
    })
    expect(status).toBe(401)
    for (const [body, refused] of [
      ['', 400],
      ['{"copy":"1"}', 400],
      ['null', 400],
      ['x'.repeat(3_000), 413],
      ['{"copy":99}', 404],
    ] as const)
      expect((await replay(body)).status).toBe(refused)
    expect(receiver.seen).toHaveLength(before)
  })

  test('goes to the receiver of the listener, with the stored bytes, wherever it is told to go', async () => {
    const elsewhere = await serve((_, response) => response.end())
    const {status, body} = await replay(JSON.stringify({to: elsewhere.url, url: elsewhere.url, copy: 1}))
    expect(status).toBe(200)
    expect(JSON.parse(body)).toMatchObject({status: 200, error: null, lacks: []})
    expect(elsewhere.seen).toEqual([])
    expect(replayed()).toHaveLength(1)
    expect(replayed()[0]).toMatchObject({url: '/hook', method: 'POST', body: event('first')})
    expect(JSON.stringify(replayed())).not.toContain(page.token)
    expect(replayed()[0]?.headers).not.toHaveProperty('authorization')
    await elsewhere.close()
  })

  test('goes nowhere if the listener forwards to nobody', async () => {
    const alone = await paged(env)
    expect(await alone.json('/api/state')).toMatchObject({forwardTo: null})
    const {status, body} = await alone.ask('/api/events/first/replay', {
      method: 'POST',
      headers: {'Content-Type': 'application/json'},
      body: '{}',
    })
    expect({status, body}).toEqual({status: 409, body: 'the listener forwards to nobody\n'})
    await alone.stop()
  })
})

test('a body is handed out as text to keep, with its exact bytes', async () => {
  const hostile = '<script>alert(1)</script>\u0000\u202e\r\n'
  expect(await page.send(hostile)).toBe(200)
  const {items} = await page.json('/api/events')
  expect(items[0]).toMatchObject({eventId: null, id: `~${items[0].no}`})
  const {headers, body} = await page.ask(`/api/events/${items[0].id}/body`)
  expect(body).toBe(hostile)
  expect(headers).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': expect.stringMatching(/^attachment; filename="body-\d+\.txt"$/),
  })
  expectGuarded(headers)
})

test('ids that an address or a shell would take for something else get a number in their place', async () => {
  for (const eventId of ['../../state', 'a b', '$(reboot)', '<b>', '~1', '\ud800', '__proto__', '-rf'])
    expect(await page.send(event(eventId))).toBe(200)
  const {items} = await page.json('/api/events')
  for (const {id, eventId, no} of items.slice(0, 8)) {
    expect(id).toBe(eventId === '__proto__' ? eventId : `~${no}`)
    const one = await page.json(`/api/events/${id}`)
    expect(one).toMatchObject({eventId, copies: [{no}]})
    expect(one.command ?? '').toMatch(/^[\w .:/-]*$/)
  }
})

test('no more than 100 rows are answered at once, and nonsense in a query is refused: something else would be answered', async () => {
  expect((await page.ask('/api/events?limit=100000')).status).toBe(200)
  for (const query of ['limit=-1', 'limit=', 'before=x', 'before=abc', 'before=1&before=x', 'after=1e9'])
    expect(await page.ask(`/api/events?${query}`)).toMatchObject({
      status: 400,
      body: `${query.split('=')[0]} is a whole number, 0 or more\n`,
    })
  expect((await page.ask('/api/events?trust=root')).body).toBe(
    'trust is one of verified, unchecked, stale, refused\n',
  )
  expect((await page.ask('/api/events?problems=yes')).status).toBe(400)
  for (const copy of ['-1', '1.5', 'last', '', '1e3', '9'.repeat(40)])
    for (const path of ['/api/events/first', '/api/events/first/body'])
      expect((await page.ask(`${path}?copy=${copy}`)).status, copy).toBe(400)
  expect(await page.ask('/api/events/first/body?copy=999999')).toMatchObject({
    status: 404,
    body: 'it has no such copy\n',
  })
  expect((await page.ask('/api/stream?after=soon')).status).toBe(400)
  expect((await page.json('/api/events?limit=2')).items).toHaveLength(2)
  expect((await page.json('/api/events?before=2')).items).toMatchObject([{eventId: 'first'}])
})

test('a port that is taken is named by its own flag', async () => {
  await expect(paged(env, '--ui-port', String(page.uiPort))).rejects.toThrow(
    new RegExp(`Port ${page.uiPort} is taken.*another --ui-port`, 's'),
  )
  await expect(paged(env, '--port', String(page.port))).rejects.toThrow(/is taken by the listener/)
})

test('one port for both is refused as such, and the page leaves the usual one of its own to the listener', async () => {
  const port = String(await freePort())
  const both = await scent(env, ['webhooks', 'listen', '--ui', '--port', port, '--ui-port', port])
  expect([both.code, oneLine(both.stderr)]).toEqual([
    2,
    expect.stringContaining(
      `--port and --ui-port are both ${port}: the page has a port of its own, so that no tunnel to the listener shows it. (INVALID_INPUT) Next: Give another --ui-port, or leave it out.`,
    ),
  ])
  const line = ['webhooks', 'listen', '--ui', '--port', '4751', '--for', '1s', '--output', 'ndjson']
  const {stdout, stderr} = await scent(env, line)
  // Somebody else on this machine may have it.
  if (!stderr.includes('4751 is taken')) expect(stdout).toContain('"url":"http://127.0.0.1:4751/"')
})

test('nothing is left open where the listener can not begin', async () => {
  for (const [more, message] of [
    [['--save', '/nowhere/at/all'], 'nowhere'],
    [['--scheme', 'nonsense'], 'nonsense'],
    [['--forward-to', 'http://169.254.169.254/'], 'link-local'],
  ] as const) {
    const {code, stderr} = await scent(env, [
      'webhooks',
      'listen',
      '--ui',
      '--port',
      '0',
      '--ui-port',
      '0',
      ...more,
    ])
    expect({code, stderr}).toMatchObject({code: 2, stderr: expect.stringContaining(message)})
  }
})

test('what another listener receives is shown as well, and a damaged file hides only itself', async () => {
  const own = userOf('http://127.0.0.1:1')
  const other = await listening(own)
  const first = await paged(own)
  expect(await other.send(event('by-the-other'))).toBe(200)
  expect(await first.send(event('by-itself'))).toBe(200)
  const ids = async () => (await first.json('/api/events')).items.map((row: {eventId: string}) => row.eventId)
  expect((await ids()).sort()).toEqual(['by-itself', 'by-the-other'])
  await other.stop()
  await first.stop()
  const [damaged = ''] = segmentsOf(foldersOf(own), {
    origin: 'http://127.0.0.1:1',
    clientId: 'test-client',
    onBehalfOf: null,
  }).map(({path}) => path)
  const text = readFileSync(damaged, 'utf8').split('\n')
  writeFileSync(damaged, text.toSpliced(1, 0, 'junk').join('\n'))
  const second = await paged(own)
  const {items, isWhole} = await second.json('/api/events')
  expect({items, isWhole}).toMatchObject({items: [{eventId: 'by-itself'}], isWhole: false})
  const {blind} = await second.json('/api/state')
  expect(JSON.stringify(blind)).toContain("can't be read to the end")
  await second.stop()
})
