import {type ChildProcess, spawn} from 'node:child_process'
import {createHash, createHmac} from 'node:crypto'
import {once} from 'node:events'
import {Agent, request} from 'node:http'
import {dirname, join} from 'node:path'
import {createInterface} from 'node:readline'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'
import {readSegments, segmentsOf} from '../../src/desk/receipts/read.ts'
import {effort} from '../support/effort.ts'
import {folder} from '../support/program.ts'

const bin = join(dirname(fileURLToPath(import.meta.url)), '../../bin/run.js')
const secret = 'a signing secret'
const EVENTS = effort({little: 2_000, more: 10_000, all: 10_000})
const KILLS = effort({little: 5, more: 20, all: 20})
const SENDERS = 32

const folders = {config: folder(), state: folder()}
const identity = {origin: 'local', clientId: 'local', onBehalfOf: null}

interface Running {
  child: ChildProcess
  port: number
}

/** The built listener as a process of its own, once it is ready. */
async function listen(port: number): Promise<Running> {
  const env = {
    PATH: process.env.PATH,
    HOME: folders.state,
    ...{SCENT_STATE_DIR: folders.state, SCENT_CONFIG_DIR: folders.config, SCENT_WEBHOOK_SECRET: secret},
  }
  const argv = [bin, 'webhooks', 'listen', '--port', String(port), '--output', 'ndjson']
  const child = spawn(process.execPath, argv, {env, stdio: ['ignore', 'pipe', 'inherit']})
  const lines = createInterface(child.stdout)
  const [line] = (await once(lines, 'line')) as [string]
  lines.on('line', () => {})
  return {child, port: Number(new URL(JSON.parse(line).url).port)}
}

const agent = new Agent({keepAlive: true, maxSockets: SENDERS})

/** Sends one event; the status of its answer, or 0 if none came. */
function send(port: number, body: string): Promise<number> {
  const at = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')
  const headers = {
    'X-Service-Signature': `v1=${signature}`,
    'X-Service-Timestamp': String(at),
    'Content-Length': Buffer.byteLength(body),
  }
  return new Promise((resolve) => {
    const sent = request({agent, port, host: '127.0.0.1', method: 'POST', headers}, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
      response.on('error', () => resolve(0))
    })
    sent.on('error', () => resolve(0))
    sent.end(body)
  })
}

test(`${EVENTS} events by ${SENDERS} senders, and ${KILLS} kills: what was answered with 200 is there, and no event twice`, async () => {
  let running = await listen(0)
  const {port} = running
  const acknowledged = new Map<string, string>()
  let next = 0
  let kills = 0
  const sender = async () => {
    while (next < EVENTS) {
      const eventId = `event-${next++}`
      const body = JSON.stringify({eventId, eventType: 'order.completed', filling: 'x'.repeat(900)})
      // As the service does: again until it is taken.
      while ((await send(port, body)) !== 200) await new Promise((wake) => setTimeout(wake, 20))
      acknowledged.set(eventId, createHash('sha256').update(body).digest('hex'))
    }
  }
  const killer = async () => {
    while (kills < KILLS && next < EVENTS) {
      const due = ((kills + 1) * EVENTS) / (KILLS + 2)
      while (acknowledged.size < due) await new Promise((wake) => setTimeout(wake, 2 + Math.random() * 20))
      const gone = once(running.child, 'exit')
      running.child.kill('SIGKILL')
      await gone
      kills += 1
      running = await listen(port)
    }
  }
  await Promise.all([killer(), ...Array.from({length: SENDERS}, sender)])
  const ended = once(running.child, 'exit')
  running.child.kill('SIGINT')
  await ended

  const damaged: string[] = []
  const stored = new Map<string, Set<string>>()
  for (const {record} of readSegments(segmentsOf(folders, identity), identity, (path) =>
    damaged.push(path),
  )) {
    if (record.kind !== 'received') continue
    expect(record.trust).toBe('verified')
    const hashes = stored.get(record.eventId ?? '') ?? new Set()
    hashes.add(createHash('sha256').update(Buffer.from(record.body, record.encoding)).digest('hex'))
    stored.set(record.eventId ?? '', hashes)
  }
  expect(damaged).toEqual([])
  expect(kills).toBe(KILLS)
  const lost = [...acknowledged].filter(([id, hash]) => !stored.get(id)?.has(hash)).map(([id]) => id)
  expect(lost).toEqual([])
  expect(stored.size).toBe(EVENTS)
  expect([...stored.values()].every((hashes) => hashes.size === 1)).toBe(true)
  console.log(`${EVENTS} events answered with 200, ${kills} kills, ${lost.length} lost`)
}, 300_000)
