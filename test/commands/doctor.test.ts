import {execFileSync} from 'node:child_process'
import {mkdirSync, readdirSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {bareHome, noKeyring, withKeyring} from '../support/keyring.ts'
import {scent} from '../support/scent.ts'
import {page, service as serveShop} from '../support/service.ts'

const open = () => serveShop(() => page([]))
let service: Awaited<ReturnType<typeof open>>
beforeAll(async () => {
  service = await open()
})
afterAll(() => service.close())

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const library = join(root, 'node_modules/@napi-rs/keyring')
const keep = `const [, library, account] = process.argv
new (require(library).AsyncEntry)('scent', account, {linux: {store: 'secret-service'}}).setPassword('signing')`

interface Report {
  items: {check: string; state: string; detail: string}[]
  error?: {state: string}
}

async function doctor(env: NodeJS.ProcessEnv): Promise<{code: number | null; report: Report}> {
  const {code, stdout} = await scent(env, ['doctor', '--json', '--max-wait', '0'])
  return {code, report: JSON.parse(stdout)}
}

const states = ({items}: Report) => Object.fromEntries(items.map(({check, state}) => [check, state]))
const credential = () => ({SCENT_BASE_URL: service.url, SCENT_CLIENT_ID: 'rimal', SCENT_CLIENT_SECRET: 's'})

describe('doctor', () => {
  test('finds a whole installation in order, and leaves no probe behind', async () => {
    const env: NodeJS.ProcessEnv = {...bareHome(), ...credential()}
    const {code, report} = await doctor(env)
    expect(code).toBe(0)
    // Nothing has listened here yet: an inbox that may lack notices is not in order.
    const {inbox, ...others} = states(report)
    expect([inbox, new Set(Object.values(others))]).toEqual(['warning', new Set(['ok', 'skipped'])])
    expect(readdirSync(env.SCENT_STATE_DIR ?? '').filter((name) => name.includes('doctor'))).toEqual([])
  })

  test('names each thing that is wrong, and goes on', async () => {
    const env: NodeJS.ProcessEnv = {...bareHome(), ...credential(), SCENT_BASE_URL: 'http://127.0.0.1:1'}
    const gone = await doctor(env)
    expect(gone.code).toBe(10)
    expect(gone.report.error?.state).toBe('NO_CONNECTION')
    expect(states(gone.report)).toMatchObject({service: 'failed', orders: 'ok', credential: 'ok'})
    mkdirSync(env.SCENT_CONFIG_DIR ?? '', {recursive: true})
    writeFileSync(join(env.SCENT_CONFIG_DIR ?? '', 'config.json'), '{')
    const broken = await doctor(env)
    expect(broken.code).toBe(2)
    expect(states(broken.report)).toMatchObject({settings: 'failed', 'state folder': 'ok'})
  })

  test('asks the service, and believes no token of the cache', async () => {
    const gone = await open()
    const env: NodeJS.ProcessEnv = {...bareHome(), ...credential(), SCENT_BASE_URL: gone.url}
    const found = await doctor(env)
    expect(found.report.items.find(({check}) => check === 'service')?.detail).toBe(
      'It accepts the credential: it answered GET /api/v1/wallet/transactions with SUCCESS.',
    )
    expect((await scent(env, ['auth', 'status'])).code).toBe(0)
    expect(gone.seen.map(({url}) => url).filter((url) => url.includes('wallet')).length).toBe(2)
    await gone.close()
    const {code, report} = await doctor(env)
    expect({code, state: states(report).service}).toEqual({code: 10, state: 'failed'})
    const status = await scent(env, ['auth', 'status', '--json', '--max-wait', '0'])
    expect({code: status.code, ...JSON.parse(status.stdout)}).toMatchObject({
      code: 10,
      usable: false,
      error: {state: 'NO_CONNECTION'},
    })
  })

  test('without a credential says what is missing', async () => {
    const {code, report} = await doctor(bareHome())
    expect(code).toBe(3)
    expect(report.error?.state).toBe('NO_CREDENTIALS')
    expect(states(report)).toMatchObject({credential: 'failed', keychain: 'failed', service: 'skipped'})
  })
})

describe('what stays if the program is removed', () => {
  const left = ({items}: Report) => items.find(({check}) => check === 'left behind')?.detail

  test('is each folder that a run has made, and each line that completes', async () => {
    const {XDG_CACHE_HOME: _, ...bare} = bareHome()
    const home = bare.HOME ?? ''
    const env: NodeJS.ProcessEnv = {PATH: bare.PATH, HOME: home, ...credential()}
    mkdirSync(join(home, '.config/fish/completions'), {recursive: true})
    writeFileSync(join(home, '.bashrc'), 'source <(scent autocomplete bash)\n')
    writeFileSync(join(home, '.zshrc'), 'setopt autocd\n')
    writeFileSync(join(home, '.config/fish/completions/scent.fish'), 'complete -c scent\n')
    await scent(env, ['config', 'set', 'output', 'csv'])
    await scent(env, ['catalog', 'sync'])
    const before = readdirSync(home, {recursive: true, encoding: 'utf8'})
    const {report} = await doctor(env)
    const after = readdirSync(home, {recursive: true, encoding: 'utf8'})
    const names = left(report)?.match(/\/[^;\s]+(?<!\.)/g) ?? []
    const mine = (path: string) => /scent|rc$/.test(path) && path !== '.zshrc'
    expect(names.length).toBe(5)
    expect(
      before.filter(mine).filter((path) => names.every((name) => !join(home, path).startsWith(name))),
    ).toEqual([])
    // What the question itself has kept lies in the same folders.
    expect(
      after.filter(mine).filter((path) => names.every((name) => !join(home, path).startsWith(name))),
    ).toEqual([])
    expect(report.items[0]?.detail).toContain(root)
  })

  test.skipIf(noKeyring())('is each entry of the keychain, with the secrets of subscriptions', () =>
    withKeyring(async (env) => {
      const base = {...env, SCENT_BASE_URL: service.url}
      const login = [
        'auth',
        'login',
        '--client-id',
        'rimal',
        '--name',
        'shop',
        '--base-url',
        service.url,
        '--client-secret-stdin',
      ]
      const {code, stderr} = await scent(base, login, 'secret\n')
      expect(code, stderr).toBe(0)
      execFileSync(process.execPath, ['-e', keep, library, 'webhook of-a-subscription'], {env})
      const detail = left((await doctor(env)).report)
      expect(detail).toContain('"shop" of "scent" in the keychain')
      expect(detail).toContain('"webhook of-a-subscription" of "scent" in the keychain')
      expect(detail).not.toContain('doctor probe')
      const {code: refused} = await scent(env, ['auth', 'logout', '--all'])
      expect(refused).toBe(2)
      const gone = await scent(env, ['auth', 'logout', '--all', '--yes', '--json'])
      expect(JSON.parse(gone.stdout).items).toEqual([
        {profile: 'shop', secretRemoved: true},
        {profile: 'webhook of-a-subscription', secretRemoved: true},
      ])
      const {items} = (await doctor(env)).report
      expect(items.find(({check}) => check === 'left behind')).toMatchObject({
        detail: expect.not.stringContaining('keychain'),
        next: expect.not.stringContaining('logout'),
      })
    }),
  )
})

test.skipIf(noKeyring())('doctor tries the keychain where a login would need it', () =>
  withKeyring(async (env) => {
    expect(states((await doctor(env)).report)).toMatchObject({credential: 'failed', keychain: 'ok'})
  }),
)
