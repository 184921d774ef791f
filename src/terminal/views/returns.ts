import type {ReturnRequest} from '../../contract/returns.ts'
import type {Ask} from '../ask.ts'
import {badge, money, time} from '../cells.ts'
import type {Card} from '../output.ts'
import {type Column, rowsOf, type Table} from '../table.ts'
import type {Tone} from '../text.ts'

const tones: Record<string, Tone> = {
  Requested: 'warn',
  Pending: 'warn',
  Accepted: 'good',
  Processing: 'warn',
  Refunded: 'good',
  Rejected: 'bad',
}

/** Columns of return requests. */
export const returnColumns: Column<ReturnRequest>[] = [
  {key: 'id', header: 'Return', whole: true, get: ({id}) => id},
  {key: 'number', header: 'Number', get: ({returnRequestNumber}) => returnRequestNumber},
  {key: 'status', header: 'Status', get: ({status}) => badge(status, tones)},
  {
    key: 'units',
    header: 'Units',
    get: ({lines}) =>
      Array.isArray(lines)
        ? rowsOf(lines).reduce((sum, line) => sum + (Number(line.quantity) || 0), 0)
        : null,
  },
  {
    key: 'requested',
    header: 'Requested',
    yields: true,
    get: (one) => time(one.requestedAt ?? one.timeline?.requestedAt),
  },
  {
    key: 'refund',
    header: 'Refund incl. VAT',
    yields: true,
    get: ({refund}) => money(refund?.total, refund?.currency),
  },
  {
    key: 'order',
    header: 'Order',
    yields: true,
    whole: true,
    get: (one) => one.scentOrderId ?? one.orderId,
  },
  {key: 'currency', header: 'Currency', shown: 'plain', get: ({refund}) => refund?.currency},
  {key: 'declined', header: 'Declined', shown: 'asked', get: ({declineReason}) => declineReason},
  {key: 'waybill', header: 'Waybill', shown: 'asked', get: ({logistics}) => logistics?.waybillNumber},
]

/** Alone it is shown with all that is known of it, but for a currency beside its amount. */
const whole = ({shown, ...column}: Column<ReturnRequest>): Column<ReturnRequest> =>
  shown === 'plain' ? {...column, shown} : column

export function returnCard(one: ReturnRequest): Card<ReturnRequest> {
  return {rows: [one], upright: true, columns: returnColumns.map(whole)}
}

interface ReturnableLine {
  lineId: string
  variantId: string
  sku: string | null
  ordered: number
  remaining: number
  open: string | null
}

interface DeliveredGroup {
  id: string
  status: string
  deliveredAt: string | null
}

/** The deliveries of an order that something can be returned of. */
export function deliveredTable(groups: DeliveredGroup[]): Table<DeliveredGroup> {
  return {
    title: 'Delivered',
    rows: groups,
    columns: [
      {key: 'group', header: 'Group', whole: true, get: ({id}) => id},
      {key: 'status', header: 'Status', get: ({status}) => status},
      {key: 'delivered', header: 'Delivered', get: ({deliveredAt}) => time(deliveredAt)},
    ],
  }
}

/** What of an order can still be asked back. */
export function returnableTable(lines: ReturnableLine[]): Table<ReturnableLine> {
  const isOpen = lines.some(({open}) => open !== null)
  const why: Column<ReturnableLine> = {
    key: 'open',
    header: 'Not now',
    whole: true,
    get: ({open}) => open && `request ${open} is open`,
  }
  return {
    title: 'Returnable',
    rows: lines,
    empty: 'Nothing of this order can be returned.',
    columns: [
      {key: 'line', header: 'Line', whole: true, get: ({lineId}) => lineId},
      {key: 'sku', header: 'SKU', get: ({sku}) => sku},
      {key: 'variant', header: 'Variant', whole: true, yields: true, get: ({variantId}) => variantId},
      {key: 'ordered', header: 'Ordered', get: ({ordered}) => ordered},
      {key: 'remaining', header: 'Returnable', get: ({remaining}) => remaining},
      ...(isOpen ? [why] : []),
    ],
  }
}

export interface AskedLine {
  lineId: string
  quantity: number
  reason: string
}

/** Asks for the quantity of each line, and for a reason where there is one to return. */
export async function askLines(ask: Ask, lines: ReturnableLine[]): Promise<AskedLine[]> {
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
