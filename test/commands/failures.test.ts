import {spawn} from 'node:child_process'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {scentAmongMany as run} from '../support/many.ts'
import {bin} from '../support/scent.ts'
import {type Reply, service, userOf} from '../support/service.ts'

let reply: Reply | undefined
let shop: Awaited<ReturnType<typeof service>>
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  shop = await service(() => reply)
  env = userOf(shop.url)
})

afterAll(() => shop.close())

const scent = (...argv: string[]) => run(env, argv)
const get = (...more: string[]) => scent('api', 'GET', 'scent/thing', '--max-wait', '0', ...more)

it.each([
  ['webhooks timeline nope', 'SUBSCRIPTION'],
  ['webhooks deliveries nope', 'ID'],
  ['commissions object nope --reason x --yes', 'ID'],
  ['notices show nope', 'ID'],
])('%s is told the name of the argument as its help page has it', async (line, name) => {
  const help = await scent(...line.split(' ').slice(0, 2), '--help')
  expect(help.stdout).toMatch(new RegExp(`USAGE\n.* \\[?${name}\\b`))
  const {code, stderr} = await scent(...line.split(' '))
  expect([code, stderr]).toEqual([2, expect.stringContaining(`Error: ${name} "nope"`)])
})

describe('a refusal', () => {
  it.each([
    [400, 'VALIDATION_ERRORS', 6, 'fix'],
    [401, 'UNAUTHORIZED_INVALID_TOKEN', 3, 'fix'],
    [403, 'FORBIDDEN', 4, 'support'],
    [403, 'AUTH_ENVIRONMENT_MISMATCH', 3, 'login'],
    [404, 'NOT_FOUND_ORDER', 5, 'fix'],
    [405, 'METHOD_NOT_ALLOWED', 6, 'fix'],
    [409, 'CONFLICT_ORDER_DUPLICATE_REFERENCE', 8, 'settle'],
    [415, 'UNSUPPORTED_MEDIA_TYPE', 6, 'fix'],
    [422, 'BUSINESS_VARIANT_UNAVAILABLE', 7, 'decide'],
    [422, 'BUSINESS_NEWER_THAN_US', 7, 'fix'],
    [418, 'SOMETHING_NEW', 6, 'fix'],
  ])('of HTTP %i %s exits with %i and the remedy %s', async (status, state, exitCode, remedy) => {
    reply = {status, state, details: {orderId: 'x'}}
    const {code, stdout, stderr} = await get('--json')
    expect({code, stderr}).toEqual({code: exitCode, stderr: ''})
    expect(JSON.parse(stdout)).toEqual({
      error: {
        state,
        httpStatus: status,
        message: expect.any(String),
        details: {orderId: 'x'},
        hint: expect.any(String),
        requestId: 'request-1',
        exitCode,
        remedy,
      },
    })
  })

  it('over the rate exits with 9 and shows the wait that was asked for', async () => {
    reply = {status: 429, state: 'RATE_LIMITED', headers: {'retry-after': '900'}}
    const argv = ['wallet', 'balance', '--max-wait', '1']
    const {code, stderr} = await run(userOf(shop.url), argv)
    expect([code, stderr]).toEqual([9, expect.stringContaining('asks to wait 900 s')])
  })

  it('is told to a person on stderr, with its details, the request id and the next step', async () => {
    reply = {
      status: 400,
      state: 'VALIDATION_ERRORS',
      details: {errors: {'shippingAddress.city': ['must not be blank', 'must be text']}, allowed: ['a', 'b']},
    }
    const {code, stdout, stderr} = await get()
    expect([code, stdout]).toEqual([6, ''])
    expect(stderr.split('\n')).toEqual([
      'Error: The service refused some fields of the request. (VALIDATION_ERRORS, HTTP 400)',
      '  request: GET /api/v1/scent/thing',
      '  shippingAddress.city: must not be blank; must be text',
      '  allowed: a; b',
      '  request id: request-1',
      'Next: Correct the fields named in the details.',
      '',
    ])
  })

  it('leaves out what does not apply', async () => {
    const {stdout} = await scent('api', 'GET', 'https://elsewhere.example/api/v1/x', '--json')
    expect(Object.keys(JSON.parse(stdout).error)).toEqual(['state', 'message', 'hint', 'exitCode', 'remedy'])
  })
})

