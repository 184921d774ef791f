import {execFile} from 'node:child_process'
import * as fs from 'node:fs'
import {join} from 'node:path'
import {promisify} from 'node:util'
import {describe, expect, test} from 'vitest'
import {foldersOf} from '../../src/store/paths.ts'
import {
  baseUrlOf,
  type Config,
  changeConfig,
  findProfile,
  readConfig,
  requireName,
} from '../../src/store/profiles.ts'
import {identityOf, settingsOf} from '../../src/store/settings.ts'
import {folder, program} from '../support/program.ts'

const folders = () => {
  const root = folder()
  return {config: join(root, 'config'), state: join(root, 'state')}
}
const rimal = {baseUrl: 'https://api.example.com', clientId: 'rimal-id', storage: 'keychain'} as const

describe('the folders', () => {
  test('follow XDG, whose relative paths do not count', () => {
    const env = {HOME: '/home/u', XDG_CONFIG_HOME: '/cfg', XDG_STATE_HOME: 'relative'}
    expect(foldersOf(env, 'linux')).toEqual({config: '/cfg/scent', state: '/home/u/.local/state/scent'})
  })
  test('are where the platform has them', () => {
    expect(foldersOf({HOME: '/Users/u'}, 'darwin').config).toBe('/Users/u/Library/Application Support/scent')
    expect(foldersOf({APPDATA: '/r', LOCALAPPDATA: '/l'}, 'win32')).toEqual({
      config: '/r/scent',
      state: '/l/scent',
    })
  })
  test('are where the environment says', () => {
    const env = {HOME: '/home/u', SCENT_CONFIG_DIR: '/a', SCENT_STATE_DIR: '/b'}
    expect(foldersOf(env, 'darwin')).toEqual({config: '/a', state: '/b'})
  })
})

describe('config.json', () => {
  test('is empty settings if there is none', () => {
    expect(readConfig(folders())).toEqual({version: 1, profiles: {}})
  })

  test('keeps what later versions put there', async () => {
    const at = folders()
    fs.mkdirSync(at.config, {recursive: true})
    const later = {version: 1, theme: 'dark', profiles: {a: {...rimal, region: 'x'}}}
    fs.writeFileSync(join(at.config, 'config.json'), JSON.stringify(later))
    await changeConfig(at, (config) => {
      config.current = 'a'
    })
    expect(readConfig(at)).toEqual({...later, current: 'a'})
  })

  test.each([
    ['', 'is empty'],
    ['  \n', 'is empty'],
    ['{"version":1', 'is not JSON'],
    ['[]', 'is not a file of scent'],
    ['{"profiles":{}}', 'wrong value in version'],
    ['{"version":2,"profiles":{}}', 'wrong value in version'],
    ['{"version":1,"profiles":{"a":{"baseUrl":"https://x"}}}', 'wrong value in profiles.a.clientId'],
    ['{"version":1,"profiles":{"a":{"baseUrl":"https://x","clientId":"c","storage":"cloud"}}}', 'storage'],
  ])('that is broken (%s) is named with what is wrong, and stays as it is', async (content, why) => {
    const at = folders()
    fs.mkdirSync(at.config, {recursive: true})
    const path = join(at.config, 'config.json')
    fs.writeFileSync(path, content)
    const refused = {code: 'CORRUPT_FILE', message: expect.stringContaining(why)}
    expect(() => readConfig(at)).toThrow(expect.objectContaining(refused))
    await expect(changeConfig(at, () => {})).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining(path),
    })
    expect(fs.readFileSync(path, 'utf8')).toBe(content)
  })

  test('that is a symbolic link is refused and stays one', async () => {
    const at = folders()
    fs.mkdirSync(at.config, {recursive: true})
    const target = join(at.config, 'elsewhere.json')
    fs.writeFileSync(target, '{"version":1,"profiles":{}}')
    fs.symlinkSync(target, join(at.config, 'config.json'))
    await expect(changeConfig(at, () => {})).rejects.toMatchObject({code: 'FOREIGN_FILE'})
    expect(fs.readFileSync(target, 'utf8')).toBe('{"version":1,"profiles":{}}')
    expect(fs.lstatSync(join(at.config, 'config.json')).isSymbolicLink()).toBe(true)
  })

  test('loses no change when several processes save at once', async () => {
    const at = folders()
    const built = program(`
      import {changeConfig} from './src/store/profiles.ts'
      const [config, state, name] = process.argv.slice(2)
      async function main() {
        for (let n = 0; n < 20; n++) await changeConfig({config, state}, (all) => {
          all.profiles[name + n] = ${JSON.stringify(rimal)}
        })
      }
      main()
    `)
    const names = ['a', 'b', 'c']
    await Promise.all(
      names.map((name) => promisify(execFile)(process.execPath, [built, at.config, at.state, name])),
    )
    expect(Object.keys(readConfig(at).profiles).length).toBe(60)
  })

  test('has no profile of the name of a built-in', () => {
    expect(findProfile({version: 1, profiles: {}}, 'constructor')).toBeUndefined()
  })
})

