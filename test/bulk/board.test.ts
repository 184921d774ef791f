import {PassThrough} from 'node:stream'
import {describe, expect, it} from 'vitest'
import {openBoard} from '../../src/bulk/board.ts'
import type {Standing} from '../../src/bulk/meter.ts'
import {standingText} from '../../src/bulk/standing-text.ts'
import {program} from '../support/program.ts'
import {noTmux, type Terminal, withTerminal} from '../support/tmux.ts'

const standing: Standing = {
  done: 92,
  total: 200,
  refused: 0,
  unknown: 0,
  charged: '5713.20',
  currency: 'SAR',
  elapsedMs: 62_000,
  rate: 93,
  leftMs: 75_000,
  waiting: null,
  quota: {used: 212, limit: 280, shared: false},
}

describe('a line of the board', () => {
  it.each<[string, Partial<Standing>, string]>([
    ['all of it', {}, '92 of 200, 1 min left, quota 212/280 used, 5713.20 SAR charged, 93 a minute'],
    [
      'nothing of what is not known',
      {rate: null, leftMs: null, quota: null, charged: null, currency: null},
      '92 of 200',
    ],
    [
      'what went wrong before all else',
      {refused: 3, unknown: 1, rate: null},
      '92 of 200, 3 refused, 1 unknown, 1 min left, quota 212/280 used, 5713.20 SAR charged',
    ],
    [
      'for how long the quota is used up',
      {waiting: {why: 'quota', ms: 59_900}, quota: {used: 280, limit: 280, shared: false}, rate: null},
      '92 of 200, quota used up for 59 s, 1 min left, 5713.20 SAR charged',
    ],
    [
      'no wait that is over at once',
      {waiting: {why: 'quota', ms: 900}, quota: {used: 280, limit: 280, shared: false}, rate: null},
      '92 of 200, 1 min left, quota 280/280 used, 5713.20 SAR charged',
    ],
    [
      'that others use the credential, and what they leave',
      {quota: {used: 98, limit: 140, shared: true}, rate: null},
      '92 of 200, 1 min left, shared quota 98/140 used, 5713.20 SAR charged',
    ],
    [
      'the same when that is used up',
      {waiting: {why: 'quota', ms: 40_000}, quota: {used: 140, limit: 140, shared: true}, rate: null},
      '92 of 200, shared quota of 140 used up for 40 s, 1 min left, 5713.20 SAR charged',
    ],
    [
      'any other wait beside the quota',
      {waiting: {why: 'rate-limit', ms: 7_000}, quota: {used: 98, limit: 140, shared: true}, rate: null},
      '92 of 200, rate limited for 7 s, 1 min left, shared quota 98/140 used, 5713.20 SAR charged',
    ],
  ])('says %s', (_, more, text) => {
    expect(standingText({...standing, ...more})).toBe(text)
  })

  it.each([
    [400, '1 s'],
    [59_900, '59 s'],
    [61_000, '1 min'],
    [119_000, '2 min'],
    [2 * 3_600_000 + 61_000, '2 h 1 min'],
  ])('tells %i ms as %s', (leftMs, text) => {
    expect(standingText({...standing, leftMs})).toContain(`, ${text} left,`)
  })

  it.each([
    [74, '92 of 200, 1 min left, quota 212/280 used, 5713.20 SAR charged'],
    [60, '92 of 200, 1 min left, quota 212/280 used, 93 a minute'],
    [45, '92 of 200, 1 min left, quota 212/280 used'],
    [30, '92 of 200, 1 min left'],
    [5, '92 of 200'],
  ])('leaves out what %i columns have no room for, and cuts no number', (room, text) => {
    expect(standingText(standing, room)).toBe(text)
  })
})

/** What a pipe gets of a job. */
function piped(work: (board: ReturnType<typeof openBoard>) => void): string[] {
  const stream = new PassThrough()
  work(openBoard(stream as unknown as NodeJS.WriteStream))
  return (stream.read() ?? '').toString().split('\n').slice(0, -1)
}

