import {createHmac, randomUUID} from 'node:crypto'
import {join} from 'node:path'
import fc from 'fast-check'
import {vi} from 'vitest'
import type {NoticeChoice} from '../../src/contract/notices.ts'
import {type Evidence, readEvidence} from '../../src/desk/notices/evidence.ts'
import type {InboxItem, inbox} from '../../src/desk/notices/inbox.ts'
import {type InboxRecord, inboxJournal, type Outcome} from '../../src/desk/notices/records.ts'
import {receiptsFile, receiptsFolder} from '../../src/desk/receipts/segment.ts'
import {judge} from '../../src/desk/signature/judge.ts'
import {serviceOffset} from '../../src/store/clock.ts'
import {folder} from '../support/program.ts'
import {type Desk, eventBody, HOUR, noticeOf, receipt} from './records.ts'

// A service that raises notices and sends events, listeners that come and go, two operators, and a liar without the secret.
// The clock of the service is moved, which this machine learns at once or later. The model says what the inbox must be, from what
// was told to whom, and never looks into a record.

const SECRET = 'whsec_of-the-model'
const MINUTE = 60_000

export type Inbox = typeof inbox

export type Step =
  | {do: 'raise'; departed: boolean; lost: boolean; form: 'nested' | 'id-only'}
  | {do: 'listen'; secret: 'right' | 'wrong' | 'none'}
  | {do: 'leave'}
  | {do: 'send'; isAnswerLost: boolean}
  | {do: 'repeat'; event: number; isStale: boolean}
  | {do: 'answer'; notice: number; choice: NoticeChoice; fate: (typeof fates)[number]}
  | {do: 'colleague'; notice: number; choice: NoticeChoice}
  | {do: 'lie'; notice: number; what: (typeof lies)[number]}
  | {do: 'import'; event: number}
  | {do: 'wait'; hours: number}
  | {do: 'turn'; hours: number; isSeen: boolean}
  | {do: 'hear'}

/** What becomes of an answer of ours: it may not leave, not be answered, or end with this process, before or after it has taken effect. */
const fates = ['told', 'refused', 'lost-before', 'lost-after', 'died-before', 'died-after', 'raced'] as const
const lies = ['end', 'typed-end', 'later', 'sooner', 'new', 'same-id'] as const

const choice = fc.constantFrom<NoticeChoice>('CancelWhole', 'ShipAvailable')
const which = fc.nat({max: 5})
export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        ...{do: fc.constant('raise' as const), departed: fc.boolean(), lost: fc.boolean()},
        form: fc.constantFrom('nested' as const, 'id-only' as const),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('listen' as const),
        secret: fc.constantFrom('right' as const, 'right' as const, 'wrong' as const, 'none' as const),
      }),
    },
    {weight: 1, arbitrary: fc.constant({do: 'leave' as const})},
    {weight: 6, arbitrary: fc.record({do: fc.constant('send' as const), isAnswerLost: fc.boolean()})},
    {
      weight: 2,
      arbitrary: fc.record({do: fc.constant('repeat' as const), event: which, isStale: fc.boolean()}),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        ...{do: fc.constant('answer' as const), notice: which, choice},
        fate: fc.constantFrom(...fates),
      }),
    },
    {weight: 2, arbitrary: fc.record({do: fc.constant('colleague' as const), notice: which, choice})},
    {
      weight: 4,
      arbitrary: fc.record({
        ...{do: fc.constant('lie' as const), notice: which},
        what: fc.constantFrom(...lies),
      }),
    },
    {weight: 2, arbitrary: fc.record({do: fc.constant('import' as const), event: which})},
    {
      weight: 4,
      arbitrary: fc.record({do: fc.constant('wait' as const), hours: fc.constantFrom(1, 5, 24, 71, 80)}),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        ...{do: fc.constant('turn' as const), isSeen: fc.boolean()},
        hours: fc.constantFrom(1, 30, 71),
      }),
    },
    {weight: 2, arbitrary: fc.constant({do: 'hear' as const})},
  ),
  {minLength: 1, maxLength: 40, size: 'max'},
)

/** A notice as the service has it. */
interface Real {
  id: string
  raised: number
  departed: boolean
  lost: boolean
  form: 'nested' | 'id-only'
  end: {status: string; choice: NoticeChoice | null} | undefined
}

