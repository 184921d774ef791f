import {createConfig, lintFromString} from '@redocly/openapi-core'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {api} from '../../src/contract/api.ts'
import {catalogue} from '../../src/contract/errors.ts'
import type {Operation} from '../../src/contract/operation.ts'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {oneLine} from '../support/pty.ts'
import {scent} from '../support/scent.ts'
import type {Sandbox} from '../support/types.ts'
import {emptyUser} from '../terminal/stage.ts'

let sandbox: Sandbox
// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes
let document: any
let text: string

beforeAll(async () => {
  sandbox = await createSandbox({limits: false})
  const {code, stdout, stderr} = await scent(emptyUser(), [
    'api',
    '--openapi',
    '--base-url',
    'https://partner.invalid',
  ])
  expect([code, stderr]).toEqual([0, ''])
  text = stdout
  document = JSON.parse(text)
})

afterAll(() => sandbox.close())

const operations = Object.entries(api) as [string, Operation][]

test('a linter of the field accepts it', async () => {
  for (const rules of ['spec', 'recommended'] as const) {
    const config = await createConfig({extends: [rules]})
    const problems = await lintFromString({source: text, config})
    expect(problems.filter(({severity}) => severity === 'error')).toEqual([])
    // What two paths of the service share, and the licence of somebody else's API, are not ours to change.
    const others = problems.map(({ruleId}) => ruleId)
    expect(new Set(others)).toEqual(
      rules === 'spec' ? new Set() : new Set(['info-license', 'no-ambiguous-paths', 'no-unused-components']),
    )
  }
})

describe('each operation of the contract', () => {
  test.each(operations)('%s is in it: its repeat rule, its refusals, what it takes', (name, operation) => {
    const {path, method, repeat, fails, query = {}} = operation
    const found = document.paths[path][method.toLowerCase()]
    // Two operations share one route.
    const isFirst = found.operationId === name
    expect(isFirst || name === 'stepCartItem').toBe(true)
    if (!isFirst) return expect(found['x-repeat']).toBe('never')
    if (name !== 'setCartItem') expect(found['x-repeat']).toBe(repeat)
    expect(found['x-refusals']).toEqual(fails)
    for (const code of fails) {
      const status = catalogue[code] as {http?: number}
      const response = found.responses[String(status.http)]
      const {content} = response.$ref
        ? document.components.responses[response.$ref.split('/').at(-1)]
        : response
      expect(content['application/json'].examples[code].value.state).toBe(code)
    }
    const inQuery = (found.parameters ?? []).filter((one: {in: string}) => one.in === 'query')
    expect(inQuery.map((one: {name: string}) => one.name)).toEqual(Object.keys(query))
    expect(found.requestBody !== undefined).toBe(operation.body !== undefined)
  })
})

test('it says what the spec limits', () => {
  const {CreatedOrder, ShippingAddress, CartItem} = document.components.schemas
  expect(ShippingAddress.required).toEqual(expect.arrayContaining(['recipient', 'nationalAddress', 'phone']))
  expect(ShippingAddress.additionalProperties).toBe(false)
  expect(CreatedOrder.properties.pricing.properties.total).toEqual({type: 'number'})
  expect(CartItem.properties.pricing.properties.rrp.type).toEqual(['number', 'null'])
  const {properties} =
    document.paths['/api/v1/scent/orders'].post.requestBody.content['application/json'].schema
  expect(properties.customerRef).toEqual({type: 'string', minLength: 1, maxLength: 128})
  const {parameters} = document.paths['/api/v1/scent/variants'].get
  const size = parameters.find((one: {name: string}) => one.name === 'pageSize')
  expect(size.schema).toEqual({type: 'integer', minimum: 1, maximum: 100, default: 20})
})

test('the sandbox serves the same for itself, without a token', async () => {
  const answer = await sandbox.send({
    ...{method: 'GET', url: `http://127.0.0.1:1/__sandbox/openapi.json`, headers: {}},
  })
  const served = JSON.parse(answer.body)
  expect(served.paths).toEqual(document.paths)
  expect(served.components).toEqual(document.components)
  expect(served.servers[0].url).toMatch(/^http:\/\/127\.0\.0\.1:/)
})

test('without a service its address is left open, and a request beside it is refused', async () => {
  const bare = await scent(emptyUser(), ['api', '--openapi'])
  expect(JSON.parse(bare.stdout).servers[0].url).toBe('{base_url}')
  const {code, stderr} = await scent(emptyUser(), ['api', 'GET', 'scent/brands', '--openapi'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('--openapi goes without METHOD')])
  expect(oneLine(stderr)).toContain('Leave out METHOD and PATH')
})

test.each([
  [
    ['--openapi', '--output', 'csv'],
    '--output csv does not go with --openapi: an OpenAPI document is one document of JSON.',
  ],
  [['--openapi', '--output', 'ndjson'], '--output ndjson does not go with --openapi'],
  [['--openapi', '--columns', 'paths'], '--columns does not go with --openapi'],
  [
    ['GET', 'scent/brands', '--output', 'csv'],
    '--output csv does not go with a request: the payload of its answer is printed as JSON.',
  ],
  [['GET', 'scent/brands', '--columns', 'name'], '--columns does not go with a request'],
])('another form than JSON is refused: api %j', async (argv, says) => {
  const {code, stdout, stderr} = await scent(emptyUser(), ['api', ...argv])
  expect([code, stdout, oneLine(stderr)]).toEqual([2, '', expect.stringContaining(says)])
  expect(oneLine(stderr)).toContain('Leave it out; --query EXPR chooses a part of')
})

test('what is set for all commands gives way, and JSON may be asked for', async () => {
  const user = emptyUser()
  expect((await scent({...user, SCENT_OUTPUT: 'csv'}, ['api', '--openapi'])).code).toBe(0)
  const {code, stdout} = await scent(user, ['api', '--openapi', '--output', 'json'])
  expect([code, JSON.parse(stdout).info.description]).toEqual([
    0,
    expect.stringContaining('`x-read-as` says in which shape'),
  ])
})
