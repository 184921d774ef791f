import {describe, expect, it} from 'vitest'
import {readAnswer} from '../../src/client/answer.ts'
import {decide, openBudget, type Tries, treatmentOf} from '../../src/client/retry.ts'
import {type Code, catalogue} from '../../src/contract/errors.ts'
import {type Facts, Failure} from '../../src/contract/failure.ts'
import {seeded} from '../support/virtual-time.ts'

type Decision = ReturnType<typeof decide>

const first: Tries = {sends: 1, waitedMs: 0, renewed: false, ambiguous: false}
const bounds = {maxWaitMs: 120_000, random: () => 0.5}

function decided(
  code: string,
  facts: Facts,
  repeat: 'freely' | 'by-key' | 'never',
  tries: Partial<Tries> = {},
  more: Partial<typeof bounds> = {},
): Decision {
  const failure = new Failure(code, facts)
  return decide(failure, {...first, ...tries}, {...bounds, repeat, budget: openBudget(), ...more})
}

/** What the spec's status of a code makes of its facts. */
const service = (code: Code) => ({httpStatus: (catalogue[code] as {http?: number}).http ?? 0})

describe('the table of repeats', () => {
  it.each<[string, Facts, 'no' | 'refused' | 'maybe']>([
    ['UNAUTHORIZED_MISSING_TOKEN', {httpStatus: 401}, 'no'],
    ['UNAUTHORIZED_INVALID_TOKEN', {httpStatus: 401}, 'no'],
    ['UNAUTHORIZED_TOKEN_EXPIRED', {httpStatus: 401}, 'no'],
    ['UPSTREAM_AUTH_FAILED', {httpStatus: 401}, 'maybe'],
    ['FORBIDDEN', {httpStatus: 403}, 'no'],
    ['AUTH_ENVIRONMENT_MISMATCH', {httpStatus: 403}, 'no'],
    ['FORBIDDEN_FROM_THE_FUTURE', {httpStatus: 403}, 'no'],
    ['NOT_FOUND_ROUTE', {httpStatus: 404}, 'no'],
    ['NOT_FOUND_VARIANT', {httpStatus: 404}, 'refused'],
    ['METHOD_NOT_ALLOWED', {httpStatus: 405}, 'no'],
    ['UNSUPPORTED_MEDIA_TYPE', {httpStatus: 415}, 'no'],
    ['RATE_LIMITED', {httpStatus: 429}, 'no'],
    ['VALIDATION_ERRORS', {httpStatus: 400}, 'refused'],
    ['CONFLICT_ORDER_IN_PROGRESS', {httpStatus: 409}, 'refused'],
    ['BUSINESS_FROM_THE_FUTURE', {httpStatus: 422}, 'refused'],
    ['REQUEST_TIMEOUT_FROM_A_PROXY', {httpStatus: 408}, 'maybe'],
    ['CLIENT_CLOSED_REQUEST_FROM_A_PROXY', {httpStatus: 499}, 'maybe'],
    ['BAD_GATEWAY', {httpStatus: 502}, 'maybe'],
    ['SERVICE_UNAVAILABLE', {httpStatus: 503}, 'maybe'],
    ['GATEWAY_TIMEOUT', {httpStatus: 504}, 'maybe'],
    ['SERVER_FROM_THE_FUTURE', {httpStatus: 500}, 'maybe'],
    ['SUCCESS_FROM_THE_FUTURE', {httpStatus: 200}, 'maybe'],
    ['ODD_ANSWER', {httpStatus: 200}, 'maybe'],
    ['ODD_ANSWER', {httpStatus: 404}, 'maybe'],
    ['NO_CONNECTION', {effect: 'none'}, 'no'],
    ['TLS_UNTRUSTED', {effect: 'none'}, 'no'],
    ['INSECURE_URL', {effect: 'none'}, 'no'],
    ['NO_ANSWER', {effect: 'unknown'}, 'maybe'],
    ['INTERRUPTED', {effect: 'unknown'}, 'maybe'],
    ['INTERRUPTED', {effect: 'none'}, 'no'],
  ])('%s %o: it ran: %s', (code, facts, ran) => expect(treatmentOf(new Failure(code, facts)).ran).toBe(ran))

  const again = (afterMs: number): Decision => ({do: 'repeat', afterMs})
  const fail: Decision = {do: 'fail'}
  const renew: Decision = {do: 'renew'}

  it.each<[string, Facts, Decision, Decision]>([
    // code, facts, what a repeatable operation does, what any other does
    ['NO_CONNECTION', {effect: 'none'}, again(125), again(125)],
    ['RATE_LIMITED', {httpStatus: 429, retryAfter: 7}, again(7125), again(7125)],
    ['UNAUTHORIZED_TOKEN_EXPIRED', {httpStatus: 401}, renew, renew],
    ['BAD_GATEWAY', {httpStatus: 502}, again(125), fail],
    ['SERVICE_UNAVAILABLE', {httpStatus: 503, retryAfter: 3}, again(3125), fail],
    ['GATEWAY_TIMEOUT', {httpStatus: 504}, again(125), fail],
    ['SERVER_FROM_THE_FUTURE', {httpStatus: 500}, again(125), fail],
    ['UPSTREAM_AUTH_FAILED', {httpStatus: 401}, again(125), fail],
    ['REQUEST_TIMEOUT_FROM_A_PROXY', {httpStatus: 408}, again(125), fail],
    ['ODD_ANSWER', {httpStatus: 408}, again(125), fail],
    ['NO_ANSWER', {effect: 'unknown'}, again(125), fail],
    ['ODD_ANSWER', {httpStatus: 200}, again(125), fail],
    ['ODD_ANSWER', {httpStatus: 307}, fail, fail],
    ['TLS_UNTRUSTED', {effect: 'none'}, fail, fail],
    ['UNAUTHORIZED_MISSING_TOKEN', {httpStatus: 401}, fail, fail],
    ['UNAUTHORIZED_INVALID_TOKEN', {httpStatus: 401}, fail, fail],
    ['FORBIDDEN', {httpStatus: 403}, fail, fail],
    ['INTERRUPTED', {effect: 'unknown'}, fail, fail],
  ])('after %s %o', (code, facts, freely, otherwise) => {
    expect(decided(code, facts, 'freely')).toEqual(freely)
    expect(decided(code, facts, 'by-key')).toEqual(otherwise)
    expect(decided(code, facts, 'never')).toEqual(otherwise)
  })

  it('repeats no refusal of the service, whichever it is', () => {
    const refusals = (Object.keys(catalogue) as Code[]).filter((code) => {
      const {httpStatus} = service(code)
      return [400, 404, 409, 422].includes(httpStatus)
    })
    expect(refusals.length).toBeGreaterThan(40)
    for (const code of refusals) expect(decided(code, service(code), 'freely'), code).toEqual(fail)
  })

  it('renews a token once only', () => {
    expect(decided('UNAUTHORIZED_TOKEN_EXPIRED', {httpStatus: 401}, 'freely', {renewed: true})).toEqual(fail)
  })

  it('sends five times in all, three where nobody listens', () => {
    expect(decided('NO_ANSWER', {}, 'freely', {sends: 4})).toMatchObject({do: 'repeat'})
    expect(decided('NO_ANSWER', {}, 'freely', {sends: 5})).toEqual(fail)
    expect(decided('NO_CONNECTION', {}, 'freely', {sends: 2})).toMatchObject({do: 'repeat'})
    expect(decided('NO_CONNECTION', {}, 'freely', {sends: 3})).toEqual(fail)
  })

  it('waits out a quota as long as it may, however often it is told to', () => {
    const facts = {httpStatus: 429, retryAfter: 1}
    expect(decided('RATE_LIMITED', facts, 'never', {sends: 100, waitedMs: 100_000})).toEqual(again(1125))
    expect(decided('RATE_LIMITED', facts, 'never', {sends: 100, waitedMs: 119_500})).toEqual(fail)
    // All that is left of it is enough.
    expect(decided('RATE_LIMITED', facts, 'never', {waitedMs: 119_000})).toEqual(again(1000))
  })

  it('repeats nothing that another try would not change, though it never arrived', () => {
    expect(decided('TLS_UNTRUSTED', {effect: 'none'}, 'freely')).toEqual(fail)
  })
})

