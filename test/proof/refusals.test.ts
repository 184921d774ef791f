import {randomUUID} from 'node:crypto'
import {describe, expect, test} from 'vitest'
import {api, type OperationName} from '../../src/contract/api.ts'
import {type Code, catalogue, entryOf, exitOf} from '../../src/contract/errors.ts'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {callerOf} from '../sandbox/caller.ts'
import {allCases} from '../sandbox/order-refusals.ts'
import type {Case} from '../sandbox/read-refusals.ts'
import {scentAmongMany} from '../support/many.ts'
import {userOf} from '../support/service.ts'
import type {Sandbox} from '../support/types.ts'
import {argvFor, type Request, rawArgv} from './commands-of.ts'

/** The sandbox, its partner's caller, and what is asked of it. */
interface Stage {
  sandbox: Sandbox
  url: string
  /** Partner requests and the states they were answered with, in order. */
  asked: string[]
  provoke(): ReturnType<Case['provoke']>
  close(): Promise<void>
}

/** An order must be in flight until a process of the program has asked. */
const HOLD_MS = 20_000

const caseList = allCases(() => {
  throw new Error('only their names are asked for')
})

/**
 * Plays the recipe of a case. `meet` takes the place of the partner's nth request: the program makes it instead.
 */
async function stage(at: number, nth = -1, meet?: (request: Request) => Promise<string>): Promise<Stage> {
  const one = caseList[at]
  const sandbox = await createSandbox({limits: false, ...(one?.assume && {assume: one.assume})})
  const url = await sandbox.listen()
  const asked: string[] = []
  const isMint = one?.of === 'mintToken'
  const send: Sandbox['send'] = async (request) => {
    const {pathname, searchParams} = new URL(request.url)
    if (pathname.startsWith('/__') || (pathname === '/api/v1/auth/token') !== isMint)
      return sandbox.send(request)
    const n = asked.push('') - 1
    if (n !== nth || !meet) {
      const answer = await sandbox.send(request)
      asked[n] = JSON.parse(answer.body).state
      return answer
    }
    const body = request.body === undefined ? undefined : JSON.parse(request.body)
    const told = await meet({method: request.method, path: pathname, query: searchParams, body})
    asked[n] = JSON.parse(told).state
    return {status: 0, headers: {}, body: told}
  }
  const seen = {...sandbox, send}
  const context = {sandbox: seen, caller: callerOf(seen)}
  const cases = allCases(() => context, meet ? HOLD_MS : 60)
  return {
    sandbox,
    url,
    asked,
    provoke: () => (cases[at] as Case).provoke(),
    close: () => sandbox.close(),
  }
}

/** Which of the partner's requests meets the refusal. */
async function placeOf(at: number, code: string): Promise<number> {
  const rehearsal = await stage(at)
  try {
    await rehearsal.provoke()
    return rehearsal.asked.lastIndexOf(code)
  } finally {
    await rehearsal.close()
  }
}

/**
 * Where a command of its own does more than hand the refusal on, or can't make the request at all, and so the
 * refusal is met by `scent api`.
 */
const dealtWith: Partial<Record<`${OperationName} ${Code}`, string>> = {
  'createOrder CONFLICT_CART_CHECKOUT_RACE': 'sent again, five times',
  'createOrder CONFLICT_ORDER_IN_PROGRESS': 'asked again until it is done',
  'createOrder CONFLICT_CART_HAS_PENDING_ORDER': 'looks at whose order it is, and waits',
  'createOrder CONFLICT_ORDER_DUPLICATE_REFERENCE': 'reads the order and compares it',
  'createOrder CONFLICT_PRICE_LOCK_ALREADY_USED': 'reads the order and compares it',
  'createOrder CONFLICT_ORDER_REQUIRES_INTERVENTION': 'says what is known of the order',
  'updateDiscountCode NOT_FOUND_DISCOUNT_CODE': 'read from the list, which refuses nothing',
  'createReturn NOT_FOUND_SCENT_ORDER': 'finds the order by its name first',
  'createReturnSingular NOT_FOUND_SCENT_ORDER': 'finds the order by its name first',
  'listReturns VALIDATION_INVALID_RETURN_STATUS': 'takes a status in any case',
  'listCommissionPeriods VALIDATION_INVALID_COMMISSION_PERIOD_STATUS': 'takes a status in any case',
}

