import * as z from 'zod/mini'
import {type Digits, isDigits} from './money.ts'
import type {Operation} from './operation.ts'
import {decimal, mentioned, oneOf, shown, timestamp, uuid} from './wire.ts'

/** An int64: digits, never a double. */
const int64 = Object.assign(
  z.custom<Digits>((value) => isDigits(value), 'must be an integer'),
  {as: 'int64'} as const,
)

export const statementLine = z.looseObject({
  transactionId: shown(int64),
  timestamp: shown(timestamp),
  transactionType: shown(oneOf('Debit')), // not shown: other values
  referenceType: shown(oneOf('Order', 'Refund')), // not shown: other values
  referenceId: shown(z.string()),
  amount: shown(decimal),
  balanceAfter: shown(decimal),
  notes: shown(z.string()),
  orderGoodsVatAmount: shown(decimal),
  orderCommissionVatAmount: shown(decimal),
  orderTotalAmountWithVat: shown(decimal),
  orderTotalCommissionWithVat: shown(decimal),
})
export type StatementLine = z.output<typeof statementLine>

const totals = {
  partnerId: shown(uuid),
  partnerGlobalId: shown(z.string()),
  sequenceNumber: shown(z.int()),
  statementNumber: shown(z.string()),
  periodFrom: shown(timestamp),
  periodTo: shown(timestamp),
  generatedAt: shown(timestamp),
  currency: shown(z.string()),
  totalDebits: shown(decimal),
  totalCredits: shown(decimal),
  netPosition: shown(decimal),
}

const statementDocument = z.looseObject({
  ...totals,
  isProvisional: shown(z.boolean()),
  lines: shown(z.array(statementLine)),
  platformTaxRegistrationNumber: shown(z.string()),
  partnerTaxRegistrationNumber: shown(z.string()),
  documentNature: shown(z.string()),
})
export type StatementDocument = z.output<typeof statementDocument>

export const statement = z.looseObject({
  id: shown(uuid),
  ...totals,
  locked: shown(z.boolean()),
  emailStatus: shown(z.string()), // not shown: its values
  emailStatusReason: shown(z.string()),
  emailSentAt: shown(timestamp),
  document: shown(statementDocument),
})
export type Statement = z.output<typeof statement>

/** The document of a statement, in which its lines are; not shown: whether a provisional one stands alone. */
export function documentOf(answer: Statement | StatementDocument): StatementDocument {
  const {document} = answer as {document?: unknown}
  return typeof document === 'object' && document !== null ? (document as StatementDocument) : answer
}

export const readStatement = {
  summary: 'Read a billing statement.',
  method: 'GET',
  path: '/api/v1/statements/{statementId}',
  auth: 'bearer',
  repeat: 'freely',
  payload: statement,
  fails: ['NOT_FOUND_STATEMENT'],
} as const satisfies Operation

// not shown: the shape of the answer beyond "provisional documents". It is read as a statement's document, alone or
// inside `document`, and printed as it came.
export const reportStatement = {
  summary: 'Read the provisional billing document of a period.',
  method: 'GET',
  path: '/api/v1/statements/report',
  auth: 'bearer',
  repeat: 'freely',
  query: {from: {kind: 'date'}, to: {kind: 'date'}},
  payload: mentioned(statementDocument),
  fails: ['VALIDATION_MISSING_REPORT_RANGE'],
} as const satisfies Operation
