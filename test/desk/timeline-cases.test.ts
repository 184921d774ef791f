// What the timeline must not say of an event: cases in which the records suggest what has not happened.
import {describe, expect, test} from 'vitest'
import type {Delivery} from '../../src/contract/webhooks.ts'
import {type Arrived, readHere} from '../../src/desk/deliveries/here.ts'
import {timeline} from '../../src/desk/deliveries/timeline.ts'
import type {Run} from '../../src/desk/receipts/runs.ts'
import {timelineWords} from '../../src/desk/screens/timeline-words.ts'
import {userOf} from '../support/service.ts'
import {deskOf, eventBody, HOUR, listened, receipt} from './records.ts'

const NOW = Date.parse('2026-11-22T12:00:00.000Z')
const MINUTE = 60_000
const START = NOW - 3 * HOUR

const run = (more: Partial<Run> = {}): Run => ({
  ...{from: START, to: NOW, isFailing: false, slept: [], port: 4750, pid: 812, publicUrl: null},
  ...{subscription: null, hasSecret: true, answer: null, dropped: 0, ...more},
})

const copy = (at: number, more: Partial<Arrived> = {}): Arrived => ({
  ...{at, trust: 'verified', why: null, eventType: 'order.completed', sha256: 'one', run: run(), ...more},
})

/** An attempt of the event; `status` null: there was no answer. */
const attempt = (number: number, at: number, status: number | null, nextAt?: number): Delivery =>
  ({
    ...{id: `attempt-${number}`, eventId: 'event-1', eventType: 'order.completed', attemptNumber: number},
    ...{sentAt: new Date(at).toISOString(), succeeded: status === 200, httpStatus: status},
    ...{errorSummary: status === null ? 'Connection failed' : null, deadLetteredAt: null},
    nextAttemptAt: nextAt === undefined ? null : new Date(nextAt).toISOString(),
  }) as Delivery

const known = (id: string, port: number, isActive = true) => ({
  ...{id, isActive, urls: [{url: `http://127.0.0.1:${port}/hook`, from: 0}]},
})

interface Case {
  subscriptions: ReturnType<typeof known>[]
  attempts?: {[subscription: string]: Delivery[]}
  copies: Arrived[]
  since?: number
}

function judged({subscriptions, attempts = {}, copies, since}: Case) {
  const here = {copies: new Map([['event-1', copies]]), imported: new Set<string>()}
  const around = {
    ...{
      ...here,
      runs: copies.map((one) => one.run),
      localOf: (at: number) => at,
      known: subscriptions,
      now: NOW,
    },
    ...{isWhole: since === undefined, askedFrom: since ?? NOW - 30 * 24 * HOUR},
  }
  const sent = subscriptions.map((subscription) => ({
    subscription,
    attempts: attempts[subscription.id] ?? [],
  }))
  const rows = timeline(sent, around)
  return {rows, around, named: rows.map(({item}) => [item.subscriptionId, item.finding])}
}

describe('an event is not only here', () => {
  const sentAt = NOW - HOUR
  const delivered = [attempt(1, sentAt, 200)]

  test('if the listener did not say whom it served, and the subscription was switched off since', () => {
    const subscriptions = [known('a', 4750, false), known('b', 4751), known('c', 4752)]
    const copies = [copy(sentAt + 40)]
    expect(judged({subscriptions, attempts: {a: delivered}, copies}).named).toEqual([['a', null]])
    // Where the other one's list is not asked for, nothing is known of it.
    const [off, other] = subscriptions
    if (!off || !other) throw new Error('there are three')
    expect(judged({subscriptions: [off, other], copies}).named).toEqual([])
    expect(judged({subscriptions: [known('a', 9999, false), other], copies}).named).toEqual([])
  })

  test('nor not delivered to one that has its own try, since it came for another one that is switched off', () => {
    const subscriptions = [known('a', 4750, false), known('b', 4751)]
    const attempts = {a: delivered, b: [attempt(1, sentAt, null, NOW + HOUR)]}
    const {named} = judged({subscriptions, attempts, copies: [copy(sentAt + 40)]})
    expect(named.map(([, finding]) => finding)).toEqual([null, null])
  })

  test('if it may have been sent before the time that was asked for', () => {
    const subscriptions = [known('a', 4750)]
    const since = NOW - 2 * HOUR
    const unchecked = {trust: 'unchecked', run: run({subscription: 'a', hasSecret: false})} as const
    for (const one of [copy(since + 20 * MINUTE), copy(since + HOUR, unchecked)])
      expect(judged({subscriptions, copies: [one], since}).named).toEqual([])
    // It is, if the whole list was read, or it came long after.
    expect(judged({subscriptions, copies: [copy(since + HOUR, unchecked)]}).named).toEqual([
      ['a', 'here-only'],
    ])
    expect(judged({subscriptions, copies: [copy(since + HOUR)], since}).named).toEqual([['a', 'here-only']])
  })
})

/** What stands below the list. */
const said = (one: Case) => {
  const {rows, around} = judged(one)
  return timelineWords({rows, here: around, now: NOW}).join(' ')
}