// biome-ignore lint/suspicious/noExplicitAny: the document of any failure
type Document = any

/** Runs the program; what a person sees, and what a script sees. */
async function met(url: string, sandbox: Sandbox, argv: string[], request: Request) {
  const {clientId = '', clientSecret = ''} = sandbox.credentials[0] ?? {}
  const own = request.path === '/api/v1/auth/token' ? (request.body as Record<string, string>) : {}
  const env = userOf(url, {
    SCENT_CLIENT_ID: own.clientId ?? clientId,
    SCENT_CLIENT_SECRET: typeof own.clientSecret === 'string' ? own.clientSecret : clientSecret,
    ...(own.onBehalfOf && {SCENT_ON_BEHALF_OF: own.onBehalfOf}),
  })
  const input = JSON.stringify(
    argv.includes('--address') ? (request.body as Document).shippingAddress : request.body,
  )
  const {code, stdout, stderr} = await scentAmongMany(env, [...argv, '--json'], input ?? '')
  return {code, stderr, document: JSON.parse(stdout || '{}') as Document}
}

/** Refusals of a query that every list may answer with. */
const queries: [string, Code][] = [
  ['scent/variants?nonsense=1', 'VALIDATION_UNKNOWN_QUERY_PARAMETER'],
  ['wallet/transactions?fromUtc=yesterday', 'VALIDATION_INVALID_DATE'],
  ['scent/discount-codes?pageSize=101', 'VALIDATION_INVALID_PAGE_SIZE'],
  ['scent/return-requests?page=0', 'VALIDATION_INVALID_PAGE'],
  ['scent/variants?include=prices', 'VALIDATION_UNKNOWN_INCLUDE'],
  ['scent/variants?id=x', 'VALIDATION_INVALID_QUERY_PARAMETER'],
  ['scent/nothing', 'NOT_FOUND_ROUTE'],
  ['scent/cart/items', 'METHOD_NOT_ALLOWED'],
]

/** Refusals that the gateway may answer with; the client meets each of these for every operation. */
const gateway: Code[] = [
  ...(['UNAUTHORIZED_MISSING_TOKEN', 'UNAUTHORIZED_INVALID_TOKEN', 'UNAUTHORIZED_TOKEN_EXPIRED'] as const),
  ...(['UPSTREAM_AUTH_FAILED', 'FORBIDDEN', 'AUTH_ENVIRONMENT_MISMATCH'] as const),
  ...(['UNSUPPORTED_MEDIA_TYPE', 'RATE_LIMITED'] as const),
  ...(['BAD_GATEWAY', 'SERVICE_UNAVAILABLE', 'GATEWAY_TIMEOUT'] as const),
]

/** One route serves both; its body tells them apart. */
const bodyFor = (operation: OperationName) => (operation === 'stepCartItem' ? {action: 'increment'} : {})

