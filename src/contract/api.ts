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
import {addWishlistItem, readWishlist, removeWishlistItem} from './wishlist.ts'

/** Every operation of the API by name. The sandbox serves these, `scent api` completes them. */
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
