import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {inboxJournal} from '../../src/desk/notices/records.ts'
import {deskOf, eventBody, noticeOf} from '../desk/records.ts'
import {listening, secret} from '../support/listening.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import {drawn, inTerminal, oneLine} from '../support/pty.ts'
import {userOf} from '../support/service.ts'
import {emptyUser} from '../terminal/stage.ts'

const id = 'c6c0dd6c-5d76-4b5d-9eff-250400d2b556'
const other = id.replace('c6', 'd7')
const HOUR = 3_600_000

/** A user with a file of one notice, raised so many hours ago, and of what is not JSON. */
function userWith(hours: number, ...more: string[]): NodeJS.ProcessEnv {
  const env = userOf('http://127.0.0.1:1')
  const raised = Date.now() - hours * HOUR
  const notice = {
    id,
    status: 'AwaitingPartnerResponse',
    notifiedAt: new Date(raised).toISOString(),
    responseDeadlineAt: new Date(raised + 72 * HOUR).toISOString(),
    line: {sku: 'NJD-INC-002', orderedQuantity: 3, availableQuantity: 1, shortfallQuantity: 2},
  }
  const body = JSON.stringify({eventId: 'one', eventType: 'notice.raised', data: {notice}})
  writeFileSync(join(env.HOME ?? '', 'events.ndjson'), [body, ...more].join('\n'))
  return env
}

const file = (env: NodeJS.ProcessEnv) => join(env.HOME ?? '', 'events.ndjson')
const json = async (env: NodeJS.ProcessEnv, ...argv: string[]) => {
  const {code, stdout} = await scent(env, [...argv, '--json'])
  return {code, document: JSON.parse(stdout)}
}

test('an import takes in what it can read, once, and names what it can not', async () => {
  const env = userWith(1, 'nonsense', '{"a":1}', '{"eventId":"two","eventType":"order.completed"}')
  const {code, document} = await json(env, 'notices', 'import', file(env))
  expect(code).toBe(11)
  expect(document).toMatchObject({
    ...{imported: 2, known: 0, otherEvents: 1},
    unreadable: [
      {line: 2, why: 'is not JSON'},
      {line: 3, why: 'holds neither an event nor a notice'},
    ],
    items: [{id, desk: {state: 'open', trust: 'imported'}}],
  })
  const again = await json(env, 'notices', 'import', file(env))
  expect(again.document).toMatchObject({imported: 0, known: 2, items: []})
  expect((await json(env, 'notices', 'inbox')).document.items).toHaveLength(1)
  const empty = await json(userWith(1), 'notices', 'import', '/dev/null')
  expect(empty).toMatchObject({code: 2, document: {error: {state: 'INVALID_INPUT'}}})
})

test('what is due within a time is an exit code, and so is not to know', async () => {
  const soon = userWith(70)
  await scent(soon, ['notices', 'import', file(soon)])
  const due = await json(soon, 'notices', 'inbox', '--due-within', '6h')
  expect(due).toMatchObject({code: 11, document: {items: [{id}]}})
  const late = userWith(1)
  await scent(late, ['notices', 'import', file(late)])
  const blind = await json(late, 'notices', 'inbox', '--due-within', '6h')
  expect(blind).toMatchObject({code: 12, document: {items: [], blind: [{code: 'nobody-listens'}]}})
  expect((await json(late, 'notices', 'inbox')).code).toBe(0)
})

test('a pipe is told what a terminal is: the time that is left at most, the answer, and the history', async () => {
  const env = userOf('http://127.0.0.1:1')
  const bare = {id, status: 'AwaitingPartnerResponse', line: {sku: 'NJD-INC-002'}}
  await scent(env, ['notices', 'import', '-'], JSON.stringify(bare))
  const mark = {at: new Date().toISOString(), attempt: 'a', id, choice: 'CancelWhole' as const}
  const {folders, identity} = deskOf(env)
  await inboxJournal(folders, identity).append({kind: 'answering', ...mark})
  const listed = await scent(env, ['notices', 'inbox'])
  expect(listed.stdout.trimEnd().split('\t').slice(-2)).toEqual(['unsettled', 'at most'])
  const csv = (await scent(env, ['notices', 'inbox', '--output', 'csv'])).stdout
  expect(csv.split('\n')[0]?.split(',').at(-1)).toBe('desk.deadline')
  const shown = await scent(env, ['notices', 'show', id])
  const facts = new Map(shown.stdout.split('\n').map((line) => line.split('\t') as [string, string]))
  expect(facts.get('desk.deadline')).toBe('at most')
  expect(facts.get('desk.answer.choice')).toBe('CancelWhole')
  expect(facts.get('desk.answer.outcome')).toBe('')
  expect(facts.get('desk.answer.at')).toBe(mark.at)
  expect(JSON.parse(facts.get('history') ?? '')).toMatchObject([{what: 'told'}, {what: 'answering'}])
  const named = await scent(env, ['notices', 'show', id, '--columns', 'history'])
  expect(named.stdout).toContain('no outcome is recorded')
  const row = (await scent(env, ['notices', 'show', id, '--output', 'ndjson'])).stdout
  expect(JSON.parse(row)).toMatchObject({desk: {deadline: 'at most'}, history: [{}, {}]})
})

