// The worklist, as somebody at a terminal meets it: the built program, a sandbox over HTTP, and a real terminal.
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {control} from '../sandbox/caller.ts'
import {bringIn, choicesAt, inInbox, type Raised, raise, struck} from '../support/notices.ts'
import {type Answer, drawn, inTerminal, oneLine, plain} from '../support/pty.ts'
import {bin} from '../support/scent.ts'
import {openShop, type Shop} from '../support/served-shop.ts'
import {type Terminal, withTerminal} from '../support/tmux.ts'

let shop: Shop
let raised: Raised[]
const id = (at: number) => raised[at]?.id ?? ''

beforeEach(async () => {
  shop = await openShop()
  shop.env.TZ = 'Asia/Riyadh'
  raised = await inInbox(shop, 3)
})
afterEach(() => shop.close())

interface Way {
  columns: number
  env?: NodeJS.ProcessEnv
  flags?: string[]
}

const work = async (answers: Answer[], {columns, env = {}, flags = []}: Way) => {
  const seen = await inTerminal({...shop.env, ...env}, ['notices', 'respond', ...flags], {columns, answers})
  const {lines, broken} = drawn(seen.text, columns)
  expect(broken, lines.join('\n')).toEqual([])
  expect(seen.text).not.toContain('never asked')
  return {...seen, lines, said: oneLine(seen.text)}
}
const inAll = [80, 40].map((columns) => ({columns}))

describe.each(inAll)('at $columns columns', (way) => {
  test('one key chooses and says what it does, another takes it back, Enter sends', async () => {
    const {code, said, lines} = await work(
      [
        ['1 of 3', 's'],
        ['> s ShipAvailable', 'x'],
        ['>', 'c'],
        ['> c CancelWhole', '\r'],
        ['is taken', 'n'],
        ['3 of 3', 'b'],
        ['2 of 3', 's'],
        ['Enter sends', '\r'],
        ['3 of 3', 'q'],
      ],
      way,
    )
    expect(code, said).toBe(0)
    expect(said).toContain('> s ShipAvailable: ships 1, cancels 1, refunds about')
    expect(said).toContain('if nobody answers. Enter sends, any other key takes it back.')
    expect(choicesAt(shop, raised)).toEqual(['CancelWhole', 'ShipAvailable', null])
    const [, first, second] =
      /Answered 2 \(([\d.]+ SAR) and ([\d.]+ SAR) refunded\), skipped 1, due next in 71 h/.exec(said) ?? []
    expect(said).toContain(`notice ${id(0)}: CancelWhole is taken, ${first} refunded.`)
    expect(said).toContain(`notice ${id(1)}: ShipAvailable is taken, ${second} refunded.`)
    // Of the notices themselves nothing stays on the screen.
    expect(lines.join('\n')).not.toContain('[q] stop')
  })

  test('each notice can be named to a colleague', async () => {
    const {said} = await work(
      [
        ['1 of 3', 'n'],
        ['2 of 3', 'q'],
      ],
      way,
    )
    for (const at of [0, 1]) expect(said).toContain(id(at))
  })

  test('Ctrl-C at the question sends nothing, and says what was answered', async () => {
    for (const typed of ['\u0003', 's\u0003']) {
      const {code, said} = await work([['1 of 3', typed]], way)
      expect([code, said]).toEqual([
        130,
        expect.stringContaining('Interrupted. No request is out. Answered 0.'),
      ])
    }
    expect(choicesAt(shop, raised)).toEqual([null, null, null])
  })

  test('with --yes the key alone sends', async () => {
    const {code} = await work(
      [
        ['1 of 3', 's'],
        ['2 of 3', 'q'],
      ],
      {...way, flags: ['--yes']},
    )
    expect([code, choicesAt(shop, raised)]).toEqual([0, ['ShipAvailable', null, null]])
  })

  test('what was sent without an outcome is offered with the same choice only', async () => {
    shop.fault({
      match: {operation: 'respondToNotice'},
      when: 'before',
      effect: 'status',
      status: 504,
      times: 9,
    })
    const one = ['notices', 'respond', id(0), '--choice', 'CancelWhole', '--yes', '--max-wait', '1']
    expect((await shop.scent(one)).code).toBe(12)
    shop.sandbox.state.faults.clear()
    const {said} = await work(
      [
        ['only the same choice can be sent again', 's'],
        ['>', 'c'],
        ['> c', '\r'],
        ['2 of 3', 'q'],
      ],
      way,
    )
    expect(said).not.toContain('> s ShipAvailable')
    expect(choicesAt(shop, raised)).toEqual(['CancelWhole', null, null])
  })
})

