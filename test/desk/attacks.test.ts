import {createHmac} from 'node:crypto'
import {connect} from 'node:net'
import {networkInterfaces} from 'node:os'
import {gzipSync} from 'node:zlib'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {openHealth} from '../../src/desk/listener/health.ts'
import {openKeeper} from '../../src/desk/listener/keeper.ts'
import {openListener} from '../../src/desk/listener/listener.ts'
import {readEvidence} from '../../src/desk/notices/evidence.ts'
import {inbox} from '../../src/desk/notices/inbox.ts'
import {bytesOf} from '../../src/desk/receipts/body.ts'
import {readSegments, segmentsOf} from '../../src/desk/receipts/read.ts'
import {recordedEvents} from '../../src/desk/receipts/recorded.ts'
import {type Folders, foldersOf} from '../../src/store/paths.ts'
import {effort} from '../support/effort.ts'
import {listening} from '../support/listening.ts'
import {faultyMachine} from '../support/machine-hook.ts'
import {folder} from '../support/program.ts'
import {userOf} from '../support/service.ts'

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
/** Of the attacks and of what was sent beside them. */
const counts = {refused: 0, stored: 0, lost: 0}
afterAll(async () => {
  await listener.close()
  console.log(`attacks: ${counts.refused} refused, ${counts.stored} stored, ${counts.lost} lost`)
  expect(counts.lost).toBe(0)
})

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

/** What became of deliveries: their statuses, and by how many receipts that are worth something the store grew. */
function tally(statuses: number[], more: number): void {
  const taken = statuses.filter((status) => status === 200).length
  counts.refused += statuses.length - taken
  counts.stored += Math.min(taken, more)
  counts.lost += Math.max(taken - more, 0)
}

