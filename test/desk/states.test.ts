// What a listener says of itself, each made to happen by the built program on a machine that fails.
import {readdirSync, utimesSync} from 'node:fs'
import {connect} from 'node:net'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import type {Blindness} from '../../src/desk/notices/blindness.ts'
import {readEvidence} from '../../src/desk/notices/evidence.ts'
import {receiptsFolder} from '../../src/desk/receipts/segment.ts'
import {foldersOf} from '../../src/store/paths.ts'
import {freePort, type Listening, listening} from '../support/listening.ts'
import {faultyMachine} from '../support/machine-hook.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import {serve, serveSocket} from '../support/server.ts'
import {emptyUser} from '../terminal/stage.ts'

const local = {origin: 'local', clientId: 'local', onBehalfOf: null}
const event = (n: number) => JSON.stringify({eventId: `event-${n}`, eventType: 'order.completed'})
const sendMany = async (listener: Listening, count: number) => {
  for (let n = 0; n < count; n += 1) expect(await listener.send(event(n))).toBe(200)
}
const degraded = (why: string) => ({state: 'degraded', why})
const states = (listener: Listening) => listener.told('state').map(({state, why}) => ({state, why}))

test('a receiver that fails three times in a row is told, and told again once it works', async () => {
  let status = 500
  const receiver = await serve((_, response) => response.writeHead(status).end())
  const listener = await listening(emptyUser(), '--forward-to', receiver.url)
  await sendMany(listener, 2)
  await listener.saw('forward', () => listener.told('forward').length === 2)
  expect(states(listener)).toEqual([])
  await sendMany(listener, 3)
  await listener.saw('state', ({why}) => why === 'forward-failing')
  status = 200
  await sendMany(listener, 1)
  await listener.saw('state', ({state}) => state === 'ready')
  expect(states(listener)).toEqual([degraded('forward-failing'), {state: 'ready', why: null}])
  await listener.stop()
  await receiver.close()
}, 30_000)

test('a delivery that was refused degrades it until ten good ones came', async () => {
  const listener = await listening(emptyUser())
  expect(await listener.send(event(0), {secret: 'another'})).toBe(401)
  await listener.saw('state', ({why}) => why === 'refusing')
  await sendMany(listener, 9)
  expect(states(listener)).toEqual([degraded('refusing')])
  await sendMany(listener, 1)
  await listener.saw('state', ({state}) => state === 'ready')
  await listener.stop()
}, 30_000)

test('a receiver that is slower than the deliveries is told before it has answered', async () => {
  const receiver = await serve(() => {})
  const listener = await listening(emptyUser(), '--forward-to', receiver.url)
  await sendMany(listener, 502)
  await listener.saw('state', ({why}) => why === 'behind')
  expect(listener.told('forward')).toEqual([])
  const ended = listener.stop()
  await receiver.close()
  await ended
}, 60_000)

test.each(['slept', 'disk-low'] as const)(
  'of a machine this is told: %s',
  async (why) => {
    const machine = faultyMachine()
    if (why === 'disk-low') machine.have('low')
    const listener = await listening({...emptyUser(), ...machine.env})
    if (why === 'slept') machine.have('slept')
    await listener.saw('state', (one) => one.why === why)
    expect(states(listener)).toEqual([degraded(why)])
    await listener.stop()
  },
  30_000,
)

test('a listener is ready once the world reaches it, and a tunnel that dies is told', async () => {
  const machine = faultyMachine()
  const inner = await freePort()
  let isUp = false
  const tunnel = await serveSocket((socket) => {
    if (!isUp) return void socket.destroy()
    const within = connect(inner, '127.0.0.1')
    within.on('error', () => socket.destroy())
    socket.on('error', () => within.destroy())
    socket.pipe(within).pipe(socket)
  })
  const argv = ['--port', String(inner), '--public-url', `${tunnel.url}/k3v`]
  const starting = listening({...emptyUser(), ...machine.env}, ...argv)
  await expect.poll(() => tunnel.connections(), {timeout: 20_000}).toBe(1)
  isUp = true
  const listener = await starting
  expect(states(listener)).toEqual([degraded('tunnel-lost'), {state: 'ready', why: null}])
  isUp = false
  machine.have('minutes')
  await listener.saw('state', () => listener.told('state').length === 3)
  expect(states(listener).at(-1)).toEqual(degraded('tunnel-lost'))
  await listener.stop()
  await tunnel.close()
}, 60_000)

/** What the inbox of this user can't know, and what `doctor` says of the receipts. */
async function told(env: NodeJS.ProcessEnv) {
  const inbox = JSON.parse((await scent(env, ['notices', 'inbox', '--json'])).stdout)
  const doctor = JSON.parse((await scent(env, ['doctor', '--json'])).stdout)
  const receipts = doctor.items.find(({check}: {check: string}) => check === 'receipts')
  const listens: Blindness[] = inbox.blind.filter(({code}: Blindness) => /nobody-listens|failed/.test(code))
  return {listens: listens.map(({code, says}) => `${code}: ${says}`).join(), receipts}
}

describe('a listener that does not write is not one that listens', () => {
  test.each(['full', 'fsync'] as const)(
    'because of its disk: %s',
    async (trouble) => {
      const [machine, env] = [faultyMachine(), emptyUser()]
      const listener = await listening({...env, ...machine.env})
      expect(await listener.send(event(0))).toBe(200)
      expect(await told(env)).toMatchObject({listens: '', receipts: {state: 'ok'}})
      machine.have(trouble)
      expect(await listener.send(event(1))).toBe(503)
      const failed = `The listener on port ${listener.port} does not write down what is sent to it`
      expect(await told(env)).toMatchObject({
        listens: expect.stringMatching(`^failed: ${failed}`),
        receipts: {state: 'failed', detail: expect.stringContaining(failed)},
      })
      machine.have('')
      await listener.saw('state', ({state}) => state === 'ready')
      expect(await told(env)).toMatchObject({listens: '', receipts: {state: 'ok'}})
      const {listening: spans} = readEvidence(foldersOf(env), local, 0)
      expect(spans.map(({to}) => to === Number.POSITIVE_INFINITY)).toEqual([false, true])
      await listener.stop()
      expect((await told(env)).listens).toMatch(/^nobody-listens: /)
    },
    60_000,
  )

  test('because it was stopped, until it goes on', async () => {
    const env = emptyUser()
    const listener = await listening(env)
    const {pid} = await listener.saw('ready')
    process.kill(pid, 'SIGSTOP')
    const folder = receiptsFolder(foldersOf(env), local)
    const lock = readdirSync(folder).find((name) => name.includes('.lock.')) ?? ''
    const long = new Date(Date.now() - 120_000)
    utimesSync(join(folder, lock), long, long)
    expect((await told(env)).listens).toMatch(/^failed: The listener on port \d+ does not write/)
    process.kill(pid, 'SIGCONT')
    await expect.poll(async () => (await told(env)).listens, {timeout: 30_000, interval: 500}).toBe('')
    await listener.stop()
  }, 60_000)
})