describe('no answer', () => {
  it('from a host that is not there exits with 10', async () => {
    const {code, stdout} = await run({...env, SCENT_BASE_URL: 'http://127.0.0.1:1'}, [
      'wallet',
      'balance',
      '--json',
    ])
    expect([code, JSON.parse(stdout).error.state]).toEqual([10, 'NO_CONNECTION'])
  })

  it('takes nothing from the quota, however often it is tried', async () => {
    const nobody = userOf('http://127.0.0.1:1')
    await Promise.all(Array.from({length: 10}, () => run(nobody, ['wallet', 'balance'])))
    const {code, stderr} = await run(nobody, ['wallet', 'balance'])
    expect([code, stderr]).toEqual([10, expect.stringMatching(/^Error: No connection/)])
  })

  it('to a change exits with 12, and says how to find out', async () => {
    reply = undefined
    const {code, stdout} = await scent('api', 'POST', 'scent/thing', '-F', 'a=1', '--timeout', '1', '--json')
    const {error} = JSON.parse(stdout)
    const told = await scent('api', 'POST', 'scent/thing', '-F', 'a=1', '--timeout', '1')
    expect(told.stderr).toMatch(/cause: No whole answer came from \S+ within 1 s\. \(NO_ANSWER\)/)
    expect([code, error.state, error.remedy]).toEqual([12, 'OUTCOME_UNKNOWN', 'settle'])
    expect(error.hint).toBeTruthy()
  })
})

const aLine = '1f0c2d3e-4b5a-4968-8776-655443322110'
const aReturn = ['returns', 'create', aLine, '--group', aLine, '--line', `${aLine}=1:Damaged`]

it('a method that a path does not take is answered with those that it takes', async () => {
  reply = {status: 405, state: 'METHOD_NOT_ALLOWED'}
  const {code, stderr} = await scent('api', 'GET', 'scent/orders')
  expect([code, stderr]).toEqual([
    6,
    expect.stringContaining('/api/v1/scent/orders takes POST: `scent explain'),
  ])
})

