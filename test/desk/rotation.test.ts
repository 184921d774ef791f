// A secret that was changed at the service, and the way out of it as it is told, by the built program and its sandbox.
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import type {Blindness} from '../../src/desk/notices/blindness.ts'
import {freePort} from '../support/listening.ts'
import {drawn, inTerminal, oneLine} from '../support/pty.ts'
import {scent} from '../support/scent.ts'
import {openServedDesk, type ServedDesk} from '../support/served-desk.ts'

let desk: ServedDesk
beforeAll(async () => {
  desk = await openServedDesk()
})
afterAll(() => desk.close())

/** Changes the secret of a subscription. Returns the new one. */
const rotate = async (id: string): Promise<string> =>
  (await desk.json(['sandbox', 'webhook', 'rotate', id])).signingSecret

const refused = async (): Promise<string> => {
  const {blind} = await desk.json(['notices', 'inbox'])
  return blind.find(({code}: Blindness) => code === 'refused')?.says ?? ''
}
const hintOf = async (eventId: string): Promise<string> =>
  (await desk.json(['webhooks', 'verify', '--stored', eventId], 6)).error.hint

/** The commands that a text tells to type. */
const commandsIn = (text: string) =>
  [...text.matchAll(/`scent ([^`]+)`/g)].map(([, words = '']) => words.split(' '))

test('of the subscription of --subscribe it is kept, and taken up by the next start', async () => {
  const listener = await desk.listen()
  const id = desk.webhook()
  const good = await desk.emit(1)
  await listener.saw('delivery', (one) => one.eventId === good && one.trust === 'verified')
  expect(await refused()).toBe('')
  const secret = await rotate(id)
  const wrong = await desk.emit(2)
  await listener.saw('delivery', (one) => one.eventId === wrong && one.trust === 'refused')

  const way = `Keep the one that is in force now: \`scent webhooks listen --subscription ${id} --secret-stdin --save-secret --for 1s\`. Then start \`scent webhooks listen --subscribe\` again.`
  expect(await refused()).toContain(
    `1 delivery was refused for the signature. None has fitted since then, so the secret may have been changed. ${way}`,
  )
  expect(await hintOf(wrong)).toContain(way)
  await listener.stop()
  const [keep, again] = commandsIn(way)
  const kept = await scent(desk.env, keep ?? [], secret)
  expect(kept.code, kept.stderr).toBe(0)
  expect(again).toEqual(['webhooks', 'listen', '--subscribe'])
  const next = await desk.listen()
  const event = await desk.emit(3)
  await next.saw('delivery', (one) => one.eventId === event && one.trust === 'verified')
  // What was refused is told as long as it may hide a notice; its secret is well.
  expect(await refused()).toBe('1 delivery was refused for the signature.')
  await next.stop()
}, 120_000)

describe('of another subscription its listener is started again with the new one', () => {
  const created = async (port: number): Promise<string> => {
    const line = ['webhooks', 'create', '--url', `http://127.0.0.1:${port}/`, '--event', 'order.completed']
    return (await desk.json([...line, '--save-secret'])).id
  }
  const isUp = (port: number) => () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      ({status}) => status,
      () => 0,
    )
  const listen = (id: string, port: number) => [
    ...['webhooks', 'listen', '--subscription', id, '--port', String(port)],
    ...['--limit', '2', '--for', '60s'],
  ]
  const wayOf = (id: string, port: number) =>
    `Start the listener again with the one that is in force now: \`scent webhooks listen --subscription ${id} --port ${port} --secret-stdin --save-secret\`.`

  /** A good delivery, and one that is signed with a new secret; the event of it, and the secret. */
  const story = async (id: string, port: number) => {
    await expect.poll(isUp(port), {timeout: 30_000, interval: 100}).toBe(405)
    await desk.emit(4)
    await desk.settled()
    const secret = await rotate(id)
    const event = await desk.emit(5)
    await desk.settled()
    return {secret, event}
  }

  test.each([80, 40])(
    'as a terminal of %i columns says below what was refused',
    async (columns) => {
      const port = await freePort()
      const id = await created(port)
      const seen = inTerminal(desk.env, listen(id, port), {columns})
      await story(id, port)
      const {lines, broken} = drawn((await seen).text, columns)
      expect(broken, lines.join('\n')).toEqual([])
      expect(oneLine(lines.join('\n'))).toContain(`The secret may have been changed. ${wayOf(id, port)}`)
      await desk.run('webhooks', 'disable', id)
    },
    120_000,
  )

  test('as a pipe, the inbox and verify say, and then deliveries fit', async () => {
    const port = await freePort()
    const id = await created(port)
    const ran = desk.run(...listen(id, port))
    const {secret, event} = await story(id, port)
    const {code, stdout, stderr} = await ran
    expect([code, stdout.trim().split('\n').length]).toEqual([0, 2])
    expect(oneLine(stderr)).toContain(wayOf(id, port))
    expect(await refused()).toContain(wayOf(id, port))
    expect(await hintOf(event)).toContain(wayOf(id, port))

    const [line = []] = commandsIn(wayOf(id, port))
    const again = scent(desk.env, [...line, '--limit', '1', '--for', '60s', '--json'], secret)
    await expect.poll(isUp(port), {timeout: 30_000, interval: 100}).toBe(405)
    await desk.emit(6)
    expect(JSON.parse((await again).stdout).items).toMatchObject([{trust: 'verified'}])
    expect(await refused()).not.toContain('changed')
    // It is kept, and needs not be given again.
    expect((await desk.run('webhooks', 'verify', '--stored', event)).code).toBe(0)
  }, 120_000)
})

test('a delivery that is wrong for itself does not send anybody for another secret', async () => {
  const listener = await desk.listen()
  await desk.fault('reencoded')
  const changed = await desk.emit(7)
  await listener.saw('delivery', (one) => one.eventId === changed && one.trust === 'refused')
  const event = await desk.emit(8)
  await listener.saw('delivery', (one) => one.eventId === event && one.trust === 'verified')
  expect(await refused()).not.toContain('secret')
  expect(await hintOf(changed)).not.toContain('webhooks listen')
  await listener.stop()
}, 60_000)
