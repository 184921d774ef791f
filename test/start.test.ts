import {execFile} from 'node:child_process'
import {createHash} from 'node:crypto'
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {promisify} from 'node:util'
import {beforeEach, describe, expect, test} from 'vitest'
import {folder} from './support/program.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const execute = promisify(execFile)
let cache = ''
const kept = () => readdirSync(join(cache, 'scent')).map((name) => join(cache, 'scent', name))

beforeEach(() => {
  cache = folder()
})

async function scent(argv: string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const options = {env: {...process.env, XDG_CACHE_HOME: cache, ...env}}
  const {stdout} = await execute(process.execPath, [join(root, 'bin/run.js'), ...argv], options)
  return stdout
}

/** The same without the texts of the build. */
async function slowly(argv: string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const script = `require(${JSON.stringify(join(root, 'dist/scent.cjs'))}).run(${JSON.stringify(argv)})`
  const {stdout} = await execute(process.execPath, ['-e', script], {env: {...process.env, ...env}})
  return stdout
}

describe('what the build wrote down', () => {
  test.each([[['--version']], [['--help']], [['-h']], [['help']], [[]]])(
    '%j says what the program says',
    async (argv) => {
      expect(await scent(argv)).toBe(await slowly(argv))
    },
  )

  test.each([
    {CI: 'true', GITHUB_ACTIONS: 'true', COLORTERM: 'truecolor'},
    {FORCE_COLOR: '1'},
    {FORCE_COLOR: '0'},
    {FORCE_COLOR: '1', NO_COLOR: '1'},
  ])('with the colours that were asked for: %j', async (env) => {
    const text = await scent(['--help'], env)
    expect(text).toBe(await slowly(['--help'], env))
    expect(text.includes('\u001b')).toBe(
      'FORCE_COLOR' in env && env.FORCE_COLOR === '1' && !('NO_COLOR' in env),
    )
  })

  test('nothing is loaded for it, and nothing kept', async () => {
    await scent(['--help'])
    expect(readdirSync(cache)).toEqual([])
  })
})

describe('compiled code', () => {
  const help = ['wallet', 'balance', '--help']

  test('is kept for the user alone, and used again', async () => {
    const first = await scent(help)
    const [path = '', ...more] = kept()
    expect(more).toEqual([])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
    utimesSync(path, 1000, 1000)
    expect(await scent(help)).toBe(first)
    expect(statSync(path).mtimeMs).toBe(1_000_000)
  })

  test('grows by the commands that run', async () => {
    await scent(help)
    const before = readFileSync(kept()[0] ?? '')
    await scent(['help', 'wallet'])
    const after = readFileSync(kept()[0] ?? '')
    expect(after.equals(before)).toBe(false)
    expect(String(after.subarray(0, after.indexOf(10)))).toBe('["--help","help"]')
  })

  test.each<[string, (path: string) => void]>([
    ['may be written by others', (path) => chmodSync(path, 0o666)],
    ['is cut off', (path) => truncateSync(path, 5000)],
    ['is empty', (path) => truncateSync(path, 0)],
    ['holds something else', (path) => writeFileSync(path, '[]\nnonsense')],
  ])('is replaced when it %s', async (_, spoil) => {
    const first = await scent(help)
    const [path = ''] = kept()
    const size = statSync(path).size
    spoil(path)
    utimesSync(path, 1000, 1000)
    expect(await scent(help)).toBe(first)
    expect(statSync(path).mtimeMs).toBeGreaterThan(1_000_000)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(Math.abs(statSync(path).size - size)).toBeLessThan(size / 10)
  })

  test('is not needed: without a place for it the program runs as well', async () => {
    const file = join(folder(), 'file')
    writeFileSync(file, '')
    for (const place of [file, '/proc/nope/cache']) {
      expect(await scent(help, {XDG_CACHE_HOME: place})).toBe(await scent(help))
    }
  })

  test('belongs to one content of the bundle, and holds no import() that a cache would break', () => {
    const text = readFileSync(join(root, 'dist/scent.cjs'), 'utf8')
    const [first = ''] = text.split('\n', 1)
    const rest = text.slice(first.length + 1)
    expect(first).toBe(`// ${createHash('sha256').update(rest).digest('hex').slice(0, 32)}`)
    expect(/(await|return|[=(:,]|=>) ?import\(/.test(rest)).toBe(false)
  })
})

test('a reader that went away is no error', async () => {
  const run = join(root, 'bin/run.js')
  const {stderr} = await execute('bash', ['-c', `set -o pipefail; node ${run} --help | true`], {cwd: root})
  expect(stderr).toBe('')
})

test('a copy that is not built says so', async () => {
  cpSync(join(root, 'bin'), join(cache, 'bin'), {recursive: true})
  await expect(execute(process.execPath, [join(cache, 'bin/run.js')])).rejects.toMatchObject({
    code: 1,
    stderr: 'This copy of scent is not built yet: npm ci && npm run build\n',
  })
})

test.skipIf(process.getuid?.() !== 0)('a user without a home can run what needs none', async () => {
  // A copy, since the folders above this one may let nobody else in.
  const copy = mkdtempSync('/tmp/scent-anybody-')
  chmodSync(copy, 0o755)
  for (const part of ['bin', 'dist', 'package.json', 'oclif.manifest.json'])
    cpSync(join(root, part), join(copy, part), {recursive: true})
  const options = {env: {PATH: process.env.PATH}, uid: 54321, gid: 54321}
  const run = execute(process.execPath, [join(copy, 'bin/run.js'), 'explain', 'RATE_LIMITED'], options)
  const {stdout} = await run.finally(() => rmSync(copy, {recursive: true}))
  expect(stdout).toContain('429')
})
