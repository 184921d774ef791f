import {execFile, spawnSync} from 'node:child_process'
import {createHash} from 'node:crypto'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import {createRequire} from 'node:module'
import {basename, dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {promisify} from 'node:util'
import {beforeEach, describe, expect, test} from 'vitest'
import {folder} from './support/program.ts'
import {page, service, userOf} from './support/service.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const execute = promisify(execFile)
/** The hash of the build. */
const {build} = createRequire(import.meta.url)(join(root, 'dist/scent.cjs')) as {build: string}
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

/** The id of a process that has ended. */
const gone = () => spawnSync(process.execPath, ['-e', '0']).pid

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
  const line = ['explain', 'RATE_LIMITED']

  test('is kept for the user alone, and used again', async () => {
    const first = await scent(line)
    const [path = '', ...more] = kept()
    expect(more).toEqual([])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
    utimesSync(path, 1000, 1000)
    expect(await scent(line)).toBe(first)
    expect(statSync(path).mtimeMs).toBe(1_000_000)
    expect(kept()).toEqual([path])
  })

  test('of a command that keeps its heap small is used again too', async () => {
    const [config, state] = [folder(), folder()]
    const listen = () =>
      scent(['webhooks', 'listen', '--port', '0', '--for', '1s', '--output', 'ndjson'], {
        SCENT_CONFIG_DIR: config,
        SCENT_STATE_DIR: state,
      })
    await listen()
    const [path = ''] = kept()
    utimesSync(path, 1000, 1000)
    expect(await listen()).toContain('"event":"ready"')
    expect(statSync(path).mtimeMs).toBe(1_000_000)
  })

  test('has a file for each command', async () => {
    await scent(line)
    await scent(['version'])
    const names = kept().map((path) => basename(path).split('-')[0])
    expect(names.sort()).toEqual(['explain', 'version'])
  })

  test('is not kept of a run that fails', async () => {
    await expect(scent(['explain', 'NONSENSE'])).rejects.toMatchObject({code: 2})
    expect(readdirSync(cache)).toEqual([])
  })

  test.each<[string, (path: string) => void]>([
    ['may be written by others', (path) => chmodSync(path, 0o666)],
    ['is cut off', (path) => truncateSync(path, 5000)],
    ['is empty', (path) => truncateSync(path, 0)],
    ['holds something else', (path) => writeFileSync(path, '[]\nnonsense')],
    ['was begun by a process that is gone', (path) => writeFileSync(`${path}.begun`, String(gone()))],
  ])('is replaced when it %s', async (_, spoil) => {
    const first = await scent(line)
    const [path = ''] = kept()
    const size = statSync(path).size
    spoil(path)
    utimesSync(path, 1000, 1000)
    expect(await scent(line)).toBe(first)
    expect(statSync(path).mtimeMs).toBeGreaterThan(1_000_000)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(Math.abs(statSync(path).size - size)).toBeLessThan(size / 10)
    expect(kept()).toEqual([path])
  })

  test('is used while another process begins with it', async () => {
    const first = await scent(line)
    const [path = ''] = kept()
    writeFileSync(`${path}.begun`, String(process.pid))
    utimesSync(path, 1000, 1000)
    expect(await scent(line)).toBe(first)
    expect(statSync(path).mtimeMs).toBe(1_000_000)
  })

  test('does no harm when it is damaged, wherever that is', async () => {
    const first = await scent(line)
    const [path = ''] = kept()
    const good = readFileSync(path)
    const places = Array.from({length: 24}, (_, part) => 20 + Math.floor((part * good.length) / 24))
    const runs = places.map(async (at) => {
      const other = join(cache, String(at), 'scent')
      mkdirSync(other, {recursive: true})
      const bad = Buffer.from(good)
      bad.fill(bad[at] === 255 ? 0 : 255, at, at + 16)
      writeFileSync(join(other, basename(path)), bad, {mode: 0o600})
      return scent(line, {XDG_CACHE_HOME: dirname(other)})
    })
    expect(await Promise.all(runs)).toEqual(places.map(() => first))
  })

  test('is not needed: without a place for it the program runs as well', async () => {
    const file = join(folder(), 'file')
    writeFileSync(file, '')
    for (const place of [file, '/proc/nope/cache']) {
      expect(await scent(line, {XDG_CACHE_HOME: place})).toBe(await scent(line))
    }
  })

  test('loses a damaged part alone', async () => {
    await scent(line)
    const [path = ''] = kept()
    const bytes = readFileSync(path)
    const rows: {name: string; at: number; length: number}[] = JSON.parse(
      String(bytes.subarray(0, bytes.indexOf(10))),
    )
    const [first, second, ...others] = rows
    const at = (second?.at ?? 0) + Math.floor((second?.length ?? 0) / 2)
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    writeFileSync(path, bytes)
    const script = `
      const kept = require(${JSON.stringify(join(root, 'bin/kept.js'))}).openKept('explain', ${JSON.stringify(build)})
      kept.begun()
      console.log(JSON.stringify(${JSON.stringify(rows)}.filter(({name}) => kept.codeOf(name)).map(({name}) => name)))`
    const {stdout} = await execute(process.execPath, ['-e', script], {
      env: {...process.env, XDG_CACHE_HOME: cache},
    })
    expect(others.length).toBeGreaterThan(5)
    expect(JSON.parse(stdout)).toEqual([first, ...others].map((row) => row?.name))
  })

  test('holds no secret and no token of the run that wrote it', async () => {
    const shop = await service(() => page([]))
    const env = userOf(shop.url)
    await scent(['wallet', 'transactions'], {...env, XDG_CACHE_HOME: cache})
    await shop.close()
    expect(shop.seen.at(-1)?.headers.authorization).toContain('token-of-the-test')
    const [text = ''] = kept().map((path) => readFileSync(path, 'latin1'))
    expect(text.length).toBeGreaterThan(100_000)
    expect(text).not.toMatch(/token-of-the-test|secret-of-the-test/)
  })

  test('belongs to one build: another content of the same length is compiled', async () => {
    const copy = folder()
    for (const part of ['bin', 'dist', 'package.json', 'oclif.manifest.json'])
      cpSync(join(root, part), join(copy, part), {recursive: true})
    const run = async () => {
      const options = {env: {...process.env, XDG_CACHE_HOME: cache}}
      return (await execute(process.execPath, [join(copy, 'bin/run.js'), 'version', '--json'], options))
        .stdout
    }
    expect(await run()).toContain('"version": "0.1.0"')
    const chunks = readdirSync(join(copy, 'dist')).filter((name) => name.endsWith('.cjs'))
    const changed = chunks.map((name) => join(copy, 'dist', name))
    for (const path of [...changed, join(copy, 'oclif.manifest.json')]) {
      const text = readFileSync(path, 'utf8').replace(/(version"?: ?)"0.1.0"/, '$1"0.1.9"')
      writeFileSync(path, text.replace(build, '0'.repeat(32)))
    }
    expect(await run()).toContain('"version": "0.1.9"')
    expect(kept()).toHaveLength(2)
  })
})

describe('the files of the build', () => {
  const names = readdirSync(join(root, 'dist'))
    .filter((name) => name.endsWith('.cjs'))
    .sort()
  const texts = names.map((name) => readFileSync(join(root, 'dist', name), 'utf8'))

  test('are told from those of another build by one hash of them all', () => {
    const hash = createHash('sha256')
    const last = `module.exports.build = '${build}'\n`
    names.forEach((name, at) => {
      const text = texts[at] ?? ''
      expect(text.endsWith(last)).toBe(name === 'scent.cjs')
      hash.update(`${name}\0${name === 'scent.cjs' ? text.slice(0, -last.length) : text}\0`)
    })
    expect(hash.digest('hex').slice(0, 32)).toBe(build)
  })

  test('hold no import() that code out of a cache can not do', () => {
    expect(names.length).toBeGreaterThan(100)
    expect(texts.filter((text) => /(await|return|[=(:,]|=>) ?import\(/.test(text))).toEqual([])
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
