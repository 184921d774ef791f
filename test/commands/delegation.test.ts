import {readdirSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, it} from 'vitest'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import {userOf} from '../support/service.ts'
import type {Sandbox} from '../support/types.ts'

let sandbox: Sandbox
let env: NodeJS.ProcessEnv
const ids: Record<string, string> = {}

beforeAll(async () => {
  sandbox = await createSandbox({limits: false})
  for (const {name, partnerId} of sandbox.credentials) ids[name] = partnerId
  ids.grandchild = below(ids['Rimal Online'] ?? '', 'kiosk', 77_700)
  ids.greatGrandchild = below(ids.grandchild, 'window', 88_800)
  const {clientId, clientSecret} = sandbox.credentials[0] ?? {}
  env = userOf(await sandbox.listen(), {SCENT_CLIENT_ID: clientId, SCENT_CLIENT_SECRET: clientSecret})
})

afterAll(() => sandbox.close())

/** A new partner below another one, with one entry in its ledger. */
function below(parent: string, clientId: string, wallet: number): string {
  const {world} = sandbox.state
  const id = world.id('partner')
  world.run(
    `INSERT INTO partners SELECT ?1, ?2, ?2, id, path || '/' || ?1, environment, ?2, 1, 1, 1, 1,
       NULL, 'SAR', 14, 0, ?4 FROM partners WHERE id = ?3`,
    id,
    clientId,
    parent,
    wallet,
  )
  const entry = `INSERT INTO ledger (partner_id, seq, type, amount, balance_before, balance_after, reference_type, reference_id, at)
    VALUES (?1, 1, 'Credit', ?2, 0, ?2, 'TopUp', 'x', 0)`
  world.run(entry, id, wallet)
  return id
}

const as = (partner: string | undefined, ...argv: string[]) =>
  scent({...env, ...(partner && {SCENT_ON_BEHALF_OF: partner})}, argv)
const balance = async (partner?: string) =>
  JSON.parse((await as(partner, 'wallet', 'balance', '--query', 'balanceAfter')).stdout)
const mints = () => sandbox.state.requests.list().filter(({operation}) => operation === 'mintToken').length

it('each partner that is acted for has its own token, kept apart from the others', async () => {
  const own = await balance()
  for (let round = 0; round < 2; round += 1) {
    expect(await balance(ids.grandchild)).toBe(777)
    expect(await balance(ids.greatGrandchild?.toUpperCase())).toBe(888)
    expect(await balance(ids.greatGrandchild)).toBe(888)
    expect(await balance()).toBe(own)
  }
  expect(mints()).toBe(3)
  const files = (name: string) => readdirSync(join(env.SCENT_STATE_DIR ?? '', name))
  expect(files('tokens').filter((name) => name.endsWith('.json'))).toHaveLength(3)
  // The quota is the credential's, whomever it acts for.
  expect(files('quotas').filter((name) => name.endsWith('.requests.json'))).toHaveLength(1)
})

it('auth status says for whom, and whether that works', async () => {
  const status = async (partner: string | undefined, source: 'flag' | 'variable') => {
    const argv = ['auth', 'status', '--json', ...(source === 'flag' ? ['--as', partner ?? ''] : [])]
    const {code, stdout} = await as(source === 'variable' ? partner : undefined, ...argv)
    const {usable, settings, error} = JSON.parse(stdout)
    const row = settings.find(({setting}: {setting: string}) => setting === 'as')
    return {code, usable, source: row.source, value: row.value, state: error?.state}
  }
  const grandchild = {code: 0, usable: true, value: ids.grandchild, state: undefined}
  expect(await status(ids.grandchild, 'flag')).toEqual({...grandchild, source: '--as'})
  expect(await status(ids.grandchild, 'variable')).toEqual({...grandchild, source: 'SCENT_ON_BEHALF_OF'})
  const refused = {code: 4, usable: false, source: '--as'}
  expect(await status(ids['Warda Boutique'], 'flag')).toMatchObject({
    ...refused,
    state: 'FORBIDDEN_NOT_YOUR_DESCENDANT',
  })
  expect(await status(ids['Rimal Retail'], 'flag')).toMatchObject({
    ...refused,
    state: 'FORBIDDEN_DELEGATION_TARGET_INVALID',
  })
})
