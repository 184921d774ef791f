import type {CommissionPeriod} from '../../contract/commissions.ts'
import {badge, money, time} from '../cells.ts'
import type {Column} from '../table.ts'
import type {Tone} from '../text.ts'

const tones: Record<string, Tone> = {Provisional: 'warn', Issued: 'good', Settled: 'good'}

/** Columns of commission periods. */
export const commissionColumns: Column<CommissionPeriod>[] = [
  {key: 'id', header: 'Period', whole: true, get: ({id}) => id},
  {key: 'from', header: 'From', whole: true, get: ({periodFrom}) => time(periodFrom)},
  {key: 'to', header: 'To', whole: true, yields: true, get: ({periodTo}) => time(periodTo)},
  {key: 'status', header: 'Status', get: ({status}) => badge(status, tones)},
  {
    key: 'total',
    header: 'Commission incl. VAT',
    get: ({totalCommissionWithVat, currency}) => money(totalCommissionWithVat, currency),
  },
  {key: 'currency', header: 'Currency', shown: 'plain', get: ({currency}) => currency},
  {key: 'issue-date', header: 'Issue date', yields: true, get: ({issueDate}) => time(issueDate)},
  {key: 'issued', header: 'Issued', shown: 'asked', get: ({issuedAt}) => time(issuedAt)},
  {key: 'settled', header: 'Settled', shown: 'asked', get: ({settledAt}) => time(settledAt)},
  {key: 'objection', header: 'Objection', yields: true, get: ({objection}) => objection?.reason},
]
