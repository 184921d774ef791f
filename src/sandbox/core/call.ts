import type {api, OperationName} from '../../contract/api.ts'
import type {Body, Operation, Params} from '../../contract/operation.ts'
import type {QueryRule} from '../../contract/query.ts'
import type {Method} from '../../contract/wire.ts'
import type {FieldFault} from '../door/body.ts'
import type {Currency} from '../rules/money.ts'
import type {Partner} from './schema.ts'
import type {State} from './state.ts'
import type {World} from './world.ts'

/** A query value that passed its rule: dates in milliseconds, decimals as their text, pages with their default. */
type ParsedValue<R> = R extends {kind: 'page' | 'pageSize'}
  ? number
  : R extends {kind: 'date'}
    ? number | undefined
    : R extends {kind: 'boolean'}
      ? boolean | undefined
      : R extends {kind: 'tokens'} | {many: true}
        ? string[] | undefined
        : string | undefined

type ParsedQuery<O extends Operation> =
  O['query'] extends Record<string, QueryRule>
    ? {[K in keyof O['query']]: ParsedValue<O['query'][K]>}
    : Record<never, never>

/** A request that came through the door: who asks, for what, and when. */
export interface Call<O extends Operation = Operation> {
  state: State
  world: World
  partner: Partner
  params: Params<O>
  query: ParsedQuery<O>
  /** By the schema of its operation; of any operation at all, nothing is known about it. */
  body: Operation extends O ? unknown : Body<O>
  /** The body as it came, with the fields that its schema does not know. */
  sent?: Readonly<Record<string, unknown>> | undefined
  /** The display currency of X-Partner-Currency, if it is supported. */
  currency: Currency | null
  /** The sandbox's time of this request, in milliseconds. */
  now: number
  /** When the request came through the door: earlier than `now` if a fault kept it waiting. */
  arrived?: number
}

export type CallOf<Name extends OperationName> = Call<(typeof api)[Name]>

/** Serves one operation inside one transaction. Throws a Failure to refuse, which rolls everything back. */
export type Handler<O extends Operation> = (call: Call<O>) => unknown

/** The rules of some operations, by the names that the contract's registry has for them. */
export type Rules = {[Name in OperationName]?: Handler<(typeof api)[Name]>}

/** A request whose body may be wrong: a field that its schema refuses is left out of it. */
export type Judging<Name extends OperationName> = Omit<CallOf<Name>, 'body'> & {
  body: Partial<CallOf<Name>['body']>
}

/** The rules of fields that their schema does not say. They may take time: it is before the transaction. */
export type FieldRules = {
  [Name in OperationName]?: (call: Judging<Name>) => FieldFault[] | Promise<FieldFault[]>
}

/** An operation with its rule. */
export interface Served {
  name: OperationName
  operation: Operation
  handler: Handler<Operation> | undefined
  fieldRule: ((call: Call) => FieldFault[] | Promise<FieldFault[]>) | undefined
}

/** One method on one path. Two operations may share it; then the fields of the body say which one is meant. */
export interface Route {
  method: Method
  path: string
  served: [Served, ...Served[]]
}

/** An answer that is known only after the commit, such as the record of a delivery. */
export class Afterwards {
  readonly payload: () => Promise<unknown>

  constructor(payload: () => Promise<unknown>) {
    this.payload = payload
  }
}

/** E01: a 201 with the path of the new resource; the other operations that create answer 200 SUCCESS. */
export class Created {
  readonly payload: unknown
  readonly path: string

  constructor(payload: unknown, path: string) {
    this.payload = payload
    this.path = path
  }
}
