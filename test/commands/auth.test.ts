import {chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {saveLocator} from '../../src/store/sandbox.ts'
import {bareHome, noKeyring, withKeyring} from '../support/keyring.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import {inTerminal} from '../support/pty.ts'
import {answer, serve} from '../support/server.ts'
import {noTmux, withTerminal} from '../support/tmux.ts'

const SECRET = 'canary-5ecret'

/** A token route that knows two client ids and one secret. */
function tokens() {
  return serve((request, response) => {
    const {clientId, clientSecret} = JSON.parse(request.body || '{}')
    const isProbe = request.url.startsWith('/api/v1/wallet/transactions')
    if (isProbe) return answer(response, 200, 'SUCCESS', {items: [], pagination: {}})
    if (request.url !== '/api/v1/auth/token') return answer(response, 404, 'NOT_FOUND_ROUTE')
    if (!['rimal', 'warda'].includes(clientId) || clientSecret !== SECRET) {
      return answer(response, 401, 'UNAUTHORIZED_INVALID_CREDENTIALS')
    }
    answer(response, 200, 'SUCCESS', {
      accessToken: `token-of-${clientId}`,
      tokenType: 'Bearer',
      expiresIn: 300,
    })
  })
}

let service: Awaited<ReturnType<typeof tokens>>
beforeAll(async () => {
  service = await tokens()
})
afterAll(() => service.close())

const configOf = (env: NodeJS.ProcessEnv) => join(env.SCENT_CONFIG_DIR ?? '', 'config.json')
const loginArgs = (...more: string[]) => [
  'auth',
  'login',
  '--base-url',
  service.url,
  '--client-id',
  'rimal',
  '--client-secret-stdin',
  ...more,
]
const login = (env: NodeJS.ProcessEnv, ...more: string[]) => scent(env, loginArgs(...more), `${SECRET}\n`)
const inFile = ['--storage', 'file']

test('files that other users could change are tightened, and it is said', async () => {
  const env = bareHome()
  await login(env, ...inFile)
  const state = readdirSync(env.SCENT_STATE_DIR ?? '', {recursive: true, withFileTypes: true})
  const token = state.find(({parentPath}) => parentPath.endsWith('tokens'))
  const files = [configOf(env), join(token?.parentPath ?? '', token?.name ?? '')]
  for (const file of files) chmodSync(file, 0o666)
  const first = await scent(env, ['auth', 'status', '--json'])
  expect(first.code).toBe(0)
  expect(JSON.parse(first.stdout)).toMatchObject({usable: true})
  const told = first.stderr.replaceAll('\n', ' ')
  for (const file of files.slice(0, 1)) expect(told).toContain(`${file} (mode 0666)`)
  await login(env, ...inFile)
  for (const file of files) expect([file, statSync(file).mode & 0o777]).toEqual([file, 0o600])
  expect((await scent(env, ['auth', 'status'])).stderr).not.toContain('mode 0')
})

test('secrets that other users can read are not used, nor added to', async () => {
  const env = bareHome()
  await login(env, ...inFile)
  const file = join(env.SCENT_CONFIG_DIR ?? '', 'credentials.json')
  const before = readFileSync(file, 'utf8')
  chmodSync(file, 0o644)
  for (const args of [loginArgs(...inFile)]) {
    const {code, stderr} = await scent(env, args, `${SECRET}\n`)
    expect(stderr.replaceAll('\n', ' ')).toContain('can be read by other users (mode 0644)')
    expect(stderr.replaceAll('\n', ' ')).toContain(`chmod 600 '${file}'`)
    expect(stderr).not.toContain('owner')
    expect(code).not.toBe(0)
  }
  expect(readFileSync(file, 'utf8')).toBe(before)
})

describe('auth login', () => {
  test('stores what the service has accepted, and makes it the profile in use', async () => {
    const env = bareHome()
    const ran = await login(env, ...inFile, '--json')
    expect(ran).toMatchObject({code: 0, stderr: expect.stringContaining('Warning')})
    expect(JSON.parse(ran.stdout)).toEqual({
      profile: 'default',
      current: true,
      baseUrl: service.url,
      clientId: 'rimal',
      storage: 'file',
    })
    const file = join(env.SCENT_CONFIG_DIR ?? '', 'credentials.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(configOf(env), 'utf8')).not.toContain(SECRET)
    const asked = service.seen.length
    expect(await scent(env, ['auth', 'token'])).toEqual({code: 0, stdout: 'token-of-rimal\n', stderr: ''})
    // The token of the login serves the commands after it.
    expect(service.seen.length).toBe(asked)
  })

  test('stores nothing of a credential that the service refuses', async () => {
    const env = bareHome()
    const ran = await scent(env, loginArgs(...inFile, '--json'), 'wrong')
    expect(ran.code).toBe(3)
    expect(JSON.parse(ran.stdout).error).toMatchObject({state: 'UNAUTHORIZED_INVALID_CREDENTIALS'})
    expect(existsSync(configOf(env))).toBe(false)
    expect(existsSync(join(env.SCENT_CONFIG_DIR ?? '', 'credentials.json'))).toBe(false)
  })

  test('never takes a network that fails for a bad credential', async () => {
    const env = bareHome()
    const argv = ['auth', 'login', '--base-url', 'http://127.0.0.1:1', '--client-id', 'rimal', ...inFile]
    const ran = await scent({...env, SCENT_CLIENT_SECRET: SECRET}, [...argv, '--json', '--max-wait', '0'])
    expect(ran.code).toBe(10)
    expect(JSON.parse(ran.stdout).error).toMatchObject({state: 'NO_CONNECTION'})
    expect(existsSync(configOf(env))).toBe(false)
  })

  test.each([
    [[], '--base-url'],
    [['--base-url', 'https://api.example.com'], '--client-id'],
    [['--base-url', 'https://api.example.com', '--client-id', 'rimal'], '--client-secret-stdin'],
  ])('with %j and nobody to ask names what is missing: %s', async (more, flag) => {
    const ran = await scent(bareHome(), ['auth', 'login', ...inFile, ...more])
    expect(ran).toMatchObject({code: 2, stderr: expect.stringContaining(flag)})
  })

  test('with an empty secret names the three ways to give one, and no flag for it', async () => {
    const argv = ['auth', 'login', '--base-url', service.url, '--client-id', 'rimal', ...inFile]
    const ran = await scent(bareHome(), [...argv, '--client-secret-stdin'], '')
    expect(ran).toMatchObject({code: 2, stderr: expect.stringContaining('The client secret is empty.')})
    expect(ran.stderr).toMatch(/Next: .*--client-secret-stdin.*SCENT_CLIENT_SECRET.*when asked/)
    expect(ran.stderr).not.toContain('as a flag')
  })

  test('refuses plain http to another machine', async () => {
    const argv = ['auth', 'login', '--base-url', 'http://api.example.com', '--client-id', 'a', ...inFile]
    const ran = await scent({...bareHome(), SCENT_CLIENT_SECRET: 's'}, argv)
    expect(ran).toMatchObject({code: 2, stderr: expect.stringContaining('INSECURE_URL')})
  })

  test('does not take the default name from another credential', async () => {
    const env = bareHome()
    await login(env, ...inFile)
    const before = readFileSync(configOf(env), 'utf8')
    const other = ['auth', 'login', '--client-id', 'warda', '--client-secret-stdin', ...inFile]
    expect(await scent(env, other, SECRET)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--name'),
    })
    expect(readFileSync(configOf(env), 'utf8')).toBe(before)
    expect((await scent(env, [...other, '--base-url', service.url, '--name', 'warda'], SECRET)).code).toBe(0)
    expect((await scent(env, ['auth', 'token'])).stdout).toBe('token-of-warda\n')
    expect((await scent(env, ['auth', 'token', '--profile', 'default'])).stdout).toBe('token-of-rimal\n')
  })

  test('again needs only the new secret', async () => {
    const env = bareHome()
    await login(env, ...inFile)
    const ran = await scent(env, ['auth', 'login', '--client-secret-stdin'], SECRET)
    expect(ran).toMatchObject({code: 0})
    expect((await scent(env, ['auth', 'login', '--client-secret-stdin'], 'wrong')).code).toBe(3)
    expect((await scent(env, ['auth', 'token'])).stdout).toBe('token-of-rimal\n')
  })

  test('finds the sandbox, and one of its credentials', async () => {
    const env = bareHome()
    const argv = ['auth', 'login', '--sandbox', ...inFile]
    expect(await scent(env, argv)).toMatchObject({
      code: 10,
      stderr: expect.stringContaining('SANDBOX_NOT_RUNNING'),
    })
    saveLocator(
      {config: env.SCENT_CONFIG_DIR ?? '', state: env.SCENT_STATE_DIR ?? ''},
      {
        baseUrl: service.url,
        adminUrl: service.url,
        adminToken: 'a',
        pid: process.pid,
        credentials: [
          {clientId: 'rimal', clientSecret: SECRET, partnerId: 'p1', name: 'Rimal Retail'},
          {clientId: 'warda', clientSecret: SECRET, partnerId: 'p2', name: 'Warda Boutique'},
        ],
      },
    )
    expect((await scent(env, argv)).code).toBe(0)
    expect((await scent(env, ['auth', 'token'])).stdout).toBe('token-of-rimal\n')
    expect((await scent(env, [...argv, '--client-id', 'warda'])).code).toBe(0)
    expect((await scent(env, ['auth', 'token', '--profile', 'sandbox'])).stdout).toBe('token-of-warda\n')
    const unknown = await scent(env, [...argv, '--client-id', 'nobody'])
    expect(unknown).toMatchObject({code: 2, stderr: expect.stringContaining('Rimal Retail')})
  })

  test('shows the secret nowhere, not even with --debug', async () => {
    const env = {...bareHome(), DEBUG: '*'}
    const ran = await login(env, ...inFile, '--debug')
    const status = await scent(env, ['auth', 'status', '--debug', '--json'])
    const all = ran.stdout + ran.stderr + status.stdout + status.stderr
    expect([ran.code, status.code]).toEqual([0, 0])
    expect(all).toContain('/api/v1/auth/token')
    expect(all).not.toContain(SECRET)
  })
})

describe.skipIf(noKeyring())('auth login with the keychain', () => {
  test('keeps the secret there, and nowhere else', () =>
    withKeyring(async (env) => {
      expect(await login(env)).toMatchObject({code: 0, stderr: expect.stringContaining('in the keychain')})
      expect(readFileSync(configOf(env), 'utf8')).not.toContain(SECRET)
      expect(existsSync(join(env.SCENT_CONFIG_DIR ?? '', 'credentials.json'))).toBe(false)
      expect((await scent(env, ['auth', 'token'])).stdout).toBe('token-of-rimal\n')
    }))

  test('gives it back at logout', () =>
    withKeyring(async (env) => {
      await login(env)
      const ran = await scent(env, ['auth', 'logout', '--json'])
      expect(JSON.parse(ran.stdout)).toEqual({profile: 'default', secretRemoved: true})
      expect((await scent(env, ['auth', 'token'])).code).toBe(3)
    }))

  test('moves the secret when the storage changes', () =>
    withKeyring(async (env) => {
      await login(env, ...inFile)
      expect((await login(env, '--storage', 'keychain')).code).toBe(0)
      const file = readFileSync(join(env.SCENT_CONFIG_DIR ?? '', 'credentials.json'), 'utf8')
      expect(file).not.toContain(SECRET)
      expect((await scent(env, ['auth', 'token'])).stdout).toBe('token-of-rimal\n')
    }))

  test('that is locked, hangs or is missing stores nothing', () =>
    withKeyring(async (env, keyring) => {
      await login(env)
      const before = readFileSync(configOf(env), 'utf8')
      keyring.lock()
      const locked = await login(env, '--name', 'locked')
      const asked = service.seen.length
      keyring.freeze()
      const hanging = await login(env, '--name', 'hanging')
      const none = await login({...env, DBUS_SESSION_BUS_ADDRESS: ''}, '--name', 'none')
      for (const [name, ran] of Object.entries({locked, hanging, none})) {
        const line = `\`scent ${loginArgs('--name', name).join(' ')} --storage file\``
        expect(ran).toMatchObject({code: 3, stderr: expect.stringContaining(line)})
      }
      expect(locked.stderr).toContain('it is locked')
      expect(readFileSync(configOf(env), 'utf8')).toBe(before)
      // One that does not answer at all is found out before the credential is used.
      expect(service.seen.length).toBe(asked)
    }))

  test('waits for a machine that is slow to start a process', () =>
    withKeyring(async (env) => {
      await login(env)
      const slow = join(env.HOME ?? '', 'slow.cjs')
      const wait = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3500)'
      writeFileSync(slow, `if (process.execArgv.includes('-e')) ${wait}\n`)
      const ran = await scent({...env, NODE_OPTIONS: `--require ${slow}`}, ['auth', 'logout', '--json'])
      expect({code: ran.code, ...JSON.parse(ran.stdout)}).toMatchObject({code: 0, secretRemoved: true})
    }))

  test('can be left when it stops working', () =>
    withKeyring(async (env, keyring) => {
      await login(env)
      keyring.lock()
      const ran = await login(env, ...inFile)
      expect(ran).toMatchObject({code: 0, stderr: expect.stringContaining('still in the keychain')})
      expect((await scent(env, ['auth', 'status'])).code).toBe(0)
    }))

  test('that is locked lets no logout pass for one', () =>
    withKeyring(async (env, keyring) => {
      await login(env)
      keyring.lock()
      expect((await scent(env, ['auth', 'logout'])).code).toBe(3)
      expect(JSON.parse((await scent(env, ['auth', 'list', '--json'])).stdout).items).toHaveLength(1)
    }))
})