describe.concurrent('what every operation may answer, met by the program', () => {
  const refused = async (argv: string[], state: Code, order?: (sandbox: Sandbox) => void) => {
    const sandbox = await createSandbox({limits: false})
    order?.(sandbox)
    const request = {method: 'GET', path: '', query: new URLSearchParams(), body: undefined}
    const {code, stderr, document} = await met(await sandbox.listen(), sandbox, argv, request)
    await sandbox.close()
    const {http, remedy} = entryOf(state)
    const exitCode = exitOf(state, http)
    expect({code, error: document.error}).toMatchObject({
      code: exitCode,
      error: {
        state,
        httpStatus: http,
        exitCode,
        remedy,
        message: expect.any(String),
        hint: expect.any(String),
      },
    })
    expect(stderr).not.toContain('Error')
  }

  test.each(queries)('%s: %s', (path, state) =>
    refused(['api', state === 'METHOD_NOT_ALLOWED' ? 'PUT' : 'GET', path], state),
  )

  test.each(gateway)('%s', (state) =>
    refused(['wallet', 'balance', '--max-wait=1'], state, ({state: {faults}}) => {
      const status = entryOf(state).http ?? 0
      const match = {operation: 'listWalletTransactions'}
      faults.add({match, effect: 'status', when: 'before', status, state, retryAfter: 60})
    }),
  )

  // Each of them with one of these codes: by the client every operation meets every one (client/gateway).
  const bearers = (Object.keys(api) as OperationName[]).filter((name) => name !== 'mintToken')
  test.each(bearers.map((name, at) => [name, gateway[at % gateway.length] as Code] as const))(
    '%s: %s',
    async (operation, state) => {
      const sandbox = await createSandbox({limits: false, assume: ['R07=singular']})
      const {method, path} = api[operation]
      const filled = path.replace('{report}', 'summary').replace(/\{\w+\}/g, randomUUID())
      const request = {
        method,
        path: filled,
        query: new URLSearchParams(),
        body: method === 'GET' ? undefined : bodyFor(operation),
      }
      const {http = 0} = entryOf(state)
      const order = {effect: 'status', when: 'before', status: http, state, retryAfter: 60} as const
      sandbox.state.faults.add({match: {operation}, ...order})
      const {code, document} = await met(
        await sandbox.listen(),
        sandbox,
        [...rawArgv(request), '--max-wait=1'],
        request,
      )
      await sandbox.close()
      // Of a request that changes something these codes do not say that nothing was changed.
      const open = method !== 'GET' && (http >= 500 || state === 'UPSTREAM_AUTH_FAILED')
      const told = open ? 'OUTCOME_UNKNOWN' : state
      const exitCode = open ? 12 : exitOf(state, http)
      expect({code, error: document.error}).toMatchObject({code: exitCode, error: {state: told, exitCode}})
    },
  )

  test('every code of the catalogue is met here, or says where', () => {
    const here = new Set<string>([
      ...caseList.map(({code}) => code),
      ...queries.map(([, code]) => code),
      ...gateway,
    ])
    const rest = Object.keys(catalogue).filter((code) => !here.has(code))
    expect(rest.sort()).toEqual(Object.keys(notHere).sort())
  })
})

