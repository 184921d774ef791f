// What the desk costs: a delivery that is on disk before it is answered, and an inbox that is made of records.
import {type ChildProcess, execFileSync, spawn, spawnSync} from 'node:child_process'
import {createHmac, randomUUID} from 'node:crypto'
import {once} from 'node:events'
import {closeSync, fsyncSync, mkdirSync, openSync, readdirSync, rmSync, writeSync} from 'node:fs'
import {join} from 'node:path'
import {createInterface} from 'node:readline'
import {Pool} from 'undici'
import {openReceipts, receiptsFolder} from '../../src/desk/receipts/segment.ts'
import {median, print} from './bench-figures.ts'

const secret = 'whsec_of-the-bench'
const identity = {origin: 'local', clientId: 'local', onBehalfOf: null}
const HOUR = 3_600_000

/** A user of the desk without a credential, with records of their own. */
export function userIn(folder: string, name: string, env: NodeJS.ProcessEnv) {
  const place = join(folder, `desk-${name}`)
  const folders = {config: join(place, 'config'), state: join(place, 'state')}
  for (const one of Object.values(folders)) mkdirSync(one, {recursive: true, mode: 0o700})
  const more = {
    SCENT_CONFIG_DIR: folders.config,
    SCENT_STATE_DIR: folders.state,
    SCENT_WEBHOOK_SECRET: secret,
  }
  return {folders, env: {...env, ...more}}
}

interface Listening {
  child: ChildProcess
  url: string
  readyMs: number
}

async function listen(program: string, env: NodeJS.ProcessEnv): Promise<Listening> {
  const begun = performance.now()
  const argv = [program, 'webhooks', 'listen', '--port', '0', '--output', 'ndjson']
  const child = spawn(process.execPath, argv, {env, stdio: ['ignore', 'pipe', 'inherit']})
  const lines = createInterface(child.stdout)
  const [line] = (await once(lines, 'line')) as [string]
  const readyMs = performance.now() - begun
  lines.on('line', () => {})
  return {child, url: JSON.parse(line).url, readyMs}
}

async function stop({child}: Listening): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGINT')
  await ended
}

let serial = 0

/** Sends events of 1 KiB over so many connections; milliseconds of each, sorted, and of all. */
async function sendMany(pool: Pool, count: number, width: number): Promise<{each: number[]; all: number}> {
  const each: number[] = []
  const letters = Array.from({length: count}, () => {
    const body = JSON.stringify({
      eventId: `bench-${serial++}`,
      eventType: 'order.completed',
      x: 'x'.repeat(950),
    })
    const at = String(Math.floor(Date.now() / 1000))
    const mac = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')
    return {body, headers: {'x-service-timestamp': at, 'x-service-signature': `v1=${mac}`}}
  })
  const begun = performance.now()
  const sender = async () => {
    for (let next = letters.pop(); next; next = letters.pop()) {
      const start = performance.now()
      const {statusCode, body} = await pool.request({method: 'POST', path: '/', ...next})
      await body.dump()
      if (statusCode !== 200) throw new Error(`the listener answered ${statusCode}`)
      each.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({length: width}, sender))
  return {each: each.sort((a, b) => a - b), all: performance.now() - begun}
}

/** Milliseconds of one flush of 1 KiB by Node alone. */
function flushMs(folder: string): number {
  const fd = openSync(join(folder, 'flush'), 'a')
  const times = Array.from({length: 300}, () => {
    const start = performance.now()
    writeSync(fd, 'x'.repeat(1024))
    fsyncSync(fd)
    return performance.now() - start
  })
  closeSync(fd)
  return median(times)
}

const residentMb = ({child}: Listening) =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], {encoding: 'utf8'})) / 1024

async function benchListener(program: string, env: NodeJS.ProcessEnv, folder: string): Promise<void> {
  const running = await listen(program, env)
  const pool = new Pool(running.url, {connections: 32})
  await sendMany(pool, 2_000, 32)
  const one = (await sendMany(pool, 500, 1)).each
  const bar = flushMs(folder) + 2
  const single = median(one)
  print('one connection, ms an event', single.toFixed(2), `<= ${bar.toFixed(2)}`, single <= bar)
  const {each, all} = await sendMany(pool, 7_500, 32)
  const rate = (each.length * 1000) / all
  const p99 = each[Math.floor(each.length * 0.99)] ?? Number.NaN
  print('events a second, on disk, 32 connections', rate.toFixed(0), '>= 2000', rate >= 2000)
  print('of them the 99th percentile, ms', p99.toFixed(1), '<= 60', p99 <= 60)
  print('memory at 10,000 events, MB', residentMb(running).toFixed(0))
  for (let sent = 10_000; sent < 100_000; sent += 10_000) await sendMany(pool, 10_000, 32)
  const megabytes = residentMb(running)
  print('memory at 100,000 events, MB', megabytes.toFixed(0), '<= 120', megabytes <= 120)
  await pool.close()
  await stop(running)
}

