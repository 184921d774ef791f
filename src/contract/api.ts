import {mintToken} from './auth.ts'
import {listBrands, readBrand} from './brands.ts'
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
import {listCommissionPeriods, objectToCommission} from './commissions.ts'
import {createDiscountCode, listDiscountCodes, updateDiscountCode} from './discounts.ts'
import {respondToNotice} from './notices.ts'
import type {Operation} from './operation.ts'
import {createOrder, readOrder, readOrderByGlobalId, trackOrder} from './orders.ts'
import {readSalesReport} from './reports.ts'
import {createReturn, createReturnSingular, listOrderReturns, listReturns, withdrawReturn} from './returns.ts'
import {listScents, readScent} from './scents.ts'
import {readStatement, reportStatement} from './statements.ts'
import {listVariants, readVariant} from './variants.ts'
import {listWalletTransactions} from './wallet.ts'
import {createWebhook, listDeliveries, setWebhookActive, testWebhook, updateWebhook} from './webhooks.ts'
import type {Method} from './wire.ts'
import {addWishlistItem, readWishlist, removeWishlistItem} from './wishlist.ts'

/** Every operation of the API by name. The sandbox serves these; `scent api` and `scent explain` list and explain them. */
export const api = {
  mintToken,
  listVariants,
  readVariant,
  listScents,
  readScent,
  listBrands,
  readBrand,
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
  createReturn,
  createReturnSingular,
  listOrderReturns,
  listReturns,
  withdrawReturn,
  respondToNotice,
  readWishlist,
  addWishlistItem,
  removeWishlistItem,
  listDiscountCodes,
  createDiscountCode,
  updateDiscountCode,
  listWalletTransactions,
  readStatement,
  reportStatement,
  listCommissionPeriods,
  objectToCommission,
  readSalesReport,
  createWebhook,
  updateWebhook,
  setWebhookActive,
  listDeliveries,
  testWebhook,
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof api

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies Method[]

/** A path as the service knows it: people may leave out what all paths begin with. */
export function wholePath(path: string): string {
  const absolute = path.startsWith('/') ? path : `/${path}`
  return absolute.startsWith('/api/') ? absolute : `/api/v1${absolute}`
}

/** The operations that a path leads to, with its names or with values in their places. */
export function operationsAt(path: string, method?: string): OperationName[] {
  const parts = wholePath(path).split('/')
  const names = (Object.keys(api) as OperationName[]).filter((name) => {
    const template = api[name].path.split('/')
    const fits = template.every((part, at) => part === parts[at] || part.startsWith('{'))
    return fits && template.length === parts.length && (method === undefined || api[name].method === method)
  })
  // A word of a path stands for itself rather than for a value: cart/notify/{variantId}, not cart/{customerRef}/items.
  const most = Math.max(...names.map(literals))
  return names.filter((name) => literals(name) === most)
}

const literals = (name: OperationName) =>
  api[name].path.split('/').filter((part) => !part.startsWith('{')).length
