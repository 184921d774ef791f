// Which lines of src the tests run in their own process: npm run coverage -- test/client. What only the built program runs,
// in processes of its own, is not counted. Its tool is installed on demand.
import {execFileSync, spawnSync} from 'node:child_process'
import {existsSync, symlinkSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const tools = join(root, 'node_modules/.cache/coverage')
/** Where vitest looks for it. */
const place = join(root, 'node_modules/@vitest/coverage-v8')

if (!existsSync(place)) {
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps']
  const name = `@vitest/coverage-v8@${JSON.parse(execFileSync('npm', ['pkg', 'get', 'version'], {cwd: join(root, 'node_modules/vitest'), encoding: 'utf8'}))}`
  execFileSync('npm', ['install', '--prefix', tools, ...flags, name], {stdio: 'inherit'})
  symlinkSync(join(tools, 'node_modules/@vitest/coverage-v8'), place)
}
const options = {
  enabled: true,
  provider: 'v8',
  include: 'src/**/*.ts',
  reporter: process.env.SCENT_TEST_LINES ? 'text' : 'text-summary',
  reportOnFailure: true,
}
const flags = Object.entries(options).map(([name, value]) => `--coverage.${name}=${value}`)
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const argv = process.argv.slice(2)
const quick = argv.length > 0 ? argv : ['--mode', 'quick']
process.exitCode =
  spawnSync(process.execPath, [vitest, 'run', ...flags, ...quick], {cwd: root, stdio: 'inherit'}).status ?? 1
