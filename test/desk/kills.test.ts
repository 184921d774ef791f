import {type ChildProcess, spawn} from 'node:child_process'
import {createHash} from 'node:crypto'
import {once} from 'node:events'
import {readdirSync, statSync, truncateSync} from 'node:fs'
import {Agent} from 'node:http'
import {join} from 'node:path'
import {createInterface} from 'node:readline'
import {expect, test} from 'vitest'
import {readSegments, segmentsOf} from '../../src/desk/receipts/read.ts'
import {receiptsFolder} from '../../src/desk/receipts/segment.ts'
import type {Folders} from '../../src/store/paths.ts'
import {effort} from '../support/effort.ts'
import {deliver, secret} from '../support/listening.ts'
import {powerCutMachine} from '../support/machine-hook.ts'
import {folder} from '../support/program.ts'
import {bin} from '../support/scent.ts'

const EVENTS = effort({little: 2_000, all: 10_000})
const KILLS = effort({little: 5, all: 20})
/** On a disk whose flushes take their time. */
const CUT_EVENTS = effort({little: 800, all: 10_000})
const SENDERS = 32

const identity = {origin: 'local', clientId: 'local', onBehalfOf: null}

interface Running {
  child: ChildProcess
  port: number
}

interface Ordeal {
  events: number
  kills: number
  env?: NodeJS.ProcessEnv
  /** What happens to the disk when the listener has died. */
  died?(folders: Folders): void
}

/** The built listener as a process of its own, once it is ready. */
async function listen({config, state}: Folders, port: number, more: NodeJS.ProcessEnv): Promise<Running> {
  const env = {
    PATH: process.env.PATH,
    HOME: state,
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
    ...{SCENT_STATE_DIR: state, SCENT_CONFIG_DIR: config, SCENT_WEBHOOK_SECRET: secret},
    ...more,
  }
  const argv = [bin, 'webhooks', 'listen', '--port', String(port), '--output', 'ndjson']
  const child = spawn(process.execPath, argv, {env, stdio: ['ignore', 'pipe', 'inherit']})
  const lines = createInterface(child.stdout)
  const [line] = (await once(lines, 'line')) as [string]
  lines.on('line', () => {})
  return {child, port: Number(new URL(JSON.parse(line).url).port)}
}

const hashOf = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Sends events to a listener that is killed again and again; tells what was acknowledged, and what is stored in the end. */
async function ordeal({events, kills: most, env = {}, died = () => {}}: Ordeal) {
  const folders = {config: folder(), state: folder()}
  let running = await listen(folders, 0, env)
  const {port} = running
  const agent = new Agent({keepAlive: true, maxSockets: SENDERS})
  const acknowledged = new Map<string, string>()
  let next = 0
  let kills = 0
  const sender = async () => {
    while (next < events) {
      const eventId = `event-${next++}`
      const body = JSON.stringify({eventId, eventType: 'order.completed', filling: 'x'.repeat(900)})
      // As the service does: again until it is taken.
      while ((await deliver(port, body, {agent})) !== 200) await new Promise((wake) => setTimeout(wake, 20))
      acknowledged.set(eventId, hashOf(body))
    }
  }
  const killer = async () => {
    while (kills < most && next < events) {
      const due = ((kills + 1) * events) / (most + 2)
      while (acknowledged.size < due) await new Promise((wake) => setTimeout(wake, 2 + Math.random() * 20))
      const gone = once(running.child, 'exit')
      running.child.kill('SIGKILL')
      await gone
      kills += 1
      died(folders)
      running = await listen(folders, port, env)
    }
  }
  await Promise.all([killer(), ...Array.from({length: SENDERS}, sender)])
  const ended = once(running.child, 'exit')
  running.child.kill('SIGINT')
  await ended
  agent.destroy()
  return {kills, acknowledged, ...storedIn(folders)}
}

function storedIn(folders: Folders) {
  const damaged: string[] = []
  const stored = new Map<string, Set<string>>()
  for (const {record} of readSegments(segmentsOf(folders, identity), identity, (path) =>
    damaged.push(path),
  )) {
    if (record.kind !== 'received') continue
    expect(record.trust).toBe('verified')
    const hashes = stored.get(record.eventId ?? '') ?? new Set()
    hashes.add(hashOf(Buffer.from(record.body, record.encoding)))
    stored.set(record.eventId ?? '', hashes)
  }
  return {damaged, stored}
}

type Outcome = Awaited<ReturnType<typeof ordeal>>

const lostOf = ({acknowledged, stored}: Outcome) =>
  [...acknowledged].filter(([id, hash]) => !stored.get(id)?.has(hash)).map(([id]) => id)

function expectWhole(outcome: Outcome, {events, kills}: {events: number; kills: number}): void {
  expect(outcome.damaged).toEqual([])
  expect(outcome.kills).toBe(kills)
  expect(lostOf(outcome)).toEqual([])
  expect(outcome.stored.size).toBe(events)
  expect([...outcome.stored.values()].every((hashes) => hashes.size === 1)).toBe(true)
}

test(`${EVENTS} events by ${SENDERS} senders, and ${KILLS} kills: what was answered with 200 is there, and no event twice`, async () => {
  const outcome = await ordeal({events: EVENTS, kills: KILLS})
  expectWhole(outcome, {events: EVENTS, kills: KILLS})
  console.log(`${EVENTS} events answered with 200, ${KILLS} kills, 0 lost`)
}, 300_000)

/** Drops what was not flushed from each file of receipts: all of it, or any part. */
function cutPower({state, config}: Folders, flushed: Map<string, number>): number {
  const place = receiptsFolder({state, config}, identity)
  let dropped = 0
  for (const path of readdirSync(place).map((name) => join(place, name))) {
    if (!path.endsWith('.ndjson')) continue
    const {size} = statSync(path)
    const safe = flushed.get(path) ?? 0
    const left = safe + (Math.random() < 0.5 ? 0 : Math.floor(Math.random() * (size - safe)))
    truncateSync(path, Math.min(size, left))
    dropped += size - left
  }
  return dropped
}

test(`${CUT_EVENTS} events and ${KILLS} power cuts: what was answered with 200 is there also without what was not flushed`, async () => {
  const {env, flushed} = powerCutMachine({lies: false})
  let dropped = 0
  const died = (folders: Folders) => {
    dropped += cutPower(folders, flushed())
  }
  const outcome = await ordeal({events: CUT_EVENTS, kills: KILLS, env, died})
  expectWhole(outcome, {events: CUT_EVENTS, kills: KILLS})
  // Each cut meets receipts that are on their way.
  expect(dropped).toBeGreaterThan(KILLS * 100)
  console.log(`${CUT_EVENTS} events answered with 200, ${KILLS} power cuts, ${dropped} bytes dropped, 0 lost`)
}, 300_000)

test('a listener that answers before the flush is found out by that', async () => {
  const {env, flushed} = powerCutMachine({lies: true})
  const died = (folders: Folders) => void cutPower(folders, flushed())
  const outcome = await ordeal({events: 400, kills: 5, env, died})
  expect(lostOf(outcome).length).toBeGreaterThan(0)
}, 120_000)
