// Answering many notices, by a file or by filters, with the built program.
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest'
import {callerOf, control} from '../sandbox/caller.ts'
import {bringIn, choicesAt, inInbox, type Raised, struck} from '../support/notices.ts'
import {drawn, inTerminal, oneLine} from '../support/pty.ts'
import {openShop, type Shop} from '../support/served-shop.ts'

let shop: Shop
let raised: Raised[]
const ids = () => raised.map(({id}) => id)
const respond = ['notices', 'respond']
/** One choice for each notice; null leaves it out. */
const csv = (...choices: (string | null)[]) =>
  choices.flatMap((choice, at) => (choice === null ? [] : [`${ids()[at]},${choice}`])).join('\n')
const answer = (input: string, code = 0) => shop.json([...respond, '--file', '-', '--yes'], {input, code})
const outcomes = ({answers}: {answers: {outcome: string}[]}) => answers.map(({outcome}) => outcome)

describe('what is wrong with a file', () => {
  beforeAll(async () => {
    shop = await openShop()
    raised = await inInbox(shop, 2)
  })
  afterAll(() => shop.close())

  test('is told in full, line by line, and nothing is sent', async () => {
    const [one, two] = ids()
    const input = `choice;Notice ID;SKU\nShipAvailable;${one};x\nperhaps;${two};x\n;${two};x\nCancelWhole;nonsense;x\ncancel whole;${one};x\n"CancelWhole;${two};x\n`
    const {error} = await answer(input, 2)
    expect(error.details.problems.map(({line, rule}: {line: number; rule: string}) => [line, rule])).toEqual([
      [3, 'must be one of CancelWhole, ShipAvailable'],
      [4, 'is required'],
      [5, 'must be a UUID'],
      [6, `differs from that of line 2 for notice ${one}`],
      [7, expect.stringContaining('opens a quotation mark')],
    ])
    expect(choicesAt(shop, raised)).toEqual([null, null])
    expect(shop.requests().filter(({operation}) => operation === 'respondToNotice')).toEqual([])
  })

  test.each([
    ['nothing in it', '\n', 'is empty'],
    ['a header alone', 'notice,choice\n', 'The file names no notice.'],
    ['no choice', 'notice,sku\nx,y\n', 'lacks the column choice'],
    ['two columns of notices', 'id,notice,choice\nx,y,z\n', 'has twice the column notice'],
    ['other names', 'Number,What\n1,2\n', 'must be a UUID'],
    [
      'too many cells',
      () => `${ids()[0]},CancelWhole,x\n`,
      'has 3 cells, but a row without a header needs 2',
    ],
    ['one JSON array', '[]', 'is one JSON array'],
    ['a choice that is not text', () => `{"id":"${ids()[0]}","choice":7}`, 'choice "7" must be one of'],
    [
      'two names of one notice',
      () => `{"id":"${ids()[0]}","notice":"${ids()[1]}","choice":"CancelWhole"}`,
      'is given twice',
    ],
    ['what is not text', '\u0000', 'it holds a NUL character'],
  ])('such as %s', async (_, text, why) => {
    const input = typeof text === 'string' ? text : text()
    const {code, stderr} = await shop.scent([...respond, '--file', '-', '--yes'], {input})
    expect([code, oneLine(stderr)]).toEqual([2, expect.stringContaining(why)])
  })

  test('and a file that is something else is not read to its end', async () => {
    const {error} = await answer(`notice,choice\n${'x,y\n'.repeat(100_000)}`, 2)
    expect(error.details.problems).toHaveLength(1001)
    expect(error.details.problems.at(-1)).toMatchObject({rule: 'What follows was not looked at.'})
  })

  test.each([
    [[], 'Nothing says which notices to answer.'],
    [['--all-open'], '--all-open needs --choice as well'],
    [['--sku', 'X', '--choice', 'CancelWhole', '--all-open'], '--sku does not go with --all-open'],
    [['--file', 'x.csv', '--choice', 'CancelWhole'], '--choice does not go with --file'],
    [
      ['c6c0dd6c-5d76-4b5d-9eff-250400d2b556', '--file', 'x.csv'],
      'An ID goes with neither --file nor a filter',
    ],
    [['--choice', 'CancelWhole'], 'Nothing says which notices to answer.'],
    [['--choice', 'CancelWhole', '--due-within', 'soon'], '"soon" is not a valid span'],
    [['--file', '/nowhere/x.csv', '--yes'], 'there is no such file'],
    [['--choice', 'CancelWhole', '--all-open'], 'Give --yes.'],
  ])('%j is a wrong line', async (argv, why) => {
    const {code, stderr} = await shop.scent([...respond, ...argv])
    expect([code, oneLine(stderr)]).toEqual([2, expect.stringContaining(why)])
    expect(choicesAt(shop, raised)).toEqual([null, null])
  })

  test('and where nothing fits, that is exit 5', async () => {
    const none = [...respond, '--choice', 'CancelWhole', '--yes']
    for (const filter of [
      ['--sku', 'NJD-INC-002'],
      ['--due-within', '1h'],
      ['--reason', 'lost'],
    ])
      expect((await shop.scent([...none, ...filter])).code).toBe(5)
  })
})