describe('a Retry-After', () => {
  it('is never shortened, and above the longest wait the call fails', () => {
    const random = seeded(1)
    for (let n = 0; n < 500; n += 1) {
      const retryAfter = Math.floor(random() * 200)
      const waitedMs = Math.floor(random() * 120_000)
      const decision = decided('RATE_LIMITED', {retryAfter}, 'freely', {waitedMs}, {random})
      if (retryAfter * 1000 > 120_000 - waitedMs) expect(decision).toEqual({do: 'fail'})
      else if (decision.do === 'repeat') {
        expect(decision.afterMs).toBeGreaterThanOrEqual(retryAfter * 1000)
        expect(waitedMs + decision.afterMs).toBeLessThanOrEqual(120_000)
      }
    }
  })

  it('fails at once where no wait is allowed', () => {
    expect(decided('RATE_LIMITED', {retryAfter: 1}, 'freely', {}, {maxWaitMs: 0})).toEqual({do: 'fail'})
    expect(decided('NO_ANSWER', {}, 'freely', {}, {maxWaitMs: 0})).toEqual({do: 'fail'})
  })

  const now = Date.parse('2026-11-20T10:00:00.250Z')
  it.each<[string | undefined, number | undefined]>([
    [undefined, undefined],
    ['', undefined],
    ['0', 0],
    ['17', 17],
    [' 17 ', 17],
    ['1.2', 2],
    ['-1', undefined],
    ['soon', undefined],
    ['1e3', undefined],
    ['Fri, 20 Nov 2026 10:00:30 GMT', 30],
    ['Friday, 20-Nov-26 10:00:30 GMT', 30],
    ['Fri Nov 20 10:00:30 2026 GMT', 30],
    ['Fri, 20 Nov 2026 09:00:00 GMT', 0],
    ['Fri, 99 Nov 2026 09:00:00 GMT', undefined],
  ])('%j means %s seconds', (header, seconds) => {
    const headers: Record<string, string> = header === undefined ? {} : {'retry-after': header}
    const facts = {httpStatus: 429, ...(seconds !== undefined && {retryAfter: seconds})}
    expect(() => readAnswer({status: 429, headers, body: ''}, now)).toThrow(expect.objectContaining({facts}))
  })
})

