// What a listener says of itself, each made to happen by the built program on a machine that fails.
import {connect} from 'node:net'
import {expect, test} from 'vitest'
import {freePort, type Listening, listening} from '../support/listening.ts'
import {faultyMachine} from '../support/machine-hook.ts'
import {serve, serveSocket} from '../support/server.ts'
import {emptyUser} from '../terminal/stage.ts'

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