interface Sent {
  eventId: string
  body: string
  /** It was answered with 200 and the service has heard it. */
  isDone: boolean
}

/** What one copy that counts has told of one notice. */
interface Telling {
  trust: 'verified' | 'unchecked' | 'stale' | 'imported' | 'service'
  at: number
  eventId: string | null
  body: string
  notice: string
  deadline?: number | undefined
  raised?: number | undefined
  end?: ToldEnd | undefined
}

/** How it ended, as far as somebody has told it: by the type of an event alone neither status nor choice. */
interface ToldEnd {
  isAnswered: boolean
  status?: string
  choice?: string | null
}

interface Ours {
  choice: NoticeChoice
  outcome: Outcome | undefined
  at: number
}

/** When this machine learned how far the service's clock is ahead of its own, and since when that may have been so. */
interface Heard {
  at: number
  ahead: number
  since: number
}

export interface World extends Desk {
  /** By this machine's clock. */
  now: number
  /** By the service's, as far as this machine can know. */
  known(): Required<Parameters<typeof inbox>[1]>
  /** What is left of each notice that the service has raised, by its own clock. */
  left(): Map<string, number>
  /** Notices that must never vanish: of what got 200, or was imported, unless copies of its event contradict each other. */
  acknowledged(): string[]
  expected(): Map<string, {state: string; ifSilent: string | null}>
  evidence(): Evidence
  step(step: Step): Promise<void>
}

const endOf = ({departed, lost}: Real) =>
  lost || !departed ? 'ExpiredCancelledWhole' : 'ExpiredShipAvailable'