describe('a backoff', () => {
  it('lies anywhere between nothing and a bound that doubles up to 8 s', () => {
    const random = seeded(2)
    const bound = [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]
    for (const [n, most] of bound.entries()) {
      const all = Array.from({length: 400}, () => {
        const tries = {...first, sends: n + 1}
        const bound = {...bounds, random, repeat: 'freely', budget: openBudget()} as const
        const decision = decide(new Failure('RATE_LIMITED', {httpStatus: 429}), tries, bound)
        return decision.do === 'repeat' ? decision.afterMs : Number.NaN
      })
      expect(Math.min(...all)).toBeLessThan(most * 0.05)
      expect(Math.max(...all)).toBeLessThan(most)
      expect(Math.max(...all)).toBeGreaterThan(most * 0.95)
    }
  })
})

describe('the budget of repeats', () => {
  it('ends after 20 in an outage, and comes back with every tenth call that goes well', () => {
    const budget = openBudget()
    const taken = Array.from({length: 30}, () => budget.take()).filter(Boolean)
    expect(taken).toHaveLength(20)
    for (let n = 0; n < 11; n += 1) budget.earn()
    expect([budget.take(), budget.take()]).toEqual([true, false])
  })

  it('is not needed to wait for a quota', () => {
    const budget = openBudget(0)
    const failure = new Failure('RATE_LIMITED', {httpStatus: 429, retryAfter: 1})
    expect(decide(failure, first, {...bounds, repeat: 'never', budget})).toMatchObject({do: 'repeat'})
    expect(decide(new Failure('NO_ANSWER'), first, {...bounds, repeat: 'freely', budget})).toEqual({
      do: 'fail',
    })
  })
})