/** Fills the records with notices that are open and other events, over 14 days until now. */
export async function fill(
  folders: {config: string; state: string},
  open: number,
  others: number,
  owner = identity,
): Promise<void> {
  const receipts = await openReceipts(folders, owner, () => ({
    ...{at: new Date(Date.now() - 336 * HOUR).toISOString(), port: 4750, public: null, subscription: null},
    ...{secret: 'bench', scheme: 'default'},
  }))
  const keep = (eventId: string, eventType: string, at: number, data: object, notices: string[] = []) => {
    const body = JSON.stringify({eventId, eventType, occurredAt: new Date(at).toISOString(), data})
    return receipts.keep(
      {
        ...{at: new Date(at).toISOString(), remote: '127.0.0.1', path: '/', body, encoding: 'utf8'},
        headers: [['X-Service-Timestamp', String(Math.floor(at / 1000))]],
        ...{
          bytes: body.length,
          sha256: randomUUID().replaceAll('-', '').repeat(2),
          eventId,
          eventType,
          notices,
        },
        ...{trust: 'verified', scheme: 'default', why: null},
      },
      {sync: false},
    )
  }
  const now = Date.now()
  const every = Math.max(1, Math.floor(others / Math.max(open, 1)))
  for (let n = 0; n < others; n += 1) {
    const at = now - Math.floor(((others - n) / others) * 336 * HOUR)
    await keep(`other-${n}`, 'order.completed', at, {orderId: randomUUID(), filling: 'x'.repeat(500)})
    if (n % every === 0 && n / every < open) await raise(n)
  }
  for (let n = 0; others === 0 && n < open; n += 1) await raise(n)
  await receipts.close()

  async function raise(n: number): Promise<void> {
    const id = randomUUID()
    const at = now - HOUR - n
    const notice = {
      ...{id, scentOrderId: randomUUID(), status: 'AwaitingPartnerResponse', reason: 'OutOfStock'},
      notifiedAt: new Date(at).toISOString(),
      responseDeadlineAt: new Date(at + 72 * HOUR).toISOString(),
      line: {sku: 'NJD-INC-002', orderedQuantity: 3, availableQuantity: 1, shortfallQuantity: 2},
    }
    await keep(`notice-${id}`, 'notice.raised', at, {notice, filling: 'x'.repeat(300)}, [id])
  }
}

/** The least that an inbox could take: Node alone reads what is kept of the receipts, makes an object of each notice, and prints them. */
const floor = `
const fs = require('node:fs')
const [, folder] = process.argv
const rows = fs.readdirSync(folder).filter((name) => name.endsWith('.digest')).flatMap((name) => {
  const text = fs.readFileSync(folder + '/' + name, 'latin1')
  return JSON.parse('[' + text.slice(text.indexOf('\\n') + 1) + ']')
})
const items = rows.filter((row) => row.length > 8).map((row) => ({
  id: row[8][0].id, ...row[8][0].fields, desk: {state: 'open', leftMs: row[0], trust: 'verified', seenAt: row[1], doubts: []},
}))
items.sort((a, b) => a.desk.leftMs - b.desk.leftMs)
process.stdout.write(JSON.stringify({items}, null, 2))`

/** In times of `node -e 0`, by turns; `before` is done before each run. */
function ratio(argv: string[], env: NodeJS.ProcessEnv, {rounds = 7, before = () => {}} = {}): number {
  const milliseconds = (args: string[]) => {
    const start = performance.now()
    const {status, stderr} = spawnSync(process.execPath, args, {env, maxBuffer: 1 << 28})
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
    return performance.now() - start
  }
  const round = () => {
    before()
    return milliseconds(argv) / milliseconds(['-e', '0'])
  }
  return median(Array.from({length: rounds}, round))
}

