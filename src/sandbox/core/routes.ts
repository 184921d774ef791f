import {api, type OperationName} from '../../contract/api.ts'
import type {Operation} from '../../contract/operation.ts'
import {salesReports} from '../../contract/reports.ts'
import {createMatcher, type Matcher} from '../door/match.ts'
import type {Assumptions} from './assumptions.ts'
import type {Call, Handler, Route, Served} from './call.ts'
import {fieldRules, rules, servedNames} from './rules.ts'

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
  const fieldRule = fieldRules[name] as Served['fieldRule']
  if (name !== 'readSalesReport') return [{name, operation, handler, fieldRule}]
  // L16: each known report is a route of its own, so that an unknown one matches no route.
  return salesReports.map((report) => ({
    name,
    operation: {...operation, path: operation.path.replace('{report}', report)},
    fieldRule,
    handler: handler && ((call) => handler({...call, params: {report}} as Call)),
  }))
}
