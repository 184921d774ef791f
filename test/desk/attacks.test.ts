import {createHmac} from 'node:crypto'
import {connect} from 'node:net'
import {gzipSync} from 'node:zlib'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {openListener} from '../../src/desk/listener/listener.ts'
import {readEvidence} from '../../src/desk/notices/evidence.ts'
import {inbox} from '../../src/desk/notices/inbox.ts'
import {recordedEvents} from '../../src/desk/receipts/recorded.ts'
import type {Folders} from '../../src/store/paths.ts'
import {folder} from '../support/program.ts'

const secret = 'a signing secret'
const identity = {origin: 'local', clientId: 'local', onBehalfOf: null}
const noticeId = 'c6c0dd6c-5d76-4b5d-9eff-250400d2b556'

let folders: Folders
let listener: Awaited<ReturnType<typeof openListener>>
let serial = 0

beforeAll(async () => {
  folders = {config: folder(), state: folder()}
  listener = await openListener({
    ...{folders, identity, ports: [0], tolerance: 300},
    begin: async () => ({secrets: [secret], subscription: null}),
    wanted: () => true,
    tell: () => {},
  })
})
afterAll(() => listener.close())

const sign = (body: string, at: number, key = secret) =>
  `v1=${createHmac('sha256', key).update(`${at}.${body}`).digest('hex')}`

const seconds = () => Math.floor(Date.now() / 1000)
const event = (more: object = {}) =>
  JSON.stringify({eventId: `good-${++serial}`, eventType: 'order.completed', ...more})

interface Sent {
  line?: string
  host?: string | null
  headers?: [string, string][]
  body?: string | Buffer
  /** Of the body, unless it says otherwise. */
  length?: number | null
  at?: number
  signature?: string | null
}

/** The bytes of a delivery that is right in everything that is not said otherwise. */
function requestOf({
  line = 'POST /hook HTTP/1.1',
  host,
  headers = [],
  body = event(),
  length,
  ...sent
}: Sent): Buffer {
  const bytes = Buffer.from(body)
  const at = sent.at ?? seconds()
  const signature =
    sent.signature === undefined
      ? sign(bytes.toString('latin1') === '' ? '' : String(body), at)
      : sent.signature
  const lines = [
    line,
    ...(host === null ? [] : [`Host: ${host ?? `127.0.0.1:${listener.port}`}`]),
    'Content-Type: application/json',
    ...(signature === null ? [] : [`X-Service-Signature: ${signature}`, `X-Service-Timestamp: ${at}`]),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(length === null ? [] : [`Content-Length: ${length ?? bytes.length}`]),
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes])
}

/** Sends bytes as they are; returns the statuses of all answers, and 0 if the connection ends without one. */
function send(bytes: Buffer | Buffer[], {waitMs = 1_500} = {}): Promise<number[]> {
  return new Promise((resolve) => {
    const socket = connect(listener.port, '127.0.0.1')
    let text = ''
    const done = () => {
      clearTimeout(timer)
      socket.destroy()
      const found = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))
      resolve(found.length > 0 ? found : [0])
    }
    let timer = setTimeout(done, waitMs)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      clearTimeout(timer)
      timer = setTimeout(done, 150)
    })
    socket.on('error', done)
    socket.on('close', done)
    for (const part of [bytes].flat()) socket.write(part)
  })
}

const deliver = (sent: Sent = {}) => send(requestOf(sent))
const stored = () => recordedEvents(folders, identity, {since: 0, until: Number.POSITIVE_INFINITY})
const verified = () => stored().filter(({trust}) => trust === 'verified').length

/** Each attack, the status it gets, and how many verified events it leaves behind. */
type Attack = [what: string, bytes: () => Buffer | Buffer[], statuses: number[], verified?: number]

async function attack(bytes: Buffer | Buffer[], statuses: number[], more: number): Promise<void> {
  const before = verified()
  expect(await send(bytes)).toEqual(statuses)
  expect(verified()).toBe(before + more)
  expect(await deliver()).toEqual([200])
  expect(verified()).toBe(before + more + 1)
}

const local = () => `127.0.0.1:${listener.port}`
const large = 'x'.repeat(2 * 1024 * 1024)

