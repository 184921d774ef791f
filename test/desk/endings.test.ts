// How notices that are closed are shown, and those of which little is known, by the built program.
import {beforeAll, describe, expect, test} from 'vitest'
import type {NoticeChoice} from '../../src/contract/notices.ts'
import {type InboxRecord, inboxJournal, type Outcome} from '../../src/desk/notices/records.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import {drawn, inTerminal, oneLine} from '../support/pty.ts'
import {userOf} from '../support/service.ts'
import {deskOf, eventBody, HOUR, listened, noticeOf, receipt} from './records.ts'

const idOf = (number: number) => `c6c0dd6c-5d76-4b5d-9eff-2504000000${number}`
const ids = {
  old: idOf(21),
  ...{open: idOf(10), answered: idOf(11), elsewhere: idOf(12), expired: idOf(13), closed: idOf(14)},
  ...{race: idOf(15), stranger: idOf(16), unsettled: idOf(17), overdue: idOf(18), atMost: idOf(19)},
  lost: idOf(20),
}
const now = Date.now()
const iso = (at: number) => new Date(at).toISOString()
const ago = (hours: number) => now - hours * HOUR
const env = {...userOf('http://127.0.0.1:1'), TZ: 'UTC'}
/** A time as it is shown, to the minute. */
const shown = (at: number) => iso(at).slice(0, 16).replace('T', ' ')

/** An answer that was sent from here two hours ago, and how it ended, if that is known. */
function sent(
  id: string,
  outcome?: Outcome,
  choice: NoticeChoice = 'ShipAvailable',
  hours = 2,
): InboxRecord[] {
  const told = {at: iso(ago(hours)), attempt: `${id} ${hours}`, id, choice}
  const notice = {
    ...noticeOf(id, ago(20)),
    status: 'Resolved',
    responseChoice: choice,
    respondedAt: iso(ago(hours)),
  }
  const payload = outcome === 'answered' ? JSON.stringify(notice) : null
  const end: InboxRecord[] = outcome ? [{kind: 'answered', ...told, outcome, code: null, payload}] : []
  return [{kind: 'answering', ...told}, ...end]
}

const imported = (notice: object): InboxRecord => {
  const raw = JSON.stringify(notice)
  return {kind: 'imported', at: iso(ago(1)), sha256: raw, raw}
}

beforeAll(async () => {
  const desk = deskOf(env)
  const known = Object.values(ids).filter(
    (id) => ![ids.stranger, ids.overdue, ids.atMost, ids.lost, ids.expired, ids.old].includes(id),
  )
  const got = (id: string, hours: number) =>
    receipt(ago(hours), eventBody(`event-${id}`, noticeOf(id, ago(hours))))
  const bare = receipt(ago(1), eventBody('event-bare', {noticeId: ids.atMost}), {trust: 'unchecked'})
  const records = [
    got(ids.overdue, 80),
    got(ids.old, 72 + 7 * 24 + 1),
    got(ids.lost, 76),
    got(ids.expired, 76),
    ...known.map((id) => got(id, 20)),
    bare,
  ]
  await listened(desk, {from: ago(100), records})
  const elsewhere = {status: 'Resolved', responseChoice: 'CancelWhole', respondedAt: iso(ago(3))}
  await inboxJournal(desk.folders, desk.identity).append([
    ...sent(ids.answered, 'answered'),
    ...sent(ids.closed, 'closed'),
    ...sent(ids.race, 'lost-race'),
    ...sent(ids.stranger, 'not-found'),
    ...sent(ids.unsettled, 'unknown'),
    ...sent(ids.lost, 'unknown', 'ShipAvailable', 5),
    imported(noticeOf(ids.elsewhere, ago(20), elsewhere)),
    imported(noticeOf(ids.expired, ago(76), {status: 'ExpiredCancelledWhole'})),
  ])
}, 60_000)

