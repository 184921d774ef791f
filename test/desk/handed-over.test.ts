// Events that one machine has received, in the hands of another, and in the columns of a terminal; by the built program.
import {expect, test} from 'vitest'
import {listening, secret} from '../support/listening.ts'
import {drawn, inTerminal} from '../support/pty.ts'
import {scent} from '../support/scent.ts'
import {emptyUser} from '../terminal/stage.ts'
import {deskOf, eventBody, HOUR, listened, noticeOf, receipt} from './records.ts'

const id = 'c6c0dd6c-5d76-4b5d-9eff-250400d2b556'
const other = 'd7c0dd6c-5d76-4b5d-9eff-250400d2b557'
const now = Date.now()

test('what an import took in is told in words: how much of it tells of no notice, and what was known', async () => {
  const user = emptyUser()
  const order = (n: number) =>
    JSON.stringify({eventId: `order-${n}`, eventType: 'order.completed', data: {n}})
  const said = async (...texts: string[]) =>
    (await scent(user, ['notices', 'import', '-'], texts.join('\n'))).stderr.trim()
  expect(await said(order(1))).toBe('1 text taken in, which tells of no notice; 0 known before.')
  const notice = eventBody('first-1', noticeOf(id, now - HOUR))
  expect(await said(notice, order(1), order(2))).toBe(
    '2 texts taken in, of which 1 tells of no notice; 1 known before.',
  )
  expect(await said(notice)).toBe('0 texts taken in; 1 known before.')
  expect(await said('{', '{')).toContain('Line 1 is not JSON, and 1 other.')
})

test('rows of events can be imported elsewhere, and each can be verified', async () => {
  const here = emptyUser()
  const listener = await listening(here)
  expect(await listener.send(eventBody('first-1', noticeOf(id, now - HOUR)))).toBe(200)
  expect(await listener.send(eventBody('second-2', noticeOf(other, now)))).toBe(200)
  expect(await listener.send(Buffer.from([0x7b, 0xff, 0x00]))).toBe(200)
  expect(
    await listener.send(eventBody('forged-3', noticeOf(id, now, {status: 'Resolved'})), {secret: 'x'}),
  ).toBe(401)
  await listener.stop()
  const {stdout} = await scent(here, ['webhooks', 'events', '--output', 'ndjson'])
  const rows = stdout.trimEnd().split('\n')
  expect(rows.map((row) => JSON.parse(row).eventId)).toEqual(['forged-3', null, 'second-2', 'first-1'])

  const there = emptyUser()
  const {code, stdout: answer} = await scent(there, ['notices', 'import', '-', '--json'], stdout)
  const {imported, unreadable} = JSON.parse(answer)
  expect([code, imported, unreadable.map(({line}: {line: number}) => line)]).toEqual([11, 2, [1, 2]])
  const inbox = JSON.parse((await scent(there, ['notices', 'inbox', '--json'])).stdout)
  expect(inbox.items.map((item: {id: string}) => item.id)).toEqual([id, other])

  for (const row of rows.slice(1)) {
    const verified = await scent(
      {...there, SCENT_WEBHOOK_SECRET: secret},
      ['webhooks', 'verify', '-', '--json'],
      row,
    )
    expect(JSON.parse(verified.stdout)).toMatchObject({fits: true})
  }
  // The document stays as short as it was.
  const {items} = JSON.parse((await scent(here, ['webhooks', 'events', '--json'])).stdout)
  expect(Object.keys(items[0])).not.toContain('body')
}, 60_000)

test('many and large ones are written out one after another', async () => {
  const env = emptyUser()
  const bodies = Array.from({length: 20}, (_, at) =>
    eventBody(`event-${at}`, {at, text: 'x'.repeat(1_000_000)}),
  )
  await listened(deskOf({...env}), {
    from: now - 90 * HOUR,
    to: now,
    records: bodies.map((body, at) => receipt(now - (20 - at) * HOUR, body)),
  })
  const {code, stdout} = await scent(env, ['webhooks', 'events', '--output', 'ndjson'])
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map((row) => JSON.parse(row))
  expect([code, rows.map(({body}) => body)]).toEqual([0, bodies.reverse()])
}, 60_000)

test.each([80, 40])(
  'a long type is cut in a terminal of %i columns, and the others keep their rows',
  async (columns) => {
    const env = emptyUser()
    const types = ['order.completed', 'x'.repeat(100), 'notice.raised']
    const records = types.map((type, at) =>
      receipt(now - at * HOUR, eventBody(`event-${at}`, undefined, type)),
    )
    await listened(deskOf(env), {from: now - 5 * HOUR, to: now, records})
    const {text} = await inTerminal(env, ['webhooks', 'events'], {columns})
    const {lines, broken} = drawn(text, columns)
    expect(broken).toEqual([])
    expect(lines.filter((line) => line.includes('order.completed')).length).toBe(1)
    if (columns === 80) {
      const [head = '', ...rows] = lines
      expect(head).toMatch(/^TIME +EVENT +SIGNED +COPIES +EVENT ID$/)
      expect(rows.slice(0, 3).map((row) => row.split(/ {2,}/)[1])).toEqual([
        'order.completed',
        expect.stringMatching(/^x{19,60}…$/),
        'notice.raised',
      ])
    }
    const {stdout} = await scent(env, ['webhooks', 'events'])
    expect(stdout).toContain('x'.repeat(100))
  },
)
