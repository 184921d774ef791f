import {Failure} from '../contract/failure.ts'
import type {Input, Operation, Payload} from '../contract/operation.ts'
import type {Method} from '../contract/wire.ts'
import type {Answer} from './answer.ts'
import {type Attempts, openAttempts} from './attempts.ts'
import type {CallOptions, ClientOptions} from './call.ts'
import {followPages, type Item, type PageRange} from './pages.ts'
import {type AnyInput, assemble, headersOf, prepare} from './request.ts'

export interface RawRequest {
  method: Method
  /** Below the base URL, already encoded, such as /api/v1/scent/orders. */
  path: string
  query?: readonly (readonly [string, string])[]
  headers?: Record<string, string>
  body?: unknown
}

type PageOptions = CallOptions & {limit?: number}

export interface Client {
  /**
   * One operation and its input become one payload, exactly as it came (numbers keep their digits).
   *
   * Fails with INVALID_INPUT before anything is sent; with the service's own code; with ODD_ANSWER if the answer
   * is not in the contract, unless it is only shown. If a request that changes something may have taken effect and
   * can't be repeated, it fails with OUTCOME_UNKNOWN, whose cause is the failure of the last attempt. Every failure says
   * facts.effect; a refusal with the effect `unknown` came after an earlier attempt whose answer was lost.
   */
  call<O extends Operation>(operation: O, input: Input<O>, options?: CallOptions): Promise<Payload<O>>
  /** The items of a paged list, from the input's page to the end, or to `limit` items. */
  pages<O extends Operation>(operation: O, input: Input<O>, options?: PageOptions): AsyncIterable<Item<O>>
  /** A request outside the contract: a GET is repeated freely, anything else never. */
  raw(request: RawRequest, options?: CallOptions): Promise<Answer>
}

export function createClient(options: ClientOptions): Client {
  const attempts = openAttempts(options)
  return {
    call: (operation, input, callOptions = {}) => call(options, attempts, operation, input, callOptions),
    pages<O extends Operation>(operation: O, input: Input<O>, {limit, ...callOptions}: PageOptions = {}) {
      const {query = {}} = input as AnyInput
      const read = (page: number, pageSize: number): Promise<unknown> =>
        call(options, attempts, operation, {...input, query: {...query, page, pageSize}}, callOptions)
      const from = {page: query.page, pageSize: query.pageSize, limit} as PageRange
      return followPages<Item<O>>(`${operation.method} ${operation.path}`, read, from)
    },
    async raw({method, path, query = [], headers = {}, body}, callOptions = {}) {
      const prepared = assemble(options.baseUrl, {method, path, query, body})
      return attempts.run(
        {...prepared, headers: {...currencyHeader(options), ...prepared.headers, ...headersOf(headers)}},
        {auth: 'bearer', repeat: method === 'GET' ? 'freely' : 'never', changes: method !== 'GET'},
        callOptions,
      )
    },
  }
}

async function call<O extends Operation>(
  options: ClientOptions,
  attempts: Attempts,
  operation: O,
  input: Input<O>,
  callOptions: CallOptions,
): Promise<Payload<O>> {
  const prepared = prepare(options.baseUrl, operation, input as AnyInput)
  const changes = operation.method !== 'GET' && operation.auth === 'bearer'
  const answer = await attempts.run(
    {...prepared, headers: {...currencyHeader(options), ...prepared.headers}},
    {auth: operation.auth, repeat: operation.repeat, changes},
    callOptions,
  )
  callOptions.heard?.(answer)
  const onlyShown = callOptions.onlyShown ?? false
  const odd =
    (onlyShown ? undefined : oddPayload(operation, answer.payload)) ??
    oddCustomer(operation, input as AnyInput, answer.payload, onlyShown)
  if (odd === undefined) return answer.payload as Payload<O>
  const facts = {request: prepared.name, httpStatus: answer.status, ...requestId(answer)}
  const failure = new Failure('ODD_ANSWER', {...facts, message: odd, effect: changes ? 'unknown' : 'none'})
  if (!changes) throw failure
  throw new Failure('OUTCOME_UNKNOWN', {...facts, effect: 'unknown'}, {cause: failure})
}

const requestId = (answer: Answer) => (answer.requestId === undefined ? {} : {requestId: answer.requestId})

const currencyHeader = ({currency}: ClientOptions): Record<string, string> =>
  currency === undefined ? {} : headersOf({'x-partner-currency': currency})

/** The payload is checked and handed on as it came: unknown fields stay in, nothing is transformed. */
function oddPayload(operation: Operation, payload: unknown): string | undefined {
  const checked = operation.payload.safeParse(payload)
  if (checked.success) return undefined
  const at = checked.error.issues[0]?.path.join('.') || 'payload'
  return `The service answered a success whose ${at} is missing or not what the contract says.`
}

/** An answer must be that of the customer asked for: a cart that is not may be a stranger's. */
function oddCustomer(
  operation: Operation,
  input: AnyInput,
  payload: unknown,
  onlyShown: boolean,
): string | undefined {
  const asked = input.params?.customerRef ?? input.query?.customerRef
  if (asked === undefined) return undefined
  const {customerRef, items, lines} = (payload ?? {}) as Partial<
    Record<'customerRef' | 'items' | 'lines', unknown>
  >
  if (customerRef === asked || (onlyShown && typeof customerRef !== 'string')) return undefined
  // not shown: whether an empty cart repeats the reference it was asked by, or any answer of a mentioned operation. A
  // wishlist never does.
  const silent = customerRef === undefined || customerRef === null
  const isMentioned = 'inner' in operation.payload
  const isEmpty = ((items ?? lines ?? []) as unknown[]).length === 0
  if (silent && (isMentioned || isEmpty || !operation.path.includes('/cart/'))) return undefined
  return 'The service answered with the cart of another customerRef than the one asked for.'
}
