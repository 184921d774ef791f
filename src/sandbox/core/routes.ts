import {api, type OperationName} from '../../contract/api.ts'
import type {Operation} from '../../contract/operation.ts'
import {salesReports} from '../../contract/reports.ts'
import {createMatcher, type Matcher} from '../door/match.ts'
import {checkWebhook} from '../rules/webhooks.ts'
import type {Assumptions} from './assumptions.ts'
import type {Call, CallOf, Handler, Route, Served} from './call.ts'
import {rules, servedNames} from './rules.ts'

/** Checks before the transaction of an operation, because they take time. They throw a Failure to refuse. */
const checks: {[Name in OperationName]?: (call: CallOf<Name>) => Promise<void>} = {
  createWebhook: checkWebhook,
  updateWebhook: checkWebhook,
}

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
