// The line that tells of a newer version: by the built program in real terminals, with a registry on this machine.
import {existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs'
import type {ServerResponse} from 'node:http'
import {dirname, join} from 'node:path'
import {describe, expect, test, vi} from 'vitest'
import {folder} from '../support/program.ts'
import {drawn, inTerminal, oneLine} from '../support/pty.ts'
import {scent} from '../support/scent.ts'
import {serve, serveSocket, type TestServer} from '../support/server.ts'
import {userOf} from '../support/service.ts'

const {version} = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
const DAY_MS = 86_400_000
const explain = ['explain', 'RATE_LIMITED']
const HINT = `scent 9.1.0 is there (this is ${version}): npm install -g scent-cli`

const newest = (latest: unknown) => (_: unknown, response: ServerResponse) =>
  void response.end(JSON.stringify({name: 'scent-cli', 'dist-tags': {latest, next: '10.0.0'}}))

/** A user who has never been told anything, and asks that registry. */
function someone(registry: string, more: NodeJS.ProcessEnv = {}) {
  const cache = folder()
  const file = join(cache, 'scent/update.json')
  const env = userOf('http://127.0.0.1:1', {
    ...{XDG_CACHE_HOME: cache, SCENT_NO_UPDATE_CHECK: '', npm_config_registry: registry, ...more},
  })
  const kept = () => JSON.parse(readFileSync(file, 'utf8'))
  return {
    env,
    file,
    kept,
    at: async (columns: number, argv = explain) => inTerminal(env, argv, {columns}),
    ask: () => scent(env, ['update-check']),
    keep(record: unknown) {
      mkdirSync(join(cache, 'scent'), {recursive: true, mode: 0o700})
      writeFileSync(file, typeof record === 'string' ? record : JSON.stringify(record), {mode: 0o600})
    },
    answered: () => vi.waitFor(() => expect(kept().latest).toMatch(/^\d/), {timeout: 60_000, interval: 50}),
  }
}

describe('a newer version', () => {
  test('is asked for behind the back of a command, and told once by a later one', async () => {
    const registry = await serve(newest('9.1.0'))
    const user = someone(`${registry.url.replace('//', '//me:canary-7c31@')}/npm`)
    const first = await user.at(80)
    expect(first).toMatchObject({code: 0, text: expect.not.stringContaining('9.1.0')})
    await user.answered()
    const second = await user.at(80)
    expect(second.text).toBe(`${first.text}${HINT}\n`)
    // Not again today, and nobody is asked again.
    expect(await user.at(80)).toEqual(first)
    expect(registry.seen).toHaveLength(1)
    const [{method, url, headers, body} = {headers: {}}] = registry.seen
    expect({method, url, body}).toEqual({method: 'GET', url: '/npm/scent-cli', body: ''})
    expect(Object.keys(headers).sort()).toEqual(['accept', 'connection', 'host'])
    await registry.close()
  })

  test('is told and asked for again a day later, also if the clock was set back, at any width', async () => {
    const registry = await serve(newest('9.1.0'))
    for (const [at, away] of [DAY_MS, -DAY_MS - 60_000].entries()) {
      const user = someone(registry.url)
      const then = Date.now() - away
      user.keep({askedAt: then, latest: '9.1.0', toldAt: then})
      const {code, text} = await user.at(40)
      expect(code).toBe(0)
      expect(oneLine(text)).toContain(HINT)
      expect(drawn(text, 40).broken).toEqual([])
      await vi.waitFor(() => expect(registry.seen).toHaveLength(at + 1), {timeout: 60_000})
    }
    await registry.close()
  })

  test.each<[string, string[], NodeJS.ProcessEnv]>([
    ['in CI', explain, {CI: 'true'}],
    ['if it is switched off', explain, {SCENT_NO_UPDATE_CHECK: '1'}],
    ['with --json', [...explain, '--json'], {}],
    ['with --output', [...explain, '--output', 'csv'], {}],
    ['with a query', [...explain, '--query', 'code'], {}],
    ['by what completes', ['complete', 'variants', 'cart add', '--', ''], {}],
    ['behind an error', ['explain', 'NONSENSE', '--json'], {}],
    ['by help', ['explain', '--help'], {}],
  ])('is neither told nor asked for %s', async (_, argv, more) => {
    const registry = await serve(newest('9.1.0'))
    const user = someone(registry.url, more)
    user.keep({askedAt: 0, latest: '9.1.0', toldAt: 0})
    const {text} = await user.at(100, argv)
    expect(text).not.toContain('9.1.0')
    expect(user.kept()).toEqual({askedAt: 0, latest: '9.1.0', toldAt: 0})
    expect(registry.connections()).toBe(0)
    await registry.close()
  })

  test('is not looked for in a pipe, where nothing of it is loaded', async () => {
    const registry = await serve(newest('9.1.0'))
    const user = someone(registry.url)
    expect(await scent(user.env, explain)).toMatchObject({code: 0, stderr: ''})
    expect(existsSync(user.file)).toBe(false)
    expect(registry.connections()).toBe(0)
    await registry.close()
  })

  test.each([
    ['0.0.1', false],
    [version, false],
    ['9.1.0', true],
    ['10.0.0', true],
    ['9.1', false],
    ['9.1.0\u001b[2J', false],
    [{}, false],
    ['x'.repeat(5_000), false],
  ])('is told if what is kept is %j: %j', async (latest, told) => {
    const user = someone('http://127.0.0.1:1')
    user.keep({askedAt: Date.now(), latest, toldAt: 0})
    const {code, text} = await user.at(100)
    expect(code).toBe(0)
    expect(text.includes(' is there (this is ')).toBe(told)
    expect(text).not.toContain('\u001b[2J')
  })
})

describe('a registry', () => {
  test('that never answers holds up no command', async () => {
    const silent = await serveSocket(() => {})
    const user = someone(silent.url)
    expect(await user.at(80)).toMatchObject({code: 0})
    await vi.waitFor(() => expect(silent.connections()).toBe(1), {timeout: 60_000})
    // The next one asks no second time.
    expect(await user.at(80)).toMatchObject({code: 0})
    expect(silent.connections()).toBe(1)
    await silent.close()
  })

  const endless = (_: unknown, response: ServerResponse) => {
    const more = () => {
      while (!response.destroyed) if (!response.write(' '.repeat(1_000_000))) break
    }
    response.on('drain', more)
    more()
  }
  const drop = (_: unknown, response: ServerResponse) => {
    response.write('{')
    const timer = setInterval(() => response.write(' '), 100)
    response.on('close', () => clearInterval(timer))
  }
  const says =
    (text: string | Buffer, status = 200) =>
    (_: unknown, response: ServerResponse) =>
      void response.writeHead(status, {location: 'http://127.0.0.1:1/'}).end(text)

  test.concurrent.each<[string, (_: unknown, response: ServerResponse) => void]>([
    ['an endless text', endless],
    ['drop by drop', drop],
    ['nothing', says('')],
    ['a page', says('<html>')],
    ['another document', says('{"dist-tags": null}')],
    ['a list', says('[]')],
    ['bytes', says(Buffer.from([0xff, 0xfe, 0x00]))],
    ['a redirect', says('{"dist-tags": {"latest": "9.1.0"}}', 302)],
    ['an error', says('{"dist-tags": {"latest": "9.1.0"}}', 500)],
    ['a version for few', newest('9.1.0-rc.1')],
    ['control characters', newest('9.1.0\u001b[31m')],
    ['a line more', newest('9.1.0\n')],
    ['an endless number', newest(`${'9'.repeat(400)}.0.0`)],
    ['no text', newest(9)],
    ['a command', newest('9.1.0; rm -rf ~')],
  ])(
    'that answers with %s is not believed',
    async (_, handle) => {
      const registry = await serve(handle)
      const user = someone(registry.url)
      expect(await user.ask()).toEqual({code: 0, stdout: '', stderr: ''})
      expect(registry.seen).toHaveLength(1)
      expect(existsSync(user.file)).toBe(false)
      await registry.close()
    },
    60_000,
  )

  test.each([
    'http://127.0.0.1:1',
    'https://nowhere.invalid',
    'http://registry.example.com',
    'nonsense',
    'file:///etc/passwd',
  ])('at %s is given up without a word', async (url) => {
    const user = someone(url)
    expect(await user.ask()).toEqual({code: 0, stdout: '', stderr: ''})
    expect(existsSync(user.file)).toBe(false)
  })

  test('is asked through the proxy that requests go through', async () => {
    let heard = ''
    const proxy: TestServer = await serveSocket((socket) => {
      socket.on('data', (bytes) => {
        heard += bytes
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      })
    })
    const user = someone('https://registry.example.com', {HTTPS_PROXY: proxy.url})
    expect(await user.ask()).toEqual({code: 0, stdout: '', stderr: ''})
    expect(heard).toMatch(/^CONNECT registry\.example\.com:443 /)
    await proxy.close()
  })
})

test('a folder that takes no file has nobody asked, and no command fails', async () => {
  const registry = await serve(newest('9.1.0'))
  const place = join(folder(), 'file')
  writeFileSync(place, '')
  const user = someone(registry.url, {XDG_CACHE_HOME: place})
  expect(await user.at(80)).toMatchObject({code: 0, text: expect.not.stringMatching(/update|Warning|bug/)})
  const other = join(folder(), 'other')
  writeFileSync(other, 'mine')
  const link = someone(registry.url)
  mkdirSync(join(link.env.XDG_CACHE_HOME ?? '', 'scent'), {mode: 0o700})
  symlinkSync(other, link.file)
  expect(await link.at(80)).toMatchObject({code: 0})
  expect(readFileSync(other, 'utf8')).toBe('mine')
  expect(registry.connections()).toBe(0)
  await registry.close()
})

test('where it is kept is named by doctor', async () => {
  const user = someone('http://127.0.0.1:1')
  user.keep({askedAt: Date.now(), latest: version, toldAt: 0})
  const {stdout} = await scent(user.env, ['doctor', '--json'])
  expect(stdout).toContain(dirname(user.file))
})