describe('several notices are answered', () => {
  beforeEach(async () => {
    shop = await openShop()
    raised = await inInbox(shop, 3)
    return () => shop.close()
  })

  test('by a file, and again only what is left', async () => {
    const first = await answer(csv('ShipAvailable', null, 'cancelwhole'))
    expect(outcomes(first)).toEqual(['answered', 'answered'])
    expect(first.answers[0]).toMatchObject({
      ...{id: ids()[0], choice: 'ShipAvailable', error: null},
      notice: {status: 'Resolved', responseChoice: 'ShipAvailable'},
    })
    const refunds = first.answers.map(
      ({notice: {impact}}: {notice: {impact: Record<string, {total: number} | null>}}) =>
        (impact.cancelWhole ?? impact.shipAvailable)?.total ?? 0,
    )
    expect(first.summary).toEqual({
      ...{answered: 2, closed: 0, lostRace: 0, notFound: 0, unknown: 0, failed: 0, left: 0},
      ...{refunded: (refunds[0] + refunds[1]).toFixed(2), answeredEarlier: 0, refundedEarlier: null},
    })
    expect(choicesAt(shop, raised)).toEqual(['ShipAvailable', null, 'CancelWhole'])
    shop.requests()

    const again = await answer(csv('ShipAvailable', 'ShipAvailable', 'CancelWhole'))
    expect(outcomes(again)).toEqual(['answered', 'answered', 'answered'])
    const sent = shop.requests().filter(({operation}) => operation === 'respondToNotice')
    expect(sent.map(({target}) => target.split('/').at(-2))).toEqual([ids()[1]])
    expect(again.answers.map(({earlier}: {earlier: boolean}) => earlier)).toEqual([true, false, true])
    const own = again.answers[1].notice.impact.shipAvailable.total
    expect(again.summary).toMatchObject({
      ...{answered: 1, refunded: own.toFixed(2)},
      ...{answeredEarlier: 2, refundedEarlier: first.summary.refunded},
    })
  })

  test('by a file that is run again, and says what was done when', async () => {
    const file = join(shop.env.HOME ?? '', 'choices.csv')
    const run = async () => {
      const {code, stdout, stderr} = await shop.scent([...respond, '--file', file, '--yes'])
      return {code, stdout, said: oneLine(stderr)}
    }
    writeFileSync(file, csv('ShipAvailable', null, 'CancelWhole'))
    const first = await run()
    const refunded = /2 answered\. Refunded ([\d.]+) SAR\./.exec(first.said)?.[1]
    expect(refunded, first.said).toBeDefined()
    writeFileSync(file, csv('ShipAvailable', 'ShipAvailable', 'CancelWhole'))
    const second = await run()
    expect(second.said).toContain('2 of 3 notices were answered from here before: nothing is sent for them.')
    expect(second.said).toContain('1 answered, 2 answered earlier. Refunded ')
    expect(second.said).not.toContain('Answering 1 of 3')
    expect(second.said).toContain(`Refunded earlier: ${refunded} SAR.`)
    shop.requests()
    const third = await run()
    expect([third.code, third.said]).toEqual([
      0,
      expect.stringContaining('All 3 notices were answered from here before: nothing is sent.'),
    ])
    expect(third.said).toContain('3 answered earlier. Refunded earlier: ')
    expect(third.said).not.toContain('Run it again')
    expect(shop.requests().filter(({operation}) => operation === 'respondToNotice')).toEqual([])
    // Another choice than the one that was taken.
    writeFileSync(file, csv('ShipAvailable', 'CancelWhole', 'CancelWhole'))
    const other = await run()
    expect([other.code, other.said]).toEqual([
      11,
      expect.stringContaining('1 of 3 notices was not answered.'),
    ])
    expect(other.said).toContain('Nothing is left to send')
    expect(other.said).not.toContain('Run it again')
    expect(shop.requests().filter(({operation}) => operation === 'respondToNotice')).toEqual([])
  })

  test('and those that are closed or unknown do not stop the others', async () => {
    const [one, two, three] = raised.map(({id}) => id)
    await shop.json([...respond, one ?? '', '--choice', 'CancelWhole', '--yes'])
    const strange = '00000000-5d76-4b5d-9eff-250400d2b556'
    const lines = [one, strange, three].map((id) =>
      JSON.stringify({noticeId: id, choice: 'ShipAvailable', more: 1}),
    )
    shop.fault({match: {operation: 'respondToNotice'}, when: 'before', effect: 'race', times: 1})
    const document = await answer([`{"notice":"${two}","choice":"CancelWhole"}`, ...lines].join('\n'), 11)
    expect(outcomes(document)).toEqual(['lost-race', 'closed', 'not-found', 'answered'])
    expect(document.answers[0].error).toMatchObject({
      code: 'CONFLICT_NOTICE_ALREADY_RESOLVED',
      message: expect.stringContaining('by whom nothing here tells'),
    })
    expect(document.answers[1].error.message).toContain('was answered from here at')
    expect(document.summary).toMatchObject({answered: 1, closed: 1, lostRace: 1, notFound: 1})
  })

  test('by filters, which leave out what was sent without an outcome', async () => {
    shop.fault({
      match: {operation: 'respondToNotice'},
      when: 'before',
      effect: 'status',
      status: 504,
      times: 9,
    })
    const lost = await shop.scent([
      ...respond,
      ids()[0] ?? '',
      '--choice',
      'CancelWhole',
      '--yes',
      '--max-wait',
      '1',
    ])
    expect(lost.code, lost.stderr).toBe(12)
    shop.sandbox.state.faults.clear()
    const all = [...respond, '--choice', 'ShipAvailable', '--all-open', '--yes']
    const {code, stdout, stderr} = await shop.scent([...all, '--json'])
    expect([code, outcomes(JSON.parse(stdout))], stderr).toEqual([0, ['answered', 'answered']])
    expect(oneLine(stderr)).toContain(
      `Notice ${ids()[0]} is left out: CancelWhole was sent, and its answer was lost.`,
    )
    expect(choicesAt(shop, raised)).toEqual([null, 'ShipAvailable', 'ShipAvailable'])
    expect((await shop.scent(all)).code).toBe(5)

    const other = await answer(csv('ShipAvailable'), 2)
    expect(other.error.details.problems[0].rule).toContain(
      'differs from the CancelWhole that was sent before',
    )
    expect(outcomes(await answer(csv('CancelWhole')))).toEqual(['answered'])
  })

  test('until the service fails: what was lost is unknown, and the rest is sent the next time', async () => {
    shop.fault({match: {operation: 'respondToNotice'}, when: 'after', effect: 'reset', times: 1})
    const lost = await answer(csv('ShipAvailable', 'ShipAvailable', 'ShipAvailable'), 12)
    expect(outcomes(lost)).toEqual(['unknown', 'answered', 'answered'])
    expect(choicesAt(shop, raised)).toEqual(['ShipAvailable', 'ShipAvailable', 'ShipAvailable'])
  })

  test('a credential that is not accepted ends it at the first', async () => {
    shop.fault({
      match: {operation: 'respondToNotice'},
      when: 'before',
      effect: 'status',
      status: 403,
      times: 9,
    })
    const {code, stdout} = await shop.scent([...respond, '--file', '-', '--yes', '--json'], {
      input: csv('ShipAvailable', 'ShipAvailable', 'ShipAvailable'),
    })
    const document = JSON.parse(stdout)
    expect(outcomes(document)).toEqual(['failed'])
    expect(document.summary).toMatchObject({failed: 1, left: 2})
    expect(code).not.toBe(0)
  })
})