/** `path`: where each delivery is sent to. */
export function openWorld(path = '/'): World {
  const folders = {config: folder(), state: folder()}
  const identity = {origin: 'local', clientId: 'local', onBehalfOf: null}
  const journal = inboxJournal(folders, identity)
  const notices: Real[] = []
  /** Those that the liar has made up. */
  const made: Real[] = []
  const events: Sent[] = []
  const told: Telling[] = []
  const ours = new Map<string, Ours[]>()
  /** How far the service's clock is ahead of this machine's, and what was heard of that. */
  let ahead = 0
  const heard: Heard[] = []
  let listener: {secret: string | null; file: ReturnType<typeof receiptsFile>} | undefined
  let files = 0
  let lied = 0

  const iso = () => new Date(world.now).toISOString()
  const serviceNow = () => world.now + ahead
  /** As of an answer of the service; `held`: when it stood as was heard before. */
  const hear = (held?: number) => {
    vi.useFakeTimers({now: world.now, toFake: ['Date']})
    serviceOffset(folders, identity).hear(ahead, held)
    vi.useRealTimers()
    const last = heard.at(-1)
    if (last?.ahead === ahead) return
    const since = last ? (held ?? last.at) : 0
    heard.push({at: last ? world.now : 0, ahead, since})
  }

  const shapeOf = (real: Real) => {
    if (real.form === 'id-only') return {noticeId: real.id, status: undefined}
    return noticeOf(real.id, real.raised, {
      ...{hasShipmentDeparted: real.departed, reason: real.lost ? 'Lost' : 'OutOfStock'},
      ...(real.end && {status: real.end.status, responseChoice: real.end.choice}),
    })
  }
  const announce = (real: Real, type: string) => {
    const shape = shapeOf(real)
    const eventId = `event-${events.length}`
    events.push({eventId, body: eventBody(eventId, shape, type), isDone: false})
  }
  const close = (real: Real, status: string, choice: NoticeChoice | null) => {
    real.end = {status, choice}
    announce(real, status === 'Resolved' ? 'notice.resolved' : 'notice.expired')
  }

  /** What a body says, as the model understands it: the test made it. */
  const tellingsOf = (body: string): Pick<Telling, 'notice' | 'deadline' | 'raised' | 'end'>[] => {
    const {eventType, data} = JSON.parse(body)
    const {notice} = data
    const isEnd = notice.status !== undefined && notice.status !== 'AwaitingPartnerResponse'
    const typed =
      notice.status === undefined ? /^notice\.(resolved|expired)$/.exec(eventType)?.[1] : undefined
    const deadline = notice.responseDeadlineAt && Date.parse(notice.responseDeadlineAt)
    const raised = notice.notifiedAt && Date.parse(notice.notifiedAt)
    const {status, responseChoice: choice = null} = notice
    const whole = isEnd ? {isAnswered: status === 'Resolved', status, choice} : undefined
    const end = typed ? {isAnswered: typed === 'resolved'} : whole
    return [{notice: notice.id ?? notice.noticeId, deadline, raised, end}]
  }

  /** A copy comes to the listener. Returns whether it was answered with 200. */
  const arrive = async (eventId: string, body: string, key: string, sentAt = world.now): Promise<boolean> => {
    if (listener === undefined) return false
    const timestamp = String(Math.floor(sentAt / 1000))
    const signature = createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex')
    const headers: [string, string][] = [
      ['X-Service-Timestamp', timestamp],
      ['X-Service-Signature', `v1=${signature}`],
    ]
    const {trust, why} = judge(
      {headers, body: Buffer.from(body), path: '/'},
      {
        secrets: listener.secret === null ? [] : [listener.secret],
        scheme: undefined,
        tolerance: 300,
        now: world.now,
      },
    )
    await listener.file.append(receipt(world.now, body, {trust, why, headers, path}))
    if (trust === 'refused') return false
    for (const one of tellingsOf(body)) told.push({...one, trust, at: world.now, eventId, body})
    return trust !== 'stale'
  }

  const answer = async (real: Real, choice: NoticeChoice, fate: (typeof fates)[number]) => {
    const attempt = randomUUID()
    const mark = {at: iso(), attempt, id: real.id, choice}
    const mine: Ours = {choice, outcome: undefined, at: world.now}
    ours.set(real.id, [...(ours.get(real.id) ?? []), mine])
    await journal.append({kind: 'answering', ...mark})
    const heard = async (outcome: Outcome, payload: object | null = null) => {
      mine.outcome = outcome
      const record: InboxRecord = {
        kind: 'answered',
        ...mark,
        outcome,
        code: null,
        payload: payload && JSON.stringify(payload),
      }
      await journal.append(record)
      if (payload)
        told.push({
          ...tellingsOf(JSON.stringify({data: {notice: payload}}))[0],
          trust: 'service',
          at: world.now,
          eventId: null,
          body: '',
        } as Telling)
    }
    if (fate === 'died-before') return
    if (fate === 'lost-before') return heard('unknown')
    if (fate === 'refused') return heard('failed')
    if (real.end)
      return fate.startsWith('died') ? undefined : heard(fate === 'lost-after' ? 'unknown' : 'closed')
    if (fate === 'raced') {
      close(real, endOf(real), null)
      return heard('lost-race')
    }
    close(real, 'Resolved', choice)
    if (fate === 'died-after') return
    if (fate === 'lost-after') return heard('unknown')
    return heard('answered', shapeOf({...real, form: 'nested'}))
  }

  const lie = async (real: Real, what: (typeof lies)[number]) => {
    const eventId = what === 'same-id' ? (events[0]?.eventId ?? 'lie') : `lie-${lied++}`
    const shift = {later: 500, sooner: -500}[what as 'later' | 'sooner'] ?? 0
    const about = what === 'new' ? {...real, id: randomUUID()} : real
    if (what === 'new') made.push(about)
    const end = what === 'end' ? {status: 'Resolved', responseChoice: 'CancelWhole'} : {}
    const shape = noticeOf(about.id, real.raised, {
      ...{hasShipmentDeparted: real.departed, reason: real.lost ? 'Lost' : 'OutOfStock'},
      responseDeadlineAt: new Date(real.raised + (72 + shift) * HOUR).toISOString(),
      ...end,
    })
    const body =
      what === 'typed-end'
        ? eventBody(eventId, {noticeId: about.id}, 'notice.expired')
        : eventBody(eventId, shape)
    await arrive(eventId, body, 'whsec_of-the-liar')
  }

  /** By the clock of the service: what is due is decided there before anything else happens. */
  const sweep = () => {
    for (const real of notices)
      if (!real.end && serviceNow() >= real.raised + 72 * HOUR) close(real, endOf(real), null)
  }

  const take = async (step: Step): Promise<void> => {
    const notice = 'notice' in step ? notices[step.notice % Math.max(1, notices.length)] : undefined
    const event = 'event' in step ? events[step.event % Math.max(1, events.length)] : undefined
    if (step.do === 'raise') {
      const {departed, lost, form} = step
      const real: Real = {id: randomUUID(), raised: serviceNow(), departed, lost, form, end: undefined}
      notices.push(real)
      announce(real, 'notice.raised')
    }
    if (step.do === 'leave') listener = undefined
    if (step.do === 'listen') {
      const secret = {right: SECRET, wrong: 'whsec_of-yesterday', none: null}[step.secret]
      const name = `${world.now}-${++files}-000000.ndjson`
      const file = receiptsFile(join(receiptsFolder(folders, identity), name), identity)
      const fingerprint = secret && 'sha256:00'
      await file.append({
        kind: 'opened',
        at: iso(),
        port: 1,
        public: null,
        subscription: null,
        secret: fingerprint,
        scheme: null,
      })
      listener = {secret, file}
    }
    if (step.do === 'send')
      for (const one of events.filter(({isDone}) => !isDone))
        one.isDone = (await arrive(one.eventId, one.body, SECRET)) && !step.isAnswerLost
    if (step.do === 'repeat' && event)
      await arrive(event.eventId, event.body, SECRET, step.isStale ? world.now - HOUR : world.now)
    if (step.do === 'answer' && notice) await answer(notice, step.choice, step.fate)
    if (step.do === 'colleague' && notice && !notice.end) close(notice, 'Resolved', step.choice)
    if (step.do === 'lie' && notice) await lie(notice, step.what)
    if (step.do === 'import' && event) {
      await journal.append({kind: 'imported', at: iso(), sha256: randomUUID(), raw: event.body})
      for (const one of tellingsOf(event.body))
        told.push({...one, trust: 'imported', at: world.now, eventId: null, body: ''})
    }
    if (step.do === 'turn') {
      // Who moves it looks at it before.
      if (step.isSeen) hear()
      ahead += step.hours * HOUR
      if (step.isSeen) hear(world.now)
    }
    if (step.do === 'hear') hear()
    world.now += step.do === 'wait' ? step.hours * HOUR : MINUTE
  }

  const world: World = {
    ...{folders, identity, now: Date.parse('2026-11-20T09:00:00Z')},
    expected: () => expectedOf({told, ours, heard, notices: [...notices, ...made], ...world.known()}),
    known: () => {
      const sure = counting(told).filter(({trust}) => worth[trust] >= worth.verified)
      const plain = world.now + (heard.at(-1)?.ahead ?? 0)
      const now = Math.max(plain, ...sure.map(({raised}) => raised ?? 0))
      return {now, lead: now - plain}
    },
    left: () => new Map(notices.map(({id, raised}) => [id, raised + 72 * HOUR - serviceNow()])),
    acknowledged: () =>
      told
        .filter(({trust, eventId, body}) => {
          const isAlone = told.every((one) => one.eventId !== eventId || one.body === body)
          return trust === 'verified' || trust === 'imported' || (trust === 'unchecked' && isAlone)
        })
        .map(({notice}) => notice),
    evidence: () => readEvidence(folders, identity, 0),
    async step(step) {
      sweep()
      await take(step)
      sweep()
    },
  }
  return world
}