/** Sends bytes as they are; returns the statuses of all answers, and 0 if the connection ends without one. */
function send(
  bytes: Buffer | Buffer[],
  {waitMs = 20_000, port = listener.port, host = '127.0.0.1'} = {},
): Promise<number[]> {
  return new Promise((resolve) => {
    const socket = connect(port, host)
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

async function deliver(sent: Sent = {}): Promise<number[]> {
  const before = worth()
  const statuses = await send(requestOf(sent))
  tally(statuses, worth() - before)
  return statuses
}
const stored = () => recordedEvents(folders, identity, {since: 0, until: Number.POSITIVE_INFINITY}).items
/** Copies that are stored and not refused. */
const worth = () =>
  stored().reduce(
    (sum, {trust, copies}) => sum + (trust === 'verified' || trust === 'unchecked' ? copies : 0),
    0,
  )
const verified = () => stored().filter(({trust}) => trust === 'verified').length

/** Each attack, the status it gets, and how many verified events it leaves behind. */
type Attack = [what: string, bytes: () => Buffer | Buffer[], statuses: number[], verified?: number]

async function attack(bytes: Buffer | Buffer[], statuses: number[], more: number): Promise<void> {
  const before = verified()
  const got = await send(bytes)
  tally(got, verified() - before)
  expect(got).toEqual(statuses)
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
    ['what was sent again from here', () => requestOf({headers: [['x-scent-REPLAY', '1']]}), [508]],
    ['a probe that nobody sent', () => requestOf({headers: [['X-Scent-Probe', 'guess']]}), [401]],
  ]
  test.each(attacks)('%s', (_, bytes, statuses, more = 0) => attack(bytes(), statuses, more))
})

test('an address of this machine in its network leads nowhere', async () => {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  const hosts = addresses.filter(({internal, family}) => !internal && family === 'IPv4')
  for (const {address} of hosts) {
    expect(await send(requestOf({}), {host: address})).toEqual([0])
    tally([0], 0)
  }
  // The whole of 127.0.0.0/8 is this machine, and it listens at one address.
  expect(await send(requestOf({}), {host: '127.0.0.2'})).toEqual([0])
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
    ['a length that is too long', () => requestOf({length: 10_000}), [408]],
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

  test('a head or a body that comes too slowly is not waited for', async () => {
    const whole = requestOf({}).toString('latin1')
    const cut = (length: number) => send(Buffer.from(whole.slice(0, length)))
    const before = verified()
    const got = await Promise.all([cut(60), cut(whole.length - 5)])
    tally(got.flat(), verified() - before)
    expect(got).toEqual([[408], [408]])
    expect(verified()).toBe(before)
    expect(await deliver()).toEqual([200])
  }, 30_000)

  const JUNK = effort({little: 5_100, all: 10_000})
  test(`of ${JUNK} junk posts no more is kept than there is room for`, async () => {
    const place = {config: folder(), state: folder()}
    const told: string[] = []
    const own = await openListener({
      ...{folders: place, identity, ports: [0], tolerance: 300},
      begin: async () => ({secrets: [secret], subscription: null}),
      wanted: () => true,
      tell: (line) => told.push(JSON.stringify(line)),
    })
    const junk = requestOf({signature: 'junk', host: `127.0.0.1:${own.port}`})
    const many = Array.from({length: 50}, () => junk)
    let answers = 0
    for (let sent = 0; sent < JUNK; sent += 50) {
      const got = await send(many, {port: own.port})
      expect(got.every((status) => status === 401)).toBe(true)
      answers += got.length
    }
    tally(
      Array.from({length: answers}, () => 401),
      0,
    )
    expect(answers).toBe(JUNK)
    expect(await send(requestOf({host: `127.0.0.1:${own.port}`}), {port: own.port})).toEqual([200])
    await own.close()
    const kept = [...readSegments(segmentsOf(place, identity), identity)].flatMap(({record}) =>
      record.kind === 'received' ? [record.trust] : [],
    )
    expect(kept.filter((trust) => trust === 'refused')).toHaveLength(5_000)
    expect(kept.filter((trust) => trust === 'verified')).toHaveLength(1)
    expect(told.at(-1)).toContain(`"received":${JUNK + 1}`)
  }, 120_000)

  test('on the next day there is room for refused receipts again', async () => {
    const place = {config: folder(), state: folder()}
    const opened = () => ({at: '', port: 0, public: null, subscription: null, secret: null, scheme: null})
    const keeper = openKeeper({folders: place, identity, health: openHealth(() => {}), opened})
    await keeper.start()
    const receipt = (at: string) => ({
      ...{at, remote: '', path: '/', headers: [], body: '', encoding: 'utf8' as const, bytes: 1, sha256: ''},
      ...{eventId: null, eventType: null, notices: [], trust: 'refused' as const, scheme: null, why: 'form'},
    })
    let kept = 0
    for (let n = 0; n < 5_002; n += 1)
      if (await keeper.quarantine(receipt('2026-11-22T23:59:59.000Z'))) kept += 1
    expect([kept, keeper.dropped()]).toEqual([5_000, 2])
    expect(await keeper.quarantine(receipt('2026-11-23T00:00:00.000Z'))).toBe(true)
    await keeper.close(new Date().toISOString())
  })

  test.each([
    ['full', 'a full disk'],
    ['fsync', 'a flush that fails'],
  ] as const)(
    '%s: %s gets 503, and the delivery is taken once the disk works again',
    async (trouble, _) => {
      const machine = faultyMachine()
      const env = userOf('http://127.0.0.1:1')
      const {SCENT_CLIENT_ID: _id, SCENT_CLIENT_SECRET: _secret, SCENT_BASE_URL: _url, ...bare} = env
      const own = await listening({...bare, ...machine.env})
      const body = (eventId: string) => JSON.stringify({eventId, eventType: 'order.completed'})
      const kept = () =>
        recordedEvents(foldersOf(env), identity, {since: 0, until: Number.POSITIVE_INFINITY}).items
      expect(await own.send(body('before'))).toBe(200)
      machine.have(trouble)
      const failed = [await own.send(body('during')), await own.send(body('during'))]
      tally(failed, 0)
      expect(failed).toEqual([503, 503])
      expect(await own.saw('state')).toMatchObject({state: 'failed', why: 'store'})
      expect(await own.saw('delivery', ({answered}) => answered === 503)).toMatchObject({why: 'not stored'})
      machine.have('')
      await own.saw('state', ({state}) => state === 'ready')
      expect(await own.send(body('during'))).toBe(200)
      const {stdout} = await own.stop()
      expect(
        kept()
          .map(({eventId}) => eventId)
          .sort(),
      ).toEqual(['before', 'during'])
      expect(stdout).toContain('"received":4,"stored":2')
    },
    30_000,
  )

  test('of a burst each is answered once it is stored, or cut off without an answer', async () => {
    const before = stored().length
    // Twice as many as it takes at once (docs/support.md).
    const ids = Array.from({length: 64}, (_, n) => `of-the-burst-${n}`)
    const bodyOf = (eventId: string) => JSON.stringify({eventId, eventType: 'order.completed'})
    const answers = await Promise.all(ids.map((eventId) => send(requestOf({body: bodyOf(eventId)}))))
    const taken = ids.filter((_, at) => answers[at]?.[0] === 200)
    expect(answers.flat().filter((status) => status !== 200 && status !== 0)).toEqual([])
    expect(taken.length).toBeGreaterThanOrEqual(32)
    const here = new Set(stored().map(({eventId}) => eventId))
    expect(taken.filter((id) => !here.has(id))).toEqual([])
    expect(stored().length - before).toBeGreaterThanOrEqual(taken.length)
    expect(await deliver()).toEqual([200])
  })

  const head = 'POST /hook HTTP/1.1\r\nContent-Length: 100000\r\nHost: '
  test.each([
    ['idle', () => ''],
    ['slow to send their heads', () => head],
    ['slow to send their bodies', () => `${head}${local()}\r\n\r\n`],
  ])(
    '200 connections that are %s hold nobody up',
    async (_, begin) => {
      const slow = Array.from({length: 200}, () => connect(listener.port, '127.0.0.1'))
      const send = (text: string) => {
        for (const socket of slow) if (text !== '' && socket.writable) socket.write(text)
      }
      for (const socket of slow) socket.on('error', () => {})
      await Promise.all(
        slow.map((socket) => new Promise((done) => socket.on('connect', done).on('close', done))),
      )
      send(begin())
      // They never stop, so that none of them is the idlest.
      const timer = setInterval(() => send(begin() && 'x'), 100)
      try {
        const began = performance.now()
        await expect.poll(() => deliver().catch(() => [0]), {timeout: 8_000, interval: 200}).toEqual([200])
        // What is slow is given ten seconds, and would hold it up for as long.
        console.log(`answered beside 200 slow connections after ${Math.round(performance.now() - began)} ms`)
        for (let more = 0; more < 20; more += 1) expect(await deliver()).toEqual([200])
      } finally {
        clearInterval(timer)
        for (const socket of slow) socket.destroy()
      }
    },
    60_000,
  )
})

describe('trust', () => {
  const attacks: Attack[] = [
    ['no signature', () => requestOf({signature: null}), [401]],
    ['an empty one', () => requestOf({signature: ''}), [401]],
    ['a cut one', () => requestOf({signature: sign('x', seconds()).slice(0, 40)}), [401]],
    ['one in capitals', () => requestOf({signature: sign('x', seconds()).toUpperCase()}), [401]],
    ['two of them', () => requestOf({headers: [['X-Service-Signature', 'v1=00']]}), [401]],
    [
      'one of SHA-1',
      () => requestOf({body: 'x', signature: `v1=${createHmac('sha1', secret).update('x').digest('hex')}`}),
      [401],
    ],
    [
      'one of the same JSON, written otherwise',
      () => {
        const at = seconds()
        return requestOf({at, body: '{"eventId": "spaced"}', signature: sign('{"eventId":"spaced"}', at)})
      },
      [401],
    ],
    ['one of another body', () => requestOf({signature: sign('another', seconds())}), [401]],
    ['one of another time', () => requestOf({body: 'x', signature: sign('x', seconds() - 5)}), [401]],
    ['one of another secret', () => requestOf({body: 'x', signature: sign('x', seconds(), 'other')}), [401]],
    ['301 seconds later', () => requestOf({at: seconds() - 302}), [401]],
    ['301 seconds ahead', () => requestOf({at: seconds() + 303}), [401]],
  ]
  test.each(attacks)('%s', (_, bytes, statuses, more = 0) => attack(bytes(), statuses, more))

  test('a delivery that is sent again is a copy, not another event', async () => {
    const bytes = requestOf({body: JSON.stringify({eventId: 'twice', eventType: 'order.completed'})})
    for (const _ of [1, 2]) {
      expect(await send(bytes)).toEqual([200])
      tally([200], 1)
    }
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
    const known = inbox(readEvidence(folders, identity, 0), {now: Date.now()})
    expect(known.map(({id}) => id)).toEqual([noticeId])
  })

  test('a refused delivery reaches the inbox in no way', async () => {
    const id = '7d4be2f3-11a9-4be2-8f55-9f5a1b0cc2ae'
    const body = JSON.stringify({eventId: 'liar', data: {notice: {id, status: 'AwaitingPartnerResponse'}}})
    expect(await deliver({body, signature: sign('x', seconds())})).toEqual([401])
    const known = inbox(readEvidence(folders, identity, 0), {now: Date.now()})
    expect(known.map((one) => one.id)).not.toContain(id)
  })
})

describe('without a secret', () => {
  const id = '0b9a52f1-86d1-4c3b-b7e5-0f2e6b6b7d10'
  const deadline = new Date(Date.now() + 72 * 3_600_000).toISOString()
  const later = new Date(Date.now() + 500 * 3_600_000).toISOString()
  const told = (eventId: string, fields: object) =>
    JSON.stringify({eventId, eventType: 'notice.raised', data: {notice: {id, ...fields}}})

  async function unchecked(bodies: string[]) {
    const own = await openListener({
      ...{folders, identity, ports: [0], tolerance: 300},
      begin: async () => ({secrets: [], subscription: null}),
      wanted: () => true,
      tell: () => {},
    })
    for (const body of bodies) {
      const bytes = requestOf({body, signature: null, host: `127.0.0.1:${own.port}`})
      expect(await send(bytes, {port: own.port})).toEqual([200])
      tally([200], 1)
    }
    await own.close()
    return inbox(readEvidence(folders, identity, 0), {now: Date.now()}).find((one) => one.id === id)
  }

  test('no event closes a notice that is open, nor makes its deadline later', async () => {
    const open = {status: 'AwaitingPartnerResponse', responseDeadlineAt: deadline}
    expect(await deliver({body: told('open', open)})).toEqual([200])
    const before = inbox(readEvidence(folders, identity, 0), {now: Date.now()}).find((one) => one.id === id)
    expect(before?.desk).toMatchObject({state: 'open', trust: 'verified'})
    const lengthened = await unchecked([told('later', {...open, responseDeadlineAt: later})])
    expect(lengthened?.responseDeadlineAt).toBe(deadline)
    const closed = await unchecked([told('closed', {status: 'Resolved', responseChoice: 'CancelWhole'})])
    expect(closed?.desk.state).toMatch(/open|doubtful/)
    expect(closed?.responseDeadlineAt).toBe(deadline)
  })
})

describe('content', () => {
  const lies = '\u001b[2J\u001b]0;owned\u0007'
  test.each<[string, [string, string], number]>([
    ['escape sequences', ['X-Odd', lies], 400],
    ['bidi controls', ['X-Odd', '\u202eevil'], 200],
    ['a formula', ['X-Odd', '=cmd|x!A1'], 200],
  ])('%s in a header', async (_, header, status) => {
    expect(await deliver({headers: [header]})).toEqual([status])
  })

  test.each<[string, string | Buffer]>([
    [
      '__proto__ as key and id',
      '{"__proto__":{"polluted":1},"eventId":"__proto__","data":{"noticeId":"__proto__"}}',
    ],
    ['an id of 1 MiB', `{"eventId":"${'x'.repeat(1024 * 1024 - 20)}"}`],
    ['ids like paths', '{"eventId":"../../etc/passwd","eventType":"../x"}'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x80, 0x7d])],
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
    const at = seconds()
    const mac = createHmac('sha256', secret).update(`${at}.`).update(body).digest('hex')
    expect(await deliver({body, at, signature: `v1=${mac}`})).toEqual([200])
    expect(stored()).toHaveLength(before + 1)
    const kept = [...readSegments(segmentsOf(folders, identity), identity)].flatMap(({record}) =>
      record.kind === 'received' ? [record] : [],
    )
    expect(kept.some((record) => bytesOf(record).equals(Buffer.from(body)))).toBe(true)
    // jq reads the records, and no half of a character.
    expect(JSON.stringify(kept)).not.toMatch(/(?<!\\)\\u(d[89a-f])/)
    expect(({} as {polluted?: number}).polluted).toBeUndefined()
  })
})
