// Why an empty inbox may not be one: each reason by the records that show it, and not without them, by the built program.
import {appendFileSync, existsSync, statSync} from 'node:fs'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import type {Blindness} from '../../src/desk/notices/blindness.ts'
import {inboxJournal} from '../../src/desk/notices/records.ts'
import {serviceOffset} from '../../src/store/clock.ts'
import {webhookRecords} from '../../src/store/webhooks.ts'
import {listening, secret} from '../support/listening.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import {page, service, userOf} from '../support/service.ts'
import {type Desk, deskOf, eventBody, HOUR, listened, noticeOf, receipt} from './records.ts'

const id = 'c6c0dd6c-5d76-4b5d-9eff-250400d2b556'
const other = 'd7c0dd6c-5d76-4b5d-9eff-250400d2b557'
const hook = 'aff5afa7-c6bd-4c04-b245-89e6b7e40128'
const now = Date.now()
const ago = (hours: number) => now - hours * HOUR
const iso = (at: number) => new Date(at).toISOString()

/** What the service says that it sent, as its list of deliveries. */
let deliveries: object[] | 'unknown' = []
let api: Awaited<ReturnType<typeof service>>
beforeAll(async () => {
  api = await service(({url}) => {
    if (deliveries === 'unknown') return {status: 404, state: 'NOT_FOUND_WEBHOOK_SUBSCRIPTION'}
    const at = Number(new URL(url, 'http://localhost').searchParams.get('page') ?? 1)
    const rows = deliveries.slice((at - 1) * 100, at * 100).map((one) => JSON.stringify(one))
    return page(rows, {page: at, pageSize: 100, totalCount: deliveries.length})
  })
})
afterAll(() => api.close())

type Make = (desk: Desk) => unknown

/** What the inbox of a user with these records says that it can't know. */
async function blindOf(make: Make[], argv: string[] = []) {
  const env = userOf(api.url)
  const desk = deskOf(env)
  for (const one of make) await one(desk)
  const {code, stdout, stderr} = await scent(env, ['notices', 'inbox', '--json', ...argv])
  expect(code, stderr + stdout).toBe(0)
  const blind: Blindness[] = JSON.parse(stdout).blind
  return {
    env,
    blind,
    codes: blind.map((one) => one.code),
    of: (code: string) => blind.find((one) => one.code === code),
  }
}

/** A listener that has run long enough, and runs. */
const listens: Make = (desk) => listened(desk, {from: ago(100)})
const subscribed =
  (more: object = {}, at = ago(50)): Make =>
  ({folders, identity}) =>
    webhookRecords(folders, identity).note(
      {id: hook, url: 'http://127.0.0.1:4750/', eventTypes: ['notice.raised'], isActive: true, ...more},
      iso(at),
    )
const got =
  (...records: Parameters<typeof receipt>[]): Make =>
  (desk) =>
    listened(desk, {from: ago(100), to: ago(99), records: records.map((one) => receipt(...one))})
const took =
  (raw: string): Make =>
  ({folders, identity}) =>
    inboxJournal(folders, identity).append({kind: 'imported', at: iso(ago(1)), sha256: 'a', raw})
/** The line that takes one copy in, if it fits. */
const TAKE_IN =
  /^scent webhooks verify --stored (r-[\da-f]{12}) && scent webhooks events \1 --body \| scent notices import -$/
/** By a listener without a secret, which has ended. */
const tookUnchecked =
  (eventId: string, notice?: object): Make =>
  (desk) => {
    const copy = receipt(ago(4), eventBody(eventId, notice), {trust: 'unchecked', why: 'no-secret'})
    return listened(desk, {from: ago(5), to: ago(3), hasSecret: false, records: [copy]})
  }
const well = [listens, got([ago(2), eventBody('event-1', noticeOf(id, ago(2)))]), subscribed()]

const attempt = (eventId: string, hours: number, more: object = {}) => ({
  ...{id: hook, eventType: 'notice.raised', eventId, attemptNumber: 1, httpStatus: 200},
  ...{
    sentAt: iso(ago(hours)),
    succeeded: true,
    errorSummary: null,
    deadLetteredAt: null,
    nextAttemptAt: null,
  },
  ...more,
})