interface Item {
  id: string
  responseDeadlineAt?: string
  desk: {state: string; trust: string | null; deadline: string | null; leftMs: number | null}
}

const items = async (): Promise<Map<string, Item>> => {
  const {stdout} = await scent(env, ['notices', 'inbox', '--all', '--json'])
  return new Map(JSON.parse(stdout).items.map((item: Item) => [item.id, item]))
}

test('a notice of which only the refusal of an answer is known has no deadline, and nothing that tells of it', async () => {
  const stranger = (await items()).get(ids.stranger)
  expect(stranger).toMatchObject({desk: {state: 'not-ours', trust: null, deadline: null, leftMs: null}})
  expect(stranger).not.toHaveProperty('responseDeadlineAt')
})

test('the trust of a closed notice is that of what tells its end', async () => {
  const all = await items()
  const trustOf = (id: string) => all.get(id)?.desk.trust
  expect(trustOf(ids.open)).toBe('verified')
  expect(trustOf(ids.elsewhere)).toBe('imported')
  expect(trustOf(ids.expired)).toBe('imported')
  expect(trustOf(ids.answered)).toBe('service')
  expect(trustOf(ids.closed)).toBe('verified')
})

describe('a pipe', () => {
  test('gets the state of each notice', async () => {
    const {stdout} = await scent(env, ['notices', 'inbox', '--all'])
    const states = new Map(
      stdout
        .trimEnd()
        .split('\n')
        .map((row) => row.split('\t'))
        .map((row) => [row[4], row[5]]),
    )
    expect(Object.fromEntries(states)).toEqual({
      ...{[ids.open]: 'open', [ids.answered]: 'answered', [ids.elsewhere]: 'answered-elsewhere'},
      ...{[ids.expired]: 'expired', [ids.closed]: 'closed', [ids.race]: 'closed', [ids.stranger]: 'not-ours'},
      ...{
        [ids.unsettled]: 'unsettled',
        [ids.overdue]: 'overdue',
        [ids.old]: 'overdue',
        [ids.atMost]: 'open',
        [ids.lost]: 'closed',
      },
    })
  })

  test('and so does a spreadsheet', async () => {
    const {stdout} = await scent(env, ['notices', 'inbox', '--all', '--output', 'csv'])
    const [head, ...rows] = stdout.trimEnd().split('\n')
    expect(head).toBe('desk.leftMs,line.sku,line.shortfallQuantity,desk.ifSilent,id,desk.state,desk.deadline')
    expect(rows.find((row) => row.includes(ids.stranger))).toMatch(/,not-ours,$/)
  })
})

const lines = async (columns: number, ...argv: string[]) => {
  const seen = await inTerminal(env, ['notices', ...argv], {columns, rows: 60})
  const page = drawn(seen.text, columns)
  expect(page.broken).toEqual([])
  return page.lines
}

