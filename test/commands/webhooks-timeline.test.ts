// Both sides of a delivery, as the built program compares them: faults of the sandbox on the way, and what is named.
import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {checkWorld} from '../../src/sandbox/core/check.ts'
import {deskOf, eventBody, HOUR, listened, receipt} from '../desk/records.ts'
import {frozenMachine} from '../support/frozen.ts'
import {freePort, listening} from '../support/listening.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import {drawn, inTerminal, oneLine} from '../support/pty.ts'
import {start} from '../support/scent.ts'
import {openServedDesk, type ServedDesk} from '../support/served-desk.ts'
import {page, service, userOf} from '../support/service.ts'

let desk: ServedDesk

beforeEach(async () => {
  desk = await openServedDesk()
})
afterEach(() => desk.close())

// biome-ignore lint/suspicious/noExplicitAny: a document
type Item = any

const items = async (...argv: string[]): Promise<Item[]> =>
  (await desk.json(['webhooks', 'timeline', ...argv])).items
const brief = ({eventId, state, attempts, here, finding}: Item) => ({
  ...{eventId, state, tries: attempts.length, finding},
  here: here && [here.copies, here.trust],
})
const told = async (...argv: string[]) => (await items(...argv)).map(brief)
const screen = async (columns: number, ...argv: string[]) => {
  const {code, text} = await inTerminal(desk.env, ['webhooks', 'timeline', ...argv], {columns})
  expect(code, text).toBe(0)
  const {lines, broken} = drawn(text, columns)
  expect(broken).toEqual([])
  return lines.join('\n')
}