test('a list of what is due within a time says when the next one is due', async () => {
  const env = userWith(1)
  await scent(env, ['notices', 'import', file(env)])
  const within = ['notices', 'inbox', '--due-within', '6h']
  const when = /1 notice to answer, due in 7[01] h [^,]+, \w{3} \d+ \w{3} \d\d:\d\d\./
  const {stdout, stderr} = await scent(env, within)
  expect([stdout, oneLine(stderr)]).toEqual(['', expect.stringMatching(when)])
  for (const columns of [80, 40]) {
    const {lines, broken} = drawn((await inTerminal(env, within, {columns})).text, columns)
    expect([broken, oneLine(lines.join('\n'))]).toEqual([[], expect.stringMatching(when)])
  }
  // What is listed says it itself.
  expect((await scent(env, ['notices', 'inbox'])).stderr).not.toContain('due in')
  const second = {id: other, status: 'AwaitingPartnerResponse', line: {sku: 'X'}}
  await scent(env, ['notices', 'import', '-'], JSON.stringify(second))
  expect(oneLine((await scent(env, within)).stderr)).toMatch(/2 notices to answer, the next due in 7[01] h/)
})

test('a deadline that is not a time is named when it is taken in, and what the inbox counts by instead', async () => {
  const env = userWith(1)
  const raised = new Date(Date.now() - HOUR).toISOString()
  const bad = {id, status: 'AwaitingPartnerResponse', responseDeadlineAt: 'soon'}
  const take = async (...notices: object[]) => {
    const text = notices.map((one) => JSON.stringify(one)).join('\n')
    const plain = await scent(env, ['notices', 'import', '-'], text)
    const again = await scent(env, ['notices', 'import', '-', '--json'], text)
    return {code: plain.code, said: oneLine(plain.stderr), document: JSON.parse(again.stdout)}
  }
  const bare = await take(bad)
  expect(bare.document.leftOut).toEqual([{line: 1, notice: id, field: 'responseDeadlineAt', value: 'soon'}])
  expect(bare).toMatchObject({
    code: 0,
    said: expect.stringMatching(
      /Line 1: responseDeadlineAt "soon" of notice c6c0\S+ can't be read, and is left out\. The inbox counts 72 hours from when it was first known here: until .* at the latest\./,
    ),
  })
  const dated = await take(
    {...bad, notifiedAt: raised},
    {...bad, notifiedAt: raised, responseDeadlineAt: 7, line: {orderedQuantity: -1}},
  )
  expect(dated.said).toMatch(/The inbox counts 72 hours from when it was raised: until /)
  expect(dated.document.leftOut.slice(1)).toEqual([
    {line: 2, notice: id, field: 'responseDeadlineAt', value: '7'},
    {line: 2, notice: id, field: 'line.orderedQuantity', value: '-1'},
  ])
  const whole = await take(
    {...bad, responseDeadlineAt: new Date(Date.now() + HOUR).toISOString()},
    {...bad, responseDeadlineAt: 'x'.repeat(10_000)},
  )
  expect(whole.said).toMatch(/ "x{100}…" of .* The inbox counts by the deadline that another copy tells: /)
  const many = await take(...Array.from({length: 30}, () => bad))
  expect(many.said).toContain('And 20 others.')
  // What is closed has no deadline any more.
  const closed = await take({...bad, id: other, status: 'Resolved', responseChoice: 'CancelWhole'})
  expect(closed.said).toContain('and is left out.')
  expect(closed.said).not.toContain('The inbox counts')
  // Nothing of it acts on a terminal.
  expect((await take({...bad, responseDeadlineAt: '\u001b[2J'})).said).not.toContain('\u001b')
})

test('a notice is shown with its history, and one that is unknown is not found', async () => {
  const env = userWith(80)
  await scent(env, ['notices', 'import', file(env)])
  const shown = await json(env, 'notices', 'show', id.toUpperCase())
  expect(shown.document).toMatchObject({id, desk: {state: 'overdue'}, history: [{trust: 'imported'}]})
  const unknown = await json(env, 'notices', 'show', id.replace('c6', 'd7'))
  expect(unknown).toMatchObject({code: 5, document: {error: {state: 'NOT_FOUND_UNFULFILLABLE_NOTICE'}}})
  const listed = await json(env, 'notices', 'inbox')
  expect(listed.document.items).toEqual([])
  expect((await json(env, 'notices', 'inbox', '--all')).document.items).toMatchObject([{id}])
})