describe.skipIf(noTmux())('auth login in a terminal', () => {
  test('asks for what no flag gave, and never shows the secret', async () => {
    const env = bareHome()
    await withTerminal(env, async (terminal) => {
      terminal.type(`${process.execPath} bin/run.js auth login --storage file`)
      terminal.press('Enter')
      await terminal.see('Host of the service')
      terminal.type('http://api.example.com')
      terminal.press('Enter')
      await terminal.see('plain http to another machine')
      terminal.press('C-u')
      terminal.type(service.url)
      terminal.press('Enter')
      await terminal.see('Client id')
      terminal.type('rimal')
      terminal.press('Enter')
      await terminal.see('Client secret')
      terminal.type(SECRET)
      terminal.press('Enter')
      await terminal.see('Logged in.')
      expect(terminal.screen()).not.toContain(SECRET)
    })
    expect((await scent(env, ['auth', 'token'])).stdout).toBe('token-of-rimal\n')
  })

  test('stores nothing when it is interrupted', async () => {
    const env = bareHome()
    await withTerminal(env, async (terminal) => {
      terminal.type(`${process.execPath} bin/run.js auth login --storage file; echo exit $?`)
      terminal.press('Enter')
      await terminal.see('Host of the service')
      terminal.press('C-c')
      await terminal.see('exit 130')
    })
    expect(existsSync(configOf(env))).toBe(false)
  })
})

