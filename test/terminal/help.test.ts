import {execFileSync} from 'node:child_process'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'

const program = join(dirname(fileURLToPath(import.meta.url)), '../../bin/run.js')
const help = (...argv: string[]) =>
  execFileSync(process.execPath, [program, ...argv, '--help'], {encoding: 'utf8'})
const headers = (text: string) =>
  text.split('\n').filter((line) => /^[A-Z]/.test(line) && line === line.toUpperCase())

test('a help says what the command is for before its flags, and the flags that all share last', () => {
  expect(headers(help('orders', 'create'))).toEqual([
    'USAGE',
    'DESCRIPTION',
    'EXAMPLES',
    'FLAGS',
    'ADDRESS FLAGS',
    'OUTPUT FLAGS',
    'GLOBAL FLAGS',
  ])
})

test('its usage names what must be given', () => {
  expect(help('orders', 'create')).toContain('$ scent orders create --lock UUID --reference EXTREF [FLAGS]\n')
  expect(help('orders', 'get')).toContain('$ scent orders get ID [FLAGS]\n')
  expect(help('cart', 'add')).toContain('$ scent cart add VARIANT... [FLAGS]\n')
})

test('but for the examples, no line of it is wider than 80 columns, and no template is left in it', () => {
  const text = help('checkout') + help('api') + help('sandbox', 'fault')
  expect(text.split('\n').filter((line) => line.length > 80 && !line.startsWith('  $'))).toEqual([])
  expect(text).not.toContain('<%')
})

test('its usage has no flags where there are none', () => {
  expect(help('autocomplete')).toContain('$ scent autocomplete SHELL\n')
})

test('no line of it ends within a value that a flag takes', () => {
  const words = help('sandbox', 'fault').split(/[^a-z-]+/)
  expect(words).toEqual(expect.arrayContaining(['slow', 'race', 'additive-fields', 'forbid-route']))
})

test('the help of the program itself says where to begin', () => {
  expect(help()).toMatch(/\$ scent sandbox start --detach\n +\$ scent auth login --sandbox\n/)
})

test('every example is shown as what is typed', () => {
  const text = help('orders', 'import') + help('auth', 'token')
  expect(text).toMatch(/^ {2}\$ zcat orders\.ndjson\.gz \| scent orders import -/m)
  expect(text).toMatch(/^ {2}\$ scent auth token\n\n {2}\$ curl /m)
})

test('the topics of the root help stand in the order of the tasks', () => {
  const topics = [...help().matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => name)
  expect(topics.slice(0, 6)).toEqual(['auth', 'catalog', 'cart', 'checkout', 'orders', 'jobs'])
})
