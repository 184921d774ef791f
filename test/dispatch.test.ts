// Which command a line means is found out in two ways: from its leading words, and by oclif, which loads what there is
// to know of all commands. Both must come to the same.
import {execFile} from 'node:child_process'
import {readFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'
import {folder} from './support/program.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const dist = JSON.stringify(join(root, 'dist/scent.cjs'))
const home = folder()
const env = {
  PATH: process.env.PATH,
  HOME: home,
  SCENT_CONFIG_DIR: join(home, 'config'),
  SCENT_STATE_DIR: join(home, 'state'),
}

function ran(argv: string[], how: 'run' | 'runThroughOclif'): Promise<unknown> {
  const script = `require(${dist}).${how}(${JSON.stringify(argv)})`
  return new Promise((resolve) => {
    const child = execFile(process.execPath, ['-e', script], {env}, (error, stdout, stderr) =>
      resolve({code: error?.code ?? 0, stdout, stderr}),
    )
    child.stdin?.end()
  })
}

test.concurrent.each([
  [['explain', 'RATE_LIMITED']],
  [['explain', 'RATE_LIMITED', '--json']],
  [['explain', '--json', 'RATE_LIMITED']],
  [['--json', 'explain', 'RATE_LIMITED']],
  [['explain', '--', 'RATE_LIMITED']],
  [['explain', '--', '--help']],
  [['explain', '-h']],
  [['explain', '--output', '-h']],
  [['explain']],
  [['explain', 'Ünbekannt']],
  [['explain', '']],
  [['Explain']],
  [['version']],
  [['version', 'extra']],
  [['version', '']],
  [['version', 'a=b']],
  [['version', '--', 'extra']],
  [['version', '--nonsense']],
  [['version:extra']],
  [['--version', 'more']],
  [['checkout']],
  [['checkout', 'nonsense']],
  [['checkout', 'preview']],
  [['checkout', 'preview', '--bad']],
  [['checkout', '--customer', 'preview']],
  [['orders']],
  [['orders', 'nonsense']],
  [['orders', 'get']],
  [['orders', 'get', 'get']],
  [['orders', '', 'get']],
  [['', 'orders', 'get']],
  [['']],
  [['orders:get', 'x']],
  [['orders', 'get:x']],
  [['orders', 'gät']],
  [['orders', 'get', '6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43', '--json']],
  [['orders', '--json', 'get', '6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43']],
  [['cart', 'show', 'extra']],
  [['help', 'nonsense']],
  [['help', 'cart', 'show']],
  [['autocomplete', 'bash']],
])('%j', async (argv) => {
  expect(await ran(argv, 'run')).toEqual(await ran(argv, 'runThroughOclif'))
})

test('nothing is declared that only oclif would look at', () => {
  const {oclif} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const name of [
    'hooks',
    'plugins',
    'devPlugins',
    'helpClass',
    'helpOptions',
    'commands',
    'additionalVersionFlags',
  ])
    expect(oclif).not.toHaveProperty(name)
  const {commands} = JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8'))
  for (const {aliases, hiddenAliases, hasDynamicHelp} of Object.values<Record<string, unknown>>(commands))
    expect({aliases, hiddenAliases, hasDynamicHelp}).toEqual({
      aliases: [],
      hiddenAliases: [],
      hasDynamicHelp: undefined,
    })
})
