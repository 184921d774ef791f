import {beforeAll, describe, expect, test} from 'vitest'
import type * as z from 'zod/mini'
import {mintToken} from '../../src/contract/auth.ts'
import {readCart, registration} from '../../src/contract/cart.ts'
import {preview} from '../../src/contract/checkout.ts'
import {discountCode} from '../../src/contract/discounts.ts'
import {notice} from '../../src/contract/notices.ts'
import {createdOrder, orderRead} from '../../src/contract/orders.ts'
import {returnRequest} from '../../src/contract/returns.ts'
import {reportStatement, statement} from '../../src/contract/statements.ts'
import {variant} from '../../src/contract/variants.ts'
import {walletTransaction} from '../../src/contract/wallet.ts'
import {delivery, setWebhookActive, subscription} from '../../src/contract/webhooks.ts'
import {readWishlist} from '../../src/contract/wishlist.ts'
import {type Answers, gather} from './answers.ts'
import {type ResourceName, resources, type Shape} from './resources.ts'

let answers: Answers
beforeAll(async () => {
  answers = await gather()
}, 60_000)

const names = Object.keys(resources) as ResourceName[]

const types: Record<string, (value: unknown) => boolean> = {
  uuid: (value) =>
    typeof value === 'string' && /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/.test(value),
  string: (value) => typeof value === 'string' && value !== '',
  integer: Number.isSafeInteger,
  decimal: (value) => typeof value === 'number' && Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
  time: (value) =>
    typeof value === 'string' && value.endsWith('Z') && new Date(value).toISOString() === value,
}

/** What was met at each path, over all answers: a value, a null, or no key. */
type Met = Map<string, Set<'value' | 'null' | 'absent'>>

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Walks a value along its shape; answers what does not fit. */
function walk(shape: Shape, value: unknown, path: string, met: Met): string[] {
  const meet = (what: 'value' | 'null' | 'absent') => met.set(path, (met.get(path) ?? new Set()).add(what))
  if (typeof shape === 'string') {
    const isNullable = shape.endsWith('?')
    const type = isNullable ? shape.slice(0, -1) : shape
    meet(value === null ? 'null' : value === undefined ? 'absent' : 'value')
    const fits = type.startsWith('=')
      ? type.slice(1).split('|').includes(String(value))
      : types[type]?.(value)
    return fits || (isNullable && value === null) ? [] : [`${path}: ${JSON.stringify(value)} is no ${shape}`]
  }
  if (isList(shape)) {
    if (!Array.isArray(value)) return [`${path}: ${JSON.stringify(value)} is no array`]
    meet('value')
    return value.flatMap((one) => walk(shape[0], one, `${path}[]`, met))
  }
  const [mark] = Object.keys(shape)
  const inner = shape[mark ?? ''] as Shape
  if (mark === '?' || mark === '~') {
    const none = mark === '?' ? null : undefined
    meet(value === none ? (mark === '?' ? 'null' : 'absent') : 'value')
    return value === none ? [] : walk(inner, value, path, met)
  }
  if (!isRecord(value)) return [`${path}: ${JSON.stringify(value)} is no object`]
  if (mark === '*') return Object.values(value).flatMap((one) => walk(inner, one, `${path}.*`, met))
  const unlisted = Object.keys(value).filter((name) => !(name in shape))
  return [
    ...unlisted.map((name) => `${path}.${name}: is listed nowhere`),
    ...Object.entries(shape).flatMap(([name, field]) => walk(field, value[name], `${path}.${name}`, met)),
  ]
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape)

/** The paths of a shape and whether each may be null or absent. */
function pathsOf(shape: Shape, path: string): [string, 'always' | 'null' | 'absent'][] {
  if (typeof shape === 'string') return [[path, shape.endsWith('?') ? 'null' : 'always']]
  if (isList(shape)) return [[path, 'always'], ...pathsOf(shape[0], `${path}[]`)]
  return Object.entries(shape).flatMap(([name, field]): [string, 'always' | 'null' | 'absent'][] => {
    if (name === '*') return pathsOf(field, `${path}.*`)
    if (name === '?' || name === '~')
      return [[path, name === '?' ? 'null' : 'absent'], ...pathsOf(field, path)]
    return pathsOf(field, `${path}.${name}`)
  })
}

