import {spawn} from 'node:child_process'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {parseJson, printJson} from '../../src/contract/money.ts'
import {scentAmongMany as run} from '../support/many.ts'
import {bin} from '../support/scent.ts'
import {page, service, userOf} from '../support/service.ts'

/** Digits that a double would change, and a field that nobody knows yet. */
const entry = (at: number, amount: string) =>
  `{"transactionType":"Debit","amount":${amount},"balanceBefore":100.00,"balanceAfter":0.10,"currency":"SAR","referenceType":"Order","timestamp":"2026-01-31T10:00:0${at}Z","transactionId":9007199254740993,"later":{"new":1.0}}`

const odd = '6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43'
let shop: Awaited<ReturnType<typeof service>>
let slow: Awaited<ReturnType<typeof service>>
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  shop = await service(({url}) => {
    const {pathname, searchParams} = new URL(url, 'http://x')
    if (pathname === '/api/v1/wallet/transactions') {
      const at = Number(searchParams.get('page') ?? 1)
      const amounts = [['10.50', '0.10'], ['7', '1e2'], ['5.00']][at - 1] ?? []
      return page(
        amounts.map((amount) => entry(at, amount)),
        {page: at, pageSize: 2, totalCount: 5},
      )
    }
    if (pathname.endsWith('/torn') && searchParams.get('page') === '2')
      return {status: 403, state: 'FORBIDDEN'}
    if (pathname.endsWith('/none')) return page([])
    if (pathname.endsWith(`${odd}/active`)) return '{"done":true}'
    if (pathname.endsWith('/active')) return '{"id":"w-1","isActive":true}'
    if (pathname.endsWith('/endless') || pathname.endsWith('/torn'))
      return page(Array(100).fill(entry(1, '1.0')), {pageSize: 100, totalCount: 1e9})
    if (pathname === '/api/v1/scent/variants') {
      const at = Number(searchParams.get('page'))
      const rows = Array.from(
        {length: 100},
        (_, row) => `{"id":"00000000-0000-4000-8000-${String(at * 100 + row).padStart(12, '0')}"}`,
      )
      return page(rows, {page: at, pageSize: 100, totalCount: 1e9})
    }
    return {status: 404, state: 'NOT_FOUND_ROUTE'}
  })
  const wide = `{"amount":1,"note":"${'x'.repeat(1000)}"}`
  slow = await service(({url}) => {
    const at = Number(new URL(url, 'http://x').searchParams.get('page'))
    return page(
      Array.from({length: 100}, (_, row) => `{"amount":${at * 100 + row},"note":${wide}}`),
      {page: at, pageSize: 100, totalCount: 1e9},
    )
  })
  env = userOf(shop.url)
})

afterAll(() => Promise.all([shop.close(), slow.close()]))

const scent = (line: string, more: NodeJS.ProcessEnv = {}) =>
  run({...env, ...more}, line.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? [])

describe('--json', () => {
  it('prints the payload as it came, digit for digit, with the fields nobody knows', async () => {
    const {code, stdout, stderr} = await scent('wallet transactions --json --page-size 2')
    expect({code, stderr}).toEqual({code: 0, stderr: ''})
    for (const digits of ['10.50', '0.10', '100.00', '9007199254740993', '1.0'])
      expect(stdout).toContain(digits)
    expect(Object.keys(JSON.parse(stdout))).toEqual(['items', 'pagination'])
    expect(JSON.parse(stdout).items[0].later).toEqual({new: 1})
  })

  it('is the same as --output json, SCENT_OUTPUT=json, and the query @', async () => {
    const [one, ...others] = await Promise.all([
      scent('wallet transactions --json'),
      scent('wallet transactions --output json'),
      scent('wallet transactions', {SCENT_OUTPUT: 'json'}),
      scent('wallet transactions --query @', {SCENT_OUTPUT: 'csv'}),
      scent('wallet transactions --json', {SCENT_OUTPUT: 'table'}),
    ])
    for (const other of others) expect(other).toEqual(one)
  })

  it('leaves the pagination out where the pages are followed', async () => {
    const all = JSON.parse((await scent('wallet transactions --json --all --page-size 2')).stdout)
    expect(Object.keys(all)).toEqual(['items'])
    expect(all.items).toHaveLength(5)
    const three = JSON.parse((await scent('wallet transactions --json --limit 3 --page-size 2')).stdout)
    expect([Object.keys(three), three.items.length]).toEqual([['items'], 3])
  })

  it.each([1, 200, 450])('prints a list of %i rows as if they had come at once', async (limit) => {
    const list = (...more: string[]) =>
      run(userOf(slow.url), ['wallet', 'transactions', '--limit', String(limit), ...more])
    const [rows, document] = await Promise.all([list('--output', 'ndjson'), list('--json')])
    const items = rows.stdout
      .trimEnd()
      .split('\n')
      .map((line) => parseJson(line))
    expect(items).toHaveLength(limit)
    expect(document.stdout).toBe(`${printJson({items})}\n`)
  })

  it('prints no row of a list that can not be read to its end', async () => {
    const {code, stdout} = await scent('api GET scent/torn --paginate --json')
    expect([code, Object.keys(JSON.parse(stdout))]).toEqual([4, ['error']])
    expect((await scent('api GET scent/none --paginate --json')).stdout).toBe('{\n  "items": []\n}\n')
  })

  it('also prints a result that is null', async () => {
    const empty = await service(() => page([]))
    const {code, stdout} = await run(userOf(empty.url), ['wallet', 'balance', '--json'])
    expect([code, stdout]).toEqual([0, 'null\n'])
    await empty.close()
  })
})

