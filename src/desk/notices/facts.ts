import {isUuid, millis} from '../../contract/forms.ts'
import type {Notice} from '../../contract/notices.ts'

/** What one text tells of a notice, also what it tells to be null. Fields of another type than the contract's are left out. */
export interface NoticeFacts {
  id: string
  fields: Partial<Notice>
  /** What the type of its event says of its end, although no status does. */
  saysEnd: SaidEnd | null
}

/** How a notice ended: somebody answered it, its deadline passed, or one of these. */
export type SaidEnd = 'resolved' | 'expired' | 'closed'

/** not shown: the types of events. (H02) One that speaks of a notice and ends in one of these words says its end; no other does. */
const ends: {[word: string]: SaidEnd} = {
  ...{resolved: 'resolved', responded: 'resolved', answered: 'resolved'},
  ...{expired: 'expired', closed: 'closed'},
}

export function endSaidBy(eventType: string | null): SaidEnd | null {
  const [, word = ''] = /notice.*[._-]([a-z]+)$/.exec(eventType ?? '') ?? []
  return Object.hasOwn(ends, word) ? (ends[word] ?? null) : null
}

const statuses = ['AwaitingPartnerResponse', 'Resolved', 'ExpiredCancelledWhole', 'ExpiredShipAvailable']

/** A body is looked through this deep, and one that arrived no further than this many values. */
const DEEPEST = 5
const MOST_VALUES = 5_000

type Members = Record<string, unknown>
const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isText = (value: unknown) => typeof value === 'string' && value.length <= 200
/** A time that a notice can have: others could not even be told. */
const isTime = (value: unknown) => {
  const ms = isText(value) ? millis(value as string) : Number.NaN
  return ms > 0 && ms < LATEST_MS
}
const LATEST_MS = Date.UTC(2200, 0)
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0

/** What a field of a notice must be to be taken. The spec's Unfulfillable-line notice. */
const fits: {[field in keyof Notice]?: (value: unknown) => boolean} = {
  scentOrderId: (value) => typeof value === 'string' && isUuid(value),
  reason: isText,
  status: isText,
  responseChoice: isText,
  notifiedAt: isTime,
  responseDeadlineAt: isTime,
  respondedAt: isTime,
  hasShipmentDeparted: (value) => typeof value === 'boolean',
  line: isObject,
  impact: isObject,
}

const lineFits: {[field: string]: (value: unknown) => boolean} = {
  scentOrderLineId: isText,
  variantId: isText,
  sku: isText,
  orderedQuantity: isCount,
  availableQuantity: isCount,
  shortfallQuantity: isCount,
}

type Tests = [field: string, test: (value: unknown) => boolean][]
const noticeTests = Object.entries(fits) as Tests
const lineTests = Object.entries(lineFits) as Tests

/** A field of a notice that can't be what it must be. */
export interface LeftOut {
  /** Of the notice. */
  id: string
  /** Its path, such as `line.orderedQuantity`. */
  field: string
  value: unknown
}

function taken(from: Members, tests: Tests, leaveOut: (field: string, value: unknown) => void): Members {
  const fields: Members = {}
  for (const [field, test] of tests) {
    if (!Object.hasOwn(from, field)) continue
    const value = from[field]
    // Only a status is never null.
    if (value === null ? field !== 'status' : test(value)) fields[field] = value
    else leaveOut(field, value)
  }
  return fields
}

const idOf = (...values: unknown[]) =>
  values.find((value): value is string => typeof value === 'string' && isUuid(value))?.toLowerCase()

/** Whether an object has a field that only notices have. */
function isNotice(value: Members): boolean {
  const {line, status} = value
  return (
    ['responseDeadlineAt', 'hasShipmentDeparted', 'responseChoice'].some((name) =>
      Object.hasOwn(value, name),
    ) ||
    (isObject(line) && Object.hasOwn(line, 'shortfallQuantity')) ||
    statuses.includes(status as string)
  )
}

/**
 * Finds the notices that a parsed body tells of, whatever its shape: the spec does not show it. A notice is an object
 * with an id and a field that only notices have, or a bare `noticeId`. `speaks`: the word notice stands in a key or in
 * the type of the event.
 */
export function noticesIn(
  body: unknown,
  eventType: string | null,
  mostValues = MOST_VALUES,
): {notices: NoticeFacts[]; speaks: boolean; leftOut: LeftOut[]} {
  const found = new Map<string, Partial<Notice>>()
  const leftOut: LeftOut[] = []
  let speaks = /notice/i.test(eventType ?? '')
  let open: {value: unknown; order: string | undefined}[] = [{value: body, order: undefined}]
  let values = 0
  for (let depth = 0; depth <= DEEPEST && open.length > 0; depth += 1) {
    const next: typeof open = []
    for (const {value, order: outer} of open) {
      if (++values > mostValues) return {notices: [], speaks: true, leftOut}
      if (typeof value !== 'object' || value === null) continue
      // The order stands beside the notice, or around it (spec, Webhooks: data.orderId).
      const order = isObject(value) ? (idOf(value.scentOrderId, value.orderId) ?? outer) : outer
      if (isObject(value)) {
        speaks ||= Object.keys(value).some((key) => /notice/i.test(key))
        addNotice(found, value, order, leftOut)
      }
      next.push(...Object.values(value).map((inner) => ({value: inner, order})))
    }
    open = next
  }
  const end = endSaidBy(eventType)
  const notices = [...found].map(([id, fields]) => ({
    ...{id, fields},
    saysEnd: fields.status === undefined ? end : null,
  }))
  return {notices, speaks, leftOut}
}

/** The notice that an object is, with the fields that it has itself, or names. */
export function ownNotice(
  value: Members,
  leaveOut: (id: string, field: string, given: unknown) => void = () => {},
): {id: string; fields: Members} | undefined {
  const bare = idOf(value.noticeId)
  const whole = isNotice(value) ? idOf(value.id, value.noticeId) : undefined
  const id = whole ?? bare
  if (id === undefined) return undefined
  const fields: Members = whole ? taken(value, noticeTests, (field, given) => leaveOut(id, field, given)) : {}
  if (isObject(fields.line))
    fields.line = taken(fields.line, lineTests, (field, given) => leaveOut(id, `line.${field}`, given))
  return {id, fields}
}

function addNotice(
  found: Map<string, Partial<Notice>>,
  value: Members,
  order: string | undefined,
  leftOut: LeftOut[],
): void {
  const own = ownNotice(value, (id, field, given) => leftOut.push({id, field, value: given}))
  if (own === undefined) return
  const {id, fields} = own
  const both = filled((found.get(id) ?? {}) as Members, fields)
  found.set(id, {...both, ...(order && {scentOrderId: order})} as Partial<Notice>)
}

/** Fields, and those of `more` that these lack, or hold as null. */
export function filled<T extends Members>(fields: T, more: Members): T {
  const all: Members = fields
  for (const [name, value] of Object.entries(more)) if ((all[name] ?? null) === null) all[name] = value
  return fields
}
