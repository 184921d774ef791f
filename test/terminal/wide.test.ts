// What a person sees in a wide terminal, and with names that are written from right to left.
import {expect, test} from 'vitest'
import {wrapProse} from '../../src/terminal/text.ts'
import {drawn, inTerminal, plain} from '../support/pty.ts'
import {page, service, userOf} from '../support/service.ts'
import {emptyUser} from './stage.ts'

const scent = (name: string, audience: string) =>
  JSON.stringify({
    id: '8e40cd38-314c-44c8-9dc8-e36c431ac47e',
    ...{name, audience, concentration: '12', accords: ['7'], brandId: null},
  })

test('columns stand below each other, whatever marks the letters of a name carry', async () => {
  const shop = await service(() => page([scent('مُحَمَّد', 'B'), scent('محمد', 'C'), scent('Amber', 'D')]))
  const seen = await inTerminal(userOf(shop.url), ['catalog', 'scents', '--columns', 'name,audience'], {
    columns: 80,
  })
  await shop.close()
  const lines = plain(seen.text).split('\n')
  // Four letters and four marks, which take no room.
  const cells = lines.slice(0, 4).map((line) => line.replace(/[\p{Mn}\u200e]/gu, ''))
  expect(cells).toEqual(['NAME   AUDIENCE', 'محمد   B', 'محمد   C', 'Amber  D'])
})

test('no number changes its place beside a name that is drawn from right to left', async () => {
  const shop = await service(() => page([scent('عود ملكي', '3'), scent('Amber', '4')]))
  const argv = ['catalog', 'scents', '--columns', 'name,concentration,audience']
  const {text} = await inTerminal(userOf(shop.url), argv, {columns: 80})
  await shop.close()
  const [, arabic = '', latin = ''] = plain(text).split('\n')
  // A mark from left to right stands in each gap, and touches no value, since it would be copied with it.
  expect(arabic).toMatch(/^عود ملكي \u200e +12 \u200e +3$/)
  expect(arabic.split(/\s\u200e?\s+/)).toEqual(['عود ملكي', '12', '3'])
  expect(latin).not.toContain('\u200e')
})

test('sentences end where a page would, and a command stays on one line', async () => {
  const reason = 'One word after another fills the line of a terminal that is very wide. '.repeat(5)
  const shop = await service(() => ({status: 400, state: 'VALIDATION_FAILED', details: {reason}}))
  const {text} = await inTerminal(userOf(shop.url), ['catalog', 'brands'], {columns: 200})
  await shop.close()
  const longest = Math.max(...drawn(text, 200).lines.map(({length}) => length))
  expect(longest).toBeGreaterThan(90)
  expect(longest).toBeLessThanOrEqual(110)
  const command = `\`scent orders import ${'long-name-of-a-folder/'.repeat(5)}orders.csv --max-total 500\``
  expect(wrapProse(`${reason}Type ${command} then.`, 200).split('\n')).toContainEqual(
    expect.stringContaining(command),
  )
})

test('a setting that is not set shows no other word in the place of its value', async () => {
  const {text} = await inTerminal(emptyUser(), ['config', 'get', 'customer'], {columns: 80})
  expect(plain(text)).toBe('SETTING   VALUE  FROM\ncustomer  -      default\n')
})