const worth = {service: 4, verified: 3, imported: 2, unchecked: 1, stale: 0}

/** Copies with other bytes than the first of the most trusted ones of their event have told nothing. */
function counting(told: readonly Telling[]): Telling[] {
  return told.filter((one) => {
    if (one.eventId === null) return true
    const [best] = told
      .filter(({eventId, trust}) => eventId === one.eventId && trust !== 'stale')
      .sort((a, b) => worth[b.trust] - worth[a.trust] || a.at - b.at)
    return best === undefined || best.body === one.body
  })
}

/**
 * The latest that the service's clock can have shown at a moment of this machine's, and no later than now. `lead`: how much
 * further ahead it is, as a notice shows that it has raised.
 */
function shownAt({heard, now, lead}: Pick<All, 'heard' | 'now' | 'lead'>, at: number): number {
  const may = heard.filter(({since}, index) => since <= at && at < (heard[index + 1]?.at ?? at + 1))
  return Math.min(now, at + lead + Math.max(...(may.length > 0 ? may : [{ahead: 0}]).map(({ahead}) => ahead)))
}

interface All {
  told: readonly Telling[]
  ours: ReadonlyMap<string, Ours[]>
  heard: readonly Heard[]
  notices: readonly Real[]
  now: number
  lead: number
}

