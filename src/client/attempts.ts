import {type Facts, Failure, isFailure} from '../contract/failure.ts'
import {type Answer, isSuccess, readAnswer, requestIdOf} from './answer.ts'
import type {CallOptions, ClientOptions} from './call.ts'
import {type Exchange, exchangeEvent} from './events.ts'
import type {Permit} from './pace.ts'
import type {Prepared} from './request.ts'
import {decide, openBudget, type Tries, treatmentOf} from './retry.ts'

/** How a request may be treated: whether it needs a token, may be repeated, and changes anything. */
interface Rule {
  auth: 'bearer' | 'none'
  repeat: 'freely' | 'by-key' | 'never'
  changes: boolean
}

export interface Attempts {
  /** Sends a request as often as its rule allows. Fails as Client.call says. */
  run(request: Prepared, rule: Rule, options: CallOptions): Promise<Answer>
}

/** The attempts of one process: they share a budget of repeats. */
export function openAttempts(options: ClientOptions): Attempts {
  const budget = openBudget()
  return {
    async run(request, rule, callOptions) {
      const signal = anyOf(options.signal, callOptions.signal)
      const tries: Tries = {sends: 0, waitedMs: 0, renewed: false, ambiguous: false}
      // What may have been done is not left in a wait.
      const stop = () => (rule.changes && tries.ambiguous ? undefined : callOptions.stop)
      let stale: string | undefined
      for (;;) {
        const waiting = anyOf(signal, stop())
        const outcome = await attempt(
          options,
          request,
          rule,
          {...callOptions, ...(signal && {signal})},
          {stale, waiting},
        )
        if (outcome.failure === undefined) {
          budget.earn()
          return outcome.answer
        }
        const {failure} = outcome
        if (!outcome.sent) throw finalFailure(failure, request, rule, tries)
        tries.sends += 1
        const decision = decide(failure, tries, {...options, repeat: rule.repeat, budget})
        if (decision.do === 'fail') throw finalFailure(failure, request, rule, tries)
        tries.ambiguous ||= treatmentOf(failure).ran === 'maybe'
        if (decision.do === 'renew') {
          tries.renewed = true
          stale = outcome.token
          continue
        }
        stale = undefined
        const why = failure.code === 'RATE_LIMITED' ? 'rate-limit' : 'retry'
        options.tell?.({
          kind: 'waiting',
          why,
          ms: decision.afterMs,
          request: request.name,
          code: failure.code,
        })
        await options.sleep(decision.afterMs, anyOf(signal, stop()))
        tries.waitedMs += decision.afterMs
      }
    },
  }
}

type Outcome =
  | {answer: Answer; failure?: undefined}
  | {failure: Failure; sent: boolean; token: string | undefined}

/** One attempt. A failure before it was sent (no permit, no token) is final: these have their own repeats. */
async function attempt(
  options: ClientOptions,
  request: Prepared,
  rule: Rule,
  callOptions: CallOptions,
  {stale, waiting}: {stale: string | undefined; waiting: AbortSignal | undefined},
): Promise<Outcome> {
  const ready = await makeReady(options, rule, waiting, stale)
  if (ready.failure) return {failure: ready.failure, sent: false, token: undefined}
  const {permit, token} = ready
  if (callOptions.leaving) await letLeave(permit, callOptions.leaving)
  try {
    const answer = await exchange(options, request, token, callOptions)
    permit.used()
    return {answer}
  } catch (error) {
    if (!isFailure(error)) throw error
    if (token !== undefined && error.code === 'UNAUTHORIZED_INVALID_TOKEN') options.tokens.forget(token)
    await settle(permit, error)
    return {failure: error, sent: true, token}
  }
}

type Ready = {permit: Permit; token: string | undefined; failure?: undefined} | {failure: Failure}

/** Waits for the permit and the token that a request needs to leave. */
async function makeReady(
  options: ClientOptions,
  rule: Rule,
  signal: AbortSignal | undefined,
  stale: string | undefined,
): Promise<Ready> {
  let permit: Permit | undefined
  try {
    if (signal?.aborted) throw new Failure('INTERRUPTED')
    permit = await options.pacer.permit(signal)
    const token = rule.auth === 'bearer' ? await tokenFor(options, stale, signal) : undefined
    return {permit, token}
  } catch (error) {
    if (!isFailure(error)) throw error
    permit?.unused()
    return {failure: withoutEffect(error)}
  }
}

