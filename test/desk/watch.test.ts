// The inbox while it is watched, by the built program.
import {describe, expect, test} from 'vitest'
import type {Blindness} from '../../src/desk/notices/blindness.ts'
import {changesOf} from '../../src/desk/notices/changes.ts'
import {inbox, isOpen, type Told} from '../../src/desk/notices/inbox.ts'
import type {Look} from '../../src/desk/notices/known.ts'
import {inTerminal, oneLine} from '../support/pty.ts'
import {scent, start} from '../support/scent.ts'
import {userOf} from '../support/service.ts'
import {noTmux, withTerminal} from '../support/tmux.ts'
import {deskOf, eventBody, HOUR, listened, noticeOf, receipt} from './records.ts'

const id = 'c6c0dd6c-5d76-4b5d-9eff-250400d2b556'
const other = 'd7c0dd6c-5d76-4b5d-9eff-250400d2b557'
const nowhere = 'http://127.0.0.1:1'
const raised = Date.now() - HOUR

/** A user with one notice, received by a listener that runs. */
async function user(): Promise<NodeJS.ProcessEnv> {
  const env = userOf(nowhere)
  const body = eventBody('event-1', noticeOf(id, raised))
  await listened(deskOf(env), {from: raised - 100 * HOUR, records: [receipt(raised, body)]})
  return env
}

const bringIn = async (env: NodeJS.ProcessEnv, eventId: string, notice: object) => {
  const {code, stderr} = await scent(env, ['notices', 'import', '-'], eventBody(eventId, notice))
  expect(code, stderr).toBe(0)
}

describe('a pipe gets a line of JSON for each piece of news', () => {
  test.each([[[]], [['--output', 'ndjson']]])('with %j', async (argv) => {
    const env = await user()
    const watched = start(env, ['notices', 'inbox', '--watch', ...argv])
    await watched.said(id)
    await bringIn(env, 'event-2', noticeOf(other, raised))
    await watched.said(other)
    await bringIn(env, 'event-3', noticeOf(id, raised, {status: 'Resolved', responseChoice: 'ShipAvailable'}))
    await watched.said('answered-elsewhere')
    watched.child.kill('SIGINT')
    const {code, stdout, stderr} = await watched.ended
    expect([code, stderr]).toEqual([0, ''])
    const news = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(news).toMatchObject([
      {event: 'notice', change: 'raised', item: {id, desk: {state: 'open'}}},
      {event: 'notice', change: 'raised', item: {id: other, desk: {state: 'open', trust: 'imported'}}},
      {
        event: 'notice',
        change: 'state',
        item: {id, responseChoice: 'ShipAvailable', desk: {state: 'answered-elsewhere'}},
      },
    ])
  })

  test('and of what the list may lack', async () => {
    const watched = start(userOf(nowhere), ['notices', 'inbox', '--watch'])
    await watched.said('nobody-listens')
    watched.child.kill('SIGTERM')
    const {code, stdout} = await watched.ended
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      event: 'notice',
      change: 'blind',
      item: {code: 'nobody-listens'},
    })
  })

  test('a document that never ends is refused', async () => {
    expect((await scent(userOf(nowhere), ['notices', 'inbox', '--watch', '--json'])).code).toBe(2)
  })
})

describe('news', () => {
  const told: Told = {
    id,
    trust: 'verified',
    at: raised,
    by: raised,
    fields: noticeOf(id, raised),
    saysEnd: null,
  }
  const look = (at: number, blind: Blindness[] = []): Look => {
    const every = inbox({told: [told], answers: []}, {now: at})
    return {every, items: every.filter(isOpen), blind, now: at}
  }
  const due = raised + 72 * HOUR
  const kinds = (before: Look | undefined, now: Look) =>
    changesOf(before, now, 6 * HOUR).map(({change, item}) => [change, 'code' in item ? item.code : item.id])

  test('a notice comes, is due soon, and passes its deadline, each once', () => {
    expect(kinds(undefined, look(raised))).toEqual([['raised', id]])
    expect(kinds(look(raised), look(due - 7 * HOUR))).toEqual([])
    expect(kinds(look(due - 7 * HOUR), look(due - 5 * HOUR))).toEqual([['due', id]])
    expect(kinds(look(due - 5 * HOUR), look(due - 4 * HOUR))).toEqual([])
    expect(kinds(look(due - 4 * HOUR), look(due))).toEqual([['state', id]])
    expect(kinds(look(due), look(due + HOUR))).toEqual([])
  })

  test('what can not be known is told when it begins, when it changes, and when it is over', () => {
    const blind = (says: string): Blindness[] => [{code: 'refused', since: null, until: null, says, next: ''}]
    expect(kinds(look(raised), look(raised, blind('1')))).toEqual([['blind', 'refused']])
    expect(kinds(look(raised, blind('1')), look(raised, blind('1')))).toEqual([])
    expect(kinds(look(raised, blind('1')), look(raised, blind('2')))).toEqual([['blind', 'refused']])
    const [over] = changesOf(look(raised, blind('2')), look(raised), HOUR)
    expect(over).toMatchObject({change: 'blind', item: {code: 'refused', ended: true}})
  })
})

describe.each([80, 40])('in a terminal of %i columns', (columns) => {
  test.skipIf(noTmux())('the list is drawn over itself, and stands there at the end', async () => {
    const env = await user()
    const run = `${process.execPath} ${process.cwd()}/bin/run.js notices inbox --watch; echo "code $?"`
    await withTerminal(
      {...env, TERM: 'xterm-256color'},
      async (terminal) => {
        terminal.type(run)
        terminal.press('Enter')
        await terminal.see('Ctrl-C ends')
        expect(terminal.screen()).toContain('1 notice to answer')
        expect(terminal.screen()).not.toContain('bin/run.js')
        await bringIn(env, 'event-2', noticeOf(other, raised))
        await terminal.see('2 notices to answer')
        expect(terminal.screen().match(/Local record/g)).toHaveLength(1)
        // Whoever waits for the first row of another command sees that it is at work from a second on: nobody does here.
        for (let looks = 0; looks < 20; looks += 1) {
          expect(terminal.screen()).not.toContain('At work')
          await new Promise((wake) => setTimeout(wake, 100))
        }
        terminal.press('C-c')
        await terminal.see('code 0')
        expect(terminal.screen()).toContain('2 notices to answer')
        expect(terminal.screen()).not.toContain('Ctrl-C ends')
      },
      {columns, rows: 30},
    )
  })

  test.each([{ACCESSIBLE: '1'}, {TERM: 'dumb'}])(
    'with %j news are appended, and no cursor moves',
    async (more) => {
      const env = {...(await user()), ...more}
      const seen = await inTerminal(env, ['notices', 'inbox', '--watch'], {
        columns,
        answers: [['then cancel', '\u0003']],
      })
      expect(seen.code).toBe(0)
      expect(seen.text.match(/\u001b\[[0-9;?]*[A-HJKSTfhl]|\r(?!\n)|\u0008/g) ?? []).toEqual([])
      expect(oneLine(seen.text)).toMatch(
        new RegExp(`Raised: NJD-INC-002, short 2 of 3, open, 70 h 5\\d min left, then cancel 3\\. ${id}`),
      )
    },
  )
})
