import {codeOfStatus} from '../contract/errors.ts'
import {Failure} from '../contract/failure.ts'
import {parseJson} from '../contract/money.ts'
import {envelope, type HttpResponse} from '../contract/wire.ts'
import {withoutSecrets} from './events.ts'

/** A success of the service: its envelope, and what came with it. */
export interface Answer {
  status: number
  headers: Record<string, string>
  state: string
  payload: unknown
  details: unknown
  requestId: string | undefined
}

/**
 * Reads an answer by its state (spec, Envelope); `now` in ms of the wall clock. The `secrets` are blotted out wherever
 * it repeats them. Fails with the service's own code,
 * known or not; with ODD_ANSWER if there is no envelope and the status says no more, or if state and status
 * contradict each other.
 */
export function readAnswer(response: HttpResponse, now: number, secrets: readonly string[] = []): Answer {
  const {status, headers} = response
  const facts = {httpStatus: status, ...requestIdOf(headers), ...retryAfterOf(headers, now)}
  const found = envelope.safeParse(jsonOf(response.body, secrets))
  if (!found.success) {
    const code = codeOfStatus[status]
    if (code !== undefined) throw new Failure(code, facts)
    throw new Failure('ODD_ANSWER', {...facts, message: oddMessage(status, response.body)})
  }
  const {state, payload = null, details = null} = found.data
  const good = state === 'SUCCESS' || state === 'CREATED'
  if (good && isSuccess(status)) {
    return {status, headers, state, payload, details, requestId: facts.requestId}
  }
  if (good) {
    throw new Failure('ODD_ANSWER', {...facts, message: `The service answered ${state} with HTTP ${status}.`})
  }
  throw new Failure(state, {...facts, ...(details === null ? {} : {details})})
}

export const isSuccess = (status: number | undefined) => status !== undefined && status >= 200 && status < 300

function oddMessage(status: number, body: string): string {
  if (status >= 300 && status < 400)
    return `The service answered a redirect (HTTP ${status}), which is not followed.`
  const what = body.trim() === '' ? 'an empty body' : 'a body that is not in the contract'
  return `The service answered HTTP ${status} with ${what}.`
}

/** Returns undefined if the text is not JSON, or nests too deep to be read. */
function jsonOf(text: string, secrets: readonly string[]): unknown {
  try {
    return withoutSecrets(parseJson(text), text, secrets)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined
    throw error
  }
}

/** not shown: a header that names the request; the usual ones are looked for. */
export function requestIdOf(headers: Record<string, string>): {requestId?: string} {
  const id = headers['x-request-id'] ?? headers['x-correlation-id'] ?? headers['request-id']
  return id === undefined ? {} : {requestId: id}
}

/** A moment is meant by the clock of the service, which may differ from ours. */
function retryAfterOf(headers: Record<string, string>, now: number): {retryAfter?: number} {
  const serverNow = Date.parse(headers.date ?? '')
  const seconds = retryAfterSeconds(headers['retry-after'], Number.isNaN(serverNow) ? now : serverNow)
  return seconds === undefined ? {} : {retryAfter: seconds}
}

/**
 * The seconds that a Retry-After asks for, as a number or an HTTP date, never rounded down; `now` in ms of the wall
 * clock. Returns undefined if it is absent or means nothing.
 */
function retryAfterSeconds(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text))
  if (!/^[A-Za-z]{3,9},? /.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000))
}