describe('who may send', () => {
  const attacks: Attack[] = [
    ['a foreign Host', () => requestOf({host: 'evil.example'}), [421]],
    ['a foreign Host with our port', () => requestOf({host: `evil.example:${listener.port}`}), [421]],
    ['no Host', () => requestOf({host: null}), [400]],
    ['two Hosts', () => requestOf({headers: [['Host', 'evil.example']]}), [400]],
    ['localhost with a dot', () => requestOf({host: `localhost.:${listener.port}`}), [421]],
    ['LOCALHOST in capitals, which is us', () => requestOf({host: `LOCALHOST:${listener.port}`}), [200], 1],
    ['a foreign Origin', () => requestOf({headers: [['Origin', 'https://evil.example']]}), [403]],
    ['the Origin null', () => requestOf({headers: [['Origin', 'null']]}), [403]],
    ['our own Origin', () => requestOf({headers: [['Origin', `http://${local()}`]]}), [403]],
    ['a mark of a browser', () => requestOf({headers: [['Sec-Fetch-Site', 'cross-site']]}), [403]],
    ['GET', () => requestOf({line: 'GET /hook HTTP/1.1'}), [405]],
    ['PUT', () => requestOf({line: 'PUT /hook HTTP/1.1'}), [405]],
    ['DELETE', () => requestOf({line: 'DELETE /hook HTTP/1.1'}), [405]],
    ['TRACE', () => requestOf({line: 'TRACE /hook HTTP/1.1'}), [405]],
    ['a preflight', () => requestOf({line: 'OPTIONS /hook HTTP/1.1'}), [405]],
    ['an absolute target', () => requestOf({line: 'POST http://evil.example/hook HTTP/1.1'}), [400]],
    ['what was forwarded from here', () => requestOf({headers: [['X-Scent-Forwarded', '1']]}), [508]],
    ['a probe that nobody sent', () => requestOf({headers: [['X-Scent-Probe', 'guess']]}), [401]],
  ]
  test.each(attacks)('%s', (_, bytes, statuses, more = 0) => attack(bytes(), statuses, more))
})

describe('framing', () => {
  const plain = (head: string[], body = '') => Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
  const signed = (body: string) => {
    const at = seconds()
    return [`X-Service-Signature: ${sign(body, at)}`, `X-Service-Timestamp: ${at}`]
  }
  const post = ['POST /hook HTTP/1.1']
  const attacks: Attack[] = [
    ['a length and chunks', () => requestOf({headers: [['Transfer-Encoding', 'chunked']]}), [400]],
    ['two lengths', () => requestOf({headers: [['Content-Length', '5']]}), [400]],
    ['a length that is too short: the rest is not a second request', () => requestOf({length: 10}), [400]],
    ['a length that is too long', () => requestOf({length: 10_000}), [0]],
    [
      'a bad size of a chunk',
      () => plain([...post, `Host: ${local()}`, 'Transfer-Encoding: chunked'], 'zz\r\nabc\r\n0\r\n\r\n'),
      [400],
    ],
    [
      'extensions of a chunk, which mean nothing',
      () =>
        plain(
          [...post, `Host: ${local()}`, ...signed('{"eventId":"chunked"}'), 'Transfer-Encoding: chunked'],
          '15;x=y\r\n{"eventId":"chunked"}\r\n0\r\n\r\n',
        ),
      [200],
      1,
    ],
    [
      'bare line feeds',
      () => Buffer.from(`POST /hook HTTP/1.1\nHost: ${local()}\nContent-Length: 0\n\n`),
      [400],
    ],
    ['a folded header', () => requestOf({headers: [['X-Folded', 'a\r\n b']]}), [400]],
    ['a NUL in a header', () => requestOf({headers: [['X-Nul', 'a\0b']]}), [400]],
    ['two at once', () => Buffer.concat([requestOf({}), requestOf({})]), [200, 200], 2],
    [
      'an upgrade, which is a delivery like any other',
      () =>
        requestOf({
          headers: [
            ['Connection', 'Upgrade'],
            ['Upgrade', 'websocket'],
          ],
        }),
      [200],
      1,
    ],
    ['the preface of HTTP/2', () => Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), [400]],
  ]
  test.each(attacks)('%s', (_, bytes, statuses, more = 0) => attack(bytes(), statuses, more))
})

describe('load', () => {
  const attacks: Attack[] = [
    ['2 MiB, and says so', () => requestOf({body: large}), [413]],
    [
      '2 MiB, and does not say so',
      () =>
        Buffer.concat([
          Buffer.from(
            `POST /hook HTTP/1.1\r\nHost: ${local()}\r\nTransfer-Encoding: chunked\r\n\r\n200000\r\n`,
          ),
          Buffer.from(`${large}\r\n0\r\n\r\n`),
        ]),
      [413],
    ],
    ['40 KiB of headers', () => requestOf({headers: [['X-Long', 'x'.repeat(40_000)]]}), [431]],
    [
      '2,000 headers',
      () =>
        requestOf({headers: Array.from({length: 2_000}, (_, at) => [`X-${at}`, 'x'] as [string, string])}),
      [431],
    ],
    ['100,000 brackets', () => requestOf({body: '['.repeat(100_000)}), [200], 1],
    [
      'a number of 10,000 digits',
      () => requestOf({body: `{"eventId":"digits","n":${'9'.repeat(10_000)}}`}),
      [200],
      1,
    ],
  ]
  test.each(attacks)('%s', (_, bytes, statuses, more = 0) => attack(bytes(), statuses, more))

  test('a packed body is kept as it came, and never unpacked', async () => {
    const body = gzipSync(Buffer.alloc(10_000_000))
    const at = seconds()
    const signature = `v1=${createHmac('sha256', secret).update(`${at}.`).update(body).digest('hex')}`
    const headers: [string, string][] = [['Content-Encoding', 'gzip']]
    expect(await send(requestOf({body, at, signature, headers}))).toEqual([200])
    expect(stored()[0]).toMatchObject({bytes: body.length, eventId: null})
  })

  test('40 silent connections keep nobody out for long', async () => {
    const silent = Array.from({length: 40}, () => connect(listener.port, '127.0.0.1'))
    for (const socket of silent) socket.on('error', () => {})
    await expect.poll(() => deliver().catch(() => [0]), {timeout: 20_000, interval: 500}).toEqual([200])
    for (const socket of silent) socket.destroy()
  }, 30_000)
})

