import {api, type OperationName} from '../../contract/api.ts'
import type {Operation} from '../../contract/operation.ts'
import {salesReports} from '../../contract/reports.ts'
import type {Method} from '../../contract/wire.ts'
import {createMatcher, type Matcher} from '../door/match.ts'
import {serveListBrands, serveReadBrand} from '../rules/brands.ts'
import {
  serveAddCartItem,
  serveClearCart,
  serveNotify,
  serveReadCart,
  serveRemoveCartItem,
  serveSetCartItem,
  serveStepCartItem,
} from '../rules/cart.ts'
import {servePreview, servePreviewOf, serveTakeLock} from '../rules/checkout.ts'
import {serveListPeriods, serveObjection} from '../rules/commissions.ts'
import {serveCreateDiscountCode, serveListDiscountCodes, serveUpdateDiscountCode} from '../rules/discounts.ts'
import {serveRespond} from '../rules/notices.ts'
import {serveReadOrder, serveReadOrderByGlobalId, serveTrackOrder} from '../rules/order-reads.ts'
import {serveCreateOrder} from '../rules/orders.ts'
import {serveSalesReport} from '../rules/reports.ts'
import {
  serveCreateReturn,
  serveListOrderReturns,
  serveListReturns,
  serveWithdrawReturn,
} from '../rules/returns.ts'
import {serveListScents, serveReadScent} from '../rules/scents.ts'
import {serveReadStatement, serveReportStatement} from '../rules/statements.ts'
import {serveListVariants, serveReadVariant} from '../rules/variants.ts'
import {serveListTransactions} from '../rules/wallet.ts'
import {
  checkWebhook,
  serveCreateWebhook,
  serveListDeliveries,
  serveSetWebhookActive,
  serveTestWebhook,
  serveUpdateWebhook,
} from '../rules/webhooks.ts'
import {serveAddWishlistItem, serveReadWishlist, serveRemoveWishlistItem} from '../rules/wishlist.ts'
import {addedRoutes} from './added-routes.ts'
import type {Assumptions} from './assumptions.ts'
import type {Call, Handler} from './call.ts'

/** The rule of each operation. The token exchange has a door of its own. */
const handlers: {[Name in OperationName]?: Handler<(typeof api)[Name]>} = {
  listVariants: serveListVariants,
  readVariant: serveReadVariant,
  listScents: serveListScents,
  readScent: serveReadScent,
  listBrands: serveListBrands,
  readBrand: serveReadBrand,
  readCart: serveReadCart,
  addCartItem: serveAddCartItem,
  setCartItem: serveSetCartItem,
  stepCartItem: serveStepCartItem,
  removeCartItem: serveRemoveCartItem,
  clearCart: serveClearCart,
  notifyBackInStock: serveNotify,
  previewCheckout: servePreview,
  previewCheckoutOf: servePreviewOf,
  takePriceLock: serveTakeLock,
  createOrder: serveCreateOrder,
  readOrder: serveReadOrder,
  readOrderByGlobalId: serveReadOrderByGlobalId,
  trackOrder: serveTrackOrder,
  createReturn: serveCreateReturn,
  listOrderReturns: serveListOrderReturns,
  listReturns: serveListReturns,
  withdrawReturn: serveWithdrawReturn,
  respondToNotice: serveRespond,
  createWebhook: serveCreateWebhook,
  updateWebhook: serveUpdateWebhook,
  setWebhookActive: serveSetWebhookActive,
  listDeliveries: serveListDeliveries,
  testWebhook: serveTestWebhook,
  readWishlist: serveReadWishlist,
  addWishlistItem: serveAddWishlistItem,
  removeWishlistItem: serveRemoveWishlistItem,
  listDiscountCodes: serveListDiscountCodes,
  createDiscountCode: serveCreateDiscountCode,
  updateDiscountCode: serveUpdateDiscountCode,
  listWalletTransactions: serveListTransactions,
  readStatement: serveReadStatement,
  reportStatement: serveReportStatement,
  listCommissionPeriods: serveListPeriods,
  objectToCommission: serveObjection,
  readSalesReport: serveSalesReport,
}

/** What an operation checks before its transaction, because it takes time. Throws a Failure to refuse. */
const checks: {[Name in OperationName]?: (call: Call<(typeof api)[Name]>) => Promise<void>} = {
  createWebhook: checkWebhook,
  updateWebhook: checkWebhook,
}

/** The operations that this sandbox has a rule for. */
export const servedNames = ['mintToken', ...Object.keys(handlers)] as OperationName[]

type Check = (call: Call) => Promise<void>

export interface Served {
  name: string
  operation: Operation
  handler: Handler<Operation> | undefined
  check?: Check | undefined
}

/** One method on one path. Two operations may share it; then the fields of the body say which one is meant. */
export interface Route {
  method: Method
  path: string
  served: [Served, ...Served[]]
}

/** The routes of the contract's registry, of one version (Z02), and those that an assumption adds. */
export function createRoutes(assumptions: Assumptions): Matcher<Route> {
  const routes = new Map<string, Route>()
  const registered = servedNames.flatMap((name) => {
    const served = {
      name,
      operation: api[name],
      handler: handlers[name] as Handler<Operation> | undefined,
      check: checks[name] as Check | undefined,
    }
    return name === 'readSalesReport' ? reportsOf(served) : [served]
  })
  for (const served of [...registered, ...addedRoutes(assumptions)]) {
    const {method, path} = served.operation
    const route = routes.get(`${method} ${path}`)
    if (route === undefined) routes.set(`${method} ${path}`, {method, path, served: [served]})
    else route.served.push(served)
  }
  return createMatcher([...routes.values()])
}

/** L16: each known report is a route of its own, so that an unknown one matches no route. */
function reportsOf({name, operation, handler}: Served): Served[] {
  return salesReports.map((report) => ({
    name,
    operation: {...operation, path: operation.path.replace('{report}', report)},
    handler: handler && ((call: Call) => handler({...call, params: {report}} as Call)),
  }))
}
