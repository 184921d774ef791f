import {describe, expect, it} from 'vitest'
import {readAnswer} from '../../src/client/answer.ts'
import {printJson} from '../../src/contract/money.ts'

const html = '<html><body><h1>Bad luck</h1></body></html>'
const read = (status: number, body: string, headers: Record<string, string> = {}) =>
  readAnswer({status, headers, body}, 0)

describe('an answer', () => {
  it('is a success by its state, whichever 2xx it came with', () => {
    expect(read(200, '{"state":"CREATED","payload":{"id":1},"details":null}')).toMatchObject({
      payload: {id: 1},
    })
    expect(read(201, '{"state":"SUCCESS","payload":{"id":1}}')).toMatchObject({details: null})
  })

  it('keeps every digit', () => {
    const {payload} = read(200, '{"state":"SUCCESS","payload":[10.50,0.10,9007199254740993,1E2,-0.0]}')
    expect(printJson(payload, 0)).toBe('[10.50,0.10,9007199254740993,1E2,-0.0]')
  })

  it.each<[number, string]>([
    [429, 'RATE_LIMITED'],
    [502, 'BAD_GATEWAY'],
    [503, 'SERVICE_UNAVAILABLE'],
    [504, 'GATEWAY_TIMEOUT'],
    [404, 'ODD_ANSWER'],
    [403, 'ODD_ANSWER'],
    [500, 'ODD_ANSWER'],
    [302, 'ODD_ANSWER'],
    [200, 'ODD_ANSWER'],
    [204, 'ODD_ANSWER'],
  ])('of HTTP %i that is a page of a proxy fails with %s', (status, code) => {
    expect(() => read(status, html)).toThrow(expect.objectContaining({code}))
    expect(() => read(status, '')).toThrow(expect.objectContaining({code}))
  })

  it.each([
    ['no JSON', '{"state":"SUCCESS"'],
    ['a list', '[]'],
    ['no state', '{"payload":{}}'],
    ['a state that is no text', '{"state":1}'],
    ['nested without end', '['.repeat(200_000)],
    ['a byte order mark alone', '\ufeff'],
  ])('that is %s is odd', (_, body) => {
    expect(() => read(200, body)).toThrow(expect.objectContaining({code: 'ODD_ANSWER'}))
  })

  it('whose state and status contradict each other is odd', () => {
    expect(() => read(500, '{"state":"SUCCESS","payload":{}}')).toThrow(
      expect.objectContaining({code: 'ODD_ANSWER', exitCode: 10}),
    )
    expect(() => read(200, '{"state":"NOT_FOUND_ORDER","payload":null}')).toThrow(
      expect.objectContaining({code: 'NOT_FOUND_ORDER'}),
    )
  })

  it('carries what is known of it', () => {
    const headers = {'x-request-id': 'r-1', 'retry-after': '9'}
    const body = '{"state":"RATE_LIMITED","payload":null,"details":{"message":"slow down"}}'
    expect(() => read(429, body, headers)).toThrow(
      expect.objectContaining({
        facts: {httpStatus: 429, requestId: 'r-1', retryAfter: 9, details: {message: 'slow down'}},
      }),
    )
  })

  it('that names a moment means it by the clock of the service', () => {
    const headers = {date: 'Fri, 20 Nov 2026 10:00:00 GMT', 'retry-after': 'Fri, 20 Nov 2026 10:00:30 GMT'}
    for (const now of ['2026-11-20T10:00:29Z', '2026-11-20T09:00:00Z']) {
      expect(() => readAnswer({status: 503, headers, body: ''}, Date.parse(now))).toThrow(
        expect.objectContaining({facts: expect.objectContaining({retryAfter: 30})}),
      )
    }
  })

  it('cannot reach into other objects', () => {
    const {payload} = read(200, '{"state":"SUCCESS","payload":{"__proto__":{"polluted":true}}}')
    expect(({} as {polluted?: boolean}).polluted).toBeUndefined()
    expect((payload as {polluted?: boolean}).polluted).toBeUndefined()
  })
})

it('a code of any length is not one', () => {
  expect(() => read(422, JSON.stringify({state: 'X'.repeat(257), payload: null, details: null}))).toThrow(
    expect.objectContaining({code: 'ODD_ANSWER'}),
  )
})

it('secrets are blotted out of texts and names alone, and short ones are words', () => {
  const secrets = ['12345678', 'SAR']
  const body =
    '{"state":"SUCCESS","payload":{"a12345678":["x 12345678",12345678.50],"currency":"SAR"},"details":null}'
  const {payload} = readAnswer({status: 200, headers: {}, body}, 0, secrets)
  expect(printJson(payload, 0)).toBe('{"a•••":["x •••",12345678.50],"currency":"SAR"}')
})