describe('the settings', () => {
  const config: Config = {
    version: 1,
    current: 'rimal',
    profiles: {
      rimal: {...rimal, rateShare: 0.5},
      warda: {baseUrl: 'http://127.0.0.1:8080', clientId: 'warda-id', storage: 'file'},
    },
  }
  const credential = {SCENT_CLIENT_ID: 'ci', SCENT_CLIENT_SECRET: 's'}

  test('come from the current profile', () => {
    expect(settingsOf({}, {}, config)).toMatchObject({
      profile: {value: 'rimal'},
      baseUrl: {value: 'https://api.example.com', source: 'profile rimal', beat: []},
      clientId: {value: 'rimal-id', source: 'profile rimal'},
      secret: {kind: 'keychain', account: 'rimal'},
      onBehalfOf: undefined,
      rateShare: 0.5,
    })
  })

  const child = '6fe780e5-ae36-45fd-8893-ee6dc71193b0'

  test('name flag, environment and profile in this order, and what was beaten', () => {
    const env = {
      SCENT_PROFILE: 'nobody',
      SCENT_BASE_URL: 'https://api.example.com/v',
      SCENT_ON_BEHALF_OF: child,
    }
    const flags = {profile: 'rimal', 'base-url': 'https://api.example.com/other/', as: child}
    const settings = settingsOf(flags, env, {...config, current: 'warda'})
    expect(settings.profile).toEqual({
      value: 'rimal',
      source: '--profile',
      beat: [
        {value: 'nobody', source: 'SCENT_PROFILE'},
        {value: 'warda', source: 'auth use'},
      ],
    })
    expect(settings.baseUrl).toEqual({
      value: 'https://api.example.com/other',
      source: '--base-url',
      beat: [
        {value: 'https://api.example.com/v', source: 'SCENT_BASE_URL'},
        {value: 'https://api.example.com', source: 'profile rimal'},
      ],
    })
    expect(settings.onBehalfOf).toEqual({value: child, source: 'SCENT_ON_BEHALF_OF', beat: []})
  })

  test('take the credential of the environment before that of the profile', () => {
    expect(settingsOf({}, credential, config)).toMatchObject({
      clientId: {
        value: 'ci',
        source: 'SCENT_CLIENT_ID',
        beat: [{value: 'rimal-id', source: 'profile rimal'}],
      },
      secret: {kind: 'environment'},
      rateShare: 1,
    })
  })

  test('need no profile at all if the environment has everything', () => {
    const env = {...credential, SCENT_BASE_URL: 'https://api.example.com/api/v1/'}
    const settings = settingsOf({}, env, {version: 1, profiles: {}})
    expect(settings.baseUrl.value).toBe('https://api.example.com')
    expect(identityOf(settings)).toEqual({
      origin: 'https://api.example.com',
      clientId: 'ci',
      onBehalfOf: null,
    })
  })

  test('never send the credential of a profile to another host', () => {
    const tries: Parameters<typeof settingsOf>[] = [
      [{'base-url': 'https://evil.example.com'}, {}, config],
      [{}, {SCENT_BASE_URL: 'https://api.example.com:8443'}, config],
      [{profile: 'warda', 'base-url': 'http://127.0.0.1:8081'}, {}, config],
    ]
    for (const args of tries) {
      expect(() => settingsOf(...args)).toThrow(
        expect.objectContaining({code: 'INVALID_INPUT', message: expect.stringContaining('belongs to')}),
      )
    }
  })

  test('that are not enough say what is missing', () => {
    const none: Config = {version: 1, profiles: {}}
    const codeOf = (...args: Parameters<typeof settingsOf>) => {
      try {
        settingsOf(...args)
      } catch (error) {
        return (error as {code: string}).code
      }
      return 'none'
    }
    expect(codeOf({}, {}, none)).toBe('NO_CREDENTIALS')
    expect(codeOf({profile: 'x'}, {}, config)).toBe('NO_CREDENTIALS')
    expect(codeOf({}, credential, none)).toBe('MISSING_INPUT')
    expect(codeOf({}, {SCENT_CLIENT_ID: 'ci'}, config)).toBe('NO_CREDENTIALS')
    expect(codeOf({}, {SCENT_CLIENT_SECRET: 's'}, config)).toBe('NO_CREDENTIALS')
  })
})

describe('a base URL', () => {
  test.each([
    ['https://API.example.com/', 'https://api.example.com'],
    ['https://api.example.com/api/v1', 'https://api.example.com'],
    ['https://api.example.com/scent/api/v1/', 'https://api.example.com/scent'],
    ['http://localhost:80', 'http://localhost'],
    ['http://127.1:8080', 'http://127.0.0.1:8080'],
    ['http://[::1]:1', 'http://[::1]:1'],
  ])('%s is kept as %s', (text, kept) => {
    expect(baseUrlOf(text)).toBe(kept)
  })

  test.each([
    ['http://api.example.com', 'INSECURE_URL'],
    ['http://127.0.0.1.example.com', 'INSECURE_URL'],
    ['http://localhost.example.com', 'INSECURE_URL'],
    ['ftp://api.example.com', 'INVALID_INPUT'],
    ['api.example.com', 'INVALID_INPUT'],
    ['https://u:hidden@api.example.com', 'INVALID_INPUT'],
    ['https://api.example.com?a=1', 'INVALID_INPUT'],
  ])('%s is refused with %s', (text, code) => {
    expect(() => baseUrlOf(text)).toThrow(
      expect.objectContaining({code, message: expect.not.stringContaining('hidden')}),
    )
  })
})

test.each(['', '.', '-a', 'a/b', 'a b', '__proto__', 'x'.repeat(65)])(
  '%j is not a valid name for a profile',
  (name) => {
    expect(() => requireName(name)).toThrow(expect.objectContaining({code: 'INVALID_INPUT'}))
  },
)
