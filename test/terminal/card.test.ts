import {expect, test} from 'vitest'
import {fieldsText} from '../../src/terminal/table.ts'

const id = '8e40cd38-314c-44c8-9dc8-e36c431ac47e'
const card = (terminalWidth: number, cells: Record<string, string>) =>
  fieldsText(
    Object.entries(cells).map(([label, cell]) => ({label, cell})),
    {terminalWidth},
  )

test('a value that fits stands beside its label', () => {
  expect(card(80, {Order: id, Status: 'Processing'})).toBe(`Order   ${id}\nStatus  Processing\n`)
})

test('a value that does not fit beside its label, and in a line of its own, stands below it', () => {
  expect(card(40, {Order: id, Status: 'Processing'})).toBe(`Order\n  ${id}\nStatus  Processing\n`)
})

test('a long sentence wraps beside its label', () => {
  expect(card(40, {Next: 'Preview and lock again; keep the same reference.', Remedy: 'fix'})).toBe(
    'Next    Preview and lock again; keep the\n        same reference.\nRemedy  fix\n',
  )
})

test('a long sentence beside long labels has a room of its own', () => {
  expect(card(40, {'Commission taken back': 'None was taken back, since none was paid.'})).toBe(
    'Commission taken back\n  None was taken back, since none was\n  paid.\n',
  )
})

test('nothing wraps in a line without an end', () => {
  expect(card(Number.POSITIVE_INFINITY, {Next: 'word '.repeat(100).trim()}).split('\n')).toHaveLength(2)
})