describe.each([80, 40])('in a terminal of %i columns', (columns) => {
  beforeEach(async () => {
    shop = await openShop()
    raised = await inInbox(shop, 2)
    return () => shop.close()
  })

  test('what they come to is told before the one question', async () => {
    const file = join(shop.env.HOME ?? '', 'choices.csv')
    writeFileSync(file, csv('ShipAvailable', 'CancelWhole'))
    const asked = async (typed: string) => {
      const seen = await inTerminal(shop.env, [...respond, '--file', file], {
        columns,
        answers: [['(y/N)', typed]],
      })
      const {lines, broken} = drawn(seen.text, columns)
      expect(broken, lines.join('\n')).toEqual([])
      return {code: seen.code, text: oneLine(lines.join('\n'))}
    }
    expect((await asked('\r')).code).toBe(130)
    expect((await asked('\u0003')).text).toContain('Nothing was changed.')
    expect(choicesAt(shop, raised)).toEqual([null, null])
    const {code, text} = await asked('y\r')
    expect(code, text).toBe(0)
    expect(text).toContain('1 × CancelWhole and 1 × ShipAvailable. Together they ship 1 and cancel 3 units.')
    const about = /They refund about ([\d.]+) SAR/.exec(text)?.[1]
    expect(text).toContain(`2 answered. Refunded ${about} SAR.`)
    // Nothing is left to be asked.
    const again = await inTerminal(shop.env, [...respond, '--file', file], {columns})
    const said = oneLine(drawn(again.text, columns).lines.join('\n'))
    expect([again.code, said]).toEqual([
      0,
      expect.stringContaining('All 2 notices were answered from here before'),
    ])
    expect(said).not.toMatch(/y\/N|They refund|Run it again/)
    expect(said).toContain(`2 answered earlier. Refunded earlier: ${about} SAR.`)
  })
})

