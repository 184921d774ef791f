// Old files of receipts go only if that changes nothing of what can still be answered.
import {existsSync, readdirSync, readFileSync, utimesSync, writeFileSync} from 'node:fs'
import {basename, join} from 'node:path'
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {knownNotices} from '../../src/desk/notices/known.ts'
import {prunable, prune} from '../../src/desk/prune.ts'
import {encodeBody, sha256} from '../../src/desk/receipts/body.ts'
import {openReceipts, receiptsFolder} from '../../src/desk/receipts/segment.ts'
import {foldersOf, type Identity} from '../../src/store/paths.ts'
import {effort} from '../support/effort.ts'
import {bareHome} from '../support/keyring.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import {inTerminal, oneLine} from '../support/pty.ts'

const DAY = 24 * 3_600_000
const identity: Identity = {origin: 'local', clientId: 'local', onBehalfOf: null}
const noticeId = (n: number) => `c6c0dd6c-5d76-4b5d-9eff-${String(n).padStart(12, '0')}`

/** What a delivery tells: of a notice so many days ago, or of no notice. */
interface Told {
  notice: number | null
  status: 'AwaitingPartnerResponse' | 'Resolved'
  daysAgo: number
}

const aDesk = () => {
  const env = bareHome()
  return {env, folders: foldersOf(env), identity, settings: undefined}
}
type ADesk = ReturnType<typeof aDesk>

/** Writes one file of receipts, last touched so many days ago; returns its path. */
async function segment(desk: ADesk, daysAgo: number, told: Told[]): Promise<string> {
  const {folders} = desk
  const folder = receiptsFolder(folders, identity)
  const before = existsSync(folder) ? readdirSync(folder) : []
  const opened = () => ({
    at: new Date().toISOString(),
    port: 1,
    public: null,
    subscription: null,
    secret: null,
    scheme: null,
  })
  const receipts = await openReceipts(folders, identity, opened)
  for (const [n, {notice, status, daysAgo: since}] of told.entries()) {
    const raised = Date.now() - since * DAY
    const id = notice === null ? undefined : noticeId(notice)
    const data = id && {
      notice: {
        ...{id, status, notifiedAt: new Date(raised).toISOString()},
        responseDeadlineAt: new Date(raised + 3 * DAY).toISOString(),
        ...(status === 'Resolved' && {responseChoice: 'CancelWhole'}),
      },
    }
    const body = Buffer.from(
      JSON.stringify({
        eventId: `${before.length}-${n}-${notice}-${status}`,
        eventType: 'notice.raised',
        data,
      }),
    )
    const at = new Date(raised).toISOString()
    await receipts.keep(
      {
        ...{at, remote: '', path: '/', headers: [], ...encodeBody(body), bytes: body.length},
        ...{sha256: sha256(body), eventId: `${before.length}-${n}`, eventType: 'notice.raised'},
        ...{notices: id ? [id] : [], trust: 'verified', scheme: null, why: null},
      },
      {sync: false},
    )
  }
  await receipts.close()
  const path =
    readdirSync(folder)
      .filter((name) => name.endsWith('.ndjson') && !before.includes(name))
      .map((name) => join(folder, name))[0] ?? ''
  const touched = (Date.now() - daysAgo * DAY) / 1000
  utimesSync(path, touched, touched)
  return path
}

const openIn = ({folders}: ADesk) =>
  knownNotices(folders, identity, {all: true}).items.flatMap(({id, desk}) =>
    ['open', 'unsettled', 'doubtful'].includes(desk.state) ? [[id, desk.state]] : [],
  )