async function readyRatio(program: string, env: NodeJS.ProcessEnv): Promise<number> {
  const ratios: number[] = []
  for (let n = 0; n < 7; n += 1) {
    const running = await listen(program, env)
    await stop(running)
    const start = performance.now()
    spawnSync(process.execPath, ['-e', '0'], {env})
    ratios.push(running.readyMs / (performance.now() - start))
  }
  return median(ratios)
}

const KEYS = 61

/** Milliseconds from a key to the next notice of so many, in a terminal of its own. */
async function keyMs(
  program: string,
  {folders, env}: ReturnType<typeof userIn>,
  open: number,
): Promise<number> {
  // Nothing answers there: what an order would tell comes later in any case.
  const [origin, clientId] = ['http://127.0.0.1:9', 'bench']
  await fill(folders, open, 0, {origin, clientId, onBehalfOf: null})
  const command = `stty cols 80 rows 40; exec ${process.execPath} ${program} notices respond`
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    env: {
      ...{TERM: 'xterm-256color', SCENT_NO_UPDATE_CHECK: '1', ...env},
      ...{SCENT_BASE_URL: origin, SCENT_CLIENT_ID: clientId, SCENT_CLIENT_SECRET: 'bench'},
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let text = ''
  let look = () => {}
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part
    look()
  })
  const ended = once(child, 'exit').then(([code]) => code as number)
  const saw = (words: string) =>
    new Promise<void>((resolve, reject) => {
      look = () => text.includes(words) && resolve()
      look()
      void ended.then((code) => reject(new Error(`the worklist ended with ${code} before ${words}: ${text}`)))
    })
  // Its last line: by then the whole screen is there.
  const screenOf = (at: number) => saw(`· ${at} of ${open} ·`).then(() => saw('[q] stop'))
  await screenOf(1)
  const times: number[] = []
  for (let at = 2; at < KEYS + 2; at += 1) {
    text = ''
    const start = performance.now()
    child.stdin.write('n')
    await screenOf(at)
    times.push(performance.now() - start)
  }
  child.stdin.write('q')
  await ended
  return median(times)
}

export async function benchDesk(program: string, env: NodeJS.ProcessEnv, folder: string): Promise<void> {
  console.log('\nDesk (in times of `node -e 0`, if no unit is named)')
  const bars = (name: string, value: number, bar: number) =>
    print(name, value.toFixed(2), `<= ${bar}`, value <= bar)
  bars('listen until ready', await readyRatio(program, userIn(folder, 'ready', env).env), 3.5)
  await benchListener(program, userIn(folder, 'listener', env).env, folder)
  const atKey = await keyMs(program, userIn(folder, 'worklist', env), 10_000)
  print('worklist of 10,000, key to next screen, ms', atKey.toFixed(1), '<= 50', atKey <= 50)
  benchRecords('10,000 open notices', await filled(10_000, 0), 5)
  benchRecords('200 open among 100,000 events', await filled(200, 100_000), 14)

  async function filled(open: number, others: number): Promise<ReturnType<typeof userIn>> {
    const user = userIn(folder, `inbox-${open}`, env)
    await fill(user.folders, open, others)
    return user
  }

  function benchRecords(what: string, user: ReturnType<typeof userIn>, bar: number): void {
    const receipts = receiptsFolder(user.folders, identity)
    const digests = () => readdirSync(receipts).filter((name) => name.endsWith('.digest'))
    const forget = () => {
      for (const name of digests()) rmSync(join(receipts, name))
    }
    const times = (argv: string[], more = {}) => ratio([program, ...argv, '--json'], user.env, more)
    const first = times(['notices', 'inbox'], {rounds: 3, before: forget})
    print(`inbox of ${what}, for the first time`, first.toFixed(2))
    bars(`inbox of ${what}`, times(['notices', 'inbox']), bar)
    print(
      '  the least: Node alone reads and prints them',
      ratio(['-e', floor, receipts], user.env).toFixed(2),
    )
    bars(`events, the newest 100 of ${what}`, times(['webhooks', 'events']), 14)
    const newest = spawnSync(process.execPath, [program, 'webhooks', 'events', '--limit', '1', '--json'], {
      env: user.env,
    })
    const {eventId} = JSON.parse(newest.stdout.toString()).items[0]
    bars(`events, one of ${what}`, times(['webhooks', 'events', eventId]), 14)
  }
}
