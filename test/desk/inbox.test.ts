import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import type {Notice} from '../../src/contract/notices.ts'
import {type Answer, type InboxItem, inbox, isOpen, type Told} from '../../src/desk/notices/inbox.ts'

type Trust = Told['trust']

const HOUR = 3_600_000
const raised = Date.parse('2026-11-18T12:00:00.000Z')
const due = raised + 72 * HOUR
const id = 'c6c0dd6c-5d76-4b5d-9eff-250400d2b556'

const awaiting: Partial<Notice> = {
  scentOrderId: 'aab897a7-4d30-479b-85c5-5380b35917dc',
  reason: 'OutOfStock',
  status: 'AwaitingPartnerResponse',
  notifiedAt: new Date(raised).toISOString(),
  responseDeadlineAt: new Date(due).toISOString(),
  hasShipmentDeparted: false,
}
const resolved = (responseChoice: 'CancelWhole' | 'ShipAvailable'): Partial<Notice> => ({
  ...awaiting,
  status: 'Resolved',
  responseChoice,
})
const expired: Partial<Notice> = {...awaiting, status: 'ExpiredCancelledWhole'}

const told = (trust: Trust, fields: Partial<Notice> = awaiting, at = raised + HOUR): Told => ({
  id,
  trust,
  at,
  by: at,
  fields,
  saysEnd: null,
})
/** An event that holds the id alone, and whose type says the end. */
const typed = (saysEnd: Told['saysEnd'], trust: Trust = 'verified') => ({...told(trust, {}), saysEnd})
const answer = (
  outcome?: Answer['outcome'],
  choice: Answer['choice'] = 'ShipAvailable',
  at = raised + 2 * HOUR,
) =>
  ({
    attempt: `${choice} ${outcome} ${at}`,
    id,
    choice,
    at,
    by: at,
    ...(outcome && {outcome}),
  }) satisfies Answer

function only(tales: Told[], answers: Answer[] = [], now = raised + 3 * HOUR): InboxItem {
  const items = inbox({told: tales, answers}, {now})
  expect(items).toHaveLength(1)
  return items[0] as InboxItem
}

test('a status that the spec does not have ends nothing, whoever tells it', () => {
  const odd = {...awaiting, status: 'OnHold'} as unknown as Partial<Notice>
  const doubts = [{code: 'unknown-status', says: 'It has the status "OnHold", which is not known here.'}]
  const about = {state: 'doubtful', leftMs: 69 * HOUR, doubts}
  for (const tales of [
    [told('verified', odd)],
    [told('imported', odd)],
    [told('verified'), told('verified', odd)],
  ])
    expect(only(tales).desk).toMatchObject(about)
  expect(only([told('verified', odd)], [], due + HOUR).desk.state).toBe('overdue')
  expect(only([told('verified', odd), told('verified', expired)]).desk).toMatchObject({
    state: 'expired',
    doubts: [],
  })
})

test('an answer that was lost stays the one that is told, whatever was sent after it', () => {
  const lost = answer('unknown', 'ShipAvailable', raised + 2 * HOUR)
  const later = answer('closed', 'CancelWhole', raised + 2.5 * HOUR)
  expect(only([told('verified')], [lost, later]).desk).toMatchObject({
    state: 'unsettled',
    answer: {choice: 'ShipAvailable', outcome: 'unknown'},
  })
  const [shipped, cancelled] = [resolved('ShipAvailable'), resolved('CancelWhole')]
  expect(only([told('verified', shipped)], [lost, later]).desk.answer?.choice).toBe('ShipAvailable')
  const both = [lost, answer('unknown', 'CancelWhole', raised + 2.5 * HOUR)]
  expect(only([told('verified', cancelled)], both).desk.answer?.choice).toBe('CancelWhole')
})

