import {type ReturnRequest, returnRequest} from '../../contract/returns.ts'
import type {Returnable, ReturnChoice} from '../../flows/returns.ts'
import type {Ask} from '../ask.ts'
import type {Cell} from '../cells.ts'
import {columns, localColumns} from '../columns.ts'
import {rowsOf, type Table} from '../table.ts'
import {groupColumns} from './orders.ts'

const units = ({lines}: ReturnRequest): Cell =>
  Array.isArray(lines) ? rowsOf(lines).reduce((sum, line) => sum + (Number(line?.quantity) || 0), 0) : null

export const returnColumns = columns(
  returnRequest,
  `id Return; returnRequestNumber! Number; status!; units Units;
    requestedAt|timeline.requestedAt- Requested; refund.total- Refund incl. VAT;
    scentOrderId|orderId Order; refund.currency+; declineReason?~ Declined;
    logistics.waybillNumber? Waybill`,
  {units},
)

/** The deliveries of an order that something can be returned of. */
export const deliveredTable = (groups: ReturnChoice['groups']): Table<ReturnChoice['groups'][number]> => ({
  title: 'Delivered',
  rows: groups,
  columns: groupColumns,
})

/** The lines of an order, with the units that can still be returned. */
export function returnableTable(lines: Returnable[]): Table<Returnable> {
  const all = 'lineId Line; sku! SKU; variantId Variant; ordered; remaining! Returnable; open~ Not now'
  return {
    title: 'Returnable',
    rows: lines,
    empty: 'Nothing of this order can be returned.',
    columns: localColumns<Returnable>(all, {open: ({open}) => open && `request ${open} is open`}),
  }
}

interface AskedLine {
  lineId: string
  quantity: number
  reason: string
}

/** Asks for the quantity of each line, and for a reason if there is one to return. */
export async function askLines(ask: Ask, lines: Returnable[]): Promise<AskedLine[]> {
  const asked: AskedLine[] = []
  for (const {lineId, variantId, sku, remaining} of lines) {
    if (remaining === 0) continue
    const answer = await ask.text({
      message: `Units of ${sku ?? variantId} to return, 0 to ${remaining}`,
      flag: '--line',
      initial: '0',
      check: (text) =>
        /^\d{1,6}$/.test(text) && Number(text) <= remaining
          ? undefined
          : `must be a whole number from 0 to ${remaining}`,
    })
    const quantity = Number(answer)
    if (quantity === 0) continue
    // not shown: the other codes. The service refuses one that it does not know.
    const reason = await ask.text({message: 'Reason code', flag: '--line', initial: 'Damaged'})
    asked.push({lineId, quantity, reason})
  }
  return asked
}