test('events that were not received are not found, and a beginning must be long enough', async () => {
  const env = userWith(1)
  expect(await json(env, 'webhooks', 'events')).toMatchObject({
    ...{code: 5, document: {error: {state: 'NOTHING_MATCHED'}}},
  })
  expect((await scent(env, ['webhooks', 'events'])).stderr).toContain('Nothing was received here yet')
  expect((await scent(env, ['webhooks', 'events', 'abc'])).code).toBe(2)
})

test('an import counts what a listener has received already as known, and shows nothing new of it', async () => {
  const env: NodeJS.ProcessEnv = {...emptyUser(), SCENT_WEBHOOK_SECRET: secret}
  const listener = await listening(env)
  const bodies = [
    eventBody('event-1', noticeOf(id, Date.now())),
    eventBody('event-2', undefined, 'order.completed'),
  ]
  for (const body of bodies) expect(await listener.send(body)).toBe(200)
  await listener.stop()
  const {stdout: lines} = await scent(env, ['webhooks', 'events', '--output', 'ndjson'])
  for (const text of [bodies.join('\n'), lines]) {
    const {code, stdout} = await scent(env, ['notices', 'import', '-', '--json'], text)
    expect([code, JSON.parse(stdout)]).toMatchObject([0, {imported: 0, known: 2, otherEvents: 0, items: []}])
  }
  // The same event with another notice in it tells something new.
  const {stdout} = await scent(
    env,
    ['notices', 'import', '-', '--json'],
    eventBody('event-1', noticeOf(other, Date.now())),
  )
  expect(JSON.parse(stdout)).toMatchObject({imported: 1, known: 0})
})

test('what a listener could not check is worth more once it is imported and fits', async () => {
  const env: NodeJS.ProcessEnv = {...emptyUser(), SCENT_WEBHOOK_SECRET: ''}
  const listener = await listening(env)
  const body = eventBody('event-1', noticeOf(id, Date.now()))
  expect(await listener.send(body)).toBe(200)
  await listener.stop()
  for (const [given, trust] of [
    ['', 'unchecked'],
    [secret, 'imported'],
  ]) {
    const knowing = {...env, SCENT_WEBHOOK_SECRET: given}
    const {stdout} = await scent(knowing, ['notices', 'import', '-', '--json'], body)
    expect(JSON.parse(stdout)).toMatchObject({imported: 1, known: 0, items: [{id, desk: {trust}}]})
  }
})

