import * as z from 'zod/mini'
import type {Operation} from './operation.ts'
import {pageOf, pageQuery} from './paging.ts'
import {atMost, decimal, mentioned, oneOf, shown, timestamp, toned, uuid} from './wire.ts'

const commissionStatuses = ['Provisional', 'Issued', 'Settled'] as const

// not shown: the fields of a commission period. It is printed as it came.
export const commissionPeriod = z.looseObject({
  id: shown(uuid),
  periodFrom: shown(timestamp),
  periodTo: shown(timestamp),
  status: shown(toned(oneOf(...commissionStatuses), {good: ['Issued', 'Settled'], warn: ['Provisional']})),
  currency: shown(z.string()),
  totalCommission: shown(decimal),
  totalCommissionVat: shown(decimal),
  totalCommissionWithVat: shown(decimal),
  issueDate: shown(timestamp),
  issuedAt: shown(timestamp),
  settledAt: shown(timestamp),
  objection: shown(z.looseObject({reason: shown(z.string()), objectedAt: shown(timestamp)})),
})
export type CommissionPeriod = z.output<typeof commissionPeriod>

export const listCommissionPeriods = {
  summary: 'List the own commission periods.',
  method: 'GET',
  path: '/api/v1/commission-periods',
  auth: 'bearer',
  repeat: 'freely',
  query: {
    ...pageQuery,
    status: {kind: 'enum', values: commissionStatuses, own: 'VALIDATION_INVALID_COMMISSION_PERIOD_STATUS'},
  },
  payload: mentioned(pageOf(commissionPeriod)),
  fails: ['VALIDATION_INVALID_COMMISSION_PERIOD_STATUS'],
} as const satisfies Operation

// not shown: the answer. It is read as the period.
export const objectToCommission = {
  summary: 'Object to a provisional commission period.',
  method: 'POST',
  path: '/api/v1/commission-periods/{commissionPeriodId}/objection',
  auth: 'bearer',
  repeat: 'never',
  lost: 'The list of periods is read, and an objection with the same reason is this one.',
  // 1 to 1000 characters (spec, Limits).
  body: z.strictObject({reason: z.string().check(z.minLength(1), atMost(1000))}),
  payload: mentioned(commissionPeriod),
  fails: [
    'VALIDATION_ERRORS',
    'NOT_FOUND_COMMISSION_PERIOD',
    'CONFLICT_COMMISSION_PERIOD_ALREADY_OBJECTED',
    'CONFLICT_COMMISSION_PERIOD_NOT_PROVISIONAL',
    'CONFLICT_COMMISSION_PERIOD_PAST_ISSUE_DATE',
  ],
} as const satisfies Operation
