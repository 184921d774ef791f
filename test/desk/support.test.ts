// Support at a terminal of 80 columns, who has read `scent webhooks --help` and nothing else: each command is one that the page
// before has named, and three of them must do.

import {createServer} from 'node:http'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {freePort, type Listening} from '../support/listening.ts'
import {drawn, inTerminal, oneLine} from '../support/pty.ts'
import {start} from '../support/scent.ts'
import {openServedDesk, type ServedDesk} from '../support/served-desk.ts'

let desk: ServedDesk
let listener: Listening

beforeEach(async () => {
  desk = await openServedDesk()
  listener = await desk.listen('--event', 'order.completed')
})
afterEach(() => desk.close())

/** Runs a command in a terminal, and returns all it says in one line. */
async function read(line: string): Promise<string> {
  const columns = 80
  const {text} = await inTerminal(desk.env, line.split(' '), {columns})
  const {lines, broken} = drawn(text, columns)
  expect(broken).toEqual([])
  return oneLine(lines.join('\n'))
}

/** The command on a page that begins so. */
function named(page: string, start: string): string {
  const found = [...page.matchAll(/`scent ([^`]+)`|\$ scent (webhooks [\w-]+(?: --\w+)*)/g)]
  const line = found.map(([, next, example]) => next ?? example ?? '').find((one) => one.startsWith(start))
  if (line === undefined) throw new Error(`nothing on the page begins with ${start}: ${page}`)
  return line
}

const first = async () => named(await read('webhooks --help'), 'webhooks timeline')

test('an event is said to be delivered, and nothing is here', async () => {
  await desk.fault('lost')
  await desk.emit(1)
  await desk.settled()
  const page = await read(await first())
  expect(page).toContain('order.completed 1 delivered')
  expect(page).toMatch(
    /The service was told 200 at [\d:]+, and nothing was received here, though 127\.0\.0\.1:\d+ listened from [\d:]+ on: look for another process at that URL/,
  )
  // Once more, with somebody looking on: this time it comes.
  expect(await read(named(page, 'webhooks test'))).toContain('Verdict round-trip')
})

test('an event is here, and the service says that it failed', async () => {
  await desk.faultTwice('cut')
  const id = await desk.emit(1)
  await desk.settled()
  const page = await read(await first())
  expect(page).toMatch(/order\.completed \d retrying [\d:]+ Connection failed (yes|2 ×) here, not delivered/)
  expect(page).toMatch(
    /It is stored here since [\d:]+, and the service was told Connection failed: the answer was changed or lost on its way back\. Nothing is lost/,
  )
  expect(named(page, 'webhooks events')).toBe(`webhooks events ${id.slice(0, 12)} --copies`)
  expect(await read(named(page, 'webhooks events'))).toMatch(/fits/)
})

test('a signature is wrong since a proxy was put in between', async () => {
  await desk.run('sandbox', 'fault', '--delivery', 'reencoded')
  await desk.emit(1)
  await desk.settled()
  const page = await read(await first())
  expect(page).toMatch(/order\.completed \d retrying [\d:]+ 401 refused here, not delivered/)
  expect(await read(named(page, 'webhooks verify'))).toMatch(
    /fits it when its JSON is written without spaces.* something between the service and this machine rewrites bodies: a proxy/,
  )
})

test('a receiver was down for an hour', async () => {
  const {pid} = await listener.saw('ready')
  process.kill(pid, 'SIGKILL')
  await listener.stop()
  await desk.emit(1)
  await desk.settled()
  await desk.run('sandbox', 'clock', '--advance', '1h')
  const timeline = await first()
  const page = await read(timeline)
  expect(page).toMatch(/order\.completed 4 retrying .* Connection failed no again in/)
  expect(page).toMatch(
    /It failed first at [\d:]+ \(Connection failed\), when nothing listened here\. The service tries again at [\w: ]+\./,
  )
  const [, , ...again] = named(page, 'webhooks listen').split(' ')
  expect(again).toEqual(['--subscription', desk.webhook(), '--port', String(listener.port)])
  const back = start(desk.env, ['webhooks', 'listen', ...again])
  await back.said('Ready on')
  await desk.run('sandbox', 'clock', '--advance', '2h')
  await desk.settled()
  expect(await read('webhooks timeline')).toMatch(
    /order\.completed 5 delivered .* 200 yes .*It came only on a later try\. It failed first at [\d:]+ \(Connection failed\), when nothing listened here\./,
  )
  expect(await read(timeline)).toContain('The one event that the service sent to 1 subscription does not fit')
  back.child.kill('SIGINT')
  await back.ended
})

test('the receiver behind the listener was down', async () => {
  await listener.stop()
  const url = `http://127.0.0.1:${await freePort()}/hook`
  listener = await desk.listen('--event', 'order.completed', '--forward-to', url)
  await desk.emit(1)
  await listener.saw('forward')
  expect(await read('webhooks --help')).toContain('webhooks events Show the events that were received')
  const page = await read('webhooks events')
  expect(page).toContain(`1 event was not taken by the receiver at ${url}: nothing listens there.`)
  const again = named(page, 'webhooks replay')
  expect(again).toBe(`webhooks replay --problems --to ${url}`)
  const receiver = createServer((_, response) => response.end())
  await new Promise<void>((done) => receiver.listen(Number(new URL(url).port), '127.0.0.1', done))
  expect(await read(again)).toMatch(/order\.completed \S+ 200 \d+ ms/)
  receiver.close()
})