test('an answer that is lost is told, and the same choice is offered again', async () => {
  shop.fault({match: {operation: 'respondToNotice'}, when: 'before', effect: 'status', status: 504, times: 9})
  const {code, said} = await work(
    [
      ['1 of 3', 's'],
      ['Enter sends', '\r'],
      ['2 of 3', 'b'],
      ['only the same choice can be sent again', 'q'],
    ],
    {columns: 80, flags: ['--max-wait', '1']},
  )
  expect(said).toContain('What became of the answer is not known.')
  expect([code, choicesAt(shop, raised)]).toEqual([12, [null, null, null]])
})

test('an answer to a notice that the service does not know is told with the right number', async () => {
  shop.fault({
    match: {operation: 'respondToNotice'},
    effect: 'status',
    status: 404,
    state: 'NOT_FOUND_UNFULFILLABLE_NOTICE',
    times: 1,
  })
  const {code, said} = await work(
    [
      ['1 of 3', 's'],
      ['Enter sends', '\r'],
      ['2 of 3', 'q'],
    ],
    {columns: 80},
  )
  expect(said).toContain('The notice was not answered.')
  expect(said).toContain('Next: What is left waits in the worklist: `scent notices respond`.')
  expect([code, said]).toEqual([11, expect.not.stringContaining('1 of 1')])
})

test('the order is shown, and the notice again', async () => {
  const {said} = await work(
    [
      ['1 of 3', 'o'],
      ['1 of 3', 'q'],
    ],
    {columns: 80},
  )
  expect(said).toContain('PO-SHORT-0')
  expect(said).toMatch(/Goods incl\. VAT/)
})

test.each([{}, {ACCESSIBLE: '1'}])(
  'what a delivery holds never reaches the terminal raw: %j',
  async (env) => {
    const evil = '\u001b[2J\u001b]0;x\u0007\u202e\n\u0000'
    const status = 'AwaitingPartnerResponse'
    const notice = {
      id: '00000000-5d76-4b5d-9eff-250400d2b556',
      status,
      reason: evil,
      line: {sku: `NJD${evil}`},
    }
    const soon = new Date(Date.now() + 3_600_000).toISOString()
    await bringIn(shop, [
      {...(raised[0] as Raised), event: {data: {notice: {...notice, responseDeadlineAt: soon}}}},
    ])
    const answers: Answer[] = env.ACCESSIBLE ? [['(1 to 6)', '6\n']] : [['1 of 4', 'q']]
    const {code, text, said} = await work(answers, {columns: 40, env})
    expect([code, said]).toEqual([0, expect.stringContaining('NJD\\u{1b}')])
    expect(text).not.toMatch(/\u001b\[2J|\u001b\]|\u202e|\u0000/)
  },
)

test('an empty worklist says so, and why that may not be all', async () => {
  const none = await openShop()
  const {code, text} = await inTerminal(none.env, ['notices', 'respond'], {columns: 80})
  expect([code, oneLine(text)]).toEqual([
    0,
    expect.stringMatching(/No notice that is known here waits.*! .*listen/),
  ])
  await none.close()
})

