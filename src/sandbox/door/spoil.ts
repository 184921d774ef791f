import {setTimeout as delay} from 'node:timers/promises'
import {codeOfStatus} from '../../contract/errors.ts'
import type {State} from '../core/state.ts'
import {type Effect, type Fault, statusOf} from './faults.ts'
import {type Outgoing, type Reply, refusal, success} from './reply.ts'

/** Codes that only an ordered fault answers with (X12). */
const codes: Readonly<Record<number, string>> = {
  ...codeOfStatus,
  401: 'UPSTREAM_AUTH_FAILED',
  403: 'FORBIDDEN',
}

const replaces: readonly Effect[] = ['status', 'race', 'reset', 'hang', 'truncate', 'malformed']

/** The answer that a fault puts in place of the work, if it does. */
export function insteadOf(fault: Fault): Reply | null {
  if (fault.when !== 'before' || !replaces.includes(fault.effect)) return null
  return replacement(fault) ?? success(null)
}

/** The answer of work that is done and committed, as a fault has it arrive. */
export async function spoiled(state: State, reply: Reply, fault: Fault): Promise<Reply> {
  if (fault.effect === 'slow' && fault.when === 'after') {
    await delay(fault.delayMs ?? 1_000, undefined, {signal: state.closing})
  }
  if (fault.effect === 'additive-fields') return {...reply, payload: withMoreFields(reply.payload)}
  if (fault.effect === 'unknown-enum') return {...reply, payload: withNewValues(reply.payload)}
  return replacement(fault) ?? reply
}

function replacement(fault: Fault): Reply | null {
  if (fault.effect === 'race') return refusal(raceOf(fault), {message: 'A concurrent request won.'})
  if (fault.effect !== 'status') return null
  const status = statusOf(fault)
  const code = fault.state ?? codes[status] ?? 'SERVICE_UNAVAILABLE'
  const wait = fault.retryAfter ?? (status === 429 ? 1 : undefined)
  const reply = refusal(code, {message: 'A fault was ordered in the sandbox.'})
  const headers = {...reply.headers, ...(wait === undefined ? {} : {'retry-after': String(wait)})}
  return {...reply, status, headers}
}

/** P15: a single writer loses no race, so a fault has to. */
function raceOf(fault: Fault): string {
  if (fault.state !== undefined) return fault.state
  const operation = fault.match?.operation ?? ''
  if (operation === 'respondToNotice') return 'CONFLICT_NOTICE_ALREADY_RESOLVED'
  return /preview|lock/i.test(operation) ? 'CONFLICT_PRICE_LOCK_CREATE_RACE' : 'CONFLICT_CART_CHECKOUT_RACE'
}

/** Breaks the bytes of an answer on their way back. */
export function fractured(outgoing: Outgoing, fault: Fault): Outgoing {
  if (fault.effect === 'malformed') return {...outgoing, body: `${outgoing.body.slice(0, -2)},,`}
  if (fault.effect === 'reset' || fault.effect === 'hang' || fault.effect === 'truncate') {
    return {...outgoing, broken: fault.effect}
  }
  return outgoing
}

/** Z01. A later version of the API: every object has fields that this one does not know. */
function withMoreFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMoreFields)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, inner]) => [name, withMoreFields(inner)])
  return {...Object.fromEntries(fields), sandboxExtra: {note: 'a field added later', numbers: [1, 2.5]}}
}

const enumFields = new Set([
  'status',
  'state',
  'issue',
  'productType',
  'pricingMode',
  'transactionType',
  'badges',
])

/** Z01. A later version of the API: its value sets have grown. */
function withNewValues(value: unknown, field = ''): unknown {
  if (Array.isArray(value)) return value.map((inner) => withNewValues(inner, field))
  if (typeof value === 'string' && enumFields.has(field)) return 'SandboxFutureValue'
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withNewValues(inner, name)]))
}