describe('the state of a notice', () => {
  test.each<[string, string, Told[], Answer[], number?]>([
    ['open', 'a checked copy tells of it', [told('verified')], []],
    ['open', 'an unchecked copy tells of it', [told('unchecked')], []],
    ['overdue', 'its deadline has passed', [told('verified')], [], due],
    ['answered', 'the service answered us', [told('verified')], [answer('answered')]],
    [
      'answered',
      'our answer was lost, and an event tells that choice',
      [told('verified'), told('verified', resolved('ShipAvailable'))],
      [answer('unknown')],
    ],
    ['answered-elsewhere', 'an event tells of a choice', [told('verified', resolved('CancelWhole'))], []],
    [
      'answered-elsewhere',
      'an event tells another choice than ours',
      [told('verified', resolved('CancelWhole'))],
      [answer('unknown')],
    ],
    ['expired', 'an event says so', [told('verified'), told('verified', expired)], []],
    ['expired', 'an import says so', [told('verified'), told('imported', expired)], []],
    ['closed', 'the service refused our answer', [told('verified')], [answer('closed')]],
    ['closed', 'the deadline was faster than our answer', [told('verified')], [answer('lost-race')]],
    ['not-ours', 'the service does not know it', [told('verified')], [answer('not-found')]],
    ['unsettled', 'our answer was lost', [told('verified')], [answer('unknown')]],
    ['unsettled', 'we died while we sent it', [told('verified')], [answer()]],
    [
      'unsettled',
      'it was closed after a lost answer',
      [told('verified')],
      [answer('unknown'), answer('closed')],
    ],
    [
      'closed',
      'the same, and the deadline has passed',
      [told('verified')],
      [answer('unknown'), answer('closed')],
      due,
    ],
    ['closed', 'our answer was lost, and the deadline has passed', [told('verified')], [answer()], due],
    ['open', 'our answer never left', [told('verified')], [answer('failed')]],
    ['doubtful', 'an unchecked copy says it is closed', [told('verified'), told('unchecked', expired)], []],
    ['expired', 'the type of an event says so', [told('verified'), typed('expired')], []],
    ['answered-elsewhere', 'the type of an event says so', [told('verified'), typed('resolved')], []],
    ['answered-elsewhere', 'the same, and our answer never left', [typed('resolved')], [answer('failed')]],
    ['closed', 'the same, and our answer was lost', [typed('resolved')], [answer('unknown')]],
    ['expired', 'the type of an event says so, and our answer was lost', [typed('expired')], [answer()]],
    ['closed', 'the type of an event says so, and not how', [typed('closed')], []],
    [
      'doubtful',
      'the type of an unchecked event says it',
      [told('verified'), typed('expired', 'unchecked')],
      [],
    ],
    ['doubtful', 'all copies are stale', [told('stale')], []],
  ])('%s: %s', (state, _, tales, answers, now) => {
    const {desk} = only(tales, answers, now)
    expect(desk.state).toBe(state)
  })

  test('two endings: the higher trust tells, and there is a doubt', () => {
    const {status, desk} = only([told('imported', resolved('CancelWhole')), told('verified', expired)])
    expect(status).toBe('ExpiredCancelledWhole')
    expect(desk.doubts.map(({code}) => code)).toEqual(['endings-differ'])
  })

  test('an end that only the type of an event tells takes its status and choice from what tells the same', () => {
    const alone = only([told('verified'), typed('expired')])
    expect([alone.status, alone.desk.doubts]).toEqual([undefined, []])
    const both = only([told('verified'), typed('expired'), told('imported', expired)])
    expect([both.status, both.desk.trust, both.desk.doubts]).toEqual([
      'ExpiredCancelledWhole',
      'verified',
      [],
    ])
    const other = only([typed('expired'), told('imported', resolved('CancelWhole'))])
    expect([other.desk.state, other.desk.doubts.map(({code}) => code)]).toEqual([
      'expired',
      ['endings-differ'],
    ])
    const how = only([typed('closed'), told('imported', resolved('CancelWhole'))])
    expect([how.desk.state, how.desk.doubts]).toEqual(['answered-elsewhere', []])
  })

  test.each<[string, Partial<Notice>, string | null]>([
    ['lost', {reason: 'Lost', hasShipmentDeparted: true}, 'CancelWhole'],
    ['departed', {hasShipmentDeparted: true}, 'ShipAvailable'],
    ['not departed', {hasShipmentDeparted: false}, 'CancelWhole'],
    ['not told', {}, null],
  ])('what happens if nobody answers: %s', (_, fields, choice) => {
    expect(only([told('verified', fields)]).desk.ifSilent).toBe(choice)
  })
})

describe('the deadline', () => {
  test.each<[string, Told[], number, string]>([
    ['is what the service told', [told('verified')], due, 'told'],
    ['is 72 hours after it was raised', [told('verified', {notifiedAt: awaiting.notifiedAt})], due, 'raised'],
    ['is at most 72 hours after it was seen', [told('verified', {}, raised)], due, 'at most'],
    [
      'of what proves nothing is the earliest',
      [
        told('unchecked'),
        told('unchecked', {...awaiting, responseDeadlineAt: new Date(due - HOUR).toISOString()}),
      ],
      due - HOUR,
      'told',
    ],
    [
      'is not put off by what proves nothing',
      [
        told('verified'),
        told('unchecked', {...awaiting, responseDeadlineAt: new Date(due + HOUR).toISOString()}),
      ],
      due,
      'told',
    ],
  ])('%s', (_, tales, at, kind) => {
    const now = raised + 3 * HOUR
    expect(only(tales, [], now).desk).toMatchObject({leftMs: at - now, deadline: kind})
  })

  test('that nobody told is not brought forward by what proves nothing and came first', () => {
    const early = told('unchecked', {}, raised - HOUR)
    expect(isOpen(only([told('verified', {}, raised), early], [], due - HOUR))).toBe(true)
    expect(isOpen(only([told('verified', {}, raised), early], [], due))).toBe(false)
  })

  test('that nobody told for certain is not put off by what proves nothing', () => {
    const later = {...awaiting, responseDeadlineAt: new Date(due + 50 * HOUR).toISOString()}
    const both = [told('verified', {}, raised), told('unchecked', later)]
    expect(isOpen(only(both, [], due - HOUR))).toBe(true)
    expect(only(both, [], due).desk.state).toBe('overdue')
  })

  test('stays open until the latest of those that prove nothing', () => {
    const early = told('unchecked', {...awaiting, responseDeadlineAt: new Date(raised + HOUR).toISOString()})
    expect(isOpen(only([told('unchecked'), early], [], raised + 3 * HOUR))).toBe(true)
  })
})