describe('trust', () => {
  const attacks: Attack[] = [
    ['no signature', () => requestOf({signature: null}), [401]],
    ['an empty one', () => requestOf({signature: ''}), [401]],
    ['a cut one', () => requestOf({signature: sign('x', seconds()).slice(0, 40)}), [401]],
    ['one in capitals', () => requestOf({signature: sign('x', seconds()).toUpperCase()}), [401]],
    ['two of them', () => requestOf({headers: [['X-Service-Signature', 'v1=00']]}), [401]],
    ['one of another body', () => requestOf({signature: sign('another', seconds())}), [401]],
    ['one of another time', () => requestOf({body: 'x', signature: sign('x', seconds() - 5)}), [401]],
    ['one of another secret', () => requestOf({body: 'x', signature: sign('x', seconds(), 'other')}), [401]],
    ['301 seconds later', () => requestOf({at: seconds() - 302}), [401]],
    ['301 seconds ahead', () => requestOf({at: seconds() + 303}), [401]],
  ]
  test.each(attacks)('%s', (_, bytes, statuses, more = 0) => attack(bytes(), statuses, more))

  test('a delivery that is sent again is a copy, not another event', async () => {
    const bytes = requestOf({body: JSON.stringify({eventId: 'twice', eventType: 'order.completed'})})
    expect(await send(bytes)).toEqual([200])
    expect(await send(bytes)).toEqual([200])
    expect(stored().filter(({eventId}) => eventId === 'twice')).toMatchObject([{copies: 2, differs: false}])
  })

  test('an id is not taken by a copy that was refused', async () => {
    const body = (eventType: string) => JSON.stringify({eventId: 'taken first', eventType})
    expect(await deliver({body: body('notice.raised'), signature: sign('x', seconds())})).toEqual([401])
    expect(await deliver({body: body('order.completed')})).toEqual([200])
    const taken = stored().filter(({eventId, trust}) => eventId === 'taken first' && trust === 'verified')
    expect(taken).toMatchObject([{eventType: 'order.completed', copies: 1, differs: false}])
  })

  test('another body under the same id is told, and feeds nothing', async () => {
    const body = (id: string) =>
      JSON.stringify({
        eventId: 'differs',
        eventType: 'notice.raised',
        data: {notice: {id, responseChoice: null}},
      })
    expect(await deliver({body: body(noticeId)})).toEqual([200])
    expect(await deliver({body: body('1f0b9a52-86d1-4c3b-b7e5-0f2e6b6b7d10')})).toEqual([200])
    expect(stored().filter(({eventId}) => eventId === 'differs')).toMatchObject([{copies: 2, differs: true}])
    const known = inbox(readEvidence(folders, identity, 0), Date.now())
    expect(known.map(({id}) => id)).toEqual([noticeId])
  })

  test('a refused delivery reaches the inbox in no way', async () => {
    const id = '7d4be2f3-11a9-4be2-8f55-9f5a1b0cc2ae'
    const body = JSON.stringify({eventId: 'liar', data: {notice: {id, status: 'AwaitingPartnerResponse'}}})
    expect(await deliver({body, signature: sign('x', seconds())})).toEqual([401])
    const known = inbox(readEvidence(folders, identity, 0), Date.now())
    expect(known.map((one) => one.id)).not.toContain(id)
  })
})

describe('content', () => {
  test.each<[string, string]>([
    [
      '__proto__ as key and id',
      '{"__proto__":{"polluted":1},"eventId":"__proto__","data":{"noticeId":"__proto__"}}',
    ],
    ['an id of 100 KiB', `{"eventId":"${'x'.repeat(100_000)}"}`],
    ['ids like paths', '{"eventId":"../../etc/passwd","eventType":"../x"}'],
    ['half characters', '{"eventId":"\\ud800","eventType":"\\udc00"}'],
    ['a byte order mark', '\ufeff{"eventId":"bom"}'],
    ['keys that are there twice', '{"eventId":"first","eventId":"second"}'],
    ['escape sequences', '{"eventId":"\\u001b[2J\\u202e","eventType":"\\u0007"}'],
    ['formulas of spreadsheets', '{"eventId":"=1+1","eventType":"@SUM(A1)"}'],
    ['scripts', '{"eventId":"<script>alert(1)</script>"}'],
    ['nothing', ''],
    ['text', 'hello'],
  ])('%s is kept with its exact bytes', async (_, body) => {
    const before = stored().length
    expect(await deliver({body})).toEqual([200])
    expect(stored()).toHaveLength(before + 1)
    expect(({} as {polluted?: number}).polluted).toBeUndefined()
  })
})
