// The executable without Node, for users who have no node in their PATH.
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath, pathToFileURL} from 'node:url'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {address} from './support/address.ts'
import {noKeyring, withKeyring} from './support/keyring.ts'
import {folder} from './support/program.ts'
import {inTerminal} from './support/pty.ts'
import {scent} from './support/scent.ts'
import {expectScreen} from './terminal/expect-screen.ts'
import {screens} from './terminal/screens.ts'
import {emptyUser, openStage, type Stage} from './terminal/stage.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const node = join(root, 'node_modules/.cache/nodes/node_modules/node26/bin/node')
const isHere = existsSync(node) && process.platform === 'linux' && process.arch === 'x64'
if (!isHere) console.warn('Skipped: the executable is made on Linux on x64, with what npm run nodes brings.')

const path = join(folder(), 'path')
const executable = join(path, 'scent')

beforeAll(async () => {
  if (!isHere) return
  const script = pathToFileURL(join(root, 'scripts/executable.js')).href
  const {makeExecutable} = (await import(script)) as {makeExecutable(output: string): Promise<void>}
  await makeExecutable(executable)
  console.log(`The executable has ${(statSync(executable).size / 1e6).toFixed(1)} MB.`)
  process.env.SCENT_TEST_EXECUTABLE = executable
})

afterAll(() => {
  delete process.env.SCENT_TEST_EXECUTABLE
})

/** A user whose home is empty, and who has this one command. */
function someone(more: NodeJS.ProcessEnv = {}) {
  const home = folder()
  const env: NodeJS.ProcessEnv = {PATH: path, HOME: home, TMPDIR: folder(), ...more}
  const cache = join(home, '.cache/scent')
  const unpacked = () =>
    join(cache, readdirSync(cache).find((name) => /^program-\w+$/.test(name)) ?? 'nothing')
  return {home, env, cache, unpacked, run: (...argv: string[]) => scent(env, argv)}
}

const explained = expect.objectContaining({code: 0, stderr: '', stdout: expect.stringContaining('429')})
const explain = ['explain', 'RATE_LIMITED']

describe.skipIf(!isHere)('without Node', () => {
  test('an order is placed in a sandbox in the background, with a secret in the keychain', () =>
    withKeyring(async (keyring) => {
      expect(noKeyring()).toBeUndefined()
      const env: NodeJS.ProcessEnv = {...keyring, PATH: path}
      const json = async (...argv: string[]) => {
        const {code, stdout, stderr} = await scent(env, [...argv, '--json'])
        expect(code, stdout + stderr).toBe(0)
        return JSON.parse(stdout)
      }
      await json('sandbox', 'start', '--detach', '--port', '0')
      try {
        expect(await json('auth', 'login', '--sandbox')).toMatchObject({storage: 'keychain'})
        await json('cart', 'add', 'NJD-INC-002=2', '--customer', 'C-1042')
        const file = join(env.HOME ?? '', 'address.json')
        writeFileSync(file, JSON.stringify(address))
        const where = ['--customer', 'C-1042', '--address', file]
        const order = await json('checkout', ...where, '--reference', 'PO-118', '--yes')
        expect(order).toMatchObject({externalReference: 'PO-118', status: 'Processing'})
        const {items} = await json('doctor')
        const detailOf = (name: string) => items.find(({check}: {check: string}) => check === name).detail
        expect(detailOf('program')).toMatch(/, in \/.*\/scent\/program-[0-9a-f]{32}$/)
        expect(detailOf('left behind')).toContain(dirname(detailOf('program').split(', in ')[1]))
        expect(detailOf('left behind')).toContain('"sandbox" of "scent" in the keychain')
      } finally {
        await json('sandbox', 'stop')
      }
    }))

  test('neither flags nor variables of Node reach it', async () => {
    const {run} = someone({NODE_OPTIONS: '--require /nowhere.js --bogus', NODE_PATH: '/nowhere'})
    expect(await run(...explain)).toEqual(explained)
    for (const argv of [
      ['-e', 'console.log(6 * 7)'],
      ['--input-type=commonjs', '-e', 'console.log(6 * 7)', '--', 'x'],
    ]) {
      const {code, stdout, stderr} = await run(...argv)
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(/^Error: .*INVALID_INPUT/s)])
    }
    const {stdout} = await run('--version')
    expect(stdout).toMatch(/^scent-cli\/\S+ linux-x64 node-v26\./)
  })
})

