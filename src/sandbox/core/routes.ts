import {api, type OperationName} from '../../contract/api.ts'
import type {Operation} from '../../contract/operation.ts'
import {salesReports} from '../../contract/reports.ts'
import {createMatcher, type Matcher} from '../door/match.ts'
import {rules as brands} from '../rules/brands.ts'
import {rules as cart} from '../rules/cart.ts'
import {rules as checkout} from '../rules/checkout.ts'
import {rules as commissions} from '../rules/commissions.ts'
import {rules as discounts} from '../rules/discounts.ts'
import {rules as notices} from '../rules/notices.ts'
import {rules as orderReads} from '../rules/order-reads.ts'
import {rules as orders} from '../rules/orders.ts'
import {rules as reports} from '../rules/reports.ts'
import {rules as returns} from '../rules/returns.ts'
import {rules as scents} from '../rules/scents.ts'
import {rules as statements} from '../rules/statements.ts'
import {rules as variants} from '../rules/variants.ts'
import {rules as wallet} from '../rules/wallet.ts'
import {checkWebhook, rules as webhooks} from '../rules/webhooks.ts'
import {rules as wishlist} from '../rules/wishlist.ts'
import type {Assumptions} from './assumptions.ts'
import type {Call, CallOf, Handler, Route, Rules, Served} from './call.ts'

/** The rule of each operation. The token exchange has a door of its own. */
const rules: Rules = {
  ...variants,
  ...scents,
  ...brands,
  ...cart,
  ...checkout,
  ...orders,
  ...orderReads,
  ...returns,
  ...notices,
  ...webhooks,
  ...wishlist,
  ...discounts,
  ...wallet,
  ...statements,
  ...commissions,
  ...reports,
}

/** Checks before the transaction of an operation, because they take time. They throw a Failure to refuse. */
const checks: {[Name in OperationName]?: (call: CallOf<Name>) => Promise<void>} = {
  createWebhook: checkWebhook,
  updateWebhook: checkWebhook,
}

/** The operations that this sandbox serves; the singular form of return requests only if it is assumed (R07). */
export const servedNames = (['mintToken', ...Object.keys(rules)] as OperationName[]).filter(
  (name) => name !== 'createReturnSingular',
)

/** The routes of the contract's registry, of one version (Z02). What the spec only implies is not served (C03, G20). */
export function createRoutes(assumptions: Assumptions): Matcher<Route> {
  const names = [
    ...servedNames,
    ...(assumptions.R07 === 'singular' ? (['createReturnSingular'] as const) : []),
  ]
  const routes = new Map<string, Route>()
  for (const served of names.flatMap(servedAs)) {
    const {method, path} = served.operation
    const route = routes.get(`${method} ${path}`)
    if (route === undefined) routes.set(`${method} ${path}`, {method, path, served: [served]})
    else route.served.push(served)
  }
  return createMatcher([...routes.values()])
}

function servedAs(name: OperationName): Served[] {
  const operation: Operation = api[name]
  const handler = rules[name] as Handler<Operation> | undefined
  const check = checks[name] as Served['check']
  if (name !== 'readSalesReport') return [{name, operation, handler, check}]
  // L16: each known report is a route of its own, so that an unknown one matches no route.
  return salesReports.map((report) => ({
    name,
    operation: {...operation, path: operation.path.replace('{report}', report)},
    handler: handler && ((call) => handler({...call, params: {report}} as Call)),
  }))
}