test('a machine that listened all the time, and has a secret and an active subscription, is not blind', async () => {
  expect((await blindOf(well)).blind).toEqual([])
})

describe('the inbox says', () => {
  type Row = [what: string, code: Blindness['code'], make: Make[], facts: object, not: Make[]]
  const refused = {trust: 'refused', why: 'secret'} as const
  const rows: Row[] = [
    [
      'that nothing has ever listened',
      'nobody-listens',
      [],
      {since: null, until: null, next: 'scent webhooks listen --subscribe'},
      well,
    ],
    [
      'that nothing listens now, and since when',
      'nobody-listens',
      [(desk) => listened(desk, {from: ago(100), to: ago(1)}), subscribed({own: true})],
      {since: iso(ago(1)), until: null, next: 'scent webhooks listen --subscribe'},
      [(desk) => listened(desk, {from: ago(100), to: ago(1)}), (desk) => listened(desk, {from: ago(1)})],
    ],
    [
      'when nothing listened, and until when that matters',
      'gaps',
      [(desk) => listened(desk, {from: ago(100), to: ago(30)}), (desk) => listened(desk, {from: ago(10)})],
      {
        ...{since: iso(ago(30)), until: iso(ago(10 - 72)), next: 'scent notices inbox --check'},
        times: [{from: iso(ago(30)), to: iso(ago(10))}],
      },
      // Over in ten minutes, or before the window: the service's retries cover it, or the deadline has passed.
      [
        (desk) => listened(desk, {from: ago(200), to: ago(90)}),
        (desk) => listened(desk, {from: ago(80), to: ago(10)}),
        (desk) => listened(desk, {from: ago(10) + 600_000}),
      ],
    ],
    [
      'when the machine slept',
      'gaps',
      [
        (desk) =>
          listened(desk, {
            from: ago(100),
            records: [{kind: 'slept', at: iso(ago(1)), from: iso(ago(60)), to: iso(ago(1))}],
          }),
      ],
      {times: [{from: iso(ago(60)), to: iso(ago(1))}]},
      // Another listener was awake.
      [
        (desk) =>
          listened(desk, {
            from: ago(100),
            records: [{kind: 'slept', at: iso(ago(1)), from: iso(ago(60)), to: iso(ago(1))}],
          }),
        (desk) => listened(desk, {from: ago(61)}),
      ],
    ],
    [
      'that nothing has come for longer than usual',
      'silent',
      [listens, got([ago(60), eventBody('event-1')], [ago(55), eventBody('event-2')])],
      {since: iso(ago(55)), until: null},
      // Pauses are usually that long; or nobody listened, and then that is what is said.
      [
        (desk) => listened(desk, {from: ago(300)}),
        got(
          [ago(80), eventBody('event-1')],
          [ago(60), eventBody('event-2')],
          [ago(30), eventBody('event-3')],
        ),
      ],
    ],
    [
      'that nothing has come at all',
      'silent',
      [(desk) => listened(desk, {from: ago(30)})],
      {since: iso(ago(30))},
      [(desk) => listened(desk, {from: ago(30), to: ago(20)}), (desk) => listened(desk, {from: ago(5)})],
    ],
    [
      'that no subscription is active',
      'inactive',
      [...well, subscribed({isActive: false}, ago(1))],
      {since: iso(ago(1)), next: `scent webhooks enable ${hook}`},
      [...well, subscribed({id: other, isActive: false})],
    ],
    [
      "that this machine's own subscription is not active",
      'inactive',
      [...well, subscribed({isActive: false, own: true}, ago(1))],
      {next: 'scent webhooks listen --subscribe'},
      [...well, subscribed({own: true})],
    ],
    [
      'that the service has given up deliveries, as was last told',
      'dead-lettering',
      [...well, subscribed({lastDeliveryStatus: 'DeadLettered'}, ago(1))],
      {since: iso(ago(1)), next: `scent webhooks deliveries ${hook} --failed`},
      // One came since then.
      [...well, subscribed({lastDeliveryStatus: 'DeadLettered'}, ago(3))],
    ],
    [
      'that no active subscription has a type that told of notices',
      'no-type',
      [...well, subscribed({eventTypes: ['order.completed']})],
      {since: iso(ago(2)), says: expect.stringContaining('notice.raised')},
      [
        ...well,
        // What was refused told of nothing.
        got([ago(1), eventBody('event-9', noticeOf(other, ago(1)), 'made.up'), refused]),
      ],
    ],
    [
      'how many were refused, and how many of them speak of notices',
      'refused',
      [
        ...well,
        got(
          [ago(1), eventBody('event-7', noticeOf(other, ago(1))), refused],
          [ago(1), eventBody('event-8', undefined, 'order.completed'), refused],
        ),
      ],
      {
        ...{since: iso(ago(1)), until: iso(ago(1 - 72)), next: expect.stringMatching(TAKE_IN)},
        says: '2 deliveries were refused for the signature, and 1 of them speaks of a notice. What fits the secret that is in force now can be taken in.',
      },
      // Sent again, it fitted; or it was taken in since; and one that is older than any deadline.
      [
        ...well,
        got([ago(1), eventBody('event-1'), refused], [ago(80), eventBody('event-8'), refused]),
        got([ago(1), eventBody('event-7', noticeOf(other, ago(1))), refused]),
        took(eventBody('event-7', noticeOf(other, ago(1)))),
      ],
    ],
    [
      'how several that were refused are taken in',
      'refused',
      [
        ...well,
        got(
          [ago(1), eventBody('event-7', noticeOf(other, ago(1))), refused],
          [ago(1), eventBody('event-8', noticeOf(id, ago(1))), refused],
        ),
      ],
      {
        next: 'scent webhooks events --trust refused --output ndjson | scent notices import -',
        says: '2 deliveries were refused for the signature, and 2 of them speak of a notice. What fits the secret that is in force now can be taken in.',
      },
      [...well, got([ago(1), eventBody('event-1'), refused])],
    ],
    [
      'how those among many are taken in',
      'refused',
      [
        ...well,
        got(
          ...Array.from(
            {length: 120},
            (_, n): Parameters<typeof receipt> => [
              ...([
                ago(1),
                eventBody(`junk-${n}`, n < 2 ? noticeOf(n ? id : other, ago(1)) : undefined, 'x'),
              ] as const),
              refused,
            ],
          ),
        ),
      ],
      {
        next: 'scent webhooks events --trust refused --limit 120 --output ndjson | scent notices import -',
      },
      [...well, got([ago(1), eventBody('event-1'), refused])],
    ],
    [
      'that a delivery can not be read',
      'unreadable',
      [...well, got([ago(1), eventBody('event-7', {about: 'a notice without an id'})])],
      {since: iso(ago(1)), next: 'scent webhooks events event-7 --body'},
      [...well, got([ago(1), eventBody('event-7', {about: 'nothing'}), refused])],
    ],
    [
      'that a delivery can not be read, and no command that its sender chose',
      'unreadable',
      [...well, got([ago(1), eventBody('$(reboot)', {about: 'a notice'})])],
      {next: expect.stringMatching(/^scent webhooks events r-[\da-f]{12} --body$/)},
      [...well, got([ago(1), eventBody('event-7', undefined, 'order.completed')])],
    ],
    [
      'that copies of one event tell of different notices',
      'conflict',
      [...well, got([ago(1), eventBody('event-1', noticeOf(other, ago(1)))])],
      {next: 'scent webhooks events --differs'},
      // Without the secret nobody can raise a conflict; and other bytes may tell of the same.
      [
        ...well,
        got(
          [ago(1), eventBody('event-1', noticeOf(other, ago(1))), refused],
          [ago(1), eventBody('event-1', noticeOf(id, ago(2), {more: 1}))],
        ),
      ],
    ],
    [
      'that nothing is checked',
      'unchecked',
      [...well, (desk) => listened(desk, {from: ago(1), hasSecret: false})],
      {
        ...{since: iso(ago(1)), until: null, next: 'scent webhooks listen --secret-stdin'},
        says: expect.stringContaining('has no signing secret, and checks nothing'),
      },
      // It is over, and nothing that matters came to it.
      [
        ...well,
        (desk) => listened(desk, {from: ago(5), to: ago(3), hasSecret: false}),
        tookUnchecked('event-8'),
        tookUnchecked('event-9', noticeOf(other, ago(80))),
      ],
    ],
    [
      'that nothing was checked, when, and what to do about what came then',
      'unchecked',
      [...well, tookUnchecked('event-7', noticeOf(other, ago(4)))],
      {
        ...{since: iso(ago(5)), until: expect.stringContaining(iso(ago(4 - 72)).slice(0, 15))},
        times: [{from: iso(ago(5)), to: iso(ago(3))}],
        says: expect.stringContaining('only what came to it tells of 1 notice that waits for an answer'),
        next: expect.stringMatching(TAKE_IN),
      },
      // The service has sent it again since, to a listener that checks.
      [
        ...well,
        tookUnchecked('event-7', noticeOf(other, ago(4))),
        got([ago(1), eventBody('event-7', noticeOf(other, ago(4)))]),
      ],
    ],
    [
      'that nothing was checked, and no command that its sender chose',
      'unchecked',
      [...well, tookUnchecked('$(reboot)', noticeOf(other, ago(4)))],
      {
        says: expect.not.stringContaining('reboot'),
        next: expect.stringMatching(TAKE_IN),
      },
      [...well, tookUnchecked('$(reboot)')],
    ],
    [
      'that the clock is off',
      'clock',
      [...well, ({folders, identity}) => serviceOffset(folders, identity).hear(90_000)],
      {says: expect.stringContaining("2 min behind the service's")},
      [...well, ({folders, identity}) => serviceOffset(folders, identity).hear(-50_000)],
    ],
    [
      'that a file of receipts is damaged, and reads the others',
      'store',
      [
        ...well,
        async (desk) => {
          const path = await listened(desk, {from: ago(1), to: ago(1)})
          appendFileSync(path, 'nonsense\n{"kind":"alive"}\n')
        },
      ],
      {says: expect.stringContaining('.ndjson'), next: 'scent doctor'},
      // A torn end is what a kill leaves.
      [
        ...well,
        async (desk) => appendFileSync(await listened(desk, {from: ago(1), to: ago(1)}), '{"kind":"al'),
      ],
    ],
  ]
  test.each(rows)('%s (%s)', async (_, code, make, facts, not) => {
    const said = await blindOf(make)
    expect(said.of(code), JSON.stringify(said.blind)).toMatchObject({code, ...facts})
    expect((await blindOf(not)).codes).not.toContain(code)
  })
})

