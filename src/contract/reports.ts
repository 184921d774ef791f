import * as z from 'zod/mini'
import type {Operation} from './operation.ts'
import {mentioned} from './wire.ts'

/** not shown: the names below /reports/sales/. These are the sandbox's; any name is sent. */
export const salesReports = ['summary', 'by-variant', 'by-customer', 'by-day'] as const

// not shown: the paths below sales/** and their answers, which are printed as they came.
export const readSalesReport = {
  summary: 'Read a sales report of at most 400 days.',
  method: 'GET',
  path: '/api/v1/scent/reports/sales/{report}',
  auth: 'bearer',
  repeat: 'freely',
  query: {fromUtc: {kind: 'date'}, toUtc: {kind: 'date'}},
  payload: mentioned(z.looseObject({})),
  fails: ['VALIDATION_INVALID_PERIOD', 'VALIDATION_REPORT_WINDOW_TOO_LARGE'],
} as const satisfies Operation
