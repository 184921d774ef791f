// What came to a listener before the first login: the inbox of the login says that it is there, and one line brings it over.
import {readdirSync, rmSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {listening} from '../support/listening.ts'
import {scentAmongMany} from '../support/many.ts'
import {inTerminal, oneLine} from '../support/pty.ts'
import {type Ran, scent} from '../support/scent.ts'
import {emptyUser, openBare} from '../terminal/stage.ts'
import {eventBody, HOUR, noticeOf} from './records.ts'

const verified = 'c6c0dd6c-5d76-4b5d-9eff-250400d2b556'
const unchecked = 'd7c0dd6c-5d76-4b5d-9eff-250400d2b557'
const refused = 'e8c0dd6c-5d76-4b5d-9eff-250400d2b558'
const imported = 'f9c0dd6c-5d76-4b5d-9eff-250400d2b559'
const closed = 'a1c0dd6c-5d76-4b5d-9eff-250400d2b55a'
const raised = (id: string, more: object = {}) =>
  eventBody(`event-${id.slice(0, 4)}`, noticeOf(id, Date.now() - HOUR, more))
const login = ['auth', 'login', '--sandbox', '--storage', 'file']

let stage: Awaited<ReturnType<typeof openBare>>
const run = (...argv: string[]) => scentAmongMany(stage.env, argv)
const json = async (...argv: string[]) => JSON.parse((await run(...argv, '--json')).stdout)
const reasons = async (): Promise<{code: string; says: string; next: string}[]> =>
  (await json('notices', 'inbox')).blind
const apart = async () => (await reasons()).filter(({code}) => code === 'without-login')

/** What a line in backticks does, as it is printed. */
const typed = (line = ''): Promise<Ran> => scent(stage.env, line.split(' ').slice(1))

beforeAll(async () => {
  stage = await openBare()
  const checking = await listening(stage.env)
  expect(await checking.send(raised(verified))).toBe(200)
  expect(await checking.send(raised(closed, {status: 'Resolved', responseChoice: 'CancelWhole'}))).toBe(200)
  expect(await checking.send(raised(refused), {secret: 'another'})).toBe(401)
  await checking.stop()
})
afterAll(() => stage.close())

test('before a login it is open, and who answers it is told to log in', async () => {
  const {items, blind} = await json('notices', 'inbox')
  expect(items.map(({id}: {id: string}) => id)).toEqual([verified])
  expect(blind.map(({code}: {code: string}) => code)).not.toContain('without-login')
  for (const argv of [
    ['respond', verified, '--choice', 'CancelWhole', '--yes'],
    ['inbox', '--check'],
    ['import', '--without-login'],
  ]) {
    const {code, stderr} = await scent(stage.env, ['notices', ...argv])
    expect(code, argv.join(' ')).toBe(3)
    expect(stderr).toContain('scent auth login')
  }
})

describe('after the login', () => {
  beforeAll(async () => {
    expect((await scent(stage.env, login)).code).toBe(0)
  })

  test('the inbox, the notice and the doctor say where it is, and the line as printed brings it over, with its trust', async () => {
    const {stderr, stdout} = await run('notices', 'inbox', '--all')
    expect(stdout + stderr).toMatch(
      /! 1 notice was received here without a login, is open, and is not in this inbox until you take it in\.[^`]*`scent notices import --without-login`/,
    )
    const shown = await run('notices', 'show', verified)
    expect(shown.code).toBe(5)
    expect(shown.stderr.replace(/\s+/g, ' ')).toContain(
      `Notice ${verified} was received here without a login, and is not in this inbox until you take it in.`,
    )
    expect(shown.stderr).toContain('`scent notices import --without-login`')
    // Another one is not known, and nothing claims that it is.
    expect((await run('notices', 'show', unchecked)).stderr).toContain('Nothing here tells of notice')
    const {items: checks} = await json('doctor')
    const inbox = checks.find(({check}: {check: string}) => check === 'inbox')
    expect(inbox).toMatchObject({state: 'warning', next: '`scent notices import --without-login`'})
    expect(inbox.detail).toContain('1 notice was received here without a login')

    const [reason, ...others] = await apart()
    expect(others).toEqual([])
    const brought = await typed(reason?.next)
    expect(brought.code, brought.stderr).toBe(0)
    const {items} = await json('notices', 'inbox')
    expect(items).toMatchObject([{id: verified, desk: {state: 'open', trust: 'imported'}}])
    // What was refused stays there, and what is closed is known as that.
    expect((await json('notices', 'show', closed)).desk.state).not.toBe('open')
    expect((await run('notices', 'show', refused)).code).toBe(5)
    expect(await apart()).toEqual([])
    const again = await typed(reason?.next)
    expect([again.code, again.stderr]).toEqual([
      0,
      expect.stringContaining('0 texts taken in; 2 known before'),
    ])
  })

  test('what was not checked there is unchecked here, and what was imported there comes as well', async () => {
    const {SCENT_CONFIG_DIR: config = ''} = stage.env
    // As if nobody had logged in: the listener runs with other settings, and the same records.
    const before = {...stage.env, SCENT_CONFIG_DIR: join(config, 'before'), SCENT_WEBHOOK_SECRET: ''}
    const open = await listening(before)
    expect(await open.send(raised(unchecked))).toBe(200)
    await open.stop()
    const file = await scent(before, ['notices', 'import', '-'], raised(imported))
    expect(file.code, file.stderr).toBe(0)
    const [reason] = await apart()
    expect(reason?.says).toContain('2 notices were received here without a login, are open')
    expect((await typed(reason?.next)).code).toBe(0)
    const {items} = await json('notices', 'inbox')
    const trust = Object.fromEntries(
      items.map(({id, desk}: {id: string; desk: {trust: string}}) => [id, desk.trust]),
    )
    expect(trust).toEqual({[verified]: 'imported', [unchecked]: 'unchecked', [imported]: 'imported'})
  })

  test('records from before the login that are damaged are said, and the inbox is there all the same', async () => {
    const records = join(stage.env.SCENT_STATE_DIR ?? '', 'records')
    const name = readdirSync(records).find((one) => one.startsWith('local-')) ?? ''
    const path = join(records, name, 'inbox.ndjson')
    writeFileSync(path, '{"not": "a header"}\n{"not": "a record"}\n')
    const {items, blind} = await json('notices', 'inbox')
    expect(items).toHaveLength(3)
    expect(blind).toContainEqual(
      expect.objectContaining({code: 'store', says: expect.stringContaining('without a login')}),
    )
    const {code, stderr} = await run('notices', 'show', refused)
    expect([code, stderr]).toEqual([5, expect.stringContaining('Nothing here tells of notice')])
    rmSync(path)
  })
})

test('a file and the flag, neither of them, and nothing that was received: each is said, with the way out', async () => {
  const env: NodeJS.ProcessEnv = {
    ...emptyUser(),
    SCENT_BASE_URL: stage.baseUrl,
    SCENT_CLIENT_ID: 'a',
    SCENT_CLIENT_SECRET: 'b',
  }
  const ran = (...argv: string[]) => scent(env, ['notices', 'import', ...argv])
  expect(await ran('x.json', '--without-login')).toMatchObject({
    ...{code: 2, stderr: expect.stringContaining('Leave one of them out.')},
  })
  expect(await ran()).toMatchObject({code: 2, stderr: expect.stringContaining('--without-login')})
  // A person is asked for the file, as for whatever else is missing.
  const file = join(env.HOME ?? '', 'notice.json')
  writeFileSync(file, JSON.stringify(noticeOf(imported, Date.now())))
  const asked = await inTerminal(env, ['notices', 'import'], {
    columns: 100,
    answers: [['(FILE)', `${file}\r`]],
  })
  expect([asked.code, oneLine(asked.text)]).toEqual([0, expect.stringContaining('1 text taken in')])
  expect(await ran('--without-login')).toMatchObject({
    ...{code: 5, stderr: expect.stringContaining('was received here without a login')},
  })
})