describe('in a terminal', () => {
  test('of 80 columns each notice is a row, with what happens by default where that can still happen', async () => {
    const rows = await lines(80, 'inbox', '--all')
    const rowOf = (id: string) => rows.find((line) => line.endsWith(id))
    expect(rows.find((line) => line.startsWith('LEFT'))).toMatch(/^LEFT +SKU +DEFAULT +NOTICE$/)
    expect(rowOf(ids.open)).toMatch(/^51 h 59 min +NJD-INC-002 +cancel 3 /)
    expect(rowOf(ids.overdue)).toMatch(/^passed 8 h ago +NJD-INC-002 +cancel 3 /)
    expect(rowOf(ids.atMost)).toMatch(/^at most 71 h +- +not known /)
    expect(rowOf(ids.stranger)).toMatch(/^not-ours +- +- /)
    expect(rowOf(ids.elsewhere)).toMatch(/^answered-elsewhere +NJD-INC-002 +- /)
  })

  test.each([80, 40])(
    'of %i columns those that passed unanswered are counted for a week',
    async (columns) => {
      const said = oneLine((await lines(columns, 'inbox')).join('\n'))
      expect(said).toContain(
        '2 notices passed their deadline unanswered in the last 7 days: `scent notices inbox --all`.',
      )
      const all = oneLine((await lines(columns, 'inbox', '--all')).join('\n'))
      expect(all).not.toContain('unanswered in the last')
      expect(all).toContain('CancelWhole applied, unanswered')
      expect(all).toContain('CancelWhole, not by this machine')
      expect(all).toContain('ShipAvailable, from here')
    },
  )

  test('of 40 columns each is a block of three lines, and of one more if there is more to say', async () => {
    const rows = await lines(40, 'inbox', '--all')
    const blockOf = (id: string, size = 3) =>
      rows.slice(rows.indexOf(`  ${id}`) + 1 - size, rows.indexOf(`  ${id}`) + 1)
    expect(blockOf(ids.open)).toEqual([
      '51 h 59 min left, then cancel 3',
      '  NJD-INC-002  short 2 of 3',
      `  ${ids.open}`,
    ])
    expect(blockOf(ids.overdue)[0]).toBe('passed 8 h ago, then cancel 3')
    expect(blockOf(ids.elsewhere, 4).slice(0, 2)).toEqual([
      'answered-elsewhere',
      '  CancelWhole, not by this machine',
    ])
    expect(blockOf(ids.expired, 4).slice(0, 2)).toEqual(['expired', '  CancelWhole applied, unanswered'])
    expect(rows.slice(rows.indexOf(`  ${ids.stranger}`) - 1)[0]).toBe('not-ours')
    expect(blockOf(ids.atMost).slice(0, 2)).toEqual([
      'at most 71 h left, then not known',
      '  unchecked: anybody may have sent it',
    ])
  })

  test.each([80, 40])('of %i columns what may be missing stands apart, line by line', async (columns) => {
    const {text} = await inTerminal(userOf('http://127.0.0.1:1'), ['notices', 'inbox'], {columns})
    const rows = drawn(text, columns).lines.filter((line) => line !== '')
    const below = rows.slice(rows.findIndex((line) => line.startsWith('! ')))
    expect(below.length).toBeGreaterThan(2)
    for (const line of below) expect(line).toMatch(/^(! | {2})\S/)
  })

  test.each([80, 40])(
    'of %i columns the card of a closed one says what happened, and when',
    async (columns) => {
      const cardOf = async (id: string) => {
        const [card = ''] = (await lines(columns, 'show', id)).join('\n').split('What is recorded of it')
        return oneLine(card)
      }
      const told: [string, string][] = [
        [ids.answered, `Ended Answered from here at ${shown(ago(2))}:\\d\\d .*: ShipAvailable\\.`],
        [ids.elsewhere, `Ended Answered, not by this machine, at ${shown(ago(3))}:\\d\\d .*: CancelWhole\\.`],
        [ids.expired, `Ended Closed by its deadline at ${shown(ago(4))}:\\d\\d .*: ExpiredCancelledWhole\\.`],
        [ids.closed, `Ended Closed before ${shown(ago(2))}:\\d\\d .*, when an answer from here was refused`],
        [
          ids.race,
          `Ended Closed at ${shown(ago(2))}:\\d\\d .*, while an answer from here came: most likely by its deadline`,
        ],
        [ids.stranger, 'Ended The service does not know it'],
        [
          ids.lost,
          `Ended By the ShipAvailable that was sent from here at ${shown(ago(5))}:\\d\\d .*, whose answer was lost, or by its deadline`,
        ],
      ]
      for (const [id, text] of told) {
        const card = await cardOf(id)
        expect(card).toMatch(new RegExp(text))
        expect(card).not.toMatch(/ (Left|Default) /)
      }
      expect(await cardOf(ids.open)).toMatch(/ Left 51 h 59 min Default cancel 3 /)
    },
    60_000,
  )
})
