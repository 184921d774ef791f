// Ends that no event tells but by its type, as the built listener takes them in from a sandbox whose events hold ids alone.
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {callerOf} from '../sandbox/caller.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import {drawn, inTerminal, oneLine} from '../support/pty.ts'
import {openServedDesk, type ServedDesk} from '../support/served-desk.ts'

let desk: ServedDesk

beforeEach(async () => {
  desk = await openServedDesk(['H04=id-only'])
})
afterEach(() => desk.close())

const types = ['raised', 'resolved', 'expired'].map((what) => `notice.${what}`)
const listen = () => desk.listen(...types.flatMap((type) => ['--event', type]))
const show = (id: string) => desk.json(['notices', 'show', id])
/** Another machine of this partner answers, or this one does and does not learn of it. */
const answerElsewhere = async (id: string) => {
  const body = {choice: 'CancelWhole'}
  const path = `/scent/unfulfillable-notices/${id}/respond`
  expect(await callerOf(desk.sandbox).ask('PATCH', path, {body})).toMatchObject({status: 200})
  await desk.settled()
}

describe('a notice is closed by a checked event whose type says so', () => {
  test('as expired or answered, without doubts, and nothing is left to do', async () => {
    await listen()
    const [expired, resolved] = [await desk.raise(), await desk.raise()]
    await answerElsewhere(resolved)
    await desk.json(['sandbox', 'clock', '--advance', '73h'])
    expect(await desk.json(['notices', 'inbox'])).toMatchObject({items: []})
    const about = {leftMs: null, trust: 'verified', answer: null, doubts: []}
    expect(await show(expired)).toMatchObject({desk: {state: 'expired', ...about}})
    expect(await show(resolved)).toMatchObject({desk: {state: 'answered-elsewhere', ...about}})
    expect(await show(resolved)).not.toHaveProperty('status')
    const card = async (id: string) => {
      const {text} = await inTerminal(desk.env, ['notices', 'show', id], {columns: 80, rows: 60})
      const {lines, broken} = drawn(text, 80)
      expect(broken).toEqual([])
      return oneLine(lines.join('\n'))
    }
    expect(await card(expired)).toContain('Closed by its deadline: what applies is not told.')
    expect(await card(resolved)).toContain('Answered, not by this machine: the choice is not told.')
    expect(await card(resolved)).toContain('resolved, no status')
  }, 120_000)

  test('but not as answered elsewhere, if an answer from here was lost', async () => {
    await listen()
    const id = await desk.raise()
    await desk.json([
      'sandbox',
      'fault',
      '--operation',
      'respondToNotice',
      '--effect',
      'reset',
      '--when',
      'after',
    ])
    await desk.run('notices', 'respond', id, '--choice', 'CancelWhole', '--yes')
    await desk.settled()
    expect(await show(id)).toMatchObject({desk: {state: 'closed', answer: {outcome: 'unknown'}}})
  }, 120_000)

  test('but only doubted if nobody has checked it', async () => {
    const id = await desk.raise()
    const line = (eventId: string, eventType: string, trust: string) =>
      JSON.stringify({
        at: new Date().toISOString(),
        eventId,
        trust,
        headers: [],
        body: JSON.stringify({eventId, eventType, data: {noticeId: id}}),
      })
    const bring = (text: string) => scent(desk.env, ['notices', 'import', '-'], text)
    await bring(line('event-1', 'notice.raised', 'verified'))
    await bring(line('event-2', 'notice.expired', 'unchecked'))
    const {desk: doubted} = await show(id)
    expect(doubted).toMatchObject({state: 'doubtful', doubts: [{code: 'untrusted-end'}]})
    await bring(line('event-3', 'notice.unanswered', 'verified'))
    expect((await show(id)).desk).toEqual({...doubted, leftMs: expect.any(Number)})
    await bring(line('event-4', 'notice.closed', 'verified'))
    expect(await show(id)).toMatchObject({desk: {state: 'closed', doubts: []}})
  }, 120_000)
})