describe('with --check the service is asked', () => {
  const check = (make: Make[]) => blindOf(make, ['--check'])

  test('with one request for each subscription, and says nothing if all is here', async () => {
    deliveries = [attempt('event-1', 2)]
    const asked = api.seen.length
    const {blind} = await check(well)
    expect(blind).toEqual([])
    const urls = api.seen.slice(asked).map(({url}) => url)
    expect(urls.filter((url) => url.includes('deliveries'))).toHaveLength(1)
  })

  test('and its silence is no riddle any more', async () => {
    deliveries = []
    const quiet = [listens, got([ago(60), eventBody('event-1', undefined, 'order.completed')]), subscribed()]
    expect((await blindOf(quiet)).codes).toEqual(['silent'])
    expect((await check(quiet)).codes).toEqual([])
    // There is nobody to ask about.
    expect((await check(quiet.slice(0, 2))).codes).toEqual(['silent'])
  })

  test('and a time at which nothing listened hides nothing if the service sent all that is here', async () => {
    deliveries = [attempt('event-1', 2)]
    const asleep = [
      (desk: Desk) => listened(desk, {from: ago(100), to: ago(30)}),
      (desk: Desk) =>
        listened(desk, {
          from: ago(10),
          records: [receipt(ago(2), eventBody('event-1', noticeOf(id, ago(2))))],
        }),
    ]
    expect((await blindOf([...asleep, subscribed()])).codes).toEqual(['gaps'])
    const {codes, env} = await check([...asleep, subscribed()])
    expect(codes).toEqual([])
    const {stderr} = await scent(env, ['notices', 'inbox', '--check'])
    expect(stderr).toContain('to 1 subscription within 72 hours: all that may tell of a notice is here.')
    // While none was active the service has sent nothing, whatever was raised: it can't tell.
    const off: Make = ({folders, identity}) => {
      const records = webhookRecords(folders, identity)
      return records.note({id: hook, isActive: false}, iso(ago(29)))
    }
    const unsure = await check([...asleep, subscribed(), off, subscribed({}, ago(10))])
    expect(unsure.of('gaps')?.says).toContain('no subscription that is known here was active all that time')
    expect((await check([...asleep, subscribed({}, ago(20))])).codes).toEqual(['gaps'])
    expect((await check([...asleep, subscribed({eventTypes: ['order.completed']})])).codes).toContain('gaps')
    // What is missing is told with the time at which it was missed.
    deliveries = [attempt('event-1', 2), attempt('event-9', 20)]
    expect((await check([...asleep, subscribed()])).codes).toEqual(['gaps', 'missing'])
    deliveries = []
  })

  test('what it has sent that is not here, and whether it comes yet', async () => {
    deliveries = [
      attempt('event-4', 1, {succeeded: false, nextAttemptAt: iso(ago(-1))}),
      // Of these nothing says that they will be: the one was due an hour ago, and the other is announced no more.
      attempt('event-5', 1.5, {succeeded: false, nextAttemptAt: iso(ago(1))}),
      attempt('event-6', 1, {succeeded: false, attemptNumber: 2}),
      attempt('event-6', 2, {succeeded: false, nextAttemptAt: iso(ago(1))}),
      attempt('event-3', 3, {succeeded: false, deadLetteredAt: iso(ago(3))}),
      attempt('event-2', 5),
      attempt('event-1', 2),
      attempt('too-old', 80),
    ]
    const {of} = await check(well)
    expect(of('missing')).toEqual({
      ...{code: 'missing', since: iso(ago(5)), until: iso(ago(1 - 72))},
      says: '5 events of the last 72 hours that the service has sent are not here (5 notice.raised). Another receiver took 1. The service will send 1 again. It has given up 1. Nothing says that 2 will come again. What another receiver keeps can be taken in: `scent notices import FILE`.',
      next: `scent webhooks timeline ${hook} --missing`,
    })
  })

  test('and what was imported is here, and so is a type that never told of a notice', async () => {
    deliveries = [attempt('event-2', 5), attempt('event-3', 4, {eventType: 'order.completed'})]
    const raw = eventBody('event-2', noticeOf(other, ago(5)))
    const imported = took(raw)
    const orders = got([ago(50), eventBody('event-0', undefined, 'order.completed')])
    expect((await check([...well, imported, orders])).codes).toEqual([])
    expect((await check([...well, imported])).codes).toEqual(['missing'])
  })

  test('and only what came with a fitting signature is here', async () => {
    deliveries = [attempt('event-7', 1)]
    const refused = got([
      ago(1),
      eventBody('event-7', noticeOf(other, ago(1))),
      {trust: 'refused', why: 'secret'},
    ])
    expect((await check([...well, refused])).codes).toEqual(['missing', 'refused'])
  })

  test('whether it has given up, and it is known from then on', async () => {
    deliveries = [
      attempt('event-1', 0.5, {succeeded: false, deadLetteredAt: iso(ago(0.5))}),
      attempt('event-1', 2),
    ]
    const {env, of, codes} = await check(well)
    expect(codes).toEqual(['dead-lettering'])
    expect(of('dead-lettering')).toMatchObject({
      since: iso(ago(0.5)),
      next: `scent webhooks deliveries ${hook} --failed`,
    })
    const later = JSON.parse((await scent(env, ['notices', 'inbox', '--json'])).stdout)
    expect(later.blind).toMatchObject([{code: 'dead-lettering'}])
    deliveries = [attempt('event-1', 0.2)]
    expect(JSON.parse((await scent(env, ['notices', 'inbox', '--check', '--json'])).stdout).blind).toEqual([])
  })

  test('and a subscription that it does not know sends nothing', async () => {
    deliveries = 'unknown'
    const {of} = await check(well)
    expect(of('inactive')).toMatchObject({since: null, next: 'scent webhooks listen'})
    deliveries = []
  })

  describe('and what was missing then', () => {
    const inbox = async (env: NodeJS.ProcessEnv, ...argv: string[]) => {
      const {code, stdout, stderr} = await scent(env, ['notices', 'inbox', '--json', ...argv])
      const blind: Blindness[] = JSON.parse(stdout).blind ?? []
      return {code, stderr, blind, missing: blind.find((one) => one.code === 'missing')}
    }
    /** Two events that were sent, of which none is here. */
    const checked = async () => {
      deliveries = [attempt('event-2', 5), attempt('event-3', 3, {succeeded: false})]
      const {env, of} = await check(well)
      expect(of('missing')?.checkedAt).toBe(undefined)
      return env
    }

    test('is still said a minute later, with when it was asked', async () => {
      const env = await checked()
      const {missing, blind} = await inbox(env)
      expect(blind.map(({code}) => code)).toEqual(['missing'])
      expect(missing).toEqual({
        ...{code: 'missing', since: iso(ago(5)), until: iso(ago(3 - 72))},
        says: '2 events that the service had sent when it was last asked are still not here (2 notice.raised). Another receiver had taken 1. Nothing said that 1 would come again. What another receiver keeps can be taken in: `scent notices import FILE`.',
        next: `scent webhooks timeline ${hook} --missing`,
        checkedAt: expect.stringMatching(/^20.*Z$/),
      })
      expect(Math.abs(Date.parse(missing?.checkedAt ?? '') - Date.now())).toBeLessThan(600_000)
      const due = await scent(env, ['notices', 'inbox', '--due-within', '1h'])
      expect(due.code).toBe(12)
      expect(due.stderr).toMatch(
        /Since \w+ \d+ \w+ \d\d:\d\d\. The service was asked \w+ \d+ \w+ \d\d:\d\d\./,
      )
    })

    test("is told by this machine's clock, as all other times are", async () => {
      const env = await checked()
      const {folders, identity} = deskOf(env)
      serviceOffset(folders, identity).hear(3 * HOUR)
      expect((await inbox(env)).missing).toMatchObject({since: iso(ago(8)), until: iso(ago(6 - 72))})
    })

    test('is said no more once it was imported, or received', async () => {
      const env = await checked()
      const raw = eventBody('event-2', noticeOf(other, ago(5)))
      expect((await scent(env, ['notices', 'import', '-'], raw)).code).toBe(0)
      expect((await inbox(env)).missing?.says).toContain('1 event that the service had sent')
      await got([ago(0), eventBody('event-3', noticeOf(id, ago(3)))])(deskOf(env))
      expect((await inbox(env)).blind).toEqual([])
    })

    test('is said no more once a later check does not find it', async () => {
      const env = await checked()
      deliveries = [attempt('event-1', 2)]
      expect((await inbox(env, '--check')).blind).toEqual([])
      expect((await inbox(env)).blind).toEqual([])
    })

    test('stays known if the service knows the subscription no more, and so does that', async () => {
      const env = await checked()
      deliveries = 'unknown'
      expect((await inbox(env, '--check')).missing?.says).toContain('2 events of the last 72 hours')
      deliveries = []
      const {blind, missing} = await inbox(env)
      expect(missing?.says).toContain('2 events that the service had sent')
      expect(blind.find(({code}) => code === 'inactive')).toMatchObject({
        says: 'When it was last asked, the service knew none of the subscriptions that are known here: it sends nothing.',
        checkedAt: missing?.checkedAt,
      })
      // An answer has shown it since then.
      await subscribed({}, Date.now() + 1_000)(deskOf(env))
      expect((await inbox(env)).blind.map(({code}) => code)).toEqual(['missing'])
    })

    test('is said no more once its time to be answered is over', async () => {
      const event = {
        id: 'event-2',
        type: 'notice.raised',
        subscription: hook,
        isTaken: true,
        isGivenUp: false,
      }
      const keeping =
        (hours: number): Make =>
        ({folders, identity}) =>
          inboxJournal(folders, identity).append({
            ...{kind: 'checked', at: iso(ago(1)), isCut: false, gone: []},
            lacking: [{...event, firstAt: ago(hours)}],
          })
      expect((await blindOf([...well, keeping(71)])).codes).toEqual(['missing'])
      expect((await blindOf([...well, keeping(73)])).codes).toEqual([])
    })

    test('takes little room, however often and however much is missing', async () => {
      deliveries = Array.from({length: 1_200}, (_, n) =>
        attempt(`event-${n + 10}`, 58 + n / 100, {id: `delivery-${n}`}),
      )
      const {env, of} = await check(well)
      expect(of('missing')?.says).toMatch(/^At least 1000 events of the last 72 hours/)
      const {path} = inboxJournal(deskOf(env).folders, deskOf(env).identity)
      const size = statSync(path).size
      expect(size).toBeLessThan(250_000)
      await inbox(env, '--check')
      expect(statSync(path).size - size).toBeLessThan(500)
      expect((await inbox(env)).missing?.says).toMatch(/^At least 1000 events that the service had sent/)
      deliveries = []
    })

    test('and a check that finds nothing writes nothing', async () => {
      deliveries = [attempt('event-1', 2)]
      const {env} = await check(well)
      const {path} = inboxJournal(deskOf(env).folders, deskOf(env).identity)
      expect(existsSync(path)).toBe(false)
    })
  })

  test('and where no subscription is known, that is said', async () => {
    const env = userOf(api.url)
    const {stderr} = await scent(env, ['notices', 'inbox', '--check'])
    expect(stderr).toContain('No subscription is known here')
  })

  test('and a service that can not be reached is a failure, not an empty list', async () => {
    const env = userOf('http://127.0.0.1:1')
    const desk = deskOf(env)
    for (const one of well) await one(desk)
    const {code, stdout} = await scent(env, ['notices', 'inbox', '--check', '--json', '--max-wait', '0'])
    expect([code, JSON.parse(stdout).error.state]).toEqual([10, 'NO_CONNECTION'])
  })
})

