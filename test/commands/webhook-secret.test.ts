import {execFileSync} from 'node:child_process'
import {createHmac} from 'node:crypto'
import {mkdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {foldersOf} from '../../src/store/paths.ts'
import {saveLocator} from '../../src/store/sandbox.ts'
import {bareHome, noKeyring, withKeyring} from '../support/keyring.ts'
import {listening} from '../support/listening.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import {program} from '../support/program.ts'
import type {Ran} from '../support/scent.ts'
import {filesBelow} from '../support/served-shop.ts'
import type {Sandbox} from '../support/types.ts'

let sandbox: Sandbox
let baseUrl: string

beforeAll(async () => {
  sandbox = await createSandbox({limits: false})
  baseUrl = await sandbox.listen()
})
afterAll(() => sandbox.close())

/** A user who has logged in to the sandbox. */
async function loggedIn(env: NodeJS.ProcessEnv, storage: string): Promise<NodeJS.ProcessEnv> {
  for (const name of ['config', 'state']) mkdirSync(join(env.HOME ?? '', name), {mode: 0o700})
  const {adminToken, credentials} = sandbox
  const where = {baseUrl, adminUrl: `${baseUrl}/__sandbox/v1`, adminToken, pid: process.pid, credentials}
  saveLocator(foldersOf(env), where)
  expect(await scent(env, ['auth', 'login', '--sandbox', '--storage', storage])).toMatchObject({code: 0})
  return env
}

const made = () => sandbox.state.world.get<{n: number}>('SELECT count(*) AS n FROM subscriptions')?.n
const last = () =>
  sandbox.state.world.get<{id: string; secret: string}>(
    'SELECT id, secret FROM subscriptions ORDER BY n DESC',
  )
const create = (env: NodeJS.ProcessEnv, ...more: string[]): Promise<Ran> =>
  scent(env, ['webhooks', 'create', '--url', 'https://127.0.0.1:9/x', '--event', 'order.completed', ...more])

describe('the signing secret of a subscription', () => {
  it.each([
    ['--query', ['--query', 'id']],
    ['--query', ['--query', '{id: id, url: url}']],
    ['--query', ['--query', 'createdAt && id || signingSecret']],
    ['--columns', ['--columns', 'id,url']],
    ['--columns', ['--columns', 'id', '--output', 'csv']],
  ])('is not lost by %s %j: nothing is sent', async (flag, more) => {
    const env = await loggedIn(bareHome(), 'file')
    const before = made()
    const {code, stdout, stderr} = await create(env, ...more)
    // --query speaks JSON, in errors as well.
    expect([code, stdout + stderr]).toEqual([
      2,
      expect.stringMatching(new RegExp(`${flag} would hide the signing secret[^]*--save-secret`)),
    ])
    expect(made()).toBe(before)
  })

  it.each([
    [['--query', 'signingSecret']],
    [['--query', '[id, signingSecret]']],
    [['--columns', 'id, signingSecret']],
    [['--output', 'ndjson']],
    [['--json']],
  ])('is shown with %j', async (more) => {
    const {code, stdout} = await create(await loggedIn(bareHome(), 'file'), ...more)
    expect([code, stdout]).toEqual([0, expect.stringContaining(String(last()?.secret))])
    await scent(await loggedIn(bareHome(), 'file'), ['webhooks', 'disable', String(last()?.id)])
  })

  it('goes with --save-secret to the file in which the profile keeps its own, and to no other', async () => {
    const env = await loggedIn(bareHome(), 'file')
    const {code, stdout, stderr} = await create(env, '--save-secret', '--query', 'id')
    const {id, secret} = last() ?? {}
    expect([code, stdout]).toEqual([0, `"${id}"\n`])
    expect(stderr).toContain('The signing secret is kept where this profile keeps its own.')
    const holders = filesBelow(env.HOME ?? '').filter(([, text]) => text.includes(String(secret)))
    expect(holders.map(([path]) => path)).toEqual([join(env.HOME ?? '', 'config', 'credentials.json')])
    const kept = JSON.parse(readFileSync(holders[0]?.[0] ?? '', 'utf8')).secrets
    expect(Object.entries(kept).filter(([name]) => name.startsWith('webhook '))).toEqual([
      [expect.stringMatching(new RegExp(`^webhook 127\\.0\\.0\\.1_.* ${id}$`)), secret],
    ])
  })

  it('is not asked for if there is no place for it', async () => {
    const before = made()
    const {clientId, clientSecret} = {clientId: '', clientSecret: '', ...sandbox.credentials[0]}
    const own = {SCENT_BASE_URL: baseUrl, SCENT_CLIENT_ID: clientId, SCENT_CLIENT_SECRET: clientSecret}
    const {code, stderr} = await create({...bareHome(), ...own}, '--save-secret')
    expect([code, stderr]).toEqual([2, expect.stringContaining('comes from the environment')])
    expect(made()).toBe(before)
  })

  it.skipIf(noKeyring())('goes to the keychain of a profile that is there', () =>
    withKeyring(async (env, keyring) => {
      await loggedIn(env, 'keychain')
      const {code, stdout} = await create(env, '--save-secret')
      const {id, secret} = last() ?? {}
      expect([code, stdout.includes(String(id)), stdout.includes(String(secret))]).toEqual([0, true, false])
      expect(filesBelow(env.HOME ?? '').filter(([, text]) => text.includes(String(secret)))).toEqual([])
      const read = `import {identityName} from './src/store/paths.ts'
        import {readKeychain} from './src/store/keychain.ts'
        const [origin, clientId, id] = process.argv.slice(2)
        const identity = {origin, clientId, onBehalfOf: null}
        readKeychain('webhook ' + identityName(identity) + ' ' + id).then((secret) => console.log(secret))`
      const words = [program(read), baseUrl, sandbox.credentials[0]?.clientId ?? '', id ?? '']
      expect(execFileSync(process.execPath, words, {env, encoding: 'utf8'})).toBe(`${secret}\n`)
      // A keychain that has gone away is found before anything is sent.
      const before = made()
      keyring.freeze()
      const refused = await create(env, '--save-secret')
      keyring.thaw()
      expect(refused.stderr).toContain('KEYCHAIN_UNAVAILABLE')
      expect(made()).toBe(before)
    }),
  )
})

it('that `listen --save-secret` keeps is the one that `verify --subscription` checks with', async () => {
  const env = await loggedIn(bareHome(), 'file')
  const id = 'c6c0dd6c-5d76-4b5d-9eff-250400d2b556'
  const listen = ['webhooks', 'listen', '--port', '0', '--for', '1s', '--subscription', id]
  const given = {...env, SCENT_WEBHOOK_SECRET: 'the secret'}
  expect(await scent(given, [...listen, '--save-secret'])).toMatchObject({code: 0})
  const at = 1_795_341_600
  const mac = createHmac('sha256', 'the secret').update(`${at}.{}`).digest('hex')
  const told = ['--signature', mac, '--timestamp', String(at), '--tolerance', 'none', '--json']
  const verify = (subscription: string) =>
    scent(env, ['webhooks', 'verify', '-', '--subscription', subscription, ...told], '{}')
  expect(await verify(id.toUpperCase())).toMatchObject({code: 0})
  // Also of what a listener has refused that had a wrong one, and knew of no subscription.
  const wrong = await listening({...env, SCENT_WEBHOOK_SECRET: 'of last year'})
  expect(await wrong.send('{"eventId":"e-1234567"}', {secret: 'the secret'})).toBe(401)
  await wrong.stop()
  const stored = await scent(env, ['webhooks', 'verify', '--stored', 'e-1234567', '--json'])
  expect([stored.code, JSON.parse(stored.stdout)]).toMatchObject([0, {fits: true}])
  const other = await verify(id.replace('c6', 'd7'))
  expect([other.code, JSON.parse(other.stdout).error.details]).toEqual([
    6,
    {reason: 'no-secret', subscription: id.replace('c6', 'd7')},
  ])
  expect(JSON.parse(other.stdout).error.message).toContain('none is kept for subscription d7')
  const several = await scent(env, [...listen, '--save-secret', '--secret-stdin'], 'one\ntwo\n')
  expect([several.code, several.stderr]).toEqual([2, expect.stringContaining('keeps one secret, and 2 were')])
  const nowhere = await scent({...given, SCENT_CLIENT_ID: 'x', SCENT_CLIENT_SECRET: 'y'}, [
    ...listen,
    '--save-secret',
  ])
  expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('comes from the environment')])
})
