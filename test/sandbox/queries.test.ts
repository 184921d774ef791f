import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {api} from '../../src/contract/api.ts'
import type {Operation} from '../../src/contract/operation.ts'
import type {QueryRule} from '../../src/contract/query.ts'
import {servedNames} from '../../src/sandbox/core/rules.ts'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import type {Sandbox} from '../support/types.ts'
import {type Answer, callerOf, control} from './caller.ts'

let sandbox: Sandbox
let caller: ReturnType<typeof callerOf>

beforeAll(async () => {
  sandbox = await createSandbox({limits: false})
  caller = callerOf(sandbox)
})
afterAll(() => sandbox.close())

const nobody = '00000000-0000-4000-8000-000000000000'

/** Queries are judged before the resource of the path is looked for, so nobody's will do. */
const read = (operation: Operation, query: string): Promise<Answer> => {
  const path = operation.path.replace('{report}', 'summary').replaceAll(/\{\w+\}/g, nobody)
  return caller.ask(operation.method, path.slice('/api/v1'.length), {query})
}

interface Row {
  code: string
  kinds: QueryRule['kind'][]
  extra: object
}

/** The rules in the order in which they decide, and a value that breaks each kind of parameter. */
const rules: Row[] = [
  {code: 'VALIDATION_INVALID_DATE', kinds: ['date'], extra: {}},
  {code: 'VALIDATION_INVALID_PAGE_SIZE', kinds: ['pageSize'], extra: {minimum: 1, maximum: 100}},
  {code: 'VALIDATION_INVALID_PAGE', kinds: ['page'], extra: {minimum: 1}},
  {code: 'VALIDATION_UNKNOWN_INCLUDE', kinds: ['tokens'], extra: {}},
  {
    code: 'VALIDATION_INVALID_QUERY_PARAMETER',
    kinds: ['text', 'uuid', 'enum', 'decimal', 'boolean'],
    extra: {},
  },
  {code: 'VALIDATION_INVALID_RETURN_STATUS', kinds: ['enum'], extra: {}},
  {code: 'VALIDATION_INVALID_COMMISSION_PERIOD_STATUS', kinds: ['enum'], extra: {}},
]
const broken = (rule: QueryRule): string => (rule.kind === 'text' ? '' : rule.kind === 'date' ? '32nd' : '0x')

type Rules = Readonly<Record<string, QueryRule>>
const operations: [string, Operation][] = servedNames.map((name) => [name, api[name]])
const reads = operations.filter(([, {method}]) => method === 'GET')
const isList = ({query}: Operation) => query !== undefined && 'pageSize' in query
const lists = reads.filter(([, operation]) => isList(operation))

const usual = 'VALIDATION_INVALID_QUERY_PARAMETER'
const codeOf = (rule: QueryRule, row: Row) => (rule.kind === 'enum' ? (rule.own ?? usual) : row.code)

/** The parameters of an operation that a rule judges. A text with a limit is judged by its operation. */
const judged = (query: Rules, row: Row) =>
  Object.entries(query).filter(
    ([, rule]) => row.kinds.includes(rule.kind) && !('max' in rule) && codeOf(rule, row) === row.code,
  )

const spoilt = (query: Rules, from: number) =>
  rules
    .slice(from)
    .flatMap((row) => judged(query, row).map(([name, rule]) => `${name}=${broken(rule)}`))
    .reverse()

test('there are nine paged lists', () => {
  const all = Object.entries(api).filter(([, operation]) => isList(operation))
  expect(all.map(([name]) => name).sort()).toEqual([
    'listBrands',
    'listCommissionPeriods',
    'listDeliveries',
    'listDiscountCodes',
    'listOrderReturns',
    'listReturns',
    'listScents',
    'listVariants',
    'listWalletTransactions',
  ])
})

