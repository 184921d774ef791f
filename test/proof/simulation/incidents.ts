import {addCartItem, clearCart, readCart, setCartItem} from '../../../src/contract/cart.ts'
import {isFailure} from '../../../src/contract/failure.ts'
import {changePartner} from '../../../src/sandbox/controls/partners.ts'
import {changeVariant} from '../../../src/sandbox/controls/variants.ts'
import type {Incident} from './scenario.ts'
import type {Setting} from './simulation.ts'

type Others = ReturnType<Setting['shop']['client']>

const MINUTE = 60_000

/** Lets an incident begin and end. */
export async function letHappen(setting: Setting, others: Others, incident: Incident): Promise<void> {
  const {shop, time, service, weather, world} = setting
  const {kind, customerRef, reference, variant, amount} = incident
  const {state} = shop.sandbox
  const {partnerId} = shop
  switch (kind) {
    case 'price':
      changeVariant(state, variant, {partnerId, price: Math.round(8_000 + amount * 20_000) / 100})
      return
    case 'stock':
      changeVariant(state, variant, {stock: Math.floor(amount * 4)})
      return
    case 'assortment':
      changeVariant(state, variant, {partnerId, assortment: false})
      return
    case 'access':
      changePartner(state, partnerId, {productAccess: false})
      await time.sleep(amount * 10 * MINUTE)
      changePartner(state, partnerId, {productAccess: true})
      return
    case 'wallet':
      changePartner(state, partnerId, {wallet: Math.floor(amount * 800)})
      return
    case 'stuck order':
      // Orders of this seed alone carry such a reference.
      state.world.run('UPDATE orders SET intervention = 1 WHERE external_reference = ?', reference)
      return
    case 'outage':
      weather.outageUntil = time.now() + amount * 40 * MINUTE
      return
    case 'service clock':
      service.offset += Math.floor(amount * 30 * MINUTE)
      return
    case 'cart in use':
      world.inUse.add(customerRef)
      await time.sleep(amount * 5 * MINUTE)
      world.inUse.delete(customerRef)
      return
    case 'order on its way': {
      const order = {partnerId, externalReference: `${customerRef}-other`, customerRef}
      state.inFlight.push(order)
      await time.sleep(amount * 5 * MINUTE)
      state.inFlight = state.inFlight.filter((one) => one !== order)
      return
    }
    default:
      world.touched.add(customerRef)
      await meddle(setting, others, incident).catch((error: unknown) => {
        if (!isFailure(error)) throw error
      })
  }
}

/** Somebody else changes a cart. */
async function meddle(
  {shop}: Setting,
  others: Others,
  {kind, customerRef, variant, amount}: Incident,
): Promise<void> {
  const quantity = 1 + Math.floor(amount * 4)
  const params = {customerRef}
  if (kind === 'cart cleared') {
    await others.call(clearCart, {params})
    return
  }
  if (kind === 'foreign line') {
    const variantId = amount < 0.7 ? shop.foreign : variant
    await others.call(addCartItem, {query: {customerRef}, body: {variantId, quantity}})
    return
  }
  const {items} = await others.call(readCart, {params})
  const line = items[0]
  if (line) {
    await others.call(setCartItem, {params: {customerRef, variantId: line.variantId}, body: {quantity}})
  }
}