test('a pipe gets the list alone, and is told beside it what the list may lack', async () => {
  const env = userOf(api.url)
  await got([ago(2), eventBody('event-1', noticeOf(id, ago(2)))])(deskOf(env))
  const {stdout, stderr} = await scent(env, ['notices', 'inbox'])
  expect(stdout.trim().split('\n')).toHaveLength(1)
  expect(stderr).toMatch(
    /! Nothing listens on this machine now: .* Since \w+ \d+ \w+ \d\d:\d\d\.\n {2}`scent webhooks listen --subscribe`/,
  )
})

test('what came unchecked is checked, and taken over, by the commands that are told', async () => {
  const env = {...userOf(api.url), SCENT_WEBHOOK_SECRET: ''}
  const listener = await listening(env)
  expect(await listener.send(eventBody('event-of-then', noticeOf(id, ago(1))))).toBe(200)
  const told = async () => {
    const blind: Blindness[] = JSON.parse((await scent(env, ['notices', 'inbox', '--json'])).stdout).blind
    return blind.find(({code}) => code === 'unchecked')
  }
  expect((await told())?.says).toContain('checks nothing')
  await listener.stop()
  const reason = await told()
  expect(reason?.says).toContain('checked nothing')
  const {stderr} = await scent(env, ['notices', 'inbox'])
  const moment = '\\w{3} \\d+ \\w{3} \\d\\d:\\d\\d'
  expect(stderr).toMatch(new RegExp(`checked nothing: .* That was ${moment} to ${moment}\\.`))
  const [check, body, take] = reason?.next.split(/ && | \| /).map((line) => line.split(' ').slice(1)) ?? []
  const knowing = {...env, SCENT_WEBHOOK_SECRET: secret}
  expect((await scent(knowing, check ?? [])).code).toBe(0)
  const {stdout} = await scent(env, body ?? [])
  // Without the secret it is worth no more than before.
  expect((await scent(env, take ?? [], stdout)).stderr).toContain('there is no secret at hand')
  expect((await told())?.says).toBe(reason?.says)
  expect((await scent(knowing, take ?? [], stdout)).code).toBe(0)
  expect(await told()).toBe(undefined)
  const {items} = JSON.parse((await scent(env, ['notices', 'inbox', '--json'])).stdout)
  expect(items).toMatchObject([{id, desk: {state: 'open', trust: 'imported'}}])
}, 60_000)
