import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {saveLocator} from '../../src/store/sandbox.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import {folder} from '../support/program.ts'
import {page, service, userOf} from '../support/service.ts'

const entry = (before: string, after: string, at: number) =>
  `{"transactionType":"Debit","amount":1.00,"balanceBefore":${before},"balanceAfter":${after},"currency":"SAR","timestamp":"2026-01-0${at}T00:00:00Z"}`
const whole = [entry('20.10', '19.10', 3), entry('21.10', '20.10', 2)]
const torn = [...whole, entry('30.00', '25.00', 1)]
const statement = (debits: string) =>
  `{"statementNumber":"ST-1","currency":"SAR","totalDebits":${debits},"document":{"totalDebits":${debits},"lines":[{"transactionType":"Debit","amount":10.50},{"transactionType":"Debit","amount":0.10}]}}`

let shop: Awaited<ReturnType<typeof service>>
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  shop = await service(({url}) => {
    const {pathname, searchParams} = new URL(url, 'http://x')
    if (pathname.endsWith('/transactions')) {
      const rows = {'2026-01-01': torn, '2026-01-02': whole, '2026-01-03': whole.slice(0, 1)}
      return page(rows[searchParams.get('fromUtc') as keyof typeof rows] ?? [], {pageSize: 100})
    }
    return statement(url.endsWith('0') ? '10.60' : '10.70')
  })
  env = userOf(shop.url)
})

afterAll(() => shop.close())

const check = (from: string, ...more: string[]) =>
  scent(env, ['wallet', 'transactions', '--check', '--from', from, ...more])
const id = (end: number) => `6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f4${end}`

describe('wallet transactions --check', () => {
  it('prints the gaps, names the finding on stderr, and exits with 8', async () => {
    const {code, stdout, stderr} = await check('2026-01-01')
    expect([code, stdout]).toEqual([8, '2026-01-02T00:00:00Z\t21.10\t2026-01-01T00:00:00Z\t25.00\n'])
    expect(stderr).toMatch(/^Error: 3 entries, with 1 gap in their balances\. \(LEDGER_GAP\)\nNext: /)
  })

  it('keeps its document under --json', async () => {
    const {code, stdout, stderr} = await check('2026-01-01', '--json')
    expect([code, JSON.parse(stdout)]).toEqual([
      8,
      {entries: 3, unbroken: false, gaps: [expect.objectContaining({expected: 21.1, found: 25})]},
    ])
    expect(stdout).toContain('21.10')
    expect(stderr).toContain('LEDGER_GAP')
  })

  it.each([
    ['2026-01-02', '2 entries, and their balances follow from each other.\n'],
    ['2026-01-03', 'There is one entry in this window, and no other to check its balance against.\n'],
    ['2026-01-04', 'There is no entry in this window, so there is nothing to check.\n'],
  ])('from %s exits with 0: %s', async (from, said) => {
    expect(await check(from)).toEqual({code: 0, stdout: '', stderr: said})
  })
})

describe.each([
  ['statements get', (end: number) => ['statements', 'get', id(end)]],
  [
    'statements report',
    (end: number) => ['statements', 'report', '--from', '2026-01-01', '--to', `2026-01-1${end}`],
  ],
])('%s', (_, argv) => {
  const fault = 'totalDebits is stated as 10.70 SAR, and its lines add up to 10.60 SAR.'

  it('whose totals are not the sums of its lines prints it whole, and warns', async () => {
    for (const more of [[], ['--json']]) {
      const {code, stdout, stderr} = await scent(env, [...argv(1), ...more])
      expect([code, stderr]).toEqual([
        0,
        expect.stringContaining(`Warning: ${fault} Ask the account manager`),
      ])
      expect(stdout).toMatch(more.length > 0 ? /"totalDebits": 10\.70/ : /10\.50/)
    }
  })

  it('of which --check finds the same exits with 8', async () => {
    const {code, stdout, stderr} = await scent(env, [...argv(1), '--json', '--check'])
    expect([code, stdout]).toEqual([8, expect.stringContaining('"totalDebits": 10.70')])
    expect(JSON.parse(stdout)).not.toHaveProperty('error')
    expect(stderr).toContain(`Error: ${fault} (STATEMENT_MISMATCH)\n`)
  })

  it('whose totals are those sums exits with 0', async () => {
    const {code, stderr} = await scent(env, [...argv(0), '--check'])
    expect([code, stderr]).toEqual([0, 'Its totals are the sums of its lines.\n'])
  })
})

describe('sandbox status --check', () => {
  it('of a database that breaks its rules prints it all, and exits with 1', async () => {
    const sandbox = await createSandbox()
    const state = join(folder(), 'state')
    const user = {PATH: process.env.PATH, SCENT_STATE_DIR: state, SCENT_CONFIG_DIR: state}
    const {adminToken, credentials} = sandbox
    const baseUrl = await sandbox.listen()
    const where = {baseUrl, adminUrl: `${baseUrl}/__sandbox/v1`, adminToken, pid: process.pid, credentials}
    saveLocator({config: state, state}, where)
    try {
      const sound = await scent(user, ['sandbox', 'status', '--check', '--query', 'violations'])
      expect(sound).toEqual({code: 0, stdout: '[]\n', stderr: ''})
      sandbox.state.world.run('UPDATE partners SET wallet = wallet + 1 WHERE name = ?', 'Rimal Retail')
      const {code, stdout, stderr} = await scent(user, ['sandbox', 'status', '--check', '--json'])
      expect([code, JSON.parse(stdout).violations]).toEqual([
        1,
        [{invariant: 'a wallet holds its last balance', ids: [expect.any(String)]}],
      ])
      expect(stderr).toMatch(/^Error: .* a wallet holds its last balance \(.*\)\. \(SANDBOX_BROKEN\)\n/)
    } finally {
      await sandbox.close()
    }
  })
})
