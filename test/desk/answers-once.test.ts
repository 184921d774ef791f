// Whatever answer is lost, and wherever the record of it was cut: one notice never gets a second choice from here.
import {cpSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {dirname, join, relative} from 'node:path'
import {afterEach, describe, expect, test} from 'vitest'
import type {NoticeChoice} from '../../src/contract/notices.ts'
import type {HttpRequest, HttpResponse, Send} from '../../src/contract/wire.ts'
import {importNotices} from '../../src/desk/notices/import.ts'
import {knownNotices} from '../../src/desk/notices/known.ts'
import {type Answered, answerNotices} from '../../src/desk/notices/many.ts'
import {inboxJournal} from '../../src/desk/notices/records.ts'
import {wantedBy, wantedIn} from '../../src/desk/notices/wanted.ts'
import {offersOf} from '../../src/desk/screens/sheet.ts'
import {effort} from '../support/effort.ts'
import {failureOf} from '../support/failure.ts'
import {folder} from '../support/program.ts'
import {losses, openShop, type Shop} from '../support/shop.ts'

const identity = {origin: 'http://127.0.0.1:1', clientId: 'rimal-retail', onBehalfOf: null}
const operation = 'respondToNotice'
const choice: NoticeChoice = 'ShipAvailable'
const other: NoticeChoice = 'CancelWhole'
const isAnswer = ({method, url}: HttpRequest) => method === 'PATCH' && url.endsWith('/respond')

let shop: Shop
/** The choices that left, in order. */
let sent: NoticeChoice[]
afterEach(() => shop.close())

async function open(through: (send: Send) => Send = (send) => send): Promise<void> {
  sent = []
  const heard = (send: Send): Send => {
    const next = through(send)
    return (request) => {
      if (isAnswer(request)) sent.push(JSON.parse(request.body ?? '').choice)
      return next(request)
    }
  }
  shop = await openShop({through: heard})
}

const notice = {
  id: '',
  scentOrderId: 'aab897a7-4d30-479b-85c5-5380b35917dc',
  reason: 'OutOfStock',
  status: 'AwaitingPartnerResponse',
  notifiedAt: new Date(Date.now() - 3_600_000).toISOString(),
  responseDeadlineAt: new Date(Date.now() + 40 * 3_600_000).toISOString(),
  line: {sku: 'SDR-HON-050', orderedQuantity: 4, availableQuantity: 3, shortfallQuantity: 1},
}

/** A place of its own for the records of one user. */
function desk() {
  const root = folder()
  return {folders: {config: root, state: root}, identity}
}
type Desk = ReturnType<typeof desk>

const known = ({folders}: Desk, id: string) =>
  knownNotices(folders, identity, {all: true}).every.find((item) => item.id === id)

async function answered(place: Desk, id: string, wanted: NoticeChoice): Promise<Answered[]> {
  const all: Answered[] = []
  const tools = {...place, client: shop.client}
  const list = [{id, choice: wanted, item: known(place, id)}]
  for await (const one of answerNotices(tools, list, new AbortController().signal)) all.push(one)
  return all
}

/** No way of answering offers or takes another choice than the one that was sent. */
async function expectOneChoice(place: Desk, id: string): Promise<void> {
  const item = known(place, id)
  expect(item?.desk.state).toBe('unsettled')
  expect(item && offersOf(item)).toEqual([choice])
  const {every} = knownNotices(place.folders, identity, {all: true})
  expect(wantedBy({}, other, every)).toMatchObject({wanted: [], unsettled: [{id}]})
  const file = join(place.folders.state, 'choices.csv')
  writeFileSync(file, `${id},${other}\n`)
  expect(await failureOf(wantedIn(file, every))).toMatchObject({code: 'INVALID_INPUT', exitCode: 2})
}

const told = {status: 'Resolved', responseChoice: choice, respondedAt: new Date().toISOString()}

describe('an answer', () => {
  test.each(losses)(
    'that is lost by $effect $when the work stays unsettled until it is told',
    async (fault) => {
      await open()
      const rows = shop.sandbox.state.world.all<{id: string; status: string}>('SELECT * FROM notices')
      const id = rows.find(({status}) => status === 'AwaitingPartnerResponse')?.id ?? ''
      const place = desk()
      await importNotices(
        {folders: place.folders, identity, settings: undefined},
        JSON.stringify({...notice, id}),
      )
      shop.fault({...fault, match: {operation}, times: 99})
      expect(await answered(place, id, choice)).toMatchObject([{outcome: 'unknown'}])
      await expectOneChoice(place, id)
      shop.sandbox.state.faults.clear()

      const isDone = fault.when === 'after'
      const [again] = await answered(place, id, choice)
      expect(again?.outcome).toBe(isDone ? 'unknown' : 'answered')
      if (isDone) {
        expect(again?.error?.message).toContain(`either by the ${choice} that was sent from here at`)
        await expectOneChoice(place, id)
        await importNotices(
          {folders: place.folders, identity, settings: undefined},
          JSON.stringify({...notice, id, ...told}),
        )
      }
      expect(known(place, id)?.desk.state).toBe('answered')
      expect(new Set(sent)).toEqual(new Set([choice]))
      const choices = shop.sandbox.state.world.all<{choice: string}>(
        'SELECT choice FROM notices WHERE id = ?',
        id,
      )
      expect(choices).toEqual([{choice}])
    },
  )

  test('whose record was cut at any byte is followed by no other choice', async () => {
    const id = 'c6c0dd6c-5d76-4b5d-9eff-250400d2b556'
    /** What the service has taken; it answers this one route by the rules, and the sandbox answers the rest. */
    let taken: NoticeChoice | null = null
    const reply = (status: number, state: string, payload: object | null): HttpResponse => ({
      ...{status, headers: {'content-type': 'application/json'}},
      body: JSON.stringify({state, payload, details: null}),
    })
    await open((send) => async (request) => {
      if (!isAnswer(request)) return send(request)
      if (taken !== null) return reply(422, 'BUSINESS_NOTICE_NOT_AWAITING_RESPONSE', null)
      taken = JSON.parse(request.body ?? '').choice
      return reply(200, 'SUCCESS', {...notice, id, ...told, responseChoice: taken})
    })
    const whole = desk()
    await importNotices(
      {folders: whole.folders, identity, settings: undefined},
      JSON.stringify({...notice, id}),
    )
    const path = inboxJournal(whole.folders, identity).path
    const before = readFileSync(path).length
    expect(await answered(whole, id, choice)).toMatchObject([{outcome: 'answered'}])
    const bytes = readFileSync(path)
    const intent = bytes.indexOf('\n', before)
    const header = bytes.indexOf('\n')
    const counts = {refused: 0, open: 0, unsettled: 0, answered: 0}

    const step = effort({little: 9, all: 1})
    const cuts = Array.from({length: Math.ceil(bytes.length / step)}, (_, at) => at * step)
    for (const cut of [...cuts, bytes.length - 1, bytes.length]) {
      const place = desk()
      const copy = join(place.folders.state, relative(whole.folders.state, path))
      mkdirSync(dirname(copy), {recursive: true, mode: 0o700})
      writeFileSync(copy, bytes.subarray(0, cut), {mode: 0o600})
      // A line is whole without its end as well.
      if (cut < header) {
        // It is written whole or not at all; what else it may have been is not guessed, and nothing is sent.
        await expect(answered(place, id, other)).rejects.toMatchObject({code: 'CORRUPT_FILE'})
        counts.refused += 1
        continue
      }
      const state = cut < intent ? 'open' : cut < bytes.length - 1 ? 'unsettled' : 'answered'
      counts[state] += 1
      const item = known(place, id)
      if (state !== 'unsettled') {
        expect([cut, item?.desk.state ?? 'open', item?.desk.answer?.choice]).toEqual([
          cut,
          state,
          state === 'open' ? undefined : choice,
        ])
        continue
      }
      await expectOneChoice(place, id)
      for (const isDone of [false, true]) {
        const twin = desk()
        cpSync(place.folders.state, twin.folders.state, {recursive: true})
        taken = isDone ? choice : null
        expect([cut, await answered(twin, id, choice)]).toMatchObject([
          cut,
          [{outcome: isDone ? 'unknown' : 'answered'}],
        ])
        if (isDone) await expectOneChoice(twin, id)
        else expect(known(twin, id)?.desk.state).toBe('answered')
      }
    }
    expect(new Set(sent)).toEqual(new Set([choice]))
    process.stdout.write(`answers cut: ${JSON.stringify(counts)}, sent ${sent.length} times, one choice\n`)
  }, 300_000)
})