describe('wrong usage exits with 2, in either voice', () => {
  it.each([
    [['orders', 'get'], 'MISSING_INPUT', 'id'],
    [['cart', 'set', 'x', '--customer', 'c'], 'MISSING_INPUT', '--quantity N'],
    [['cart', 'set', 'x', '--quantity', '1'], 'MISSING_INPUT', '--customer'],
    [['cart', 'remove', 'x'], 'MISSING_INPUT', '--customer'],
    [['cart', 'clear'], 'MISSING_INPUT', '--customer'],
    [['cart', 'clear', '--customer', 'c'], 'MISSING_INPUT', '--yes'],
    [['cart', 'add', '=2'], 'INVALID_INPUT', '"=2" does not name a variant.'],
    [['cart', 'add', '6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43=0'], 'INVALID_INPUT', '"0"'],
    [['cart', 'show', '--nonsense'], 'INVALID_INPUT', '--nonsense'],
    [['cart', 'shwo'], 'INVALID_INPUT', 'cart shwo'],
    [['cart', 'show', '--customer', '..'], 'INVALID_INPUT', '--customer ".."'],
    [['help', 'shwo'], 'INVALID_INPUT', '`scent shwo`'],
    [['help', 'cart', 'shwo'], 'INVALID_INPUT', 'Did you mean `scent cart show`'],
    [['cart', 'shwo', '--help'], 'INVALID_INPUT', 'Did you mean `scent cart show`'],
    [['explain', 'PRICE_LOK'], 'INVALID_INPUT', 'PRICE_LOK'],
    [['api', 'FETCH', 'x'], 'INVALID_INPUT', 'FETCH'],
    [['api', 'GET', '//elsewhere.example/x'], 'INVALID_INPUT', 'nowhere else'],
    [['api', 'GET', 'x', '-H', 'Authorization=Bearer x'], 'INVALID_INPUT', 'Authorization'],
    [['api', 'POST', 'x', '--input', '/nonexistent'], 'INVALID_INPUT', '/nonexistent'],
    [['api', 'POST', 'x', '--paginate'], 'INVALID_INPUT', 'GET'],
    [['api', 'GET', 'scent/../x'], 'INVALID_INPUT', 'path'],
    [['wallet', 'balance', '--base-url', 'http://elsewhere.example'], 'INSECURE_URL', 'https'],
    [['wallet', 'balance', '--as', 'zzz'], 'INVALID_INPUT', '"zzz" (--as)'],
    [['discounts', 'update'], 'MISSING_INPUT', 'Missing ID (The code, or its id).'],
    [['sandbox', 'return'], 'MISSING_INPUT', 'and STEP (accept, reject, dispatch, receive, refund).'],
    [['webhooks', 'update', 'nope', '--header', 'a=b'], 'INVALID_INPUT', '"nope"'],
    [[...aReturn, '--line', `${aLine}=2:Other`], 'INVALID_INPUT', `--line ${aLine} is given twice`],
    [
      ['returns', 'create', aLine, '--group', 'x', '--line', `${aLine}=1:Damaged`],
      'INVALID_INPUT',
      '--group "x"',
    ],
    [[...aReturn, '--line', 'x'], 'INVALID_INPUT', '--line "x"'],
    [['discounts', 'update', aLine, '--valid-to', 'noon'], 'INVALID_INPUT', '--valid-to "noon"'],
    [['discounts', 'update', aLine, '--valid-to', '2026-02-31x'], 'INVALID_INPUT', '--valid-to'],
    [['notices', 'respond', 'nonsense', '--choice', 'CancelWhole'], 'INVALID_INPUT', '"nonsense"'],
    [['commissions', 'object', 'nonsense', '--reason', 'x'], 'INVALID_INPUT', '"nonsense"'],
    [['wishlist', 'show', 'C1'], 'INVALID_INPUT', '`scent wishlist show` takes no argument "C1".'],
    [['wishlist', 'show', 'C1'], 'INVALID_INPUT', 'Did you mean --customer C1?'],
    [['checkout', 'preview', 'x', 'y'], 'INVALID_INPUT', '`scent checkout preview` takes no argument "x y".'],
    [['checkout', 'previw'], 'INVALID_INPUT', 'Did you mean `scent checkout preview`'],
    [['reports', 'sales'], 'MISSING_INPUT', 'Missing --from TIME.'],
    [['wallet', 'transactions', '--check', '--all'], 'INVALID_INPUT', '--all does not go with --check.'],
    [['sandbox', 'fault', '--id', '3'], 'INVALID_INPUT', '--id needs --clear as well.'],
    [
      ['cart', 'set', aLine, '--quantity', 'x', '--customer', 'c'],
      'INVALID_INPUT',
      '--quantity: Expected an',
    ],
  ])('%j', async (argv, state, named) => {
    const before = shop.seen.length
    const [json, text] = await Promise.all([scent(...argv, '--json'), scent(...argv)])
    expect([json.code, text.code, text.stdout, json.stderr]).toEqual([2, 2, '', ''])
    const {error} = JSON.parse(json.stdout)
    expect({state: error.state, exitCode: error.exitCode}).toEqual({state, exitCode: 2})
    expect(`${error.message} ${error.hint}`).toContain(named)
    expect(text.stderr).toMatch(/^Error: [\s\S]*\nNext: /)
    expect(shop.seen).toHaveLength(before)
  })

  it('of a flag before its command says where flags go', async () => {
    const {code, stderr} = await scent('--profile', 'X', 'cart', 'show')
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^Error: --profile stands .*\nNext: Flags go after/),
    ])
    expect(stderr).toContain('`scent cart show --profile')
  })

  it('names the variable, where the value came from one', async () => {
    const {code, stderr} = await run({...env, SCENT_ON_BEHALF_OF: 'zzz'}, ['wallet', 'balance'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('"zzz" (SCENT_ON_BEHALF_OF)')])
  })

  it('says nothing of flags that take several values: ours take one each', async () => {
    expect((await scent('api')).stderr).not.toContain('multiple')
  })

  it('names the flag that was meant', async () => {
    expect((await scent('cart', 'show', '--custmer', 'x')).stderr).toContain('Did you mean --customer?')
    expect((await scent('crat', 'show')).stderr).toContain('`scent cart show`')
  })
})

