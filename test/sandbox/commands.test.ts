import {spawn} from 'node:child_process'
import {existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs'
import {createServer} from 'node:net'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest'
import {folder} from '../support/program.ts'
import {inTerminal, oneLine, plain} from '../support/pty.ts'
import {bin, type Ran, scent} from '../support/scent.ts'

// Many processes one after the other; a busy machine takes its time.
vi.setConfig({testTimeout: 120_000})

let env: NodeJS.ProcessEnv
let state: string

beforeEach(() => {
  const home = folder()
  state = join(home, 'state')
  const {PATH, XDG_CACHE_HOME} = process.env
  env = {PATH, HOME: home, XDG_CACHE_HOME, SCENT_STATE_DIR: state, SCENT_CONFIG_DIR: join(home, 'config')}
})
afterEach(() => scent(env, ['sandbox', 'stop']))

const sandbox = (...argv: string[]): Promise<Ran> => scent(env, ['sandbox', ...argv])
const json = async (...argv: string[]) => JSON.parse((await sandbox(...argv, '--json')).stdout)
const start = (...argv: string[]) => json('start', '--detach', '--port', '0', ...argv)

interface Credential {
  clientId: string
  clientSecret: string
}

/** The answer of the token route. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into envelopes of every shape
async function mint(baseUrl: string, {clientId, clientSecret}: Credential): Promise<any> {
  const response = await fetch(`${baseUrl}/api/v1/auth/token`, {
    method: 'POST',
    headers: {'content-type': 'application/json'},
    body: JSON.stringify({clientId, clientSecret}),
  })
  return response.json()
}

describe('sandbox start', () => {
  test('--detach says in one line how it is reached, and leaves it running', async () => {
    const ended = await sandbox('start', '--detach', '--port', '0', '--memory')
    expect(ended).toMatchObject({code: 0, stderr: ''})
    expect(ended.stdout.trim().split('\n')).toHaveLength(1)
    const ready = JSON.parse(ended.stdout)
    expect(ready).toMatchObject({adminUrl: `${ready.baseUrl}/__sandbox/v1`, pid: expect.any(Number)})
    expect(ready.credentials[0]).toEqual({
      clientId: 'rimal-retail',
      clientSecret: expect.any(String),
      partnerId: expect.any(String),
      name: 'Rimal Retail',
    })
    const locator = join(state, 'sandbox.json')
    expect(JSON.parse(readFileSync(locator, 'utf8'))).toEqual(ready)
    expect(statSync(locator).mode & 0o777).toBe(0o600)
    expect((await fetch(`${ready.baseUrl}/__sandbox/health`)).status).toBe(200)
  })

  test.each([80, 40])(
    '--detach tells a person in %i columns how to go on, and prints no JSON',
    async (columns) => {
      const {code, text} = await inTerminal(
        env,
        ['sandbox', 'start', '--detach', '--port', '0', '--memory'],
        {columns},
      )
      const page = plain(text).replace(/\s+/g, ' ')
      expect(code).toBe(0)
      expect(page).toContain('Serving http://127.0.0.1:')
      expect(page).toContain('rimal-retail')
      expect(page).toContain('scent auth login --sandbox')
      expect(page).toContain('scent sandbox stop')
      expect(page).not.toMatch(/adminToken|[{}]/)
    },
  )

  test('--detach prints what is asked for, in the form that is asked for', async () => {
    const detach = ['start', '--detach', '--port', '0', '--memory']
    const printed = async (...argv: string[]) => {
      const {code, stdout, stderr} = await sandbox(...detach, ...argv)
      expect(code, stderr).toBe(0)
      const running = await json('status')
      expect((await fetch(`${running.baseUrl}/__sandbox/health`)).status).toBe(200)
      await sandbox('stop')
      return {stdout, baseUrl: running.baseUrl}
    }
    const {stdout, baseUrl} = await printed('--query=baseUrl', '--no-limits')
    expect(JSON.parse(stdout)).toBe(baseUrl)
    const line = await printed('--output', 'ndjson')
    expect(JSON.parse(line.stdout)).toMatchObject({baseUrl: line.baseUrl})
    expect((await printed('--output', 'csv')).stdout).toMatch(/^name,.*\n(.*\n)*.*rimal-retail/)
    expect((await printed('--columns', 'clientId')).stdout).toMatch(/^rimal-retail\n/)
  })

  test('with --query a sandbox that runs says at once what is asked for', async () => {
    const running = spawn(
      process.execPath,
      [bin, 'sandbox', 'start', '--port', '0', '--memory', '--query', 'baseUrl'],
      {env},
    )
    const ended = new Promise((done) => running.once('close', done))
    const line = await new Promise<string>((done) => running.stdout.setEncoding('utf8').once('data', done))
    expect(JSON.parse(line)).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    running.kill('SIGINT')
    await ended
  })

  test('its secrets are of this installation: kept over starts and resets, and of no use anywhere else', async () => {
    const {baseUrl, credentials} = await start('--memory')
    const [{clientId, clientSecret}] = credentials
    const {accessToken} = (await mint(baseUrl, credentials[0])).payload
    const read = (token: string, at = baseUrl) =>
      fetch(`${at}/api/v1/scent/variants`, {headers: {authorization: `Bearer ${token}`}})
    expect(statSync(join(state, 'sandbox.secret')).mode & 0o777).toBe(0o600)
    await sandbox('reset', '--yes')
    expect((await read(accessToken)).status).toBe(200)
    await sandbox('stop')
    const again = await start('--data', join(folder(), 'data'))
    expect(again.credentials).toEqual(credentials)
    expect((await read(accessToken, again.baseUrl)).status).toBe(200)

    const other = {...env, SCENT_STATE_DIR: join(folder(), 'state')}
    const argv = ['sandbox', 'start', '--detach', '--port', '0', '--memory', '--json']
    const stranger = JSON.parse((await scent(other, argv)).stdout)
    try {
      expect(stranger.credentials[0]).toMatchObject({clientId, partnerId: credentials[0].partnerId})
      expect(stranger.credentials[0].clientSecret).not.toBe(clientSecret)
      expect(await mint(stranger.baseUrl, credentials[0])).toMatchObject({
        state: 'UNAUTHORIZED_INVALID_CREDENTIALS',
      })
      expect((await read(accessToken, stranger.baseUrl)).status).toBe(401)
    } finally {
      await scent(other, ['sandbox', 'stop'])
    }
  })

  test('a damaged secret is named, and nothing is served', async () => {
    await start('--memory')
    await sandbox('stop')
    for (const text of ['', 'x'.repeat(64)]) {
      writeFileSync(join(state, 'sandbox.secret'), text)
      const {code, stdout} = await sandbox('start', '--port', '0', '--memory', '--json')
      expect([code, JSON.parse(stdout).error.message]).toEqual([2, expect.stringContaining('sandbox.secret')])
    }
  })

  test('a second one is refused and changes nothing', async () => {
    const {baseUrl} = await start('--memory')
    const second = await sandbox('start', '--port', '0', '--json')
    expect(second.code).toBe(8)
    expect(JSON.parse(second.stdout).error).toMatchObject({
      state: 'SANDBOX_RUNNING',
      message: expect.stringContaining(baseUrl),
    })
    expect(await json('status')).toMatchObject({baseUrl})
    const detached = await sandbox('start', '--detach', '--port', '0', '--json')
    expect([detached.code, JSON.parse(detached.stdout).error.state]).toEqual([8, 'SANDBOX_RUNNING'])
  })

  test('the locator of a dead one, and of a stranger with its number, is ignored', async () => {
    const first = await start('--memory')
    process.kill(first.pid, 'SIGKILL')
    expect((await sandbox('stop', '--json')).code).toBe(10)
    const second = await start('--memory')
    expect(second.pid).not.toBe(first.pid)
    process.kill(second.pid, 'SIGKILL')
    writeFileSync(join(state, 'sandbox.json'), JSON.stringify({...second, pid: process.pid}))
    expect((await sandbox('stop', '--json')).code).toBe(10)
    expect((await start('--memory')).pid).not.toBe(second.pid)
  })

  test('keeps its data, here or in --data, until it is reset', async () => {
    await start()
    await sandbox('partner', 'rimal-retail', '--wallet', '1.50')
    await sandbox('stop')
    await start()
    expect((await json('partner')).items[0]).toMatchObject({wallet: 1.5})
    await sandbox('reset', '--yes')
    expect((await json('partner')).items[0]).toMatchObject({wallet: 50_000})
    await sandbox('stop')
    const data = join(folder(), 'data')
    await start('--data', data)
    expect(existsSync(join(data, 'sandbox.db'))).toBe(true)
  })

  test('a reset asks, and sets aside what this machine noted of it, and nothing else', async () => {
    const {baseUrl, credentials} = await start('--memory')
    const [{clientId, clientSecret}] = credentials
    const user = {
      ...env,
      SCENT_CLIENT_ID: clientId,
      SCENT_CLIENT_SECRET: clientSecret,
      SCENT_BASE_URL: baseUrl,
    }
    const hook = [
      'webhooks',
      'create',
      '--url',
      'http://127.0.0.1:9/',
      '--event',
      'order.completed',
      '--json',
    ]
    const webhooks = async () => JSON.parse((await scent(user, ['webhooks', 'list', '--json'])).stdout).items
    expect((await scent(user, hook)).code).toBe(0)
    expect(await webhooks()).toHaveLength(1)
    const other = join(state, 'records', `${new URL(baseUrl).host.replace(':', '_')}0-0123456789abcdef`)
    mkdirSync(other, {recursive: true})

    const asked = await sandbox('reset')
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('--yes')])
    expect(await webhooks()).toHaveLength(1)
    const wrong = await sandbox('reset', '--seed', 'nonsense')
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('"nonsense" is not a valid seed.'),
    ])
    const {code, stderr} = await sandbox('reset', '--yes')
    expect(code).toBe(0)
    expect(await webhooks()).toEqual([])
    expect(existsSync(other)).toBe(true)
    const [, aside = ''] = /was moved to\s(\S+)\.$/.exec(stderr.trim()) ?? []
    expect(readdirSync(aside)).toHaveLength(1)
    expect((await sandbox('reset', '--yes')).stderr).toBe('')
  })

  test('says that it took another port than the usual one', async () => {
    const holder = createServer().on('error', () => {})
    // Or somebody else has it.
    await new Promise<void>((done) => holder.on('error', () => done()).listen(4747, '127.0.0.1', done))
    const {code, stdout, stderr} = await sandbox('start', '--detach', '--memory')
    const {host} = new URL(JSON.parse(stdout).baseUrl)
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`Port 4747 is taken, and a free one was chosen: ${host}.`),
    ])
    expect(stderr).toContain('`scent auth login --sandbox`')
    holder.close()
    expect(await sandbox('status', '--check')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('adds up'),
    })
    expect(await sandbox('status', '--check', '--json')).toMatchObject({code: 0, stderr: ''})
    // And nothing else of what is kept of it, such as its secrets.
    expect((await sandbox('stop')).stdout).toBe(`${JSON.parse(stdout).pid}\n`)
  })

  test('a taken port, an unknown assumption and another seed for old data are refused', async () => {
    const {baseUrl} = await start()
    const other = {...env, SCENT_STATE_DIR: join(folder(), 'state')}
    const port = new URL(baseUrl).port
    const taken = await scent(other, ['sandbox', 'start', '--memory', '--port', port, '--json'])
    expect([taken.code, JSON.parse(taken.stdout).error.message]).toEqual([2, expect.stringContaining(port)])
    const assumed = await scent(other, ['sandbox', 'start', '--memory', '--assume', 'Z9=x', '--json'])
    expect([assumed.code, JSON.parse(assumed.stdout).error.state]).toEqual([2, 'INVALID_INPUT'])
    await sandbox('stop')
    const seeded = await sandbox('start', '--port', '0', '--seed', 'empty', '--json')
    expect([seeded.code, JSON.parse(seeded.stdout).error.message]).toEqual([
      2,
      expect.stringContaining('demo'),
    ])
  })

  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s lets a running request end, and leaves nothing behind',
    async (signal) => {
      const argv = ['bin/run.js', 'sandbox', 'start', '--port', '0', '--json']
      const child = spawn(process.execPath, argv, {env, stdio: ['ignore', 'pipe', 'inherit']})
      const {baseUrl, credentials} = JSON.parse(
        await new Promise<string>((resolve) => child.stdout.once('data', (b) => resolve(String(b)))),
      )
      await sandbox('fault', '--effect', 'slow', '--when', 'after', '--delay', '300')
      const {clientId, clientSecret} = credentials[0]
      const body = JSON.stringify({clientId, clientSecret})
      const asked = fetch(`${baseUrl}/api/v1/auth/token`, {
        method: 'POST',
        body,
        headers: {'content-type': 'application/json'},
      })
      while ((await json('requests')).items.length === 0 && !(await json('fault', '--list')).items[0].met) {}
      child.kill(signal)
      expect((await asked).status).toBe(200)
      const code = await new Promise((resolve) => child.once('exit', resolve))
      expect(code).toBe(0)
      expect(existsSync(join(state, 'sandbox.json'))).toBe(false)
      expect(existsSync(join(state, 'sandbox/staging/sandbox.db.lock'))).toBe(false)
    },
  )
})

test('without a running sandbox the controls say so', async () => {
  for (const argv of [
    ['stop'],
    ['status'],
    ['reset', '--yes'],
    ['clock'],
    ['partner'],
    ['variant', 'x'],
    ['fault', '--list'],
    ['requests'],
    ['deliver', 'x'],
    ['notice', 'x', '--line', 'y'],
    ['return', 'x', 'accept'],
  ]) {
    const ended = await sandbox(...argv, '--json')
    expect([ended.code, JSON.parse(ended.stdout).error.state]).toEqual([10, 'SANDBOX_NOT_RUNNING'])
  }
})

test('the controls steer it', async () => {
  await start('--memory', '--no-limits', '--assume', 'L04=allowed', '--env', 'production')
  expect(await json('status', '--check')).toMatchObject({
    environment: 'production',
    limits: false,
    assumptions: ['L04=allowed'],
    violations: [],
  })
  expect(await json('status', '--all')).toHaveProperty('orders')
  expect(await json('partner', 'Rimal Online', '--access', 'off', '--wallet', 'none')).toMatchObject({
    productAccess: false,
    wallet: null,
  })
  expect(await json('variant', 'RML-SAF-050', '--stock', '1')).toMatchObject({
    availability: 'Limited',
    stock: 1,
  })
  expect(await json('variant', 'RML-SAF-050')).toMatchObject({price: 120.5})
  expect(await json('deliver', 'SCN-0000000003')).toMatchObject({groups: [{status: 'Delivered'}]})
  const before = Date.parse((await json('clock', '--freeze')).now)
  expect(Date.parse((await json('clock', '--advance', '30m')).now) - before).toBe(1_800_000)
  expect(
    await json('fault', '--operation', 'createOrder', '--effect', 'reset', '--when', 'after', '--times', '1'),
  ).toMatchObject({id: 1, met: 0})
  expect((await json('fault', '--list')).items).toHaveLength(1)
  expect((await json('fault', '--clear')).items).toEqual([])
  expect(await json('reset', '--save', 'a')).toEqual({name: 'a'})
  expect(await json('reset', '--to', 'a', '--yes')).toMatchObject({frozen: true})
  expect((await json('requests')).items).toEqual([])
  expect(await sandbox('clock', '--advance', 'soon')).toMatchObject({code: 2})
  expect(await sandbox('partner', 'nobody', '--wallet', '1')).toMatchObject({code: 5})
})

test('of a sandbox without limits the commands keep no pace, of any other they do', async () => {
  const walk = async (...argv: string[]) => {
    const {baseUrl, credentials} = await start('--memory', '--seed', 'bulk:wallet=400', ...argv)
    const [{clientId, clientSecret}] = credentials
    const user = {
      ...env,
      SCENT_BASE_URL: baseUrl,
      SCENT_CLIENT_ID: clientId,
      SCENT_CLIENT_SECRET: clientSecret,
    }
    const words = 'wallet transactions --limit 310 --page-size 1 --max-wait 0 --output ndjson'.split(' ')
    const {code, stdout} = await scent(user, words)
    await sandbox('stop')
    return [code, stdout.split('\n').length - 1]
  }
  expect(await walk('--no-limits')).toEqual([0, 310])
  expect(await walk()).toEqual([9, expect.any(Number)])
})

test('orders, notices and returns go on as an operator of the service would have it', async () => {
  const {baseUrl, credentials} = await start('--memory', '--no-limits', '--strict')
  const [{clientId, clientSecret}] = credentials
  const user = {...env, SCENT_BASE_URL: baseUrl, SCENT_CLIENT_ID: clientId, SCENT_CLIENT_SECRET: clientSecret}
  const api = async (...argv: string[]) => JSON.parse((await scent(user, ['api', ...argv])).stdout)
  const {orders} = await json('status', '--all')
  const at = (reference: string) =>
    orders.find((one: {externalReference: string}) => one.externalReference === reference)
  const open = await sandbox('notice', at('HIST-0003').id, '--line', 'SDR-HON-050')
  expect([open.code, open.stderr]).toEqual([6, expect.stringContaining('has an open notice already')])
  const [notice] = (await json('status', '--all')).notices
  await api('PATCH', `scent/unfulfillable-notices/${notice.id}/respond`, '--field', 'choice=ShipAvailable')
  const raise = ['notice', at('HIST-0003').orderGlobalId, '--line', 'SDR-HON-050', '--available']
  const raised = await json(...raise, '2')
  expect(raised).toMatchObject({
    deliveries: 0,
    notice: {status: 'AwaitingPartnerResponse', line: {orderedQuantity: 3, availableQuantity: 2}},
    event: {eventType: 'notice.raised', data: {orderId: at('HIST-0003').id}},
  })
  expect((await sandbox('clock', '--advance', '72h')).stdout).toContain('notice-expired')

  const {scentDetail} = await api('GET', `scent/orders/${at('HIST-0002').id}`)
  const body = {
    fulfillmentGroupId: scentDetail.fulfillmentGroups[0].id,
    lines: [{scentOrderLineId: scentDetail.lines[0].id, quantity: 1, reasonCode: 'Damaged'}],
  }
  writeFileSync(join(state, 'body.json'), JSON.stringify(body))
  const path = `scent/orders/${at('HIST-0002').id}/return-requests`
  const made = await api('POST', path, '--input', join(state, 'body.json'))
  expect(await sandbox('return', made.id, 'accept', '--reason', 'no')).toMatchObject({code: 2})
  expect(await sandbox('return', made.id, 'accept', '--sound')).toMatchObject({code: 2})
  expect(await json('return', made.id, 'receive')).toMatchObject({status: 'Processing'})
  expect(await json('return', made.returnRequestNumber, 'refund', '--sound')).toMatchObject({
    status: 'Refunded',
    refund: {shippingFeeRefund: null},
  })
  const again = await sandbox('return', made.id, 'reject', '--reason', 'late', '--json')
  expect([again.code, JSON.parse(again.stdout).error]).toEqual([
    8,
    expect.objectContaining({
      message: 'The sandbox refused: return is Refunded already.',
      hint: expect.stringContaining('a closed one takes no step any more'),
    }),
  ])
  const unknown = await sandbox('return', 'RMA-000077', 'accept')
  expect([unknown.code, unknown.stderr]).toEqual([
    5,
    expect.stringMatching(/^Error: The sandbox has no such return request\. .*\n.*\nNext: Every id is in/),
  ])
  const hook = await scent(
    user,
    ['api', 'POST', 'scent/webhooks', '--input', '-', '--json'],
    JSON.stringify({url: 'http://127.0.0.1:9/', eventTypes: ['order.completed']}),
  )
  expect(JSON.parse(hook.stdout).error).toMatchObject({
    state: 'VALIDATION_WEBHOOK_URL_UNSAFE',
    details: {reason: 'NOT_ABSOLUTE_HTTPS'},
  })
  expect((await json('status', '--check')).violations).toEqual([])
})

test('a notice that nobody is told of is followed by the way to receive one', async () => {
  const {credentials, baseUrl} = await start('--memory', '--no-limits')
  const [{clientId, clientSecret}] = credentials
  const user = {...env, SCENT_BASE_URL: baseUrl, SCENT_CLIENT_ID: clientId, SCENT_CLIENT_SECRET: clientSecret}
  const inbox = await scent(user, ['notices', 'inbox'])
  expect(inbox.stderr).toContain('`scent webhooks listen --subscribe`')
  const [{id}] = (await json('status', '--all')).notices
  await scent(user, ['notices', 'respond', id, '--choice', 'ShipAvailable', '--yes'])
  const {code, stderr} = await sandbox('notice', 'HIST-0003', '--line', 'SDR-HON-050', '--available', '2')
  expect([code, stderr]).toEqual([0, expect.stringContaining('Nobody is told of it')])
  expect(stderr).toContain('`scent webhooks listen --subscribe`')
})

test('an event that nobody is subscribed to is told, with the way out, and is no row', async () => {
  await start('--memory')
  const none = {event: null, deliveries: 0}
  expect(await json('event', 'order.completed')).toEqual(none)
  for (const output of ['table', 'csv'] as const) {
    const {code, stdout, stderr} = await sandbox('event', 'order.completed', '--output', output)
    const rows = stdout.split('\n').slice(output === 'csv' ? 1 : 0)
    expect([code, rows]).toEqual([0, ['']])
    expect(stderr).toContain(
      'Nothing was sent: no active subscription of the sandbox has the type order.completed.',
    )
    expect(stderr).toContain('`scent webhooks listen --subscribe`')
  }
  const {code, text} = await inTerminal(env, ['sandbox', 'event', 'order.completed'], {columns: 40})
  expect(code).toBe(0)
  expect(oneLine(text)).toMatch(/^Nothing was sent: no active [^{]* whatever its types are\. $/)
})