describe('--query', () => {
  it.each([
    ['items[0].transactionId', '9007199254740993'],
    ['items[0].amount', '10.50'],
    ['items[1].amount', '0.10'],
    ["'items[?amount > `10`].amount | [0]'", '10.50'],
    ["'sum(items[*].amount)'", '10.6'],
  ])('%s keeps the digits', async (expression, expected) => {
    expect(await scent(`wallet transactions --query ${expression}`)).toEqual({
      code: 0,
      stdout: `${expected}\n`,
      stderr: '',
    })
  })

  it('is refused before anything is sent where it is bad', async () => {
    const before = shop.seen.length
    const {code, stdout} = await scent('wallet transactions --query items[')
    expect([code, JSON.parse(stdout).error.state]).toEqual([2, 'INVALID_INPUT'])
    expect(shop.seen).toHaveLength(before)
  })
})

describe('rows in a pipe', () => {
  it('are separated by tabs, with the bare digits and ISO times, no header, no colour', async () => {
    const {stdout} = await scent('wallet transactions --page-size 2', {TZ: 'Asia/Riyadh'})
    expect(stdout).toBe(
      '2026-01-31T10:00:01Z\tDebit\tOrder\t10.50\t0.10\tSAR\n2026-01-31T10:00:01Z\tDebit\tOrder\t0.10\t0.10\tSAR\n',
    )
  })

  it('have colours where FORCE_COLOR asks for them, nowhere else', async () => {
    const {stderr} = await scent('explain NONSENSE', {FORCE_COLOR: '1'})
    expect(stderr).toContain('\u001b[31mError:')
    expect((await scent('explain NONSENSE', {FORCE_COLOR: '1', NO_COLOR: '1'})).stderr).not.toContain(
      '\u001b',
    )
  })

  it('past the last page are none, and stderr says so', async () => {
    const past = await scent('wallet transactions --page 99 --page-size 2')
    expect(past).toEqual({
      code: 0,
      stdout: '',
      stderr: 'The last page is 3. --all shows the 5 rows.\n',
    })
    expect((await scent('wallet transactions --page 99 --page-size 2 --json')).stderr).toBe('')
  })

  it('become CSV with a header, numbers as they came', async () => {
    const {stdout} = await scent('wallet transactions --output csv --all --columns amount,currency,timestamp')
    expect(stdout.split('\n').slice(0, 4)).toEqual([
      'amount,currency,timestamp',
      '10.50,SAR,2026-01-31T10:00:01Z',
      '0.10,SAR,2026-01-31T10:00:01Z',
      '7,SAR,2026-01-31T10:00:02Z',
    ])
  })

  it('become one JSON document a line', async () => {
    const {stdout} = await scent('wallet transactions --output ndjson --all --page-size 2')
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(5)
    expect(lines[0]).toContain('"amount":10.50')
    for (const line of lines) expect(JSON.parse(line).currency).toBe('SAR')
  })

  it('are chosen by --columns, and an unknown one is refused with the known ones', async () => {
    expect((await scent('wallet transactions --columns transactionType,amount --page-size 2')).stdout).toBe(
      'Debit\t10.50\nDebit\t0.10\n',
    )
    const {code, stderr} = await scent('wallet transactions --columns amuont')
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/no column "amuont"[\s\S]*timestamp, transactionType, referenceType, amount/),
    ])
  })

  it('are ndjson of the paths that --columns names', async () => {
    const {stdout} = await scent(
      'wallet transactions --output ndjson --columns transactionType,amount --page-size 2',
    )
    expect(stdout).toBe(
      '{"transactionType":"Debit","amount":10.50}\n{"transactionType":"Debit","amount":0.10}\n',
    )
  })

  it('wait for a slow reader, without a word', async () => {
    const child = spawn(
      process.execPath,
      [bin, 'wallet', 'transactions', '--limit', '2000', '--output', 'ndjson'],
      {
        env: userOf(slow.url),
      },
    )
    let stderr = ''
    let rows = 0
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    for await (const chunk of child.stdout) {
      rows += String(chunk).split('\n').length - 1
      await new Promise((wake) => setTimeout(wake, 2))
    }
    expect([rows, stderr]).toEqual([2000, ''])
  })

  it.each(['explain', 'explain --json', '--help'])(
    'that can not be written are a failure, which says what was done: %s',
    async (words) => {
      const child = spawn('sh', ['-c', `node ${bin} ${words} > /dev/full`], {env})
      let stderr = ''
      child.stderr.on('data', (chunk) => {
        stderr += chunk
      })
      const code = await new Promise((done) => child.on('close', done))
      expect([code, stderr]).toEqual([1, expect.stringContaining('could not be written (ENOSPC)')])
    },
  )

  it('of an endless list end with their reader, quietly, and are not kept', async () => {
    const child = spawn(process.execPath, [bin, 'catalog', 'variants', '--all', '--output', 'ndjson'], {
      env,
    })
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    const first = await new Promise<string>((done) =>
      child.stdout.once('data', (chunk) => done(String(chunk))),
    )
    child.stdout.destroy()
    const code = await new Promise((done) => child.on('close', done))
    expect([code, stderr]).toEqual([0, ''])
    expect(first.split('\n')[0]).toBe('{"id":"00000000-0000-4000-8000-000000000100"}')
    expect(shop.seen.filter(({url}) => url.includes('/variants')).length).toBeLessThan(200)
  })
})

