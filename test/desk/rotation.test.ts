// A secret that was changed at the service, and the way out of it as it is told, by the built program and its sandbox.
import {spawnSync} from 'node:child_process'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import type {Blindness} from '../../src/desk/notices/blindness.ts'
import type {InboxItem} from '../../src/desk/notices/inbox.ts'
import {freePort, type Listening} from '../support/listening.ts'
import {type Answer, drawn, inTerminal, oneLine} from '../support/pty.ts'
import {command, quiet, scent, start} from '../support/scent.ts'
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

/** Tells that something has happened. */
function signal() {
  let send = () => {}
  const sent = new Promise<void>((resolve) => {
    send = resolve
  })
  return {send, sent}
}

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
  /** What a listener says once it takes deliveries: one that is sent before may be sent again, with the next secret. */
  const READY = 'Ready on'
  const listen = (id: string, port: number) => [
    ...['webhooks', 'listen', '--subscription', id, '--port', String(port)],
    ...['--limit', '2', '--for', '60s'],
  ]
  const wayOf = (id: string, port: number) =>
    `Start the listener again with the one that is in force now: \`scent webhooks listen --subscription ${id} --port ${port} --secret-stdin --save-secret\`.`

  /** A good delivery, and one that is signed with a new secret; the event of it, and the secret. */
  const story = async (id: string) => {
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
      const ready = signal()
      const answers: Answer[] = [[READY, ready.send]]
      const seen = inTerminal(desk.env, listen(id, port), {columns, answers})
      await ready.sent
      await story(id)
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
    const ran = start(desk.env, listen(id, port))
    await ran.said(READY)
    const {secret, event} = await story(id)
    const {code, stdout, stderr} = await ran.ended
    expect([code, stdout.trim().split('\n').length]).toEqual([0, 2])
    expect(oneLine(stderr)).toContain(wayOf(id, port))
    expect(await refused()).toContain(wayOf(id, port))
    expect(await hintOf(event)).toContain(wayOf(id, port))

    const [line = []] = commandsIn(wayOf(id, port))
    const again = start(desk.env, [...line, '--limit', '1', '--for', '60s', '--json'], secret)
    await again.said(READY)
    await desk.emit(6)
    expect(JSON.parse((await again.ended).stdout).items).toMatchObject([{trust: 'verified'}])
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

describe('a notice whose delivery was refused meanwhile', () => {
  /** Runs a line as a shell does. */
  const typed = (line: string) => {
    const program = command().map((word) => `'${word}'`)
    return spawnSync('sh', ['-c', `scent() { ${program.join(' ')} "$@"; }; ${line}`], {
      env: {...quiet, ...desk.env},
      encoding: 'utf8',
    })
  }
  const ownOf = async ({port}: Listening): Promise<string> => {
    const {items} = await desk.json(['webhooks', 'list'])
    return items.find(({url}: {url: string}) => url.includes(`:${port}/`)).id
  }
  const told = async () => {
    const {items, blind} = await desk.json(['notices', 'inbox'])
    const reason = blind.find(({code}: Blindness) => code === 'refused')
    return {reason, items: items.map((item: InboxItem) => [item.id, item.desk.state, item.desk.trust])}
  }
  const read = async (...argv: string[]) => {
    const {text} = await inTerminal(desk.env, argv, {columns: 80, rows: 60})
    const {lines, broken} = drawn(text, 80)
    expect(broken, lines.join('\n')).toEqual([])
    return oneLine(lines.join('\n'))
  }

  test('is taken in by the line that is told everywhere, once the new secret is kept', async () => {
    const listener = await desk.listen()
    const secret = await rotate(await ownOf(listener))
    const id = await desk.raise()
    const {eventId} = await listener.saw(
      'delivery',
      (one) => one.trust === 'refused' && one.notices.length > 0,
    )
    await listener.stop()

    const {reason, items} = await told()
    expect(items).toEqual([])
    expect(reason.says).toContain('What fits the secret that is in force now can be taken in.')
    const line: string = reason.next
    expect(line).toMatch(
      /^scent webhooks verify --stored (r-[\da-f]{12}) && scent webhooks events \1 --body \| scent notices import -$/,
    )
    expect((await desk.json(['notices', 'show', id], 5)).error.hint).toContain(`\`${line}\``)
    expect(await read('webhooks', 'timeline')).toContain(`can be taken in. \`${line}\``)
    // The old secret is still the one that is kept: nothing fits, and nothing is taken in.
    expect(typed(line).stderr).toContain('SIGNATURE_MISMATCH')
    expect((await told()).items).toEqual([])

    const [keep] = commandsIn(reason.says)
    expect((await scent(desk.env, keep ?? [], secret)).code).toBe(0)
    expect(await read('webhooks', 'verify', '--stored', eventId)).toMatch(
      /refused when it came, so it does not count yet\. Take what it tells into the inbox: `scent webhooks events r-\w+ --body \| scent notices import -`/,
    )
    const taken = typed(line)
    expect([taken.status, taken.stderr]).toEqual([
      0,
      expect.stringContaining('1 text taken in; 0 known before.'),
    ])
    const after = await told()
    expect(after.items).toEqual([[id, 'open', 'imported']])
    expect(after.reason?.says).not.toContain('speaks of a notice')
    expect(await read('webhooks', 'timeline')).toContain('What it tells was taken in since.')
    expect(await read('notices', 'show', id)).not.toContain('refused')
  }, 120_000)

  test('is worth no more than its signature if it is taken in all the same', async () => {
    const listener = await desk.listen()
    const secret = await rotate(await ownOf(listener))
    const id = await desk.raise()
    const other = await desk.raise()
    const {eventId} = await listener.saw(
      'delivery',
      (one) => one.trust === 'refused' && one.notices.includes(id),
    )
    await listener.stop()
    const {stdout: body} = await desk.run('webhooks', 'events', eventId, '--body')
    const {stdout: rows} = await desk.run('webhooks', 'events', '--notice', id, '--output', 'ndjson')
    const why = /is of a delivery that was refused here.* taken in as unchecked.*webhooks verify --stored r-/
    for (const [at, text] of [JSON.stringify({body}), body, `${body}\n${body}`].entries()) {
      const {code, stderr} = await scent(desk.env, ['notices', 'import', '-'], text)
      expect([code, oneLine(stderr)]).toEqual([
        0,
        expect.stringMatching(at === 0 ? why : /^0 texts taken in/),
      ])
    }
    // A row of it is known by what it tells as well.
    const again = await scent(desk.env, ['notices', 'import', '-'], rows)
    expect([again.code, again.stderr]).toEqual([
      0,
      expect.stringContaining('0 texts taken in; 1 known before.'),
    ])
    const {items, reason} = await told()
    expect(items).toContainEqual([id, 'open', 'unchecked'])
    expect(await read('notices', 'show', id)).toMatch(/tells of it as well, and was refused/)
    // With the new secret all that fits is taken in at once, also what was taken in for less.
    const [keep] = commandsIn(reason.says)
    expect((await scent(desk.env, keep ?? [], secret)).code).toBe(0)
    typed(reason.next)
    const after = await told()
    for (const one of [id, other]) expect(after.items).toContainEqual([one, 'open', 'imported'])
  }, 120_000)
})
