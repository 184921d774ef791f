// Answering a notice at a terminal, by the built program.
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {scentAmongMany as scent} from '../support/many.ts'
import {type Answer, drawn, inTerminal, oneLine} from '../support/pty.ts'
import {openStage, type Stage} from '../terminal/stage.ts'

let stage: Stage
let id: string
let order: string

beforeAll(async () => {
  stage = await openStage()
  const raise = ['sandbox', 'notice', 'PO-AT-RISK', '--line', 'RML-SAF-050', '--available', '1', '--json']
  const {notice} = JSON.parse((await scent(stage.env, raise)).stdout)
  id = notice.id
  order = notice.scentOrderId
  const {code, stderr} = await scent(stage.env, ['notices', 'import', '-'], JSON.stringify(notice))
  expect(code, stderr).toBe(0)
}, 180_000)

afterAll(() => stage.close())

const respond = async (notice: string, answers: Answer[], columns = 80) => {
  const seen = await inTerminal(stage.env, ['notices', 'respond', notice], {columns, answers})
  const {lines, broken} = drawn(seen.text, columns)
  expect(broken, lines.join('\n')).toEqual([])
  return {code: seen.code, text: oneLine(lines.join('\n'))}
}

describe('a notice is answered', () => {
  test.each([80, 40])('never by a key pressed too early, at %i columns', async (columns) => {
    const {code, text} = await respond(id, [['Which choice?', '\r']], columns)
    expect([code, text]).toEqual([130, expect.stringContaining('Nothing was changed.')])
  })

  test('in sight of what it is about, and of what each choice does', async () => {
    const {code, text} = await respond(id, [['Which choice?', '\u001b[B\u001b[B\r']])
    expect(code, text).toBe(0)
    const [before = '', after = ''] = text.split('Which choice?')
    for (const fact of ['RML-SAF-050', 'Ordered 2', 'Short 1', 'Left 71 h', order])
      expect(before).toContain(fact)
    const told = /ships 1, cancels 1, refunds about ([\d.]+ SAR)/.exec(after)
    expect(after).toContain(`Refund incl. VAT ${told?.[1]}`)
  })

  test('once: who answers again is told which order it was about', async () => {
    const {code, stderr} = await scent(stage.env, [
      'notices',
      'respond',
      id,
      '--choice',
      'CancelWhole',
      '--yes',
    ])
    expect(code).toBe(7)
    expect(oneLine(stderr)).toMatch(/was answered from here at [-\d]+ [:\d]+ \S+: ShipAvailable\./)
    expect(stderr).toContain(`scent orders get ${order}`)
  })
})

test('of a notice that this machine never saw, it says so before it asks', async () => {
  const [notice = ''] = stage.fill('<notice>')
  const {text} = await respond(notice, [['Which choice?', '\u0003']])
  expect(text).toContain('Nothing is known of this notice here')
})

test('without a terminal, all that is missing is named at once, and a wrong id first', async () => {
  const bare = await scent(stage.env, ['notices', 'respond', id])
  expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining('missing --choice and --yes.')])
  const wrong = await scent(stage.env, ['notices', 'respond', 'nonsense'])
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringContaining('"nonsense" is not a valid notice id'),
  ])
})