describe('in a pipe', () => {
  it('a line stands every ten seconds', () => {
    const lines = piped((board) => {
      for (let ms = 0; ms <= 25_000; ms += 1_000) board.show({...standing, elapsedMs: ms, done: ms / 1_000})
    })
    expect(lines.map((line) => line.slice(0, 9))).toEqual(['10 of 200', '20 of 200'])
  })

  it('the last line speaks of no time left, of nothing that is waited for, and of no quota', () => {
    const waiting = {why: 'quota', ms: 30_000}
    const lines = piped((board) => {
      board.show({...standing, elapsedMs: 10_000, waiting})
      board.end()
    })
    expect(lines).toEqual([
      '92 of 200, quota used up for 30 s, 1 min left, 5713.20 SAR charged, 93 a minute',
      '92 of 200, 5713.20 SAR charged, 93 a minute',
    ])
  })

  it('the last line stands once', () => {
    const last = {...standing, done: 200, leftMs: null, quota: null}
    const lines = piped((board) => {
      board.show({...last, elapsedMs: 10_000})
      board.end()
      board.end()
    })
    expect(lines).toEqual(['200 of 200, 5713.20 SAR charged, 93 a minute'])
  })
})

const missing = noTmux()
if (missing) console.warn(`skipped: ${missing}`)

/** Shows a job on a board, says a line where it is told to, clears the board, and shows the job again until a key. */
const drawing = program(`
  import {openBoard} from './src/bulk/board.ts'
  const board = openBoard(process.stderr, process.env.TITLE)
  const standing = JSON.parse(process.argv[2])
  board.show(standing)
  if (process.argv[3]) {
    board.say(process.argv[3])
    board.show(standing)
    board.clear()
    board.show(standing)
  }
  process.stdin.once('data', () => {
    board.end()
    process.stdin.destroy()
  })
`)

describe.skipIf(missing)('in a terminal', () => {
  const env = {PATH: process.env.PATH, TERM: 'xterm-256color', LANG: 'C.UTF-8'}
  const command = (...words: string[]) =>
    `clear; ${process.execPath} ${drawing} ${words.map((word) => `'${word}'`).join(' ')}; echo end`
  const linesOf = (screen: string) => screen.split('\n').filter((line) => line !== '')

  it.each([
    [
      120,
      '███████████░░░░░░░░░░░░░ 92 of 200, 1 min left, quota 212/280 used, 5713.20 SAR charged, 93 a minute',
    ],
    [80, '███████░░░░░░░░░ 92 of 200, 1 min left, quota 212/280 used, 5713.20 SAR charged'],
    [50, '███░░░░ 92 of 200, 1 min left, quota 212/280 used'],
    [10, '██░░ 92 …'],
  ])('of %i columns the bar takes what the text leaves', async (columns, line) => {
    const shown = async (terminal: Terminal) => {
      terminal.type(command(JSON.stringify(standing)))
      terminal.press('Enter')
      await terminal.see('░')
      expect(linesOf(terminal.screen())).toEqual([line])
      terminal.press('Enter')
      await terminal.see('end')
      expect(terminal.screen()).not.toContain('░')
    }
    await withTerminal(env, shown, {columns})
  })

  it('the bar says what it counts where that is not plain', async () => {
    const shown = async (terminal: Terminal) => {
      terminal.type(command(JSON.stringify({...standing, charged: null})))
      terminal.press('Enter')
      await terminal.see('░')
      expect(linesOf(terminal.screen())).toEqual([
        'Previews ███████░░░░░░░░ 92 of 200, 1 min left, quota 212/280 used, 93 a minute',
      ])
    }
    await withTerminal({...env, TITLE: 'Previews'}, shown, {columns: 80})
  })

  it('what is said stays, above one bar', async () => {
    await withTerminal(env, async (terminal) => {
      terminal.type(command(JSON.stringify(standing), 'Something happened.'))
      terminal.press('Enter')
      await terminal.see('░')
      expect(linesOf(terminal.screen())).toEqual([
        'Something happened.',
        expect.stringMatching(/^█+░+ 92 of 200, /),
      ])
      terminal.press('Enter')
      await terminal.see('end')
      expect(linesOf(terminal.screen())).toEqual(['Something happened.', 'end', '$'])
    })
  })
})
