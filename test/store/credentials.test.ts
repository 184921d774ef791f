import {execFile} from 'node:child_process'
import {chmodSync, mkdirSync, readFileSync, statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {readSecret, removeSecret, saveSecret} from '../../src/store/credentials.ts'
import {bareHome, noKeyring, withKeyring} from '../support/keyring.ts'
import {folder, program} from '../support/program.ts'

const source = `
  import {removeKeychain, readKeychain, saveKeychain} from './src/store/keychain.ts'
  const [action, account, secret] = process.argv.slice(2)
  const calls = {
    read: () => readKeychain(account), save: () => saveKeychain(account, secret), remove: () => removeKeychain(account),
  }
  let ticks = 0
  setInterval(() => ticks++, 50).unref()
  calls[action]().then(
    (value) => console.log(JSON.stringify({value})),
    (error) => console.log(JSON.stringify({code: error.code, message: error.message, hint: error.hint, ticks})),
  )
`

interface Answer {
  value?: unknown
  code?: string
  message?: string
  hint?: string
  ticks?: number
}

/** One keychain call of a process in this environment. Fails if the process does not end. */
function keychain(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Answer> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [program(source), ...args],
      {env, timeout: 15_000},
      (error, stdout, stderr) => {
        if (error) reject(new Error(`${error.message} ${stderr}`))
        else resolve(JSON.parse(stdout))
      },
    )
  })
}

const threeChoices = /start or unlock a keyring.*SCENT_CLIENT_ID.*--storage file/s

describe.skipIf(noKeyring())('the keychain', () => {
  test('keeps a secret from one process for the next, for each account, until it is removed', () =>
    withKeyring(async (env) => {
      expect(await keychain(env, 'read', 'rimal')).toEqual({})
      expect(await keychain(env, 'save', 'rimal', 'sëcret "1"')).toEqual({})
      expect(await keychain(env, 'save', 'warda', 'two')).toEqual({})
      expect(await keychain(env, 'read', 'rimal')).toEqual({value: 'sëcret "1"'})
      expect(await keychain(env, 'save', 'rimal', 'three')).toEqual({})
      expect(await keychain(env, 'read', 'rimal')).toEqual({value: 'three'})
      expect(await keychain(env, 'remove', 'rimal')).toEqual({value: true})
      expect(await keychain(env, 'remove', 'rimal')).toEqual({value: false})
      expect(await keychain(env, 'read', 'rimal')).toEqual({})
      expect(await keychain(env, 'read', 'warda')).toEqual({value: 'two'})
    }))

  test('that is not there says so, and names the three choices', async () => {
    const answer = await keychain(bareHome(), 'save', 'rimal', 'one')
    expect(answer).toMatchObject({code: 'KEYCHAIN_UNAVAILABLE', hint: expect.stringMatching(threeChoices)})
    expect(answer.message).toContain('no Secret Service answers')
  })

  test('that is not there, on a bus that is, says so', () =>
    withKeyring(
      async (env) => {
        const answer = await keychain(env, 'save', 'rimal', 'one')
        expect(answer).toMatchObject({
          code: 'KEYCHAIN_UNAVAILABLE',
          hint: expect.stringMatching(threeChoices),
        })
      },
      {daemon: false},
    ))

  test('that is locked says so', () =>
    withKeyring(async (env, keyring) => {
      await keychain(env, 'save', 'rimal', 'one')
      keyring.lock()
      for (const action of ['read', 'save', 'remove']) {
        const answer = await keychain(env, action, 'rimal', 'two')
        expect(answer).toMatchObject({
          code: 'KEYCHAIN_UNAVAILABLE',
          hint: expect.stringMatching(threeChoices),
        })
        expect(answer.message).toContain('locked')
      }
    }))

  test(
    'that hangs ends the call, the process goes on in the meantime, and it keeps what it had',
    () =>
      withKeyring(async (env, keyring) => {
        await keychain(env, 'save', 'rimal', 'one')
        keyring.freeze()
        const answer = await keychain(env, 'save', 'rimal', 'two')
        expect(answer).toMatchObject({
          code: 'KEYCHAIN_UNAVAILABLE',
          hint: expect.stringMatching(threeChoices),
        })
        expect(answer.message).toMatch(/did not answer/)
        expect(answer.ticks).toBeGreaterThan(10)
        keyring.thaw()
        expect(await keychain(env, 'read', 'rimal')).toEqual({value: 'one'})
      }),
    20_000,
  )

  test(
    'whose whole bus hangs ends the call',
    () =>
      withKeyring(async (env, keyring) => {
        keyring.freezeBus()
        const answer = await keychain(env, 'read', 'rimal')
        expect(answer).toMatchObject({
          code: 'KEYCHAIN_UNAVAILABLE',
          hint: expect.stringMatching(threeChoices),
        })
        expect(answer.message).toContain('within 3 seconds')
      }),
    20_000,
  )
})

describe('the file of secrets', () => {
  const place = (account: string) => ({kind: 'file', account}) as const
  const folders = () => {
    const root = folder()
    return {config: join(root, 'config'), state: join(root, 'state')}
  }

  test('has mode 0600 and keeps each account by itself', async () => {
    const at = folders()
    await saveSecret(at, place('rimal'), 'one')
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => saveSecret(at, place(name), name)))
    expect(statSync(join(at.config, 'credentials.json')).mode & 0o777).toBe(0o600)
    expect(await readSecret(at, place('rimal'))).toBe('one')
    expect(await readSecret(at, place('d'))).toBe('d')
    expect(await removeSecret(at, place('rimal'))).toBe(true)
    expect(await removeSecret(at, place('rimal'))).toBe(false)
    expect(await readSecret(at, place('rimal'))).toBeUndefined()
    expect(await readSecret(at, place('constructor'))).toBeUndefined()
  })

  test('is refused where others can read it', async () => {
    const at = folders()
    await saveSecret(at, place('rimal'), 'one')
    chmodSync(join(at.config, 'credentials.json'), 0o644)
    await expect(readSecret(at, place('rimal'))).rejects.toMatchObject({code: 'FOREIGN_FILE'})
  })

  test.each(['', '{', '[]', '{"version":2,"secrets":{}}', '{"version":1,"secrets":{"a":1}}'])(
    'that is not a credentials file (%j) is refused and stays as it is',
    async (content) => {
      const at = folders()
      mkdirSync(at.config, {recursive: true})
      const path = join(at.config, 'credentials.json')
      writeFileSync(path, content, {mode: 0o600})
      await expect(readSecret(at, place('a'))).rejects.toMatchObject({code: 'CORRUPT_FILE'})
      await expect(saveSecret(at, place('a'), 'x')).rejects.toMatchObject({code: 'CORRUPT_FILE'})
      expect(readFileSync(path, 'utf8')).toBe(content)
    },
  )
})
