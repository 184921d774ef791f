import {mintToken} from './auth.ts'
import {
  addCartItem,
  clearCart,
  notifyBackInStock,
  readCart,
  removeCartItem,
  setCartItem,
  stepCartItem,
} from './cart.ts'
import {previewCheckout, previewCheckoutOf, takePriceLock} from './checkout.ts'
import type {Operation} from './operation.ts'
import {createOrder, readOrder, readOrderByGlobalId, trackOrder} from './orders.ts'
import {listVariants, readVariant} from './variants.ts'
import {listWalletTransactions} from './wallet.ts'

/** Every operation of the API by name. The sandbox serves these, `scent api` completes them. */
export const api = {
  mintToken,
  listVariants,
  readVariant,
  readCart,
  addCartItem,
  setCartItem,
  stepCartItem,
  removeCartItem,
  clearCart,
  notifyBackInStock,
  previewCheckout,
  previewCheckoutOf,
  takePriceLock,
  createOrder,
  readOrder,
  readOrderByGlobalId,
  trackOrder,
  listWalletTransactions,
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof api