describe('a file of receipts', () => {
  const old = Date.now() - 30 * DAY

  test('goes if it is old and all its notices are closed, and stays otherwise', async () => {
    const desk = aDesk()
    const orders = await segment(desk, 40, [{notice: null, status: 'Resolved', daysAgo: 40}])
    const passed = await segment(desk, 40, [{notice: 1, status: 'AwaitingPartnerResponse', daysAgo: 41}])
    await segment(desk, 20, [{notice: null, status: 'Resolved', daysAgo: 20}])
    const damaged = await segment(desk, 40, [{notice: null, status: 'Resolved', daysAgo: 40}])
    writeFileSync(damaged, readFileSync(damaged, 'utf8').replace('received', 'receives'))
    utimesSync(damaged, old / 1000 - 99, old / 1000 - 99)
    const found = prunable(desk, old)
    expect(new Set(found.paths)).toEqual(new Set([orders, passed]))
    expect(found).toMatchObject({events: 2, kept: 1})
    prune(found)
    const left = readdirSync(receiptsFolder(desk.folders, identity))
    expect(left.filter((name) => name.startsWith(basename(orders)))).toEqual([])
    expect(existsSync(damaged)).toBe(true)
  })

  test('stays if it alone says that a notice is closed which a newer one says is open', async () => {
    const desk = aDesk()
    const closing = await segment(desk, 40, [{notice: 1, status: 'Resolved', daysAgo: 40}])
    // A late copy of the event that raised it, with a deadline that has not passed.
    await segment(desk, 1, [{notice: 1, status: 'AwaitingPartnerResponse', daysAgo: 1}])
    expect(openIn(desk)).toEqual([])
    expect(prunable(desk, old).paths).not.toContain(closing)
  })

  test('never changes what can be answered, for random records', async () => {
    const told = fc.record({
      notice: fc.option(fc.integer({min: 1, max: 2}), {nil: null}),
      status: fc.constantFrom('AwaitingPartnerResponse' as const, 'Resolved' as const),
      daysAgo: fc.constantFrom(0, 1, 2, 40, 50),
    })
    const files = fc.array(fc.tuple(fc.constantFrom(0, 40), fc.array(told, {maxLength: 4})), {
      maxLength: 5,
    })
    let removed = 0
    await fc.assert(
      fc.asyncProperty(files, async (all) => {
        const desk = aDesk()
        for (const [daysAgo, deliveries] of all) await segment(desk, daysAgo, deliveries)
        const before = openIn(desk)
        const found = prunable(desk, old)
        prune(found)
        removed += found.paths.length
        expect(openIn(desk)).toEqual(before)
      }),
      {numRuns: effort({little: 40, all: 2_000})},
    )
    expect(removed).toBeGreaterThan(10)
  })
})

test('the command asks once, says what went, and refuses to remove what the inbox still reads', async () => {
  const desk = aDesk()
  const path = await segment(desk, 40, [{notice: null, status: 'Resolved', daysAgo: 40}])
  const argv = ['webhooks', 'prune', '--older-than', '30']
  const piped = await scent(desk.env, argv)
  expect([piped.code, oneLine(piped.stderr)]).toEqual([2, expect.stringContaining('Give --yes')])
  const declined = await inTerminal(desk.env, argv, {columns: 40, answers: [['(y/N)', 'n\r']]})
  expect(declined.code).not.toBe(0)
  expect(existsSync(path)).toBe(true)
  const {text, code} = await inTerminal(desk.env, argv, {columns: 80, answers: [['(y/N)', 'y\r']]})
  expect(code).toBe(0)
  expect(oneLine(text)).toMatch(/Remove 1 file with 1 event .* Files removed +1/)
  expect(existsSync(path)).toBe(false)
  // Then there is nothing, which is said in words, and no question is asked.
  const nothing = 'Nothing to remove: there is no file of which nothing was written for 30 days.'
  const none = await inTerminal(desk.env, argv, {columns: 80})
  expect([none.code, oneLine(none.text).trim()]).toEqual([0, nothing])
  const document = await scent(desk.env, [...argv, '--json'])
  expect(JSON.parse(document.stdout)).toEqual({files: 0, events: 0, bytes: 0, kept: 0})
  const bare = await scent(desk.env, argv)
  expect([bare.code, oneLine(bare.stderr).trim()]).toEqual([0, nothing])
  const open = await segment(desk, 40, [{notice: 1, status: 'AwaitingPartnerResponse', daysAgo: 2}])
  expect(oneLine((await inTerminal(desk.env, argv, {columns: 40})).text).trim()).toBe(
    'Nothing to remove: 1 old file is kept, since it has a notice that may be needed, or is damaged.',
  )
  expect(existsSync(open)).toBe(true)
  const short = await scent(desk.env, ['webhooks', 'prune', '--older-than', '3'])
  expect(short.code).toBe(2)
})