/** Fields that hold nothing in this sandbox, and why. */
const neverFilled: Record<string, string> = {
  'order.scentDetail.lines[].source': 'its values are not shown',
  'order.detailUnavailableReason': 'filled only where the detail is hidden: test/sandbox/detail',
  'registration.firedAt': 'a registration is answered when it is made; one that fired is not read again',
  'statement.emailStatusReason': 'no mail is sent',
  'statement.emailSentAt': 'no mail is sent',
  'statement.document.lines[].notes': 'what they hold is not shown',
  'statementDocument.lines[].notes': 'what they hold is not shown',
}

/** Fields that may be null at the service, and never are in this sandbox. */
const neverNull: Record<string, string> = {
  'preview.lines[].availableQuantity': 'the stock of every variant is known here',
  'order.header.productOrderId': 'every order here is a Scent order',
  'order.scentDetail.taxPoint': 'the moment of the order',
  'returnRequest.returnRequestNumber': 'no request here predates the numbers',
  'listedReturn.returnRequestNumber': 'no request here predates the numbers',
  'statement.document.sequenceNumber': 'a statement is closed; provisional documents come alone',
  'statement.document.statementNumber': 'a statement is closed; provisional documents come alone',
}

describe.each(names)('%s', (name) => {
  test('has every field that is listed, with its type, and no other', () => {
    expect(answers[name].length).toBeGreaterThan(0)
    const faults = answers[name].flatMap((answer) => walk(resources[name], answer, name, new Map()))
    expect([...new Set(faults)]).toEqual([])
  })

  test('is met with each of its fields filled, and with each that may be empty empty', () => {
    const met: Met = new Map()
    for (const answer of answers[name]) walk(resources[name], answer, name, met)
    const missed = pathsOf(resources[name], name).flatMap(([path, may]) => {
      const seen = met.get(path) ?? new Set()
      return [
        ...(seen.has('value') || path in neverFilled ? [] : [`${path} was never filled`]),
        ...(may === 'always' || seen.has(may) || path in neverNull ? [] : [`${path} was never ${may}`]),
        ...(seen.has('value') && path in neverFilled ? [`${path} was filled after all`] : []),
        ...(seen.has('null') && path in neverNull ? [`${path} was null after all`] : []),
      ]
    })
    expect(missed).toEqual([])
  })
})

const schemas: {[Name in ResourceName]: z.ZodMiniType} = {
  token: mintToken.payload,
  cart: readCart.payload.inner,
  preview,
  createdOrder,
  order: orderRead,
  returnRequest,
  listedReturn: returnRequest,
  notice,
  variant,
  wishlist: readWishlist.payload,
  registration,
  discountCode,
  subscription,
  activation: setWebhookActive.payload,
  delivery,
  walletTransaction,
  statement,
  statementDocument: reportStatement.payload.inner,
}

/** The schema below optional, nullable and shown(). */
function bare(schema: z.ZodMiniType): z.ZodMiniType {
  const {inner, _zod} = schema as unknown as {inner?: z.ZodMiniType; _zod: {def: {innerType?: z.ZodMiniType}}}
  const below = inner ?? _zod.def.innerType
  return below === undefined ? schema : bare(below)
}

/** The listed fields that a schema of the contract does not know. */
function unknownTo(schema: z.ZodMiniType, shape: Shape, path: string): string[] {
  if (typeof shape === 'string') return []
  const {def} = bare(schema)._zod as unknown as {
    def: {shape?: Record<string, z.ZodMiniType>; element?: z.ZodMiniType}
  }
  if (isList(shape)) {
    return def.element === undefined ? [`${path} is no array`] : unknownTo(def.element, shape[0], `${path}[]`)
  }
  return Object.entries(shape).flatMap(([name, field]) => {
    if (name === '*') return []
    if (name === '?' || name === '~') return unknownTo(schema, field, path)
    const next = def.shape?.[name]
    return next === undefined ? [`${path}.${name}`] : unknownTo(next, field, `${path}.${name}`)
  })
}

test.each(names)('the contract knows every field of %s', (name) => {
  expect(unknownTo(schemas[name], resources[name], name)).toEqual([])
})
