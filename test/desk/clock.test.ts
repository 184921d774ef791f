// Deadlines by the clock of a sandbox that was moved, where no event tells them, by the built program.
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {scentAmongMany as scent} from '../support/many.ts'
import {type Answer, drawn, inTerminal, oneLine} from '../support/pty.ts'
import {start} from '../support/scent.ts'
import {openServedDesk, type ServedDesk} from '../support/served-desk.ts'
import {HOUR} from './records.ts'

const own = ['--event', 'notice.raised', '--event', 'notice.resolved', '--event', 'notice.expired']
/** No command takes longer. */
const SLACK = HOUR / 12
/** A clock that is less off counts as right. */
const RIGHT = 5_000

let desk: ServedDesk

const open = async (assume: string[]) => {
  desk = await openServedDesk(assume)
}
afterEach(() => desk.close())

const advance = (span: string) => desk.json(['sandbox', 'clock', '--advance', span])

/** Of a notice that is open, the hours that are left at most, which are never less than the truth. */
async function atMost(id: string): Promise<number> {
  const {items} = await desk.json(['notices', 'inbox'])
  const item = items.find((one: {id: string}) => one.id === id)
  expect(item?.desk).toMatchObject({state: 'open', deadline: 'at most'})
  const {desk: shown} = await desk.json(['notices', 'show', id])
  expect(Math.abs(shown.leftMs - item.desk.leftMs)).toBeLessThan(SLACK)
  const truth = dueAt(id) - desk.sandbox.state.clock.now()
  expect(shown.leftMs).toBeGreaterThanOrEqual(truth - RIGHT)
  return Math.ceil(shown.leftMs / HOUR)
}

/** When the service decides, as it alone knows. */
function dueAt(id: string): number {
  const {world} = desk.sandbox.state
  return world.get<{at: number}>('SELECT deadline_at AS at FROM notices WHERE id = ?', id)?.at ?? Number.NaN
}

describe('a deadline that no event tells is counted by the clock of the service', () => {
  beforeEach(() => open(['H04=id-only']))

  test('while a listener runs', async () => {
    await desk.listen(...own)
    const first = await desk.raise()
    expect(await atMost(first)).toBe(72)
    await advance('71h')
    expect(await atMost(first)).toBe(1)
    const second = await desk.raise()
    expect(await atMost(second)).toBe(72)
    expect((await desk.run('notices', 'inbox', '--due-within', '6h')).code).toBe(11)
    const due = ['notices', 'respond', '--choice', 'CancelWhole', '--due-within', '6h', '--yes']
    expect((await desk.json(due)).answers.map(({id}: {id: string}) => id)).toEqual([first])
    await advance('2h')
    expect(await atMost(second)).toBe(70)
  }, 120_000)

  test('while none runs, and of what comes again', async () => {
    const listener = await desk.listen(...own)
    const first = await desk.raise()
    const {eventId} = await listener.saw('delivery')
    await listener.stop()
    await advance('71h')
    expect(await atMost(first)).toBe(1)
    await desk.listen(...own)
    await desk.json(['sandbox', 'webhook', 'redeliver', eventId])
    await desk.settled()
    expect((await desk.json(['webhooks', 'events', eventId])).copies).toHaveLength(2)
    expect(await atMost(first)).toBe(1)
    await advance('2h')
    await desk.settled()
    expect((await desk.json(['notices', 'show', first])).desk.state).toBe('expired')
  }, 120_000)

  test('and so it is of an import', async () => {
    const bring = async (id: string) => {
      const {code, stderr} = await scent(desk.env, ['notices', 'import', '-'], JSON.stringify({noticeId: id}))
      expect(code, stderr).toBe(0)
    }
    const [first, second] = [await desk.raise(), await desk.raise()]
    await bring(first)
    await advance('10h')
    await bring(second)
    expect([await atMost(first), await atMost(second)]).toEqual([62, 72])
  }, 120_000)

  test('and is never less than the truth, if somebody else moves that clock', async () => {
    await desk.listen(...own)
    const first = await desk.raise()
    await desk.advance(30 * 3_600)
    const second = await desk.raise()
    expect([await atMost(first), await atMost(second)]).toEqual([72, 72])
    // Any answer of the service tells its time, but not since when.
    await desk.run('webhooks', 'list')
    expect([await atMost(first), await atMost(second)]).toEqual([72, 72])
    await advance('71h')
    expect(await atMost(second)).toBe(1)
  }, 120_000)

  test('also of a sandbox that was put back', async () => {
    const codes = async () =>
      (await desk.json(['notices', 'inbox'])).blind.map(({code}: {code: string}) => code)
    await advance('71h')
    expect(await codes()).toContain('clock')
    await desk.json(['sandbox', 'reset', '--yes'])
    expect(await codes()).not.toContain('clock')
  }, 120_000)

  test('and those who look on learn at once that it was moved', async () => {
    await desk.listen(...own)
    const id = await desk.raise()
    const watched = start(desk.env, ['notices', 'inbox', '--watch'])
    await watched.said(id)
    const worked = await inTerminal(desk.env, ['notices', 'respond'], {
      columns: 80,
      answers: [
        ['at most 71 h 59 min left', () => void advance('70h')],
        ['at most 1 h 59 min left', 'q'],
      ],
    })
    expect(oneLine(worked.text)).toContain('Answered 0, skipped 1, due next in at most 2 h.')
    await watched.said('"due"')
    watched.child.kill('SIGINT')
    expect((await watched.ended).code).toBe(0)
  }, 120_000)
})

describe('the screen of a listener tells what is left as the inbox does', () => {
  test.each([
    ['', 80, [], '^7(2 h|1 h 59 min) '],
    ['', 40, [], '^7(2 h|1 h 59 min)$'],
    ['at most ', 80, ['H04=id-only'], '^at most 72 h  '],
    ['at most ', 40, ['H04=id-only'], '^at most 72 h$'],
  ])(
    '%sat %i columns',
    async (_, columns, assume, full) => {
      await open(assume)
      await advance('100h')
      const ids: string[] = []
      const raise = async () => ids.push(await desk.raise())
      const rest = async () => {
        await advance('71h')
        const [{eventId}] = (await desk.json(['webhooks', 'events'])).items
        await desk.json(['sandbox', 'webhook', 'redeliver', eventId])
        await raise()
      }
      const argv = ['webhooks', 'listen', '--subscribe', '--event', 'notice.raised', '--limit', '3']
      // The clock is moved once the first is on the screen.
      const answers: Answer[] = [
        ['Ready on', () => void raise()],
        [assume.length > 0 ? 'at most 7' : ' 7', () => void rest()],
      ]
      const {text} = await inTerminal(desk.env, argv, {columns, answers})
      const {lines, broken} = drawn(text, columns)
      const inbox = await desk.json(['notices', 'inbox'])
      expect([broken, inbox.items.map(({id}: {id: string}) => id)]).toEqual([[], ids])
      const times = lines.flatMap((line) => /(?:at most )?\d+ (?:h|min)\b.*$/.exec(line)?.[0] ?? [])
      const hour = full.startsWith('^at most') ? /^at most (1 h|59 min)/ : /^(1 h 0|59) min/
      expect(times).toEqual([full, hour, full].map((text) => expect.stringMatching(text)))
    },
    120_000,
  )
})