function expectedOf({told: all, ours, heard, notices, now, lead}: All): ReturnType<World['expected']> {
  const dated = <One extends {at: number}>(one: One) => ({...one, by: shownAt({heard, now, lead}, one.at)})
  const told = counting(all).map(dated)
  const ids = new Set([...told.map(({notice}) => notice), ...ours.keys()])
  return new Map(
    [...ids].map((id) => {
      const about = told.filter(({notice}) => notice === id)
      const mine = (ours.get(id) ?? []).map(dated)
      return [
        id,
        {
          state: stateOf(about, mine, now),
          ifSilent: silentOf(
            about,
            notices.find((one) => one.id === id),
          ),
        },
      ]
    }),
  )
}

/** With the time of the service's clock. */
type Dated<One> = One & {by: number}

/** In the order of the design's table: the first that fits. */
function stateOf(about: readonly Dated<Telling>[], mine: readonly Dated<Ours>[], now: number): string {
  const sure = about.filter(({trust}) => worth[trust] >= 2)
  const ends = sure
    .flatMap(({trust, at, end}) => (end ? [{trust, at, end}] : []))
    .sort((a, b) => worth[b.trust] - worth[a.trust] || a.at - b.at)
  const isAnswered = ends[0]?.end.isAnswered
  const {choice} = ends.find(({end}) => end.status && end.isAnswered === isAnswered)?.end ?? {}
  const has = (...outcomes: (Outcome | undefined)[]) => mine.some(({outcome}) => outcomes.includes(outcome))
  // One that was refused is not the one that was taken, though it may have been the same choice.
  const isSent = mine.some(
    (one) => one.choice === choice && (one.outcome === undefined || one.outcome === 'unknown'),
  )
  const isOpenStill = has(undefined, 'unknown')
  if (has('answered')) return 'answered'
  // Who answered is not told: it may have been this machine.
  if (isAnswered && !choice && isOpenStill) return 'closed'
  if (isAnswered) return isSent ? 'answered' : 'answered-elsewhere'
  if (isAnswered === false) return 'expired'
  if (has('closed', 'lost-race') && !isOpenStill) return 'closed'
  const last = latest(about, sure, mine)
  if (isOpenStill) return now < last.latest ? 'unsettled' : 'closed'
  if (now >= last.latest) return 'overdue'
  const isDoubted =
    about.some((one) => one.end) || about.every(({trust}) => trust === 'stale') || now >= last.at
  return isDoubted ? 'doubtful' : 'open'
}

/** What is certain tells the deadline, or bounds it: no notice is open longer than 72 hours after it was known for certain. */
function latest(
  about: readonly Dated<Telling>[],
  sure: readonly Dated<Telling>[],
  mine: readonly Dated<Ours>[],
) {
  const told = (list: readonly Telling[]) => list.flatMap(({deadline}) => deadline ?? [])
  if (told(sure).length > 0) {
    const [best] = sure
      .filter(({deadline}) => deadline !== undefined)
      .sort((a, b) => worth[b.trust] - worth[a.trust] || a.at - b.at)
    const at = best?.deadline ?? 0
    return {at, latest: at}
  }
  const seen = (list: readonly {by: number}[]) => list.map(({by}) => by + 72 * HOUR)
  const bound = [...seen(sure), ...seen(mine)]
  const others = told(about).length > 0 ? told(about) : seen(about)
  const all = [...others, ...(bound.length > 0 ? [Math.min(...bound)] : [])]
  return {at: Math.min(...all), latest: bound.length > 0 ? Math.min(...bound) : Math.max(...all)}
}

/** The default, where anything has told what it depends on; the liar tells nothing else than the service here. */
function silentOf(about: readonly Telling[], real: Real | undefined): string | null {
  const isTold = about.some(({deadline}) => deadline !== undefined)
  if (!isTold) return null
  if (real === undefined) return 'unknown'
  return real.lost || !real.departed ? 'CancelWhole' : 'ShipAvailable'
}

/** The same of what the program derives. */
export const derived = (items: readonly InboxItem[]) =>
  new Map(items.map(({id, desk: {state, ifSilent}}) => [id, {state, ifSilent: ifSilent as string | null}]))
