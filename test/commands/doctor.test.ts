import {mkdirSync, readdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {bareHome, noKeyring, withKeyring} from '../support/keyring.ts'
import {scent} from '../support/scent.ts'
import {answer, serve} from '../support/server.ts'

let service: Awaited<ReturnType<typeof serve>>
beforeAll(async () => {
  service = await serve((_, response) =>
    answer(response, 200, 'SUCCESS', {accessToken: 'token', tokenType: 'Bearer', expiresIn: 300}),
  )
})
afterAll(() => service.close())

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

  test('without a credential says what is missing', async () => {
    const {code, report} = await doctor(bareHome())
    expect(code).toBe(3)
    expect(report.error?.state).toBe('NO_CREDENTIALS')
    expect(states(report)).toMatchObject({credential: 'failed', keychain: 'failed', service: 'skipped'})
  })
})

test.skipIf(noKeyring())('doctor tries the keychain where a login would need it', () =>
  withKeyring(async (env) => {
    expect(states((await doctor(env)).report)).toMatchObject({credential: 'failed', keychain: 'ok'})
  }),
)
