import type {Client} from '../../client/client.ts'
import {isFailure} from '../../contract/failure.ts'
import {exact, isDigits} from '../../contract/money.ts'
import type {NoticeChoice} from '../../contract/notices.ts'
import type {OrderRead} from '../../contract/orders.ts'
import {readNamedOrder} from '../../flows/order/read.ts'
import type {InboxItem} from './inbox.ts'

/** What a choice comes to. The service decides; amounts are by the order's line, with VAT. */
export interface Cost {
  choice: NoticeChoice
  ships: number
  cancels: number
  /** With VAT, two decimals; null if the order does not tell. */
  refund: string | null
  commissionBack: string | null
  /** Whether the service does this if nobody answers. */
  isDefault: boolean
}

/** The costs of both choices; undefined if the notice does not tell how many units it is about. */
export function costsOf({line, reason, desk}: InboxItem, read?: OrderRead): Cost[] | undefined {
  const {orderedQuantity: ordered, availableQuantity: available} = line ?? {}
  if (typeof ordered !== 'number' || typeof available !== 'number') return undefined
  const found = read && lineOf(read, line)
  // What is lost is refunded whole, whatever is answered (spec, States and transitions).
  const shipped = {CancelWhole: 0, ShipAvailable: reason === 'Lost' ? 0 : available}
  return (['CancelWhole', 'ShipAvailable'] as const).map((choice) => {
    const ships = shipped[choice]
    const cancels = ordered - ships
    return {
      ...{choice, ships, cancels, isDefault: desk.ifSilent === choice},
      refund: found ? share([found.lineTotal, found.lineGoodsVatAmount], cancels, found.quantity) : null,
      commissionBack: found ? share(commissionOf(found), cancels, found.quantity) : null,
    }
  })
}

/** The same with amounts, by one read of the order. Without them if that fails: units are told by the notice itself. */
export async function readCosts(client: Client, item: InboxItem): Promise<Cost[] | undefined> {
  const {scentOrderId: order} = item
  if (!order) return costsOf(item)
  try {
    return costsOf(item, await readNamedOrder(client, order))
  } catch (error) {
    if (!isFailure(error) || error.code === 'INTERRUPTED') throw error
    return costsOf(item)
  }
}

interface Line {
  id?: unknown
  variantId?: unknown
  quantity?: unknown
  lineTotal?: unknown
  lineGoodsVatAmount?: unknown
  partnerCommission?: unknown
  lineCommissionVatAmount?: unknown
}

/** A partner who owes no VAT has none on the commission. */
const commissionOf = ({partnerCommission, lineCommissionVatAmount: vat}: Line) =>
  isDigits(vat) ? [partnerCommission, vat] : [partnerCommission]

/** The notice's line of the order, in either of the shapes that an order may have. */
function lineOf(read: OrderRead, line: InboxItem['line']): Line | undefined {
  const detail = (read.scentDetail ?? read) as {lines?: unknown}
  const lines = (Array.isArray(detail.lines) ? detail.lines : []) as Line[]
  return (
    lines.find(({id}) => id === line?.scentOrderLineId) ??
    lines.find(({variantId}) => variantId === line?.variantId)
  )
}

/** What some of the units of a line come to. */
function share(amounts: readonly unknown[], units: number, quantity: unknown): string | null {
  if (typeof quantity !== 'number' || quantity < 1 || !amounts.every(isDigits)) return null
  const whole = amounts.reduce((sum, amount) => sum.plus(exact(amount)), exact(0))
  return whole.times(units).div(quantity).toFixed(2)
}