describe('a delivery that is', () => {
  beforeEach(async () => void (await desk.listen('--event', 'order.completed')))

  test('as it should be is on both sides, and no finding', async () => {
    const eventId = await desk.emit(1)
    await desk.settled()
    const [item] = await items()
    expect(brief(item)).toEqual({eventId, state: 'delivered', tries: 1, finding: null, here: [1, 'verified']})
    expect(Object.keys(item)).toEqual([
      ...['eventId', 'eventType', 'subscriptionId', 'state', 'attempts', 'nextAttemptAt', 'forgottenAt'],
      ...['here', 'finding'],
    ])
    expect(item).toMatchObject({eventType: 'order.completed', subscriptionId: desk.webhook()})
    expect(Date.parse(item.forgottenAt) - Date.parse(item.attempts[0].sentAt)).toBe(30 * 86_400_000)
    expect((await desk.run('webhooks', 'timeline')).stderr).toBe(
      '1 event that the service sent to 1 subscription: 1 delivered.\n',
    )
  })

  test('lost is delivered, not here, and it says who had the URL', async () => {
    await desk.fault('lost')
    const eventId = await desk.emit(1)
    await desk.settled()
    expect(await told()).toEqual([
      {eventId, state: 'delivered', tries: 1, finding: 'delivered-not-here', here: null},
    ])
    const {stdout, stderr} = await desk.run('webhooks', 'timeline', '--missing')
    expect(stdout).toContain('\t0\tdelivered-not-here\t')
    expect(oneLine(stderr)).toMatch(
      /The service was told 200 at [\d:]+, and nothing was received here, though 127\.0\.0\.1:\d+ listened from [\d:]+ on: look for another process at that URL/,
    )
    expect(oneLine(stderr)).toContain(
      `\`scent webhooks test ${desk.webhook()} --event order.completed --wait 30s\``,
    )
  })

  test.each(['twice', 'reordered'])('%s is no finding', async (way) => {
    await desk.fault(way)
    const [first, second] = [await desk.emit(1), await desk.emit(2)]
    await desk.settled()
    const all = await told()
    expect(all.map(({finding}) => finding)).toEqual([null, null])
    expect(new Set(all.map(({eventId}) => eventId))).toEqual(new Set([first, second]))
    const copies = all.find(({eventId}) => eventId === first)?.here[0]
    expect(copies).toBe(way === 'twice' ? 2 : 1)
  })

  test('late by a few seconds is no finding, and late by more than five minutes is one', async () => {
    await desk.fault('late', '--delay', '500')
    await desk.emit(1)
    await desk.settled()
    expect(await told()).toMatchObject([{finding: null}])
    // Its record says that it was sent long before it came.
    desk.sandbox.state.world.run('UPDATE attempts SET sent_at = sent_at - 400000')
    expect(await told()).toMatchObject([{state: 'delivered', finding: 'late', here: [1, 'verified']}])
    expect(await screen(80)).toContain('came 6 min late')
  })

  test('re-encoded is refused here, and differs from the copy that comes again', async () => {
    await desk.faultTwice('reencoded')
    const eventId = await desk.emit(1)
    await desk.settled()
    expect(await told()).toEqual([
      {
        ...{eventId, state: 'retrying', finding: 'here-not-delivered'},
        ...{tries: expect.any(Number), here: [expect.any(Number), 'refused']},
      },
    ])
    const said = oneLine((await desk.run('webhooks', 'timeline')).stderr)
    expect(said).toMatch(/It came at [\d:]+, and was refused here: its signature does not fit\./)
    expect(said).toContain(`\`scent webhooks verify --stored ${eventId.slice(0, 12)}\``)
    await desk.advance(600)
    await desk.settled()
    expect(await told()).toEqual([
      {eventId, state: 'delivered', tries: 3, finding: 'bodies-differ', here: [3, 'verified']},
    ])
  })

  test('skewed is here too old or ahead, and well once it comes again', async () => {
    await desk.faultTwice('skewed')
    await desk.emit(1)
    await desk.settled()
    expect(await told()).toMatchObject([
      {state: 'retrying', finding: 'here-not-delivered', here: [expect.any(Number), 'stale']},
    ])
    expect(oneLine((await desk.run('webhooks', 'timeline')).stderr)).toContain(
      'refused here: too old or ahead',
    )
    await desk.advance(600)
    await desk.settled()
    expect(await told()).toMatchObject([{state: 'delivered', finding: null, here: [3, 'verified']}])
    expect(oneLine((await desk.run('webhooks', 'timeline')).stderr)).toMatch(
      /It was refused here at [\d:]+ \(too old or ahead\), and taken on a later try\. `scent webhooks verify --stored/,
    )
  })

  test('cut is here, not delivered, and well once it comes again', async () => {
    await desk.faultTwice('cut')
    const eventId = await desk.emit(1)
    await desk.settled()
    expect(await told()).toEqual([
      {
        ...{eventId, state: 'retrying', finding: 'here-not-delivered'},
        ...{tries: expect.any(Number), here: [expect.any(Number), 'verified']},
      },
    ])
    expect(oneLine((await desk.run('webhooks', 'timeline')).stderr)).toMatch(
      /It is stored here since [\d:]+, and the service was told Connection failed.* The service tries again at/,
    )
    await desk.advance(600)
    await desk.settled()
    expect(await told()).toMatchObject([{state: 'delivered', tries: 3, finding: null, here: [3, 'verified']}])
    expect(oneLine((await desk.run('webhooks', 'timeline', '--failed')).stderr)).toMatch(
      /It is stored here since [\d:]+, but the service was told Connection failed then.* sent it again/,
    )
  })

  test('of which a record is missing is a gap', async () => {
    const webhook = desk.webhook()
    const {port} = new URL((await desk.json(['webhooks', 'list'])).items.at(-1).url)
    await desk.run('webhooks', 'update', webhook, '--url', `http://127.0.0.1:${await freePort()}/`)
    await desk.run('sandbox', 'clock', '--freeze')
    await desk.fault('unrecorded')
    await desk.emit(1)
    await desk.settled()
    expect(await told()).toEqual([])
    await desk.run('webhooks', 'update', webhook, '--url', `http://127.0.0.1:${port}/`)
    await desk.advance(600)
    await desk.settled()
    expect(await told()).toMatchObject([
      {state: 'delivered', tries: 1, finding: 'gap', here: [1, 'verified']},
    ])
    // What was not asked for is not missing.
    expect(await told('--since', '1d')).toMatchObject([{tries: 1, finding: null}])
    expect(await screen(80)).toContain('no record of try 1')
    expect(checkWorld(desk.sandbox.state.world)).toEqual([])
  })
})

describe('an event of which the service has no record', () => {
  test('is shown at once, and named once its record must be there', async () => {
    await desk.listen('--event', 'order.completed')
    const other = await desk.emit(1)
    await desk.settled()
    await desk.fault('unrecorded')
    const eventId = await desk.emit(2)
    await desk.settled()
    const only = {eventId, state: 'unknown', tries: 0, here: [1, 'verified']}
    expect(await told()).toMatchObject([
      {...only, finding: null},
      {eventId: other, state: 'delivered'},
    ])
    const seen = await screen(80)
    expect(seen).toMatch(/order\.completed +0 +unknown +- +yes +no record yet/)
    expect(oneLine(seen)).toMatch(/It came at [\d:]+, and the service has no record of it yet:/)
    // What is read two minutes later.
    Object.assign(desk.env, frozenMachine(Date.now() + 120_000).env)
    for (const filter of [
      [],
      ['--missing'],
      ['--since', '1h'],
      ['--id', eventId],
      ['--event', 'order.completed'],
    ])
      expect((await told(...filter))[0]).toEqual({...only, finding: 'here-only'})
    expect(await told('--failed')).toEqual([])
    const later = await screen(80, '--missing')
    expect(later).toMatch(/order\.completed +0 +unknown +- +yes +here only/)
    expect(oneLine(later)).toMatch(
      /The one event that the service sent to 1 subscription does not fit\. 1 event is only here\./,
    )
    expect(oneLine(later)).toMatch(
      /It came at [\d:]+ and its signature fits, but the service's list of deliveries has no record of it\. Nothing is lost/,
    )
    expect(later).toContain(`scent webhooks events ${eventId.slice(0, 12)} --copies`)
    expect(await screen(40, '--missing')).toMatch(/order\.completed · unknown · here\n {2}here only\n/)
    expect((await desk.run('webhooks', 'timeline')).stdout).toMatch(/\t0\tunknown\t\t1\there-only\t/)
  })

  test('is not named if nothing says that it is of this subscription, or if it was refused', async () => {
    const listener = await desk.listen('--event', 'order.completed')
    const url = `http://127.0.0.1:${await freePort()}/hook`
    await desk.json(['webhooks', 'create', '--url', url, '--event', 'order.completed'])
    await listener.send(eventBody('forged'), {signature: 'v1=00'})
    await listener.stop()
    const bare = await listening(desk.env)
    await bare.send(eventBody('of-nobody'))
    await bare.stop()
    Object.assign(desk.env, frozenMachine(Date.now() + 120_000).env)
    expect(await told()).toEqual([])
  })
})

describe('an event', () => {
  test('that another receiver took is not a finding, and --missing shows it', async () => {
    const listener = await desk.listen('--event', 'order.completed')
    await desk.emit(1)
    await desk.settled()
    await listener.stop()
    const webhook = desk.webhook()
    await desk.run('webhooks', 'enable', webhook)
    await desk.fault('lost')
    const eventId = await desk.emit(2)
    await desk.settled()
    expect(await told('--missing')).toEqual([
      {eventId, state: 'delivered', tries: 1, finding: null, here: null},
    ])
    expect(await screen(80, '--missing')).toContain('another receiver took it')
  })

  test('that happens while its subscription is switched off is not sent, and that is said', async () => {
    const listener = await desk.listen('--event', 'order.completed')
    const off = `The subscription ${desk.webhook()} is switched off`
    expect((await desk.run('webhooks', 'timeline')).stderr).not.toContain(off)
    await listener.stop()
    for (const columns of [80, 40]) {
      const seen = oneLine(await screen(columns))
      expect(seen).toContain(off)
      expect(seen).toContain('but for tests nothing is sent to it.')
      expect(seen).toContain(`\`scent webhooks enable ${desk.webhook()}\``)
    }
    expect(oneLine((await desk.run('webhooks', 'timeline')).stderr)).toContain(off)
    expect(await items()).toEqual([])
  })

  test('that was given up can not be overlooked, and says how long its record is kept', async () => {
    const listener = await desk.listen('--event', 'order.completed')
    await listener.stop()
    const webhook = desk.webhook()
    await desk.run('webhooks', 'enable', webhook)
    const eventId = await desk.emit(1)
    await desk.run('sandbox', 'clock', '--advance', '40h')
    await desk.settled()
    const [item] = await items(webhook, '--failed')
    expect(brief(item)).toEqual({eventId, state: 'dead', tries: 8, finding: null, here: null})
    const seen = await screen(80)
    expect(seen).toMatch(/1 DEAD; 1 not here/)
    expect(seen).toMatch(/order\.completed +8 +DEAD .*Connection failed +no +gone in (29|30) d/)
    // First why, then what can still be done.
    expect(oneLine(seen)).toMatch(
      /: Each of its 8 tries failed, the last at [\w: ]+ \(Connection failed\), when nothing listened here\. It was given up, and does not come again\. It is not here: ask for what it told of, such as `scent orders get ID`, or take in what another receiver has kept: `scent notices import FILE`\. The service forgets it on \w+ \d+\./,
    )
    // In a narrow terminal it is a block of two lines.
    expect(await screen(40)).toMatch(/order\.completed · DEAD .* · not here\n {2}gone in (29|30) d\n/)
  })

  test('is found by the beginning of its id, or refused if that is too short or fits none', async () => {
    await desk.listen('--event', 'order.completed', '--event', 'order.failed')
    const [first, second] = [await desk.emit(1), await desk.emit(2, 'order.failed')]
    await desk.settled()
    const webhook = desk.webhook()
    expect(await told('--id', first.slice(0, 8))).toMatchObject([{eventId: first}])
    expect(await told(webhook, '--event', 'order.failed')).toMatchObject([{eventId: second}])
    expect(await told('--failed')).toEqual([])
    expect(await desk.json(['webhooks', 'timeline', '--id', first.slice(0, 5)], 2)).toMatchObject({
      error: {state: 'INVALID_INPUT'},
    })
    expect(await desk.json(['webhooks', 'timeline', '--id', 'ffffffffff'], 5)).toMatchObject({
      error: {state: 'NOTHING_MATCHED'},
    })
    const deliveries = async (...argv: string[]) =>
      (await desk.json(['webhooks', 'deliveries', webhook, ...argv])).items
    expect(await deliveries('--id', first.slice(0, 8))).toMatchObject([{eventId: first}])
    expect(await deliveries('--since', '1h')).toHaveLength(2)
    expect(await deliveries('--since', '2099-01-01')).toEqual([])
    for (const list of ['deliveries', 'timeline']) {
      const missed = await desk.json(['webhooks', list, webhook, '--id', 'ffffffffff'], 5)
      expect(missed.error).toMatchObject({
        state: 'NOTHING_MATCHED',
        message: 'The service keeps no delivery of an event whose id begins with "ffffffffff".',
      })
      // What is here, and what other filters leave out, is named.
      const later = await desk.json(['webhooks', list, webhook, '--id', first, '--since', '2099-01-01'], 5)
      expect(later.error.message).toMatch(/that fits the other filters .*, though it came here at /)
      expect(later.error.hint).toContain('leave out the other filters')
    }
    expect(await deliveries('--id', first, '--failed')).toEqual([])
    expect((await desk.run('webhooks', 'deliveries', webhook, '--id', 'abc')).code).toBe(2)
  })
})

describe('with several subscriptions', () => {
  const place = async () => `http://127.0.0.1:${await freePort()}/hook`
  const create = async (url: string): Promise<string> => {
    const made = await desk.json(['webhooks', 'create', '--url', url, '--event', 'order.completed'])
    return made.id
  }

  test('--missing shows what one of them lacks, though another one has it, and each row tells whose it is', async () => {
    await desk.listen('--event', 'order.completed')
    const own = desk.webhook()
    const url = await place()
    const other = await create(url)
    const eventId = await desk.emit(1)
    await desk.settled()
    expect(await items('--missing')).toMatchObject([
      {eventId, subscriptionId: other, state: 'retrying', here: null, finding: null},
    ])
    const all = await items()
    expect(all.find(({subscriptionId}) => subscriptionId === own)).toMatchObject({
      ...{eventId, state: 'delivered', here: {copies: 1}},
    })
    expect((await desk.run('webhooks', 'timeline')).stdout).toContain(`\t${other}`)
    const {host, port} = new URL(url)
    for (const columns of [80, 40]) {
      const seen = oneLine(await screen(columns))
      expect(seen).toContain(host)
      expect(seen).toContain(own.slice(0, 8))
      expect(seen).toContain(other.slice(0, 8))
    }
    // What helps a receiver that is down is one at its URL.
    const {stderr} = await desk.run('webhooks', 'timeline', other)
    expect(oneLine(stderr)).toContain(`Start the receiver at ${url}, or listen there.`)
    expect(stderr).toContain(`scent webhooks listen --subscription ${other} --port ${port}`)
    await desk.run('sandbox', 'clock', '--advance', '40h')
    await desk.settled()
    expect(await told('--missing')).toMatchObject([{state: 'dead', here: null}])
  })

  test('what went to an earlier URL is not missed at that of today', async () => {
    const webhook = await create(await place())
    const listener = await listening(desk.env)
    await desk.fault('lost')
    const eventId = await desk.emit(1)
    await desk.settled()
    await desk.run('webhooks', 'update', webhook, '--url', `http://127.0.0.1:${listener.port}/hook`)
    expect(await told()).toMatchObject([{eventId, state: 'delivered', here: null, finding: null}])
    await desk.fault('lost')
    const later = await desk.emit(2)
    await desk.settled()
    expect(await told('--id', later)).toMatchObject([{finding: 'delivered-not-here'}])
    await listener.stop()
  })

  test('a listener at another port than that of the URL misses nothing', async () => {
    const webhook = await create(await place())
    const listener = await listening(desk.env, '--subscription', webhook)
    await desk.fault('lost')
    await desk.emit(1)
    await desk.settled()
    expect(await told()).toMatchObject([{state: 'delivered', here: null, finding: null}])
    await listener.stop()
  })
})

test('each cause has its own sentence: what was refused, and what was stored', async () => {
  await desk.listen('--event', 'order.completed')
  const ids: string[] = []
  for (const [index, way] of ['cut', 'reencoded', 'cut'].entries()) {
    await desk.faultTwice(way)
    ids.push(await desk.emit(index))
    await desk.settled()
    // The second try, and not yet the third.
    await desk.advance(60)
    await desk.settled()
  }
  const {stderr} = await desk.run('webhooks', 'timeline')
  const said = oneLine(stderr)
  expect(said).toContain(`order.completed ${ids[1]?.slice(0, 12)}: It came at`)
  expect(said).toMatch(
    new RegExp(`order.completed (${ids[0]?.slice(0, 12)}|${ids[2]?.slice(0, 12)}): It is stored here since`),
  )
  expect(said.match(/So it is with 1 more event\./g)).toHaveLength(1)
})

test('what a filter leaves out is not said of the service', async () => {
  await desk.listen('--event', 'order.completed')
  for (const n of [1, 2]) await desk.emit(n)
  await desk.settled()
  for (const filter of [['--failed'], ['--missing'], ['--event', 'order.failed']])
    expect((await desk.run('webhooks', 'timeline', ...filter)).stderr).toBe(
      'None of the 2 events that the service sent to 1 subscription fits.\n',
    )
  await desk.fault('lost')
  await desk.emit(3)
  await desk.settled()
  expect((await desk.run('webhooks', 'timeline', '--missing')).stderr).toMatch(
    /^1 of the 3 events that the service sent to 1 subscription: 1 delivered; 1 not here\.\n/,
  )
})

test.each([
  ['75h', 'ahead of'],
  ['0s', undefined],
])(
  "after the service's clock was moved by %s the sentences tell times of one clock, and name it if it matters",
  async (by, way) => {
    await desk.json(['sandbox', 'clock', '--advance', by])
    const listener = await desk.listen('--event', 'order.completed')
    const webhook = await desk.webhook()
    await listener.stop()
    await desk.run('webhooks', 'enable', webhook)
    const [first, second] = [await desk.emit(1), await desk.emit(2)]
    await desk.settled()
    const began = new Date()
    const {stderr} = await desk.run('webhooks', 'timeline', webhook)
    const said = oneLine(stderr)
    const [, failed = '', again = ''] =
      /It failed first at (.*?) \(Connection failed\).* The service tries again at (.*?)\. /.exec(said) ?? []
    const moments = [failed, again].map((text) => {
      const day = text.includes(' ') ? `${text.slice(0, 6)} ${began.getFullYear()}` : began.toDateString()
      return new Date(`${day} ${text.slice(-8)}`).getTime() - began.getTime()
    })
    // By this machine's clock both are near, whatever the service's says.
    expect(Math.max(...moments.map(Math.abs)), said).toBeLessThan(20 * 60_000)
    expect(said).toContain('So it is with 1 more event.')
    expect([first, second].some((id) => said.includes(id.slice(0, 12)))).toBe(true)
    const names = /by the clock of this machine; those of the list .* which is 75 h ahead of it\./
    if (way) expect(said).toMatch(names)
    else expect(said).not.toContain('clock of')
    if (way) expect(oneLine(await screen(40, webhook))).toMatch(names)
  },
)

test('without a subscription there is nothing to ask, and one that is unknown is not found', async () => {
  expect((await desk.run('webhooks', 'timeline')).stderr).toContain('No subscription is known here')
  expect(oneLine(await screen(80))).toMatch(/^No subscription is known here, .* give the id of one\. ?$/)
  const unknown = '00000000-0000-4000-8000-000000000000'
  expect(await desk.json(['webhooks', 'timeline', unknown], 5)).toMatchObject({
    error: {state: 'NOT_FOUND_WEBHOOK_SUBSCRIPTION'},
  })
})

test('it watches until Ctrl-C: each event as it is, and again when it changes', async () => {
  await desk.listen('--event', 'order.completed')
  await desk.faultTwice('cut')
  const eventId = await desk.emit(1)
  const {child, ended} = start(desk.env, ['webhooks', 'timeline', '--watch', '--output', 'ndjson'])
  let seen = ''
  let moved: Promise<void> | undefined
  child.stdout?.on('data', (text: string) => {
    seen += text
    if (seen.includes('here-not-delivered')) moved ??= desk.advance(600)
    if (seen.includes('"state":"delivered"')) child.kill('SIGINT')
  })
  expect((await ended).code).toBe(0)
  await moved
  const lines = seen
    .trim()
    .split('\n')
    .map((line) => brief(JSON.parse(line)))
  expect(lines).toContainEqual(
    expect.objectContaining({eventId, state: 'retrying', finding: 'here-not-delivered'}),
  )
  expect(lines.at(-1)).toMatchObject({eventId, state: 'delivered', tries: 3, finding: null})
}, 60_000)

test('10,000 records are read with 100 requests, and take no more memory than 150 MB', async () => {
  const webhook = 'aff5afa7-c6bd-4c04-b245-89e6b7e40128'
  const began = Date.now() - HOUR
  const at = (n: number) => new Date(began + n * 100).toISOString()
  // Each event failed at first, and came with its second attempt; of one in a hundred nothing came.
  const attempt = (n: number) =>
    JSON.stringify({
      ...{
        id: `attempt-${n}`,
        eventType: 'order.completed',
        eventId: `event-${Math.floor(n / 2)}`,
        sentAt: at(n),
      },
      ...{attemptNumber: (n % 2) + 1, httpStatus: n % 2 === 0 ? 503 : 200, succeeded: n % 2 === 1},
      ...{errorSummary: null, deadLetteredAt: null, nextAttemptAt: n % 2 === 0 ? at(n + 1) : null},
    })
  const all = Array.from({length: 10_000}, (_, n) => attempt(9_999 - n))
  const other = await service(({url = ''}) => {
    const number = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1)
    const rows = all.slice((number - 1) * 100, number * 100)
    return page(rows, {page: number, pageSize: 100, totalCount: all.length})
  })
  const env = userOf(other.url)
  const came = Array.from({length: 5_000}, (_, n) => n).filter((n) => n % 100 !== 7)
  const records = came.map((n) =>
    receipt(began + n * 200 + 110, eventBody(`event-${n}`, undefined, 'order.completed')),
  )
  await listened(deskOf(env), {from: began - HOUR, to: Date.now(), records})
  const report = join(env.HOME ?? '', 'memory')
  const write = `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(report)}, String(process.resourceUsage().maxRSS)))`
  const hook = join(env.HOME ?? '', 'hook.cjs')
  writeFileSync(hook, write)
  const line = ['webhooks', 'timeline', webhook, '--missing', '--json']
  const asked = () => other.seen.filter(({url}) => url?.includes('/deliveries')).length
  /** The peak of one run, in megabytes. */
  const run = async () => {
    const before = asked()
    const {code, stdout} = await scent({...env, NODE_OPTIONS: `--require ${hook}`}, line)
    expect([code, JSON.parse(stdout).items?.length], stdout.slice(0, 500)).toEqual([0, 50])
    expect(asked() - before).toBe(100)
    return Number(readFileSync(report, 'utf8')) / 1024
  }
  // Where others work, garbage waits longer: what it needs is the least of three.
  const megabytes = Math.min(await run(), await run(), await run())
  console.log(`timeline of 10,000 records: ${Math.round(megabytes)} MB`)
  expect(megabytes).toBeLessThan(150)
  await other.close()
}, 120_000)
