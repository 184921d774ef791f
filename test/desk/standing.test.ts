// Notices that do not simply wait are told apart on every screen that lists them, by the built program in a terminal.
import {beforeAll, describe, expect, test} from 'vitest'
import {inboxJournal} from '../../src/desk/notices/records.ts'
import {serviceOffset} from '../../src/store/clock.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import {type Answer, drawn, inTerminal, oneLine} from '../support/pty.ts'
import {bin} from '../support/scent.ts'
import {userOf} from '../support/service.ts'
import {withTerminal} from '../support/tmux.ts'
import {deskOf, eventBody, HOUR, listened, noticeOf, receipt} from './records.ts'

const ids = {
  open: '11111111-5d76-4b5d-9eff-250400d2b551',
  unsettled: '22222222-5d76-4b5d-9eff-250400d2b552',
  doubtful: '33333333-5d76-4b5d-9eff-250400d2b553',
}
const sent = 'sent CancelWhole, outcome unknown'
const doubtful = 'doubtful: a copy'
const below = 'The outcome of 1 answer is unknown, and 1 notice is doubtful: `scent notices show ID`'

const env: NodeJS.ProcessEnv = {...userOf('http://127.0.0.1:1'), NO_COLOR: '1'}
const desk = deskOf(env)

beforeAll(async () => {
  const now = Date.now()
  const copy = (eventId: string, id: string, at: number, trust: 'verified' | 'unchecked', ended = {}) =>
    receipt(at, eventBody(eventId, noticeOf(id, now - 5 * HOUR, ended)), {trust})
  await listened(desk, {
    from: now - 100 * HOUR,
    records: [
      copy('event-1', ids.open, now - 5 * HOUR, 'verified'),
      copy('event-2', ids.unsettled, now - 4 * HOUR, 'verified'),
      copy('event-3', ids.doubtful, now - 3 * HOUR, 'verified'),
      copy('event-4', ids.doubtful, now - 2 * HOUR, 'unchecked', {status: 'Resolved'}),
    ],
  })
  const attempt = {at: new Date(now - HOUR).toISOString(), attempt: 'attempt-1'}
  const answering = {
    kind: 'answering' as const,
    ...attempt,
    id: ids.unsettled,
    choice: 'CancelWhole' as const,
  }
  await inboxJournal(desk.folders, desk.identity).append(answering, {sync: true})
})

const look = async (argv: string[], columns: number, more = {}) => {
  const {code, text} = await inTerminal({...env, ...more}, argv, {columns})
  const {lines, broken} = drawn(text, columns)
  expect([code, broken], lines.join('\n')).toEqual([0, []])
  return {lines, said: oneLine(lines.join('\n')), text}
}

const count = (text: string, words: string) => text.split(words).length - 1

describe.each([80, 40])('at %i columns', (columns) => {
  test.each([{}, {ACCESSIBLE: '1'}])(
    'the list says in words which are unsure, and where to read more: %j',
    async (variables) => {
      const {said, text} = await look(['notices', 'inbox'], columns, variables)
      expect([count(said, sent), count(said, doubtful)]).toEqual([1, 1])
      expect(said).toContain(below)
      expect(text).not.toContain('\u001b[3')
    },
  )

  test('one notice says what was sent, and which command goes on', async () => {
    const unsettled = await look(['notices', 'show', ids.unsettled], columns)
    expect(unsettled.said).toMatch(/CancelWhole was sent at .*, and its answer was lost/)
    expect(unsettled.said).toContain(`scent notices respond ${ids.unsettled} --choice CancelWhole`)
    const unsure = await look(['notices', 'show', ids.doubtful], columns)
    expect(unsure.said).toContain('A copy that proves nothing says that it is closed.')
    expect(unsure.said).toContain(`scent notices respond ${ids.doubtful}`)
  })

  test('the picture of --watch says it too', () =>
    withTerminal(
      {TERM: 'xterm-256color', ...env},
      async (terminal) => {
        terminal.type(`${process.execPath} ${bin} notices inbox --watch`)
        terminal.press('Enter')
        await terminal.see('Ctrl-C ends')
        const said = oneLine(terminal.screen())
        expect([count(said, sent), count(said, doubtful)]).toEqual([1, 1])
        terminal.press('C-c')
      },
      {columns, rows: 40},
    ))
})

test('a beginning that no other has names a notice, and one that is too short or fits none is refused', async () => {
  const id = async (name: string) =>
    JSON.parse((await scent(env, ['notices', 'show', name, '--json'])).stdout).id
  expect(await id('3333333')).toBe(ids.doubtful)
  for (const [name, why] of [
    ['333', '"333" is too short: give at least 6 characters of the id.'],
    ['4444444', 'is not a valid notice id, nor the beginning of one that is known here'],
    ['%2e', 'is not a valid notice id'],
  ] as const)
    for (const command of [['show'], ['respond', '--choice', 'CancelWhole', '--yes']]) {
      const [verb = '', ...flags] = command
      const {code, stdout} = await scent(env, ['notices', verb, name, ...flags, '--json'])
      expect([code, JSON.parse(stdout).error.message]).toEqual([2, expect.stringContaining(why)])
    }
})

test('where the clocks differ, one notice says which time is by which', async () => {
  expect((await look(['notices', 'show', ids.open], 80)).said).not.toContain('by its clock')
  const clock = serviceOffset(desk.folders, desk.identity)
  clock.hear(3 * HOUR)
  expect((await look(['notices', 'show', ids.open], 80)).said).toContain(
    'What the service told (raised, deadline, and an answer that was given elsewhere) is by its clock, which is 3 h ahead of that of this machine',
  )
  clock.hear(0)
})

test('a filter is told only of what it lists', async () => {
  const seen = await inTerminal(env, ['notices', 'inbox', '--due-within', '6h'], {columns: 80})
  expect([seen.code, oneLine(seen.text)]).toEqual([0, expect.not.stringContaining('scent notices show')])
  expect(oneLine(seen.text)).toContain('No notice that is known here is due within this time.')
})

test('news of --watch say it, too', async () => {
  const answers: Answer[] = [[sent, '\u0003']]
  const {text} = await inTerminal({...env, ACCESSIBLE: '1'}, ['notices', 'inbox', '--watch'], {
    columns: 80,
    answers,
  })
  expect(text).not.toContain('never asked')
  expect(oneLine(text)).toContain(doubtful)
})

test('a document is as it was', async () => {
  const {stdout} = await scent(env, ['notices', 'inbox', '--json'])
  const items: {id: string; desk: {state: string}}[] = JSON.parse(stdout).items
  expect(Object.fromEntries(items.map(({id, desk}) => [id, desk.state]))).toEqual({
    [ids.open]: 'open',
    [ids.unsettled]: 'unsettled',
    [ids.doubtful]: 'doubtful',
  })
  expect(stdout).not.toContain('outcome unknown')
})