describe.skipIf(!isHere)('the folder that it is unpacked into', () => {
  test('is made once by many first starts at a time, for its user alone', async () => {
    const {run, env, cache, unpacked} = someone()
    const all = await Promise.all(Array.from({length: 4}, () => run(...explain)))
    expect(all).toEqual([explained, explained, explained, explained])
    expect(statSync(unpacked()).mode & 0o777).toBe(0o700)
    expect(readdirSync(cache).filter((name) => name.startsWith('program-'))).toHaveLength(1)
    const before = statSync(join(unpacked(), 'dist/scent.cjs'))
    expect(await scent(env, explain)).toEqual(explained)
    expect(statSync(join(unpacked(), 'dist/scent.cjs')).ino).toBe(before.ino)
  })

  test('is mended if files in it are damaged, lost, replaced by links, or were added', async () => {
    const {run, home, cache, unpacked} = someone()
    await run(...explain)
    // Code that was compiled before would hide that its source is damaged.
    for (const name of readdirSync(cache)) if (name.endsWith('.code')) rmSync(join(cache, name))
    const inside = (name: string) => join(unpacked(), name)
    const whole = readFileSync(inside('dist/scent.cjs'))
    truncateSync(inside('dist/scent.cjs'), 100)
    appendFileSync(inside('bin/bundle.js'), '\nprocess.exit(9)\n')
    rmSync(inside('node_modules'), {recursive: true})
    writeFileSync(join(home, 'evil.js'), 'process.exit(9)')
    rmSync(inside('bin/kept.js'))
    symlinkSync(join(home, 'evil.js'), inside('bin/kept.js'))
    mkdirSync(inside('dist/node_modules/@napi-rs/keyring'), {recursive: true})
    writeFileSync(inside('dist/node_modules/@napi-rs/keyring/index.js'), 'process.exit(9)')
    expect(await run(...explain)).toEqual(explained)
    expect(readFileSync(inside('dist/scent.cjs'))).toEqual(whole)
    expect(existsSync(inside('dist/node_modules'))).toBe(false)
    expect(existsSync(inside('node_modules/node-sqlite3-wasm/dist/node-sqlite3-wasm.wasm'))).toBe(true)
    expect(readFileSync(join(home, 'evil.js'), 'utf8')).toBe('process.exit(9)')
    rmSync(inside('dist'), {recursive: true})
    symlinkSync(home, inside('dist'))
    expect(await run(...explain)).toEqual(explained)
    expect(readdirSync(home).sort()).toEqual(['.cache', 'evil.js'])
  })

  test('lies with the temporary files if there is no cache, and where neither can be used this is said', async () => {
    const {env, run} = someone()
    writeFileSync(join(env.HOME ?? '', '.cache'), '')
    expect(await run(...explain)).toEqual(explained)
    const own = join(env.TMPDIR ?? '', `scent-${process.getuid?.()}`)
    expect(readdirSync(own)).toHaveLength(1)
    const {items} = JSON.parse((await run('doctor', '--json')).stdout)
    expect(items.at(-1)).toMatchObject({check: 'left behind', detail: expect.stringContaining(` ${own}`)})
    rmSync(own, {recursive: true})
    writeFileSync(own, '')
    const {code, stdout, stderr} = await run(...explain)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /^Error: scent can't be unpacked, and so not started: .*\.cache.*; .*is not a folder\.\nNext: /,
    )
  })

  test.skipIf(process.getuid?.() !== 0)('is not taken from another user', async () => {
    const {run, env, unpacked} = someone()
    await run(...explain)
    chownSync(unpacked(), 54321, 54321)
    expect(await run(...explain)).toEqual(explained)
    expect(existsSync(join(env.TMPDIR ?? '', 'scent-0'))).toBe(true)
    expect(statSync(unpacked()).uid).toBe(54321)
  })
})

const main =
  'auth:login auth:status cart:add cart:show catalog:variants checkout checkout:preview complete doctor explain jobs:list ' +
  'notices:inbox notices:respond orders:get orders:import orders:list orders:track returns:create sandbox:start sandbox:status ' +
  'sandbox:stop version wallet:transactions webhooks:listen webhooks:timeline'

describe.skipIf(!isHere)('the main screens, in a terminal of 80 columns', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage.close())

  test.concurrent.each(main.split(' '))('%s', async (id) => {
    const screen = screens[id]
    if (screen === undefined) throw new Error(`${id} has no screen`)
    const env = {
      undefined: () => stage.env,
      'another of the sandbox': () => stage.another(),
      'of a sandbox of its own': () => emptyUser(),
      'without anything': () => emptyUser(),
    }[String(screen.user) as 'undefined']()
    if (screen.before) await scent(env, stage.fill(screen.before))
    const seen = await inTerminal(env, stage.fill(screen.line), {columns: 80, answers: screen.asks ?? []})
    expectScreen(screen, seen, 80)
  })
})