describe('api --paginate of what is no list', () => {
  it.each<Reply>([
    {status: 400, state: 'VALIDATION_UNKNOWN_QUERY_PARAMETER', details: {allowedParameters: []}},
    '{"id":"6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43"}',
  ])('says to drop --paginate: %j', async (answer) => {
    reply = answer
    const {stdout} = await get('--paginate', '--json')
    const {error} = JSON.parse(stdout)
    expect(error.hint).toContain('without --paginate')
    expect(error.message).not.toContain('--all')
  })
})

describe('a sales report that the service has not', () => {
  it('is told as such, and the names that are known', async () => {
    reply = {status: 404, state: 'NOT_FOUND_ROUTE'}
    const argv = ['reports', 'sales', 'foo', '--from', '2026-01-01', '--to', '2026-02-01', '--json']
    const {code, stdout} = await scent(...argv)
    const {message, hint} = JSON.parse(stdout).error
    expect([code, message]).toEqual([5, 'The service has no sales report "foo".'])
    expect(hint).toContain('by-variant')
  })
})

describe('a failure after something was changed', () => {
  it('says so, though it is only about the output', async () => {
    reply = '{"id":"6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43"}'
    const {code, stdout, stderr} = await scent('api', 'POST', 'scent/thing', '--query', 'sum(id)')
    expect(code).toBe(2)
    // What was answered is told in full, since it is not answered again.
    expect(stdout).toContain('6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43')
    expect(stderr).toContain('POST /api/v1/scent/thing was answered')
  })
})

describe('Ctrl-C', () => {
  const interrupted = async (argv: string[]) => {
    const before = shop.seen.length
    const child = spawn(process.execPath, [bin, ...argv], {env: userOf(shop.url)})
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    while (shop.seen.slice(before).every(({url}) => url.includes('token'))) {
      await new Promise((wake) => setTimeout(wake, 10))
    }
    child.kill('SIGINT')
    const code = await new Promise((done) => child.on('close', done))
    return {code, stdout, stderr}
  }

  it('while a change is on its way says that it may have taken effect', async () => {
    reply = undefined
    const {code, stdout, stderr} = await interrupted(['api', 'POST', 'scent/thing', '-F', 'a=1'])
    expect({code, stdout}).toEqual({code: 130, stdout: ''})
    expect(stderr).toContain(
      'POST /api/v1/scent/thing had left without a final answer: it may have taken effect',
    )
  })

  it('during a read says that nothing was changed, also in JSON', async () => {
    reply = undefined
    const {code, stdout} = await interrupted(['wallet', 'balance', '--json'])
    const {error} = JSON.parse(stdout)
    expect([code, error.state, error.exitCode]).toEqual([130, 'INTERRUPTED', 130])
    expect(error.message).toBe('Interrupted. Nothing was changed.')
  })
})

describe('--debug', () => {
  it('shows the exchange on stderr, and neither the token nor the secret', async () => {
    reply = '{"note":"secret-of-the-test and token-of-the-test"}'
    const fresh = userOf(shop.url)
    const {code, stderr} = await run(fresh, [
      'api',
      'POST',
      'scent/thing',
      '-f',
      'a=secret-of-the-test',
      '--debug',
    ])
    expect(code).toBe(0)
    expect(stderr).toContain(`> POST ${shop.url}/api/v1/scent/thing`)
    expect(stderr).toContain('< 200')
    expect(stderr).not.toContain('secret-of-the-test')
    expect(stderr).not.toContain('token-of-the-test')
  })

  it('an error that quotes a secret is shown without it', async () => {
    reply = {status: 400, state: 'VALIDATION_ERRORS', details: {was: 'Bearer token-of-the-test'}}
    for (const flags of [[], ['--json']]) {
      const {stdout, stderr} = await get(...flags)
      expect(stdout + stderr).toContain('VALIDATION_ERRORS')
      expect(stdout + stderr).not.toContain('token-of-the-test')
    }
  })
})
