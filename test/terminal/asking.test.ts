// What a person is asked who left something out, by the built program in a real terminal.
import {readFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {type Answer, drawn, inTerminal, oneLine} from '../support/pty.ts'
import {scent} from '../support/scent.ts'
import {emptyUser, openStage, type Stage} from './stage.ts'

interface Item {
  name: string
  required?: boolean
  exactlyOne?: string[]
}

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const {commands} = JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8')) as {
  commands: {[id: string]: {args: Record<string, Item>; flags: Record<string, Item>}}
}

/** The commands that can't run as they are, and what they lack first. */
const lacking = Object.entries(commands).flatMap(([id, {args, flags}]): [string, string][] => {
  const [arg] = Object.entries(args).filter(([, {required}]) => required)
  const [flag] = Object.values(flags).filter(({required, exactlyOne}) => required || exactlyOne)
  const first = arg ? arg[0].toUpperCase() : flag && `--${flag.name}`
  return first ? [[id, first]] : []
})

describe('a command that lacks something asks for it first, in a terminal of 40 columns', () => {
  const env = emptyUser()
  test.concurrent.each(lacking)('%s', async (id, first) => {
    const seen = await inTerminal(env, id.split(':'), {columns: 40, answers: [[`(${first}`, '\u0003']]})
    const {lines, broken} = drawn(seen.text, 40)
    expect(broken, lines.join('\n')).toEqual([])
    expect(oneLine(seen.text)).not.toContain('never asked')
    expect(oneLine(seen.text)).toContain('Interrupted.')
    expect(seen.code).toBe(130)
  })
})

let stage: Stage

beforeAll(async () => {
  stage = await openStage()
}, 180_000)

afterAll(() => stage.close())

/** A line that lacks something, what is answered, and what stands there then. */
const walks: [line: string, answers: Answer[], holds: string[]][] = [
  [
    'discounts create',
    [
      ['(CODE)', 'EID30\r'],
      ['(--type TYPE)', 'percent\r'],
      ['(--value D)', '30\r'],
      ['(--valid-from TIME)', '2026-12-01\r'],
      ['(--valid-to TIME)', '2026-12-31\r'],
    ],
    ['EID30', 'Percent'],
  ],
  [
    'commissions object a6b23fd1-e4ce-41eb-a0bf-2561b34d328b',
    [
      ['(--reason TEXT|-)', 'An order is missing.\r'],
      ['(y/N)', 'y\r'],
    ],
    ['An order is missing.'],
  ],
  ['webhooks test <webhook>', [['(--event TYPE)', 'order.completed\r']], ['order.completed']],
  [
    'webhooks create',
    [
      ['(--url URL)', 'http://127.0.0.1:9/asked\r'],
      ['(--event TYPE)', 'order.completed, shipment.delivered\r'],
    ],
    ['http://127.0.0.1:9/asked', 'shipment.delivered'],
  ],
  [
    'cart set <saffron>',
    [
      ['(--customer REF)', 'C-1001\r'],
      ['(--quantity N)', 'two\r'],
      ['Expected an integer', '\u007f\u007f\u007f4\r'],
    ],
    ['RML-SAF-050', '4'],
  ],
  ['sandbox return <returnToMove>', [['(STEP)', '\r']], ['Accepted']],
]

test.each(walks)('%s asks for the rest, and does it', async (line, answers, holds) => {
  const seen = await inTerminal(stage.env, stage.fill(line), {columns: 80, answers})
  const {lines, broken} = drawn(seen.text, 80)
  const page = lines.join('\n')
  expect(seen.code, page).toBe(0)
  expect(broken, page).toEqual([])
  expect(
    holds.filter((fact) => !page.includes(fact)),
    page,
  ).toEqual([])
})

test('what is given wrongly is told before anything is asked', async () => {
  const seen = await inTerminal(emptyUser(), ['cart', 'set', '--quantity', 'two'], {columns: 80})
  expect([seen.code, oneLine(seen.text)]).toEqual([
    2,
    expect.stringContaining('--quantity: Expected an integer'),
  ])
})

test.each([
  ['reports sales', 'Missing --from TIME.'],
  [
    'discounts create',
    "Missing CODE (The code; it can't be changed later), --type TYPE, --value D, --valid-from TIME and --valid-to TIME.",
  ],
  ['commissions object', 'Missing ID (Period id, a UUID), --reason TEXT|- and --yes.'],
  ['cart clear', 'Missing --customer REF and --yes.'],
  ['cart set', 'Missing VARIANT (SKU or id of a variant), --customer REF and --quantity N.'],
  ['webhooks create', 'Missing --url URL and --event TYPE.'],
])('without a terminal, %s names all that is missing in one round', async (line, message) => {
  const {code, stderr} = await scent(emptyUser(), line.split(' '))
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
})

test.each([
  [
    ['sandbox', 'return', 'x', 'PAINT'],
    'STEP "PAINT" is not one of accept, reject, dispatch, receive, refund.',
  ],
  [
    ['notices', 'respond', 'x', '--choice', 'ship'],
    '--choice "ship" is not one of CancelWhole, ShipAvailable.',
  ],
  [['cart', 'import', 'x', '--mode', 'all'], '--mode "all" is not one of merge, replace.'],
])('%j names the values that it could have', async (argv, message) => {
  const {code, stderr} = await scent(emptyUser(), argv)
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
})

test('a value is taken in any case', async () => {
  const {code, stdout} = await scent(stage.env, ['auth', 'list', '--output', 'JSON'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toHaveProperty('items')
})

test.each([[{}], [{ACCESSIBLE: '1'}]])(
  'a signing secret that stdin should bring is asked for without echo, with %j',
  async (more) => {
    const argv = ['webhooks', 'listen', '--port', '0', '--for', '1s', '--secret-stdin']
    const answers: Answer[] = [['Signing secret', 'whsec_of-a-person\r']]
    const seen = await inTerminal({...emptyUser(), ...more}, argv, {columns: 80, answers})
    expect(seen.code, seen.text).toBe(0)
    expect(oneLine(seen.text)).toMatch(/Ready on .*signatures checked/)
    expect(seen.text).not.toContain('of-a-person')
  },
)