describe('flags that do not go together', () => {
  it.each([
    ['--json --output csv', '--output csv does not go with --json'],
    ['--query @ --output table', '--output table does not go with --query'],
    ['--json --columns amount', '--columns goes with a table, CSV or ndjson'],
    ['--output yaml', '--output "yaml" is not one of table, json, ndjson, csv.'],
    ['--all --page 2', '--page does not go with --all.'],
    ['--page-size 101', 'Expected an integer less than or equal to 100'],
    ['--page 0', 'Expected an integer greater than or equal to 1'],
  ])('%s: %s', async (flags, message) => {
    const before = shop.seen.length
    const {code, stdout, stderr} = await scent(`wallet transactions ${flags}`)
    expect([code, stdout + stderr]).toEqual([2, expect.stringContaining(message)])
    expect(shop.seen).toHaveLength(before)
  })
})

describe('an answer to what has changed something', () => {
  const hook = 'aff5afa7-c6bd-4c04-b245-89e6b7e40128'

  it('is printed whole if an expression does not fit it, and says that the change stays', async () => {
    const {code, stdout, stderr} = await scent(`webhooks enable ${hook} --query abs(id)`)
    expect({code, answer: JSON.parse(stdout)}).toEqual({code: 2, answer: {id: 'w-1', isActive: true}})
    expect(stderr).toContain('what it changed stays changed')
  })

  it('is no failure if it lacks a column that the API names', async () => {
    for (const output of ['table', 'csv', 'ndjson']) {
      const {code, stderr} = await scent(`webhooks enable ${odd} --columns url,isActive --output ${output}`)
      expect({code, stderr}, output).toEqual({code: 0, stderr: ''})
    }
  })

  it.each([',', 'id,', ' '])('refuses the columns "%s" before anything is asked', async (columns) => {
    const before = shop.seen.length
    const {code, stderr} = await run(env, ['webhooks', 'enable', hook, '--columns', columns])
    expect({code, stderr}).toEqual({code: 2, stderr: expect.stringContaining('empty column')})
    expect(shop.seen.length).toBe(before)
  })
})