describe('what happens while somebody looks', () => {
  const open = (columns: number, look: (terminal: Terminal) => Promise<void>) =>
    withTerminal(
      {TERM: 'xterm-256color', ...shop.env},
      async (terminal) => {
        terminal.type(`${process.execPath} ${bin} notices respond`)
        terminal.press('Enter')
        await terminal.see('[n] next')
        await look(terminal)
      },
      {columns, rows: 30},
    )
  const flat = ({screen}: Terminal) => oneLine(screen())

  test.each([80, 40])('a deadline that passes disables the keys, at %i columns', (columns) =>
    open(columns, async (terminal) => {
      terminal.type('s')
      await terminal.see('Enter sends')
      await control(shop.sandbox, 'POST', 'clock', {advanceSeconds: 73 * 3_600})
      // Any answer of the service tells its time.
      await shop.scent(['wallet', 'balance'])
      await terminal.see('deadline has passed')
      expect(terminal.screen()).not.toMatch(/\[s\]|Enter sends/)
      expect(flat(terminal)).toContain("It can't be answered any more.")
      terminal.press('Enter')
      terminal.type('s')
      terminal.type('q')
      await terminal.see('Answered 0')
      const sent = shop.requests().filter(({operation}) => operation === 'respondToNotice')
      expect(sent).toEqual([])
    }),
  )

  test('an event that closes it changes the screen, and a new notice joins the list', () =>
    open(80, async (terminal) => {
      await shop.json(['notices', 'respond', id(0), '--choice', 'CancelWhole', '--yes'])
      await terminal.see(`was answered from here`)
      expect(terminal.screen()).not.toContain('[c]')
      const [extra] = await raise(shop, 1, 3)
      if (extra) await bringIn(shop, [extra])
      terminal.type('n')
      await terminal.see('2 of 4')
      terminal.type('q')
    }))

  test('Ctrl-C while an answer is awaited says that it is out, and what came of it', () =>
    open(80, async (terminal) => {
      shop.fault({
        match: {operation: 'respondToNotice'},
        effect: 'slow',
        when: 'before',
        delayMs: 3_000,
        times: 1,
      })
      terminal.type('s')
      await terminal.see('Enter sends')
      terminal.press('Enter')
      await struck(shop)
      terminal.press('C-c')
      await terminal.see('press Ctrl-C')
      expect(flat(terminal)).toContain(
        `The ShipAvailable for notice ${id(0)} is out, without an answer. Answered 0. Waiting for its answer; press Ctrl-C again to leave now.`,
      )
      await terminal.see('Answered 1')
      expect(flat(terminal)).toContain(`notice ${id(0)}: ShipAvailable is taken`)
      expect(flat(terminal)).toContain('Interrupted. No request is out. Answered 1')
      expect(choicesAt(shop, raised)).toEqual(['ShipAvailable', null, null])
    }))

  test('another size is drawn anew, without leftovers', () =>
    open(80, async (terminal) => {
      terminal.type('s')
      await terminal.see('Enter sends')
      for (const columns of [40, 100, 60, 80]) {
        terminal.resize(columns)
        await new Promise((later) => setTimeout(later, 1_200))
        const text = flat(terminal)
        expect(text.split('RML-SAF-050')).toHaveLength(2)
        expect(text).toContain('> s ShipAvailable')
      }
      terminal.press('C-c')
      await terminal.see('No request is out')
    }))
})

describe.each([{ACCESSIBLE: '1'}, {TERM: 'dumb'}])('with %j nothing moves the cursor', (env) => {
  test('and choices have numbers', async () => {
    const {code, text, said} = await work(
      [
        ['What next? (1 to 6)', '2\n'],
        ['anything else to take it back. ', 'x\n'],
        ['What next? (1 to 6)', '9\n'],
        ['What next? (1 to 6)', 'C\n'],
        ['anything else to take it back. ', '\n'],
        ['What next? (1 to 6)', '3\n'],
        // The keys of the other screen.
        ['What next? (1 to 6)', 'q\n'],
      ],
      {columns: 40, env},
    )
    expect(code, said).toBe(0)
    expect(said).toContain('1. CancelWhole: ships 0, cancels 2, refunds about')
    expect(said).toContain('Type a number from 1 to 6, and Enter.')
    expect(said).toContain('skipped 2')
    expect(choicesAt(shop, raised)).toEqual(['CancelWhole', null, null])
    expect(withoutColours(text)).not.toMatch(/[\u001b\r\b]/)
  })

  test('and one notice, or a file, is asked about in the same way', async () => {
    const argv = ['notices', 'respond', id(1)]
    const seen = await inTerminal({...shop.env, ...env}, argv, {
      columns: 40,
      answers: [['Which choice?', '3\n']],
    })
    expect(seen.code, seen.text).toBe(0)
    const many = ['notices', 'respond', '--choice', 'CancelWhole', '--all-open']
    const all = await inTerminal({...shop.env, ...env}, many, {columns: 40, answers: [['(y/N)', 'y\n']]})
    expect(all.code, all.text).toBe(0)
    expect(choicesAt(shop, raised)).toEqual(['CancelWhole', 'ShipAvailable', 'CancelWhole'])
    for (const {text} of [seen, all]) expect(withoutColours(text)).not.toMatch(/[\u001b\r\b]/)
  })
})

/** Colours do not move the cursor. */
const withoutColours = (text: string) => text.replace(/\u001b\[[\d;]*m/g, '')

test('news are told below, and the choices that are left', async () => {
  const elsewhere = () => shop.json(['notices', 'respond', id(0), '--choice', 'CancelWhole', '--yes'])
  const answers: Answer[] = [
    ['What next? (1 to 6)', () => void elsewhere()],
    ['What next? (1 to 4)', '4\n'],
  ]
  const {code, said} = await work(answers, {columns: 80, env: {ACCESSIBLE: '1'}})
  expect(code, said).toBe(0)
  expect(said).toMatch(
    /News: Notice \S+ was answered from here at [-\d]+ [:\d]+ \S+: CancelWhole\. 1\. Next notice/,
  )
  expect(plain(said)).toContain('Answered 0')
})
