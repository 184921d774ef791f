import {describe, expect, it} from 'vitest'
import type {ClientEvent} from '../../src/client/events.ts'
import {Failure} from '../../src/contract/failure.ts'
import {parseJson} from '../../src/contract/money.ts'
import {nearest} from '../../src/contract/nearest.ts'
import {drawEvents} from '../../src/terminal/exchange.ts'
import {failureDocument} from '../../src/terminal/failure.ts'
import {watch} from '../../src/terminal/traffic.ts'
import {failureText} from '../support/told.ts'

function drawn(debug: boolean, ...events: ClientEvent[]): string[] {
  const said: string[] = []
  const progress = {say: (text: string) => void said.push(text), clear: () => {}}
  const draw = drawEvents((text) => void said.push(text), progress, debug)
  for (const event of events) draw(event)
  return said
}

const exchange: ClientEvent = {
  kind: 'exchange',
  method: 'GET',
  url: 'http://x/api',
  status: 200,
  requestId: 'r\u001b',
  responseBody: '{"a":1}',
  ms: 12.6,
}

describe('what a client tells', () => {
  it('is a line for a person where a wait is worth a word', () => {
    const wait = {kind: 'waiting', why: 'rate-limit', request: 'GET /x'} as const
    expect(drawn(false, {...wait, ms: 12_300}, {...wait, ms: 300}, exchange)).toEqual([
      'Rate limited by the service, waiting 12 s …',
    ])
  })

  it('is the whole exchange with --debug, and nothing that a terminal acts on', () => {
    expect(drawn(true, exchange)).toEqual([
      '> GET http://x/api\n< 200 (13 ms, request id r\\u{1b})\n< {"a":1}\n',
    ])
  })
})

describe('the story of an interrupt', () => {
  const request = (method: 'GET' | 'POST', path: string) => ({method, url: `http://x${path}`, headers: {}})
  const ok = {status: 200, headers: {}, body: ''}

  it('counts a request that never arrived for nothing, and a lost one for ever', async () => {
    const failing = async (effect: 'none' | 'unknown') => {
      const traffic = watch(() => Promise.reject(new Failure('NO_CONNECTION', {effect})))
      await expect(traffic.send(request('POST', '/x'))).rejects.toThrow()
      return traffic.story()
    }
    expect(await failing('none')).toBe('Interrupted. Nothing was changed.')
    expect(await failing('unknown')).toContain('POST /x had left without a final answer')
  })

  it('knows what was sent, and what was answered', async () => {
    let answerIt = () => {}
    const traffic = watch(async ({url}) => {
      if (url.endsWith('/slow')) await new Promise<void>((done) => (answerIt = done))
      return ok
    })
    await traffic.send(request('GET', '/read'))
    await traffic.send(request('POST', '/api/v1/auth/token'))
    expect([traffic.story(), traffic.changed()]).toEqual(['Interrupted. Nothing was changed.', undefined])
    const slow = traffic.send(request('POST', '/slow'))
    expect(traffic.story()).toContain('POST /slow had left without a final answer')
    answerIt()
    await slow
    expect(traffic.story()).toContain('after POST /slow was answered')
    expect(traffic.changed()).toBe('POST /slow')
  })
})

describe('a failure', () => {
  it('shows details of every shape, each on its line', async () => {
    const details = {
      errors: {city: ['a', 'b']},
      orderId: 'x',
      none: null,
      list: [1, parseJson('2.50')],
      deep: {a: {b: 1}},
    }
    const text = await failureText(new Failure('VALIDATION_ERRORS', {httpStatus: 400, details}))
    expect(text.split('\n').slice(1, -2)).toEqual([
      '  city: a; b',
      '  orderId: x',
      '  list: 1; 2.50',
      '  deep: a b 1',
    ])
    expect(await failureText(new Failure('VALIDATION_ERRORS', {details: 'just text'}))).toContain(
      '\n  just text\n',
    )
  })

  it('carries nothing into its document but the fields that are named', () => {
    const failure = Object.assign(new Failure('NO_ANSWER', {request: 'GET /x', effect: 'unknown'}), {
      token: 'secret',
    })
    expect(Object.keys(failureDocument(failure).error)).toEqual([
      'state',
      'message',
      'hint',
      'exitCode',
      'remedy',
    ])
  })
})

describe('the nearest word', () => {
  it.each([
    ['custmer', ['customer', 'currency', 'columns'], ['customer']],
    ['price_lock', ['VALIDATION_PRICE_LOCK_EXPIRED', 'FORBIDDEN'], ['VALIDATION_PRICE_LOCK_EXPIRED']],
    ['zzzz', ['customer'], []],
    ['', ['customer'], []],
  ])('to %s of %j is %j', (word, known, expected) => {
    expect(nearest(word, known)).toEqual(expected)
  })
})
