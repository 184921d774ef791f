import type {ShippingAddress} from '../contract/orders.ts'
import type {OrderRecords} from './orders.ts'

/** The shipping addresses of earlier orders, the newest first, each once. Refused orders don't count. */
export async function savedAddresses(orders: OrderRecords): Promise<ShippingAddress[]> {
  const found = new Map<string, ShippingAddress>()
  for (const entry of (await orders.all()).reverse()) {
    if (entry.outcome?.outcome === 'refused') continue
    const key = JSON.stringify(Object.entries(entry.address).sort())
    if (!found.has(key)) found.set(key, entry.address)
  }
  return [...found.values()]
}