describe('a copy is not blamed for a try that did not bring it', () => {
  const subscriptions = [known('a', 4750)]
  const at = NOW - HOUR
  const told = (answer: number | null) => run({subscription: 'a', answer, to: at + 2 * MINUTE})

  test.each([
    ['404', 404, 'ended with 404'],
    ['nothing', null, 'ended with Connection failed, when nothing listened here. The service tries again'],
  ])('of a listener that was told to answer 503, where the next try met %s', (_, status, ended) => {
    const attempts = {a: [attempt(1, at, 503), attempt(2, at + 5 * MINUTE, status, NOW + HOUR)]}
    const one = {subscriptions, attempts, copies: [copy(at + 40, {run: told(503)})]}
    expect(judged(one).named).toEqual([['a', null]])
    expect(said(one)).toContain('the listener answered 503 because it was started with --answer 503')
    expect(said(one)).toContain(ended)
    expect(said(one)).not.toContain('on its way back')
    if (status === null) expect(said(one)).toContain('Start the receiver at http://127.0.0.1:4750/hook')
  })

  test('of which the answer was lost: that try is named, and the later one as what it is', () => {
    const attempts = {a: [attempt(1, at, 502), attempt(2, at + 5 * MINUTE, null, NOW + HOUR)]}
    const one = {subscriptions, attempts, copies: [copy(at + 40, {run: told(null)})]}
    expect(judged(one).named).toEqual([['a', 'here-not-delivered']])
    expect(said(one)).toMatch(
      /stored here since [\w: ]+, and the service was told 502: the answer was changed/,
    )
    expect(said(one)).toMatch(/The last try, at [\w: ]+, ended with Connection failed, when nothing listened/)
    expect(said(one)).toContain('Start the receiver at http://127.0.0.1:4750/hook')
    expect(said(one)).not.toContain('told Connection failed')
  })

  test('that was delivered before it was sent once more, in vain', () => {
    const again = attempt(2, at + 30 * MINUTE, null)
    const one = {subscriptions, copies: [copy(at + 40, {run: told(null)})]}
    const whole = {...one, attempts: {a: [attempt(1, at, 200), again]}}
    expect(judged(whole).named).toEqual([['a', null]])
    expect(said(whole)).not.toMatch(/on its way back|on a later try/)
    // Where what delivered it was not asked for.
    for (const last of [again, attempt(2, at + 30 * MINUTE, null, NOW + HOUR)]) {
      const late = {...one, attempts: {a: [last]}, since: at + MINUTE}
      expect(judged(late).named).toEqual([['a', null]])
      expect(said(late)).toMatch(/It is stored here since [\w: ]+, before the tries that are looked at\./)
      expect(said(late)).not.toMatch(/on its way back|on a later try/)
    }
  })

  test('that came when a try was announced of which there is no record', () => {
    const attempts = {a: [attempt(1, at, null, at + 5 * MINUTE)]}
    const one = {subscriptions, attempts, copies: [copy(at + 5 * MINUTE + 40, {run: told(null)})]}
    expect(judged(one).named).toEqual([['a', 'here-not-delivered']])
    expect(said(one)).toContain('the service has no record of the try that brought it')
    expect(said(one)).not.toContain('was told')
  })
})

describe('an event that does not come again, and is here', () => {
  const at = NOW - HOUR
  const dead = {...attempt(8, at, null), deadLetteredAt: new Date(at).toISOString()}
  const to = 'http://127.0.0.1:8080/hook'
  const saidOf = (...handed: NonNullable<Arrived['handed']>[]) =>
    said({
      ...{subscriptions: [known('a', 4750)], attempts: {a: [dead]}},
      copies: handed.length > 0 ? handed.map((one) => copy(at + 40, {handed: one})) : [copy(at + 40)],
    })

  test('is handed on by a command that names its receiver, or none if none is known', () => {
    expect(saidOf({to, status: 500})).toContain(`scent webhooks replay event-1 --to ${to}`)
    expect(saidOf({to, status: null})).toContain(`scent webhooks replay event-1 --to ${to}`)
    expect(saidOf()).toContain('scent webhooks replay event-1 --to URL')
  })

  test('needs no command if its receiver has taken a copy', () => {
    const taken = saidOf({to, status: 204}, {to, status: 500})
    expect(taken).toContain(`It is here, and ${to} has taken it.`)
    expect(taken).not.toContain('webhooks replay')
  })

  test('has its receiver from the records of copies that were handed on', async () => {
    const desk = deskOf(userOf('http://127.0.0.1:1'))
    const came = receipt(at, eventBody('event-1'))
    const {sha256, at: receivedAt} = came
    const handed = {kind: 'forwarded', at: receivedAt, sha256, receivedAt, to, ms: 3, error: null} as const
    const other = receipt(at + 1, eventBody('event-2'))
    const records = [
      came,
      other,
      {...handed, status: 200},
      {...handed, to: 'http://127.0.0.1:9/', status: 500},
    ]
    await listened(desk, {from: at - HOUR, to: at + HOUR, records})
    const {copies} = readHere(desk, at - HOUR, () => true)
    expect(copies.get('event-1')?.map((one) => one.handed)).toEqual([{to, status: 200}])
    expect(copies.get('event-2')?.map((one) => one.handed)).toEqual([undefined])
  })
})