describe('what is imported', () => {
  const noticeAt = (notifiedAt: string, of = id) =>
    JSON.stringify({id: of, status: 'AwaitingPartnerResponse', notifiedAt})
  const taken = async (env: NodeJS.ProcessEnv, text: string) => {
    const {code, stdout} = await scent(env, ['notices', 'import', '-', '--json'], text)
    return {code, document: JSON.parse(stdout)}
  }

  test('may tell times that no notice can have, and the inbox is shown all the same', async () => {
    const env = userOf('http://127.0.0.1:1')
    for (const odd of ['+275760-09-13T00:00:00.000Z', '-000001-01-01T00:00:00Z', '9999-12-31T00:00:00Z'])
      await taken(env, noticeAt(odd))
    const {code, document} = await json(env, 'notices', 'inbox')
    expect([code, document.items]).toMatchObject([0, [{id, desk: {state: 'open', deadline: 'at most'}}]])
  })

  test('does not move the time of the other notices', async () => {
    const env = userWith(1)
    await scent(env, ['notices', 'import', file(env)])
    await taken(env, noticeAt('2099-01-01T00:00:00Z', id.replace('c6', 'd7')))
    expect((await json(env, 'notices', 'inbox')).document.items).toMatchObject([
      {id, desk: {state: 'open'}},
      {},
    ])
  })

  test('is worth no more than its listener said: what was refused closes nothing', async () => {
    const env = userWith(1)
    await scent(env, ['notices', 'import', file(env)])
    const body = JSON.stringify({
      ...{eventId: 'forged', eventType: 'notice.resolved'},
      data: {notice: {id, status: 'Resolved', responseChoice: 'CancelWhole'}},
    })
    const line = (trust: string) =>
      JSON.stringify({event: 'delivery', trust, headers: [], body, encoding: 'utf8'})
    const refused = await taken(env, line('refused'))
    expect(refused).toMatchObject({
      code: 2,
      document: {error: {message: expect.stringContaining('was refused')}},
    })
    await taken(env, line('stale'))
    await taken(env, line('unchecked'))
    const {document} = await json(env, 'notices', 'inbox')
    expect(document.items).toMatchObject([{id, status: 'AwaitingPartnerResponse', desk: {state: 'doubtful'}}])
    await taken(env, line('verified'))
    expect((await json(env, 'notices', 'inbox')).document.items).toEqual([])
  })

  test("is shown in the API's own shape, with what it told to be empty", async () => {
    const env = userOf('http://127.0.0.1:1')
    const notice = {
      ...{id, scentOrderId: 'aab897a7-4d30-479b-85c5-5380b35917dc', reason: 'OutOfStock'},
      ...{status: 'AwaitingPartnerResponse', responseChoice: null, notifiedAt: new Date().toISOString()},
      ...{responseDeadlineAt: new Date(Date.now() + 72 * HOUR).toISOString(), respondedAt: null},
      hasShipmentDeparted: null,
      line: {scentOrderLineId: null, variantId: null, sku: null, orderedQuantity: 3, shortfallQuantity: null},
      impact: null,
    }
    await taken(env, JSON.stringify(notice))
    const [item] = (await json(env, 'notices', 'inbox')).document.items
    expect(item).toEqual({...notice, desk: expect.objectContaining({state: 'open', ifSilent: null})})
    expect(Object.keys(item)).toEqual([...Object.keys(notice), 'desk'])
    const {stdout, stderr} = await scent(env, ['notices', 'show', id])
    expect(stdout + stderr).not.toContain('null')
    // What is told later counts, whoever told before that nothing was known.
    const responded = {
      ...notice,
      status: 'Resolved',
      responseChoice: 'CancelWhole',
      line: {sku: 'NJD-INC-002'},
    }
    await taken(env, JSON.stringify(responded))
    const [closed] = (await json(env, 'notices', 'inbox', '--all')).document.items
    expect(closed).toMatchObject({status: 'Resolved', responseChoice: 'CancelWhole', impact: null})
  })

  test('may be an array, of which each bad element is named by its number', async () => {
    const env = userOf('http://127.0.0.1:1')
    const text = JSON.stringify(
      [{id, status: 'AwaitingPartnerResponse'}, {a: 1}, 'x', {noticeId: other}],
      null,
      2,
    )
    const {code, document} = await taken(env, text)
    expect([code, document.unreadable]).toEqual([
      11,
      [
        {element: 2, why: 'holds neither an event nor a notice'},
        {element: 3, why: 'holds neither an event nor a notice'},
      ],
    ])
    expect(document.items).toHaveLength(2)
    const {stderr} = await scent(env, ['notices', 'import', '-'], text)
    expect(stderr).toContain('Element 2 holds neither an event nor a notice.')
    const nothing = await taken(env, '[7]')
    expect(nothing.document.error.message).toBe(
      'Nothing in it can be read. Element 1 holds neither an event nor a notice.',
    )
  })

  test('may be thousands of notices in one document, as the inbox prints them', async () => {
    const env = userOf('http://127.0.0.1:1')
    const ids = Array.from(
      {length: 6_000},
      (_, at) => `c6c0dd6c-5d76-4b5d-9eff-${String(at).padStart(12, '0')}`,
    )
    const items = ids.map((one) => ({id: one, status: 'AwaitingPartnerResponse'}))
    const listed = await taken(
      env,
      JSON.stringify({items: items.map((item) => ({...item, desk: {state: 'open'}}))}),
    )
    expect([listed.code, listed.document.items.length]).toEqual([0, 6_000])
    const another = userOf('http://127.0.0.1:1')
    const inOne = await taken(another, JSON.stringify({report: {of: 'Monday', notices: items}}))
    expect([inOne.code, inOne.document.items.length]).toEqual([0, 6_000])
    const long = await taken(another, JSON.stringify({notices: items, more: 'x'.repeat(1024 * 1024)}))
    expect(long.document.error.message).toContain('is over 1 MiB')
  }, 60_000)

  test('may hold half characters, and what is printed is JSON for every program', async () => {
    const env = userOf('http://127.0.0.1:1')
    const notice = {
      id,
      status: 'AwaitingPartnerResponse',
      reason: 'a\ud800\ud83d\ude00\udc00',
      line: {sku: '\\ud800'},
    }
    await taken(env, JSON.stringify(notice))
    for (const argv of [['--json'], ['--output', 'ndjson']]) {
      const {stdout} = await scent(env, ['notices', 'inbox', ...argv])
      expect(JSON.stringify(JSON.parse(stdout))).toContain(String.raw`"a\\u{d800}😀\\u{dc00}"`)
      expect(stdout).toContain(String.raw`"\\ud800"`)
    }
  })

  test('is an event, and not a row about one', async () => {
    const env = userOf('http://127.0.0.1:1')
    const row = {eventId: 'one', eventType: 'notice.raised', trust: 'verified', notices: [id], copies: 1}
    expect(await taken(env, JSON.stringify(row))).toMatchObject({
      code: 2,
      document: {error: {message: expect.stringContaining('holds nothing of its body')}},
    })
  })
})
