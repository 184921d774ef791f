import {compile} from 'jmespath'
import {Failure} from '../../contract/failure.ts'
import {isDigits, parseJson} from '../../contract/money.ts'
import {call, compare, equal, type Reference, requireFunction} from './functions.ts'

declare module 'jmespath' {
  function compile(expression: string): unknown
}

/** Takes a document, and returns what the expression finds in it. */
export type Query = (document: unknown) => unknown

/**
 * JMESPath over a document that keeps its digits. The library parses; its interpreter knows doubles only, under which
 * 10.50 would become 10.5 and 9007199254740993 another number, so the tree is walked here, with exact numbers.
 * Fails with INVALID_INPUT on a bad expression, at once; the query itself fails if a function meets a value that it
 * does not take.
 */
export function openQuery(expression: string): Query {
  const refuse = (error: unknown) => {
    if (!(error instanceof Error)) throw error
    return new Failure('INVALID_INPUT', {
      message: `--query "${expression}": ${error.message}.`,
      hint: 'Write a JMESPath expression, such as "items[?amount > `10`].id"; see https://jmespath.org.',
    })
  }
  let root: Node
  try {
    root = compile(sheltered(expression)) as Node
    requireFunctions(root)
  } catch (error) {
    throw refuse(error)
  }
  return (document) => {
    try {
      return visit(root, document)
    } catch (error) {
      throw refuse(error)
    }
  }
}

function requireFunctions({type, name = '', children = [], value}: Node): void {
  if (type === 'Function') requireFunction(name, children.length)
  if (type === 'KeyValuePair') requireFunctions(value as Node)
  for (const child of children) if (isObject(child)) requireFunctions(child)
}

/** A node of the tree that the library's parser returns. */
interface Node {
  type: string
  name?: string
  value?: unknown
  children?: (Node | null)[]
}

const DIGITS = '\u0000digits'

/** Number literals go through the parser as text: it would make doubles of them. */
function sheltered(expression: string): string {
  return expression.replace(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`/g, (token) => {
    if (!token.startsWith('`')) return token
    try {
      const literal = parseJson(token.slice(1, -1).replaceAll('\\`', '`'))
      const text = JSON.stringify(literal, (_, value) =>
        isDigits(value) ? {[DIGITS]: String(value)} : value,
      )
      return `\`${text.replaceAll('`', '\\`')}\``
    } catch {
      return token
    }
  })
}

function revived(literal: unknown): unknown {
  if (Array.isArray(literal)) return literal.map(revived)
  if (!isObject(literal)) return literal
  if (typeof literal[DIGITS] === 'string') return parseJson(literal[DIGITS])
  return Object.fromEntries(Object.entries(literal).map(([name, value]) => [name, revived(value)]))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isDigits(value)
}

function isFalse(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  if (isObject(value)) return Object.keys(value).length === 0
  return value === null || value === undefined || value === false || value === ''
}

type Visit = (node: Node, value: unknown) => unknown

const comparators: Record<string, (a: unknown, b: unknown) => boolean | null> = {
  EQ: (a, b) => equal(a, b),
  NE: (a, b) => !equal(a, b),
  GT: (a, b) => ordered(a, b, (order) => order > 0),
  GTE: (a, b) => ordered(a, b, (order) => order >= 0),
  LT: (a, b) => ordered(a, b, (order) => order < 0),
  LTE: (a, b) => ordered(a, b, (order) => order <= 0),
}

function ordered(a: unknown, b: unknown, holds: (order: number) => boolean): boolean | null {
  const order = compare(a, b)
  return order === undefined ? null : holds(order)
}

/** Keeps what is not null of `right` over each of `rows`; null if there are no rows. */
function project(rows: unknown, right: Node): unknown {
  if (!Array.isArray(rows)) return null
  return rows.map((row) => visit(right, row)).filter((value) => value !== null)
}

const [left, right, condition] = [0, 1, 2].map((place) => (node: Node) => node.children?.[place] as Node) as [
  (node: Node) => Node,
  (node: Node) => Node,
  (node: Node) => Node,
]

const then: Visit = (node, value) => visit(right(node), visit(left(node), value))

const visits: Record<string, Visit> = {
  Identity: (_, value) => value,
  Current: (_, value) => value,
  Literal: (node) => revived(node.value),
  Field: ({name = ''}, value) =>
    isObject(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null,
  Subexpression: then,
  IndexExpression: then,
  Pipe: then,
  Index: (node, value) => (Array.isArray(value) ? (value.at(Number(node.value)) ?? null) : null),
  Slice: (node, value) => (Array.isArray(value) ? slice(value, node.children as unknown[]) : null),
  Projection: (node, value) => project(visit(left(node), value), right(node)),
  ValueProjection(node, value) {
    const base = visit(left(node), value)
    return isObject(base) ? project(Object.values(base), right(node)) : null
  },
  FilterProjection(node, value) {
    const base = visit(left(node), value)
    if (!Array.isArray(base)) return null
    return project(
      base.filter((row) => !isFalse(visit(condition(node), row))),
      right(node),
    )
  },
  Flatten(node, value) {
    const base = visit(left(node), value)
    return Array.isArray(base) ? base.flat() : null
  },
  Comparator(node, value) {
    const holds = comparators[node.name ?? '']
    return holds ? holds(visit(left(node), value), visit(right(node), value)) : null
  },
  OrExpression(node, value) {
    const first = visit(left(node), value)
    return isFalse(first) ? visit(right(node), value) : first
  },
  AndExpression(node, value) {
    const first = visit(left(node), value)
    return isFalse(first) ? first : visit(right(node), value)
  },
  NotExpression: (node, value) => isFalse(visit(left(node), value)),
  MultiSelectList: (node, value) =>
    value === null ? null : node.children?.map((child) => visit(child as Node, value)),
  MultiSelectHash(node, value) {
    if (value === null) return null
    const pairs = (node.children ?? []) as {name: string; value: Node}[]
    return Object.fromEntries(pairs.map((pair) => [pair.name, visit(pair.value, value)]))
  },
  ExpressionReference:
    (node): Reference =>
    (value) =>
      visit(left(node), value),
  Function: (node, value) =>
    call(node.name ?? '', node.children?.map((child) => visit(child as Node, value)) ?? []),
}

function visit(node: Node, value: unknown): unknown {
  const step = visits[node.type]
  if (!step) throw new Error(`unknown expression ${node.type}`)
  return step(node, value) ?? null
}

/** Python's slices, which JMESPath has taken over. */
function slice(rows: unknown[], [from, to, by]: unknown[]): unknown[] {
  const step = Number(by ?? 1)
  if (step === 0) throw new Error('a slice must not have the step 0')
  const bound = (given: unknown, fallback: number) => {
    if (given === null || given === undefined) return fallback
    const place = Number(given) < 0 ? Number(given) + rows.length : Number(given)
    return step > 0
      ? Math.min(Math.max(place, 0), rows.length)
      : Math.min(Math.max(place, -1), rows.length - 1)
  }
  const start = bound(from, step > 0 ? 0 : rows.length - 1)
  const end = bound(to, step > 0 ? rows.length : -1)
  const picked: unknown[] = []
  for (let at = start; step > 0 ? at < end : at > end; at += step) picked.push(rows[at])
  return picked
}
