import {commissionPeriod} from '../../contract/commissions.ts'
import {columns} from '../columns.ts'

export const commissionColumns = columns(
  commissionPeriod,
  `id Period; periodFrom From; periodTo- To; status!; totalCommissionWithVat! Incl. VAT;
    currency+; issueDate- Issue date; issuedAt? Issued; settledAt? Settled; objection.reason~ Objection`,
)