test('Ctrl-C says what is out, waits for it, and sends no more', async () => {
  shop = await openShop()
  raised = await inInbox(shop, 3)
  shop.fault({
    match: {operation: 'respondToNotice'},
    when: 'before',
    effect: 'slow',
    delayMs: 2000,
    times: 1,
  })
  const running = shop.start([...respond, '--file', '-', '--yes', '--json'], {
    input: csv('ShipAvailable', 'ShipAvailable', 'ShipAvailable'),
  })
  await struck(shop)
  running.child.kill('SIGINT')
  const {code, stdout, stderr} = await running.ended
  expect(oneLine(stderr)).toContain(
    `Interrupted after 0 of 3 notices. The ShipAvailable for notice ${ids()[0]} is out, without an answer. Waiting for its answer; press Ctrl-C again to leave now.`,
  )
  expect([code, JSON.parse(stdout).summary]).toEqual([130, expect.objectContaining({answered: 1, left: 2})])
  expect(choicesAt(shop, raised)).toEqual(['ShipAvailable', null, null])
  await shop.close()
})

test.each(['before', 'after'] as const)(
  'another choice than one whose answer was lost %s the service took it is warned of, and the service takes only one',
  async (when) => {
    shop = await openShop()
    raised = await inInbox(shop, 1)
    const answer = (choice: string) =>
      shop.scent([...respond, ids()[0] ?? '', '--choice', choice, '--yes', '--max-wait', '1', '--json'])
    shop.fault({match: {operation: 'respondToNotice'}, when, effect: 'status', status: 504, times: 99})
    const lost = await answer('CancelWhole')
    expect(lost.code, lost.stdout).toBe(12)
    shop.sandbox.state.faults.clear()
    const other = await answer('ShipAvailable')
    expect(oneLine(other.stderr)).toContain(
      'CancelWhole was sent before, and its answer was lost. If it was taken, the service refuses any other choice, and nothing changes.',
    )
    if (when === 'before') {
      expect([other.code, JSON.parse(other.stdout).responseChoice]).toEqual([0, 'ShipAvailable'])
      expect(choicesAt(shop, raised)).toEqual(['ShipAvailable'])
    } else {
      const {error} = JSON.parse(other.stdout)
      expect([other.code, error.message]).toEqual([
        12,
        expect.stringContaining('either by the CancelWhole that was sent from here at'),
      ])
      expect(choicesAt(shop, raised)).toEqual(['CancelWhole'])
    }
    await shop.close()
  },
)

test('an answer that is lost says what helps, with the command for it', async () => {
  shop = await openShop()
  raised = await inInbox(shop, 1)
  const fault = {match: {operation: 'respondToNotice'}, effect: 'status', status: 504} as const
  const answer = async () => {
    const argv = [
      ...respond,
      ids()[0] ?? '',
      '--choice',
      'ShipAvailable',
      '--yes',
      '--max-wait',
      '1',
      '--json',
    ]
    const {code, stdout} = await shop.scent(argv)
    expect(code).toBe(12)
    return JSON.parse(stdout).error
  }
  shop.fault({...fault, when: 'before', times: 9})
  const lost = await answer()
  expect(lost.hint).toContain(`scent notices respond ${ids()[0]} --choice ShipAvailable`)
  expect(lost.hint).not.toContain('Read the state back')
  // Nothing but the first request can have closed what has days left.
  shop.sandbox.state.faults.clear()
  shop.fault({...fault, when: 'after', times: 1})
  const closed = await answer()
  expect(closed.message).not.toContain('deadline')
  await shop.close()
})