describe('whatever was told', () => {
  const trust = fc.constantFrom<Trust>('service', 'verified', 'imported', 'unchecked', 'stale')
  const fields = fc.oneof(
    fc.constant(awaiting),
    fc.constant(expired),
    fc.constant(resolved('CancelWhole')),
    fc.constant(resolved('ShipAvailable')),
    fc.constant({} as Partial<Notice>),
    fc.integer({min: -100, max: 100}).map((hours) => ({
      ...awaiting,
      responseDeadlineAt: new Date(due + hours * HOUR).toISOString(),
    })),
  )
  const hours = fc.integer({min: 0, max: 80})
  const tale = fc
    .record({
      trust,
      fields,
      at: hours,
      by: hours,
      saysEnd: fc.constantFrom(null, null, 'resolved' as const, 'expired' as const, 'closed' as const),
    })
    .map((one): Told => ({...one, id, at: raised + one.at * HOUR, by: raised + one.by * HOUR}))
  const outcome = fc.constantFrom<Answer['outcome']>(
    ...(['answered', 'closed', 'lost-race', 'not-found', 'unknown', 'failed', undefined] as const),
  )
  const sent = fc
    .record({outcome, at: hours, choice: fc.constantFrom('CancelWhole' as const, 'ShipAvailable' as const)})
    .map((one) => answer(one.outcome, one.choice, raised + one.at * HOUR))
  const answers = fc.uniqueArray(sent, {selector: ({attempt}) => attempt, maxLength: 4})
  const tales = fc.array(tale, {minLength: 1, maxLength: 6})
  const now = fc.integer({min: 0, max: 100}).map((after) => raised + after * HOUR)
  const runs = {numRuns: 2_000}

  test('the order of the records does not matter', () => {
    const shuffled = (list: Told[]) =>
      fc.shuffledSubarray(list, {minLength: list.length, maxLength: list.length})
    const pairs = tales.chain((list) => fc.tuple(fc.constant(list), shuffled(list)))
    fc.assert(
      fc.property(pairs, answers, now, ([one, other], ours, at) => {
        expect(inbox({told: other, answers: [...ours].reverse()}, {now: at})).toEqual(
          inbox({told: one, answers: ours}, {now: at}),
        )
      }),
      runs,
    )
  })

  test('a record that is there twice changes nothing', () => {
    fc.assert(
      fc.property(tales, answers, now, (list, ours, at) => {
        const once = inbox({told: list, answers: ours}, {now: at})
        expect(inbox({told: [...list, ...list], answers: ours}, {now: at})).toEqual(once)
      }),
      runs,
    )
  })

  test('a copy that proves nothing neither closes a notice nor puts it off', () => {
    const liar = tale.map((one) => ({...one, trust: 'unchecked' as const}))
    const honest = fc.array(
      tale.map((one) => ({...one, trust: 'verified' as const})),
      {minLength: 1, maxLength: 4},
    )
    fc.assert(
      fc.property(honest, liar, answers, now, (list, lie, ours, at) => {
        const before = only(list, ours, at)
        const after = only([...list, lie], ours, at)
        if (isOpen(before)) expect(isOpen(after)).toBe(true)
        expect(after.desk.leftMs ?? 0).toBeLessThanOrEqual(before.desk.leftMs ?? Number.POSITIVE_INFINITY)
      }),
      runs,
    )
  })

  test('time closes a notice, and never opens it again', () => {
    fc.assert(
      fc.property(tales, answers, now, now, (list, ours, a, b) => {
        const [early, late] = [only(list, ours, Math.min(a, b)), only(list, ours, Math.max(a, b))]
        if (!isOpen(early)) expect(isOpen(late)).toBe(false)
      }),
      runs,
    )
  })

  test('what was known is never forgotten', () => {
    fc.assert(
      fc.property(tales, tales, answers, now, (list, more, ours, at) => {
        expect(inbox({told: [...list, ...more], answers: ours}, {now: at})).toHaveLength(1)
      }),
      runs,
    )
  })
})
