// Prompts in a terminal of 40 columns, by the built program: a question, its default and its answer break at words.
import {expect, test} from 'vitest'
import {type Answer, drawn, inTerminal} from '../support/pty.ts'
import {emptyUser} from './stage.ts'

const long = '3f0c1b52-6d0e-4c0b-9b61-0c7cb1a0b7a4'
const uses: [line: string, answers: Answer[], whole: string[]][] = [
  ['returns withdraw', [['(', `${long}\r`]], [long]],
  [
    'discounts create',
    [
      ['(CODE)', 'SUMMER-SALE-OF-2026-IN-RIYADH-30\r'],
      ['(--type', 'Percent\r'],
      ['(--value', '1234567.89\r'],
      ['(--valid-from', '2026-12-01T10:00:00+03:00\r'],
      ['(--valid-to', '\u0003'],
    ],
    ['SUMMER-SALE-OF-2026-IN-RIYADH-30', '1234567.89', '2026-12-01T10:00:00+03:00'],
  ],
  [
    'commissions object',
    [
      ['(ID)', `${long}\r`],
      ['(--reason', 'Order SCN-0000000004 is missing from this period.\r'],
      ['(y/N)', '\u0003'],
    ],
    [long, 'SCN-0000000004', 'missing', 'period.'],
  ],
  [
    'webhooks create',
    [
      ['(--url', 'https://hooks.example.com/of/a/warehouse\r'],
      ['(--event', 'order.completed,shipment.delivered\r'],
    ],
    ['order.completed,shipment.delivered'],
  ],
]

test.concurrent.each(uses)('%s', async (line, answers, whole) => {
  const seen = await inTerminal(emptyUser(), line.split(' '), {columns: 40, answers})
  const {lines} = drawn(seen.text, 40)
  const page = lines.join('\n')
  expect(page).not.toContain('never asked')
  expect(
    whole.filter((word) => !lines.some((one) => one.includes(word))),
    page,
  ).toEqual([])
  // What is only typed may be broken by the terminal while it is typed; what stands there afterwards is not.
  expect(
    lines.filter((one) => one.length > 40),
    page,
  ).toEqual([])
})