describe.each([{ACCESSIBLE: '1'}, {TERM: 'dumb'}])('auth login with %j', (more) => {
  const argv = () => ['auth', 'login', ...inFile, '--base-url', service.url, '--client-id', 'rimal']
  const typing = (env: NodeJS.ProcessEnv, typed: string) =>
    inTerminal({...env, ...more}, argv(), {columns: 80, answers: [['Client secret', typed]]})

  test('asks for the secret without a cursor move, and shows nothing of it', async () => {
    const env = bareHome()
    // Taken back: a whole line, a letter, and an arrow.
    const {code, text} = await typing(env, `nonsense\u0015${SECRET}x\u007f\u001b[D\r`)
    expect([code, text]).toEqual([0, expect.stringContaining('Logged in.')])
    expect(text.replace(/\u001b\[\d*m/g, '')).not.toMatch(/[\u001b\b]|\r(?!\n)/)
    expect(text).not.toMatch(/nonsense|canary/)
    expect((await scent(env, ['auth', 'token'])).stdout).toBe('token-of-rimal\n')
  })

  test.each(['\u0003', '\u0004'])('and Ctrl-C or Ctrl-D ends it: %j', async (typed) => {
    const env = bareHome()
    expect((await typing(env, typed)).code).toBe(130)
    expect(existsSync(configOf(env))).toBe(false)
  })
})

describe('auth logout', () => {
  test('--all removes every profile, also without a keychain, and asks before it does', async () => {
    const env = bareHome()
    await login(env, ...inFile)
    await login(env, ...inFile, '--name', 'second')
    const asked = await scent(env, ['auth', 'logout', '--all'])
    expect(asked).toMatchObject({code: 2, stderr: expect.stringContaining('--yes')})
    const {code, stdout, stderr} = await scent(env, ['auth', 'logout', '--all', '--yes'])
    expect({code, stdout}).toEqual({code: 0, stdout: 'default\ttrue\nsecond\ttrue\n'})
    expect(stderr).toContain('The keychain was not looked at')
    const file = JSON.parse(readFileSync(join(env.SCENT_CONFIG_DIR ?? '', 'credentials.json'), 'utf8'))
    expect(file.secrets).toEqual({})
    expect(await scent(env, ['auth', 'logout', 'second', '--all'])).toMatchObject({code: 2})
  })

  test('removes profile and secret, and only those', async () => {
    const env = bareHome()
    await login(env, ...inFile)
    await login(env, ...inFile, '--name', 'second')
    expect(await scent(env, ['auth', 'logout', 'default'])).toMatchObject({code: 0})
    const file = JSON.parse(readFileSync(join(env.SCENT_CONFIG_DIR ?? '', 'credentials.json'), 'utf8'))
    expect(Object.keys(file.secrets)).toEqual(['second'])
    expect((await scent(env, ['auth', 'token'])).code).toBe(0)
    expect((await scent(env, ['auth', 'logout'])).code).toBe(0)
    expect((await scent(env, ['auth', 'token'])).code).toBe(3)
    expect((await scent(env, ['auth', 'logout'])).code).toBe(3)
  })
})

describe('auth list and auth use', () => {
  test('show and choose the profile in use', async () => {
    const env = bareHome()
    expect(JSON.parse((await scent(env, ['auth', 'list', '--json'])).stdout)).toEqual({items: []})
    await login(env, ...inFile)
    await login(env, ...inFile, '--name', 'second')
    expect((await scent(env, ['auth', 'use', 'default'])).code).toBe(0)
    const {items} = JSON.parse((await scent(env, ['auth', 'list', '--json'])).stdout)
    expect(items).toMatchObject([
      {profile: 'default', current: true, clientId: 'rimal', storage: 'file'},
      {profile: 'second', current: false},
    ])
    expect(await scent(env, ['auth', 'use', 'nobody'])).toMatchObject({code: 3})
  })
})

describe('auth status', () => {
  test('says where each setting came from, what it won over, and that it works', async () => {
    const env = bareHome()
    await login(env, ...inFile)
    const credential = {SCENT_CLIENT_ID: 'warda', SCENT_CLIENT_SECRET: SECRET}
    const ran = await scent({...env, ...credential}, ['auth', 'status', '--json'])
    expect(ran.code).toBe(0)
    const status = JSON.parse(ran.stdout)
    expect(status.usable).toBe(true)
    expect(status.settings).toContainEqual({
      setting: 'client-id',
      value: 'warda',
      source: 'SCENT_CLIENT_ID',
      beat: [{value: 'rimal', source: 'profile default'}],
    })
    expect((await scent(env, ['auth', 'status'])).stdout).toContain(
      `base-url\t${service.url}\tprofile default`,
    )
  })

  test('shows the settings of a credential that does not work, with the exit code of the failure', async () => {
    const env = {
      ...bareHome(),
      SCENT_BASE_URL: service.url,
      SCENT_CLIENT_ID: 'rimal',
      SCENT_CLIENT_SECRET: 'wrong',
    }
    const ran = await scent(env, ['auth', 'status', '--json'])
    expect(ran.code).toBe(3)
    expect(JSON.parse(ran.stdout)).toMatchObject({
      usable: false,
      error: {state: 'UNAUTHORIZED_INVALID_CREDENTIALS', exitCode: 3},
    })
    const gone = await scent({...env, SCENT_BASE_URL: 'http://127.0.0.1:1'}, [
      'auth',
      'status',
      '--max-wait',
      '0',
    ])
    expect(gone).toMatchObject({code: 10, stderr: expect.stringContaining('NO_CONNECTION')})
  })

  test('without any credential names the ways to get one', async () => {
    const ran = await scent(bareHome(), ['auth', 'status'])
    expect(ran).toMatchObject({code: 3, stderr: expect.stringContaining('scent sandbox start')})
  })

  test('never sends the credential of a profile to another host', async () => {
    const env = bareHome()
    await login(env, ...inFile)
    const asked = service.seen.length
    const ran = await scent(env, [
      'auth',
      'status',
      '--base-url',
      service.url.replace('127.0.0.1', 'localhost'),
    ])
    expect(ran).toMatchObject({code: 2, stderr: expect.stringContaining('belongs to')})
    expect(service.seen.length).toBe(asked)
  })
})

describe('a config.json', () => {
  test.each(['', '{', '{"version":1,"profiles":{"default":{}}}'])(
    'that is broken (%j) stops every command that needs it, and stays as it is',
    async (content) => {
      const env = bareHome()
      mkdirSync(env.SCENT_CONFIG_DIR ?? '', {recursive: true})
      writeFileSync(configOf(env), content)
      const commands = [
        ['auth', 'list'],
        ['auth', 'status'],
        ['auth', 'use', 'x'],
        ['config', 'list'],
        loginArgs(...inFile),
      ]
      for (const argv of commands) {
        const ran = await scent(env, argv, SECRET)
        expect(ran).toMatchObject({code: 2, stderr: expect.stringContaining(configOf(env))})
      }
      expect(readFileSync(configOf(env), 'utf8')).toBe(content)
    },
  )
})

test('what is piped into a command is never taken for an argument', async () => {
  const ran = await scent(bareHome(), ['config', 'list'], SECRET)
  expect(ran).toMatchObject({code: 0, stderr: ''})
})