describe.each(reads)('the query of %s', (_, operation) => {
  const query: Rules = operation.query ?? {}

  test('an unknown name decides before everything else, and the known names are told', async () => {
    const answer = await read(operation, [...spoilt(query, 0), 'Page=1', 'zzz=1'].join('&'))
    expect(answer).toMatchObject({status: 400, state: 'VALIDATION_UNKNOWN_QUERY_PARAMETER', payload: null})
    expect(answer.details.allowedParameters).toEqual(Object.keys(query))
    expect(Object.keys(answer.details.errors).sort()).toEqual(['Page', 'zzz'])
  })

  test('the rules decide in their order, and each names all its offenders and its own details', async () => {
    for (const [i, row] of rules.entries()) {
      const {code, extra} = row
      const offenders = judged(query, row)
      if (offenders.length === 0) continue
      const answer = await read(operation, spoilt(query, i).join('&'))
      expect([answer.status, answer.state]).toEqual([400, code])
      const {errors, ...more} = answer.details
      expect(Object.keys(errors).sort()).toEqual(offenders.map(([name]) => name).sort())
      const choices = offenders.flatMap(([name, rule]) => ('values' in rule ? [[name, rule.values]] : []))
      const allowed = choices.length === 0 ? {} : {allowedValues: Object.fromEntries(choices)}
      expect(more).toEqual({...extra, ...allowed})
    }
  })

  test('what is given once and must be, fails the rule of its type when it is repeated', async () => {
    for (const row of rules) {
      const {code} = row
      for (const [name, rule] of judged(query, row)) {
        if ('many' in rule) continue
        const other = rule.kind === 'date' && name.startsWith('from') ? [name.replace('from', 'to')] : []
        const ends = rule.kind === 'date' && name.startsWith('to') ? [name.replace('to', 'from')] : []
        const twice = [name, name, ...other, ...ends].map((one) => `${one}=${good(rule)}`)
        expect(`${name} ${(await read(operation, twice.join('&'))).state}`).toBe(`${name} ${code}`)
      }
    }
  })

  test('a start after its end names both', async () => {
    for (const [from, to] of [
      ['from', 'to'],
      ['fromUtc', 'toUtc'],
    ] as const) {
      if (!(from in query)) continue
      const answer = await read(operation, `${to}=2026-01-31T23:59:59Z&${from}=2026-02-01T02:00:00%2B02:00`)
      expect(answer.state).toBe('VALIDATION_INVALID_DATE')
      expect(Object.keys(answer.details.errors)).toEqual([from, to])
    }
  })
})

const good = (rule: QueryRule): string => {
  if (rule.kind === 'date') return '2026-01-01'
  if (rule.kind === 'tokens') return rule.values[0] ?? ''
  if (rule.kind === 'boolean') return 'true'
  return rule.kind === 'uuid' ? nobody : '1'
}

describe.each(lists)('the pages of %s', (_, operation) => {
  test.each(['0', '101', '-1', '', '1.0', '01', '%2B1', '1e1', '٣', '99999999999'])(
    'are never %s rows long',
    async (size) => {
      const answer = await read(operation, `pageSize=${size}`)
      expect(answer.state).toBe('VALIDATION_INVALID_PAGE_SIZE')
    },
  )

  test.each(['1', '100'])('may be %s rows long', async (size) => {
    expect((await read(operation, `pageSize=${size}&page=2147483647`)).state).toMatch(/^SUCCESS|^NOT_FOUND_/)
  })

  test.each(['0', '-1', '', '1.5', '2147483648'])('are never number %s', async (page) => {
    expect((await read(operation, `page=${page}`)).state).toBe('VALIDATION_INVALID_PAGE')
  })
})

test('a report without both ends says so before it looks at the one it has', async () => {
  for (const [query, missing] of [
    ['', ['from', 'to']],
    ['from=32nd', ['to']],
    ['to=2026-01-01', ['from']],
  ] as const) {
    const answer = await caller.ask('GET', '/statements/report', {query})
    expect(answer).toMatchObject({status: 400, state: 'VALIDATION_MISSING_REPORT_RANGE'})
    expect(Object.keys(answer.details.errors)).toEqual(missing)
  }
  expect((await caller.ask('GET', '/statements/report', {query: 'x=1'})).state).toBe(
    'VALIDATION_UNKNOWN_QUERY_PARAMETER',
  )
})

test('exactly four lists say whether there are pages before and after', async () => {
  const {orders} = (await control(sandbox, 'GET', 'state')).payload
  const body = {url: 'http://127.0.0.1:9/', eventTypes: ['order.completed']}
  const {payload: subscription} = await caller.ask('POST', '/scent/webhooks', {body})
  const answers = await Promise.all(
    lists.map(async ([name, {path}]) => {
      const real = path.replace('{orderId}', orders[0].id).replace('{webhookId}', subscription.id)
      const {payload} = await caller.ask('GET', real.slice('/api/v1'.length), {query: 'page=2&pageSize=1'})
      return [name, Object.keys(payload.pagination)] as const
    }),
  )
  const counts = ['page', 'pageSize', 'totalCount', 'totalPages']
  const told = ['listVariants', 'listWalletTransactions', 'listDiscountCodes', 'listDeliveries']
  for (const [name, keys] of answers) {
    expect(`${name} ${keys}`).toBe(
      `${name} ${told.includes(name) ? [...counts, 'hasPrevious', 'hasNext'] : counts}`,
    )
  }
})