/** If the caller itself keeps a request from leaving, there was no attempt, and nothing is repeated. */
async function letLeave(permit: Permit, leaving: () => Promise<void>): Promise<void> {
  try {
    await leaving()
  } catch (error) {
    permit.unused()
    throw error
  }
}

const tokenFor = ({tokens}: ClientOptions, stale: string | undefined, signal: AbortSignal | undefined) =>
  stale === undefined ? tokens.get(signal) : tokens.renew(stale, signal)

/** If there is no token or permit, the request itself has not been sent. */
const withoutEffect = ({code, facts, cause}: Failure) =>
  new Failure(code, {...facts, effect: 'none'}, {cause})

/** A request that the service never saw, or refused for its number, takes nothing from the quota. */
async function settle(permit: Permit, failure: Failure) {
  const {httpStatus, effect, retryAfter = 0} = failure.facts
  if (failure.code === 'RATE_LIMITED') await permit.refused(retryAfter * 1000)
  else if (httpStatus === undefined && effect === 'none') permit.unused()
  else permit.used()
}

async function exchange(
  options: ClientOptions,
  request: Prepared,
  token: string | undefined,
  {signal, timeoutMs = options.timeoutMs}: CallOptions,
): Promise<Answer> {
  const {method, url, body} = request
  const headers = {...request.headers, ...(token !== undefined && {authorization: `Bearer ${token}`})}
  const started = options.now()
  const secrets = [...(token === undefined ? [] : [token]), ...secretsIn(body)]
  const report = (end: Pick<Exchange, 'status' | 'responseBody' | 'requestId' | 'error'>) =>
    options.tell?.(exchangeEvent(request, end, options.now() - started, secrets))
  try {
    const sent = {method, url, headers, timeoutMs, ...(body !== undefined && {body}), ...(signal && {signal})}
    const response = await options.send(sent)
    if (token !== undefined) await options.learn?.(!isSuccess(response.status))
    report({status: response.status, responseBody: response.body, ...requestIdOf(response.headers)})
    // The answer of a mint holds a token that may be known already.
    const known = token === undefined ? secrets : [...secrets, ...(options.secrets ?? [])]
    return readAnswer(response, options.now(), known)
  } catch (error) {
    if (isFailure(error) && error.facts.httpStatus === undefined) report({error: error.code})
    throw error
  }
}

/** The failure of a whole call: what is certain about its effect, after all its attempts. */
function finalFailure(failure: Failure, request: Prepared, rule: Rule, tries: Tries): Failure {
  const {ran} = treatmentOf(failure)
  const unknown = rule.changes && (ran === 'maybe' || tries.ambiguous)
  const effect = unknown ? 'unknown' : ran === 'refused' ? 'refused' : 'none'
  const facts: Facts = {
    ...failure.facts,
    ...hintOf(failure),
    effect,
    request: failure.facts.request ?? request.name,
  }
  if (!unknown || ran === 'refused' || failure.code === 'INTERRUPTED') {
    return new Failure(failure.code, facts, {cause: failure.cause})
  }
  const {message: _, hint: __, ...rest} = facts
  return new Failure('OUTCOME_UNKNOWN', {...rest, request: request.name}, {cause: failure})
}

/** A wait that was too long to take is shown with its number. */
function hintOf({facts: {retryAfter, hint}}: Failure): Pick<Facts, 'hint'> {
  if (hint !== undefined || !retryAfter) return {}
  return {hint: `Repeat in ${retryAfter} s; a longer --max-wait lets the program do the waiting.`}
}

/** The secret of a token request, so that it is blotted out wherever it turns up. */
function secretsIn(body: string | undefined): string[] {
  const found = body?.match(/"clientSecret":("(?:[^"\\]|\\.)*")/)?.[1]
  return found === undefined ? [] : [JSON.parse(found) as string]
}

function anyOf(...signals: (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined)
  return given.length > 1 ? AbortSignal.any(given) : given[0]
}