describe('what is closed already is refused with what is known', () => {
  beforeEach(async () => {
    shop = await openShop()
    raised = await inInbox(shop, 1)
    return () => shop.close()
  })
  const told = async (code: number, choice = 'ShipAvailable') => {
    const argv = [...respond, ids()[0] ?? '', '--choice', choice, '--yes', '--json', '--max-wait', '1']
    const ended = await shop.scent(argv)
    expect(ended.code, ended.stderr).toBe(code)
    return JSON.parse(ended.stdout).error
  }
  const elsewhere = () =>
    callerOf(shop.sandbox).ask('PATCH', `/scent/unfulfillable-notices/${ids()[0]}/respond`, {
      body: {choice: 'CancelWhole'},
    })
  /** An event that tells how it ended. */
  const event = (fields: object) => {
    const [one] = raised as [Raised]
    const {data} = one.event as {data: {notice: object}}
    return bringIn(shop, [{...one, event: {data: {notice: {...data.notice, ...fields}}}}])
  }

  test('by another of the same partner, of which nothing here tells', async () => {
    await elsewhere()
    const {message, hint} = await told(7)
    expect(message).toBe(`Notice ${ids()[0]} is closed; by whom nothing here tells.`)
    expect(hint).toContain(`scent orders get ${raised[0]?.order}`)
  })

  test('by another, of whom an event tells', async () => {
    await elsewhere()
    await event({status: 'Resolved', responseChoice: 'CancelWhole', respondedAt: '2026-11-20T10:02:00Z'})
    expect((await told(7)).message).toMatch(
      /was answered, not by this machine, at 2026-11-20 \S+ \S+: CancelWhole\./,
    )
  })

  test('by another, with the choice that was sent from here and refused', async () => {
    await elsewhere()
    expect((await told(7, 'CancelWhole')).message).toContain('by whom nothing here tells')
    await event({status: 'Resolved', responseChoice: 'CancelWhole', respondedAt: '2026-11-20T10:02:00Z'})
    expect((await told(7)).message).toMatch(/was answered, not by this machine, at .*: CancelWhole\./)
  })

  test('by one of two choices from here, whose answers were lost', async () => {
    const lose = (when: 'before' | 'after', times: number) =>
      shop.fault({match: {operation: 'respondToNotice'}, effect: 'status', status: 504, when, times})
    lose('before', 99)
    await told(12)
    const both =
      'The ShipAvailable that was sent from here at \\S+ \\S+ \\S+, whose answer was lost as well, may have been taken before it\\.'
    // Of two that may have been taken the inbox offers the first again, and nothing else.
    const lost = await told(12, 'CancelWhole')
    expect(lost.message).toMatch(new RegExp(both))
    expect(lost.hint).toContain(`only that: \`scent notices respond ${ids()[0]} --choice ShipAvailable\``)
    shop.sandbox.state.faults.clear()
    lose('after', 1)
    expect((await told(12, 'CancelWhole')).message).toMatch(new RegExp(both))
  })

  test('by its deadline', async () => {
    await control(shop.sandbox, 'POST', 'clock', {advanceSeconds: 73 * 3_600})
    await event({status: 'ExpiredCancelledWhole'})
    expect((await told(7)).message).toMatch(
      /was closed by its deadline at [-\d]+ [:\d]+ \S+: ExpiredCancelledWhole\./,
    )
  })

  test('by an answer from here whose outcome was lost with the process', async () => {
    shop.fault({
      match: {operation: 'respondToNotice'},
      effect: 'slow',
      when: 'after',
      delayMs: 20_000,
      times: 1,
    })
    const {child, ended} = shop.start([...respond, ids()[0] ?? '', '--choice', 'ShipAvailable', '--yes'])
    await struck(shop)
    while (choicesAt(shop, raised)[0] === null) await new Promise((turn) => setTimeout(turn, 20))
    child.kill('SIGKILL')
    await ended
    const {state, message} = await told(12)
    expect(state).toBe('OUTCOME_UNKNOWN')
    expect(message).toContain('is closed, either by the ShipAvailable that was sent from here at')
    // There are 71 hours left: its deadline has not closed it.
    expect(message).toContain('whose answer was lost, or by another answer of the same partner')
    expect(message).not.toContain('deadline')
    const {items} = await shop.json(['notices', 'inbox'])
    expect(items).toMatchObject([{desk: {state: 'unsettled'}}])
    // An event that tells no choice closes it, and says nothing of a deadline either.
    await event({status: 'Resolved'})
    expect((await told(12)).message).toContain('or by another answer of the same partner')
  })
})