/** Our own codes: no service answers them, so none can be provoked there. Other tests prove them. */
const notHere: Partial<Record<Code, string>> = {
  UNEXPECTED: 'a bug of the program; none is known',
  INVALID_INPUT: 'refused before anything is sent: commands/failures',
  MISSING_INPUT: 'refused before anything is sent: commands/failures',
  INSECURE_URL: 'refused before anything is sent: commands/failures',
  CORRUPT_FILE: 'a file of this machine: store/files',
  FOREIGN_FILE: 'a file of this machine: store/files',
  FILE_FAILED: 'a file of this machine: store/files',
  NO_CREDENTIALS: 'a setting of this machine: store/profiles',
  KEYCHAIN_UNAVAILABLE: 'the keychain of this machine: store/credentials',
  NO_CONNECTION: 'no service is there: client/transport',
  TLS_UNTRUSTED: 'no service is reached: client/transport',
  NO_ANSWER: 'an answer that never comes: client/transport',
  ODD_ANSWER: 'an answer outside the contract: client/client, client/pages',
  OUTCOME_UNKNOWN: 'a lost answer: client/gateway, flows',
  LIMIT_EXCEEDED: 'a decision of the user: flows/walk',
  CHARGED_ABOVE: 'found by a flow: flows/walk',
  OPEN_ORDER: 'found by a flow: flows/walk',
  EARLIER_ORDER: 'found by a flow: flows/walk',
  SIGNATURE_MISMATCH: 'a delivery, which no service is asked about: commands/webhooks-verify',
  LINES_UNREADABLE: 'a file of this machine: commands/desk',
  NOTHING_MATCHED: 'the record of this machine: commands/desk',
  REPLAY_REFUSED: 'a receiver of ones own: desk/replay',
  TEST_REFUSED: 'a test that came back: commands/webhooks-test',
  TEST_NOT_DELIVERED: 'a test that came back: commands/webhooks-test',
  TEST_UNSEEN: 'a test that came back: commands/webhooks-test',
  NOTICE_DUE: 'the record of this machine: commands/desk',
  INBOX_BLIND: 'the record of this machine: commands/desk',
  CART_NOT_EMPTY: 'found by a flow: flows/bulk-orders',
  JOB_UNFINISHED: 'a record of this machine: commands/orders-import',
  ROWS_REFUSED: 'the end of a job: commands/orders-import',
  ROWS_UNKNOWN: 'the end of a job: commands/orders-import',
  BUSY: 'between processes of this machine: store/lock',
  CHANGED_MEANWHILE: 'found by a flow: flows/discounts',
  ORDER_FAILED: 'an order that was made, and failed: flows/place-order',
  ORDER_MISMATCH: 'found by a flow: flows/place-order',
  NOT_FOUND_PARTNER: 'a control of the sandbox: sandbox/commands',
  NOT_FOUND_WEBHOOK_DELIVERY: 'a control of the sandbox: sandbox/deliveries',
  CONFLICT_RETURN_STEP_TAKEN: 'a control of the sandbox: sandbox/commands',
  CONFLICT_RETURN_CLOSED: 'a control of the sandbox: sandbox/commands',
  SANDBOX_INTERNAL_ERROR: 'a bug of the sandbox; none is known',
  SANDBOX_BROKEN: 'a bug of the sandbox, made here: commands/findings',
  LEDGER_GAP: 'found in the answers: commands/findings',
  STATEMENT_MISMATCH: 'found in the answers: commands/findings',
  SANDBOX_NOT_RUNNING: 'a process of this machine: sandbox/commands',
  SANDBOX_RUNNING: 'a process of this machine: sandbox/commands',
  DECLINED: 'an answer of the user: flows/walk',
  INTERRUPTED: 'a key of the user: commands/failures',
}

describe.concurrent('each refusal of each operation, met by the program', () => {
  test.each(caseList.map(({of, code}, at) => [of, code, at] as const))('%s: %s', async (of, code, at) => {
    const nth = await placeOf(at, code)
    let document: Document
    let exit: number | null = null
    let said = ''
    const own = `${of} ${code}` as keyof typeof dealtWith
    const {provoke, close, sandbox, url, asked} = await stage(at, nth, async (request) => {
      const natural = own in dealtWith ? undefined : argvFor[of]?.(request)
      let ran = natural && (await met(url, sandbox, natural, request))
      // The program refuses some requests by itself: these are sent raw.
      if (!ran || ran.code === 2) ran = await met(url, sandbox, rawArgv(request), request)
      document = ran.document
      exit = ran.code
      said = ran.stderr
      const {state, httpStatus, details} = document.error ?? {}
      return JSON.stringify({state, status: httpStatus, details: details ?? null, payload: null})
    })
    try {
      const answer = provoke()
      // Some recipes go on after the refusal; what they then say is not the point here.
      await answer.catch(() => {})
    } finally {
      await close()
    }
    expect(asked[nth]).toBe(code)
    const {http, remedy} = entryOf(code)
    expect({exit, said, error: document.error}).toMatchObject({
      exit: exitOf(code, http),
      said: '',
      error: {state: code, httpStatus: http, exitCode: exitOf(code, http), remedy},
    })
    expect(document.error.message).toMatch(/^[A-Z].*[.…)]$/s)
    expect(document.error.hint).toMatch(/^[A-Z`d].+/)
  })

  test('none is left out', () => {
    const names = Object.keys(api) as OperationName[]
    const listed = names.flatMap((name) => api[name].fails.map((code) => `${name} ${code}`))
    const provoked = new Set(caseList.map(({of, code}) => `${of} ${code}`))
    expect(listed.filter((one) => !provoked.has(one))).toEqual([])
  })
})
