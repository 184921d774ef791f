import {execFile} from 'node:child_process'
import {chmodSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {bareHome, noKeyring, withKeyring} from '../support/keyring.ts'
import {bin, scent as run} from '../support/scent.ts'
import {filesBelow, openShop, type Shop} from '../support/served-shop.ts'

const missing = noKeyring()
if (missing) console.warn(`skipped: ${missing}`)

let shop: Shop
let secret: string

beforeAll(async () => {
  shop = await openShop()
  secret = shop.env.SCENT_CLIENT_SECRET ?? ''
})
afterAll(() => shop.close())

const login = (env: NodeJS.ProcessEnv, ...more: string[]) =>
  run(
    env,
    [
      'auth',
      'login',
      '--base-url',
      shop.url,
      '--client-id',
      'rimal-retail',
      '--client-secret-stdin',
      ...more,
    ],
    secret,
  )

const read = ['catalog', 'variants', '--page-size', '1', '--json']

/** Without the token that all processes share, the next command needs the secret. */
const forgetToken = (env: NodeJS.ProcessEnv) =>
  rmSync(join(env.SCENT_STATE_DIR ?? '', 'tokens'), {recursive: true, force: true})

describe.skipIf(missing)('a command with its credential in the keychain', () => {
  test('works without a word, and leaves the secret nowhere else', () =>
    withKeyring(async (env) => {
      expect((await login(env)).code).toBe(0)
      const {code, stderr} = await run(env, read)
      expect({code, stderr}).toEqual({code: 0, stderr: ''})
      const holders = filesBelow(env.HOME ?? '').filter(([, text]) => text.includes(secret))
      expect(holders).toEqual([])
    }))

  test('says what is wrong when it is locked, silent or gone, and sends nothing', () =>
    withKeyring(async (env, keyring) => {
      expect((await login(env)).code).toBe(0)
      const checked = async (how: NodeJS.ProcessEnv) => {
        forgetToken(env)
        shop.requests()
        const {code, stdout, stderr} = await run(how, read)
        expect({code, stderr}).toEqual({code: 3, stderr: ''})
        expect(JSON.parse(stdout).error).toMatchObject({state: 'KEYCHAIN_UNAVAILABLE', exitCode: 3})
        expect(shop.requests()).toEqual([])
        return JSON.parse(stdout).error.message as string
      }
      const before = filesBelow(env.SCENT_CONFIG_DIR ?? '')
      keyring.lock()
      expect(await checked(env)).toMatch(/locked/)
      keyring.freeze()
      await checked(env)
      keyring.thaw()
      await checked({...env, DBUS_SESSION_BUS_ADDRESS: ''})
      expect(filesBelow(env.SCENT_CONFIG_DIR ?? '')).toEqual(before)
    }))

  test('needs no keychain while a token lives', () =>
    withKeyring(async (env, keyring) => {
      expect((await login(env)).code).toBe(0)
      expect((await run(env, read)).code).toBe(0)
      keyring.freeze()
      expect((await run(env, read)).code).toBe(0)
    }))
})

describe('a file that is not ours', () => {
  const config = (env: NodeJS.ProcessEnv) => join(env.SCENT_CONFIG_DIR ?? '', 'config.json')

  async function home(): Promise<NodeJS.ProcessEnv> {
    const env = bareHome()
    expect((await login(env, '--storage', 'file')).code).toBe(0)
    return env
  }

  test.each([
    ['empty', ''],
    ['half written', '{"version":1,"prof'],
    ['of another program', '{"hello":"world"}'],
    ['of a later version', '{"version":2,"profiles":{}}'],
    ['with a wrong value', '{"version":1,"profiles":{"default":{"baseUrl":7}}}'],
  ])('a config.json that is %s stops API commands, and stays as it is', async (_, content) => {
    const env = await home()
    writeFileSync(config(env), content)
    for (const argv of [read, ['cart', 'show', '--json'], ['orders', 'list', '--json']]) {
      const {code, stdout} = await run(env, argv)
      expect(code).not.toBe(0)
      const {error} = JSON.parse(stdout)
      expect(error.state).toMatch(/CORRUPT_FILE|FOREIGN_FILE/)
      expect(error.message).toContain(config(env))
    }
    expect(readFileSync(config(env), 'utf8')).toBe(content)
  })

  test.each(['config.json', 'credentials.json'])('a %s that is a link is not followed', async (name) => {
    const env = await home()
    const path = join(env.SCENT_CONFIG_DIR ?? '', name)
    const elsewhere = join(env.HOME ?? '', 'elsewhere')
    writeFileSync(elsewhere, readFileSync(path, 'utf8'))
    rmSync(path)
    symlinkSync(elsewhere, path)
    forgetToken(env)
    const {code, stdout} = await run(env, read)
    expect(code).not.toBe(0)
    expect(JSON.parse(stdout).error.state).toBe('FOREIGN_FILE')
  })

  test('a credentials.json that others can read is refused, with the way to mend it', async () => {
    const env = await home()
    const path = join(env.SCENT_CONFIG_DIR ?? '', 'credentials.json')
    chmodSync(path, 0o644)
    forgetToken(env)
    const {code, stdout} = await run(env, read)
    expect(code).not.toBe(0)
    expect(JSON.parse(stdout).error.hint).toMatch(/chmod 600/)
  })

  test('a token cache that is broken costs a mint and nothing else; a link in its place is refused', async () => {
    const env = await home()
    expect((await run(env, read)).code).toBe(0)
    const tokens = filesBelow(join(env.SCENT_STATE_DIR ?? '', 'tokens'))
    for (const [path] of tokens.filter(([name]) => name.endsWith('.json'))) {
      writeFileSync(path, '\u0000garbage{')
      expect((await run(env, read)).code).toBe(0)
      rmSync(path)
      symlinkSync(join(env.HOME ?? '', 'elsewhere'), path)
      const {code, stdout} = await run(env, read)
      expect([code, JSON.parse(stdout).error.state]).toEqual([2, 'FOREIGN_FILE'])
    }
  })
})

describe("a record of orders that can't be kept", () => {
  const variant = () => shop.variant('RML-SAF-050')
  const checkout = (customer: string) => [
    ...['checkout', '--customer', customer, '--address', shop.address, '--yes', '--json'],
  ]

  /** The record's file of a user who has ordered once. */
  async function ordered(customer: string): Promise<{env: NodeJS.ProcessEnv; file: string}> {
    const env = {...shop.env, ...bareHome()}
    await shop.json(['cart', 'add', `${variant()}=1`, '--customer', customer], {env})
    await shop.json(checkout(customer).slice(0, -1), {env})
    await shop.json(['cart', 'add', `${variant()}=1`, '--customer', customer], {env})
    const [file] =
      filesBelow(join(env.SCENT_STATE_DIR ?? '', 'records')).find(([path]) =>
        path.endsWith('orders.ndjson'),
      ) ?? []
    return {env, file: file ?? ''}
  }

  const ordersOf = (customer: string) => shop.orders().filter((order) => order.customer_ref === customer)

  test('because a line in it was changed stops the next order before anything is charged', async () => {
    const {env, file} = await ordered('R-1')
    const text = readFileSync(file, 'utf8')
    const changed = text.replace('"PLANNED"', '"PLONNED"')
    writeFileSync(file, changed)
    const {code, stdout} = await shop.scent(checkout('R-1'), {env})
    expect(code).not.toBe(0)
    expect(JSON.parse(stdout).error).toMatchObject({
      state: 'CORRUPT_FILE',
      message: expect.stringContaining(file),
    })
    expect(readFileSync(file, 'utf8')).toBe(changed)
    expect(ordersOf('R-1')).toHaveLength(1)
  })

  test('because its end was torn is read up to there, and goes on', async () => {
    const {env, file} = await ordered('R-2')
    writeFileSync(file, `${readFileSync(file, 'utf8')}{"step":"PLAN`)
    expect((await shop.scent(checkout('R-2'), {env})).code).toBe(0)
    const {items} = await shop.json(['orders', 'list'], {env})
    expect(items).toHaveLength(2)
  })

  test('because something else is in its place stops the order before anything is charged', async () => {
    const {env, file} = await ordered('R-3')
    rmSync(dirname(file), {recursive: true})
    writeFileSync(dirname(file), 'a file of somebody')
    const {code, stdout} = await shop.scent(checkout('R-3'), {env})
    expect(code).not.toBe(0)
    expect(JSON.parse(stdout).error.state).toMatch(/FOREIGN_FILE|FILE_FAILED/)
    expect(ordersOf('R-3')).toHaveLength(1)
    expect(existsSync(dirname(file))).toBe(true)
  })

  test('because it is a link to elsewhere stops it too', async () => {
    const {env, file} = await ordered('R-4')
    rmSync(file)
    symlinkSync('/dev/full', file)
    const {code} = await shop.scent(checkout('R-4'), {env})
    expect(code).not.toBe(0)
    expect(ordersOf('R-4')).toHaveLength(1)
  })

  test('because no file may grow any more stops it too', async () => {
    const {env, file} = await ordered('R-5')
    const before = readFileSync(file, 'utf8')
    const quoted = checkout('R-5').map((word) => `'${word}'`)
    const line = `ulimit -f 1; exec '${process.execPath}' '${bin}' ${quoted.join(' ')}`
    const stdout = await new Promise<string>((done) =>
      execFile('sh', ['-c', line], {env}, (_, text) => done(text)),
    )
    expect(JSON.parse(stdout).error.state).toBe('FILE_FAILED')
    expect(ordersOf('R-5')).toHaveLength(1)
    expect(readFileSync(file, 'utf8').startsWith(before)).toBe(true)
    // Once there is room again, the order goes on.
    expect((await shop.scent(checkout('R-5'), {env})).code).toBe(0)
    expect(ordersOf('R-5')).toHaveLength(2)
  })
})
