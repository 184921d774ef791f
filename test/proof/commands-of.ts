import type {OperationName} from '../../src/contract/api.ts'

/** A request of a partner, as a test made it. */
export interface Request {
  method: string
  path: string
  query: URLSearchParams
  body: unknown
}

type ArgvOf = (request: Request) => string[] | undefined

/** The same request through `scent api`. */
export function rawArgv({method, path, query, body}: Request): string[] {
  const search = [...query].length === 0 ? '' : `?${query}`
  return ['api', method, `${path}${search}`, ...(body === undefined ? [] : ['--input', '-'])]
}

/** The decoded segments of a path behind /api/v1. */
const segments = ({path}: Request) => path.split('/').slice(3).map(decodeURIComponent)

const flag = (name: string, value: unknown) =>
  value === null || value === undefined ? [] : [`--${name}=${String(value)}`]

const each = (name: string, values: unknown) =>
  Array.isArray(values) ? values.flatMap((one) => flag(name, one)) : []

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
const bodyOf = ({body}: Request): any => body ?? {}

const customerOf = ({query}: Request) => flag('customer', query.get('customerRef'))

const discountFlags = (body: Record<string, unknown>) => [
  ...flag('type', body.discountType),
  ...flag('value', body.value),
  ...flag('valid-from', body.validFrom),
  ...flag('valid-to', body.validTo),
]

function returnArgv(request: Request): string[] {
  const {fulfillmentGroupId, lines} = bodyOf(request)
  const wanted = (lines ?? []).map(
    (line: Record<string, unknown>) => `${line.scentOrderLineId}=${line.quantity}:${line.reasonCode}`,
  )
  const order = segments(request)[2] ?? ''
  return ['returns', 'create', order, ...flag('group', fulfillmentGroupId), ...each('line', wanted)]
}

/** The command that makes a request like this one; undefined if none can. */
export const argvFor: Partial<Record<OperationName, ArgvOf>> = {
  mintToken: ({body}) =>
    typeof (body as {clientSecret?: unknown}).clientSecret === 'string' ? ['wallet', 'balance'] : undefined,
  readVariant: (request) => ['catalog', 'variant', segments(request)[2] ?? ''],
  listVariants: () => ['catalog', 'variants'],
  listScents: ({query}) => ['catalog', 'scents', ...flag('concentration', query.get('concentration'))],
  readCart: (request) => ['cart', 'show', ...flag('customer', segments(request)[2])],
  addCartItem: (request) => {
    const {variantId, quantity} = bodyOf(request)
    return ['cart', 'add', `${variantId}=${quantity}`, ...customerOf(request)]
  },
  setCartItem: (request) => {
    if (bodyOf(request).action !== undefined) return undefined
    const [, , customer, , variant = ''] = segments(request)
    return [
      'cart',
      'set',
      variant,
      ...flag('quantity', bodyOf(request).quantity),
      ...flag('customer', customer),
    ]
  },
  stepCartItem: (request) => {
    if (bodyOf(request).quantity !== undefined) return undefined
    const [, , customer, , variant = ''] = segments(request)
    return ['cart', 'set', variant, `--${bodyOf(request).action}`, ...flag('customer', customer)]
  },
  removeCartItem: (request) => {
    const [, , customer, , variant = ''] = segments(request)
    return ['cart', 'remove', variant, ...flag('customer', customer)]
  },
  clearCart: (request) => ['cart', 'clear', ...flag('customer', segments(request)[2]), '--yes'],
  notifyBackInStock: (request) => ['cart', 'notify', segments(request)[3] ?? ''],
  previewCheckout: (request) => [
    'checkout',
    'preview',
    ...customerOf(request),
    ...(request.query.get('lock') ? ['--lock'] : []),
  ],
  takePriceLock: (request) => ['checkout', 'lock', ...flag('customer', segments(request)[2])],
  createOrder: (request) => {
    const {lockId, externalReference, customerRef} = bodyOf(request)
    return [
      ...['orders', 'create', ...flag('lock', lockId), ...flag('reference', externalReference)],
      ...[...flag('customer', customerRef), '--address', '-', '--yes'],
    ]
  },
  readOrder: (request) => ['orders', 'get', segments(request)[2] ?? ''],
  trackOrder: (request) => ['orders', 'track', segments(request)[2] ?? ''],
  readOrderByGlobalId: (request) => ['orders', 'get', segments(request)[1] ?? '', '--global'],
  createReturn: returnArgv,
  // The plural form is tried first, and has no route where this one is in force.
  createReturnSingular: returnArgv,
  listOrderReturns: (request) => ['returns', 'list', ...flag('order', segments(request)[2])],
  listReturns: ({query}) => ['returns', 'list', ...flag('status', query.get('status'))],
  withdrawReturn: (request) => ['returns', 'withdraw', segments(request)[2] ?? '', '--yes'],
  respondToNotice: (request) => [
    ...['notices', 'respond', segments(request)[2] ?? ''],
    ...[...flag('choice', bodyOf(request).choice), '--yes'],
  ],
  readWishlist: (request) => ['wishlist', 'show', ...flag('customer', segments(request)[2])],
  addWishlistItem: (request) => [
    ...['wishlist', 'add', String(bodyOf(request).variantId)],
    ...flag('customer', segments(request)[2]),
  ],
  removeWishlistItem: (request) => {
    const [, , customer, , variant = ''] = segments(request)
    return ['wishlist', 'remove', variant, ...flag('customer', customer)]
  },
  createDiscountCode: (request) => {
    const body = bodyOf(request)
    return ['discounts', 'create', String(body.code), ...discountFlags(body)]
  },
  updateDiscountCode: (request) => {
    const body = bodyOf(request)
    // The command always sends every field.
    if (Object.values(body).some((value) => value === undefined) || body.validTo === undefined)
      return undefined
    return ['discounts', 'update', segments(request)[2] ?? '', ...discountFlags(body)]
  },
  listWalletTransactions: () => ['wallet', 'transactions'],
  readStatement: (request) => ['statements', 'get', segments(request)[1] ?? ''],
  reportStatement: ({query}) => [
    'statements',
    'report',
    ...flag('from', query.get('from')),
    ...flag('to', query.get('to')),
  ],
  listCommissionPeriods: ({query}) => ['commissions', 'list', ...flag('status', query.get('status'))],
  objectToCommission: (request) => [
    ...['commissions', 'object', segments(request)[1] ?? ''],
    ...[...flag('reason', bodyOf(request).reason), '--yes'],
  ],
  readSalesReport: (request) => [
    ...['reports', 'sales', segments(request)[3] ?? ''],
    ...flag('from', request.query.get('fromUtc')),
    ...flag('to', request.query.get('toUtc')),
  ],
  createWebhook: (request) => {
    const {url, eventTypes} = bodyOf(request)
    return ['webhooks', 'create', ...flag('url', url), ...each('event', eventTypes)]
  },
  updateWebhook: (request) => {
    const {url, headers} = bodyOf(request)
    const given = Object.entries(headers ?? {}).map(([name, value]) => `${name}=${value}`)
    return ['webhooks', 'update', segments(request)[2] ?? '', ...flag('url', url), ...each('header', given)]
  },
  setWebhookActive: (request) => {
    const {isActive} = bodyOf(request)
    if (isActive === undefined) return undefined
    return ['webhooks', isActive ? 'enable' : 'disable', segments(request)[1] ?? '']
  },
  listDeliveries: (request) => ['webhooks', 'deliveries', segments(request)[2] ?? ''],
  testWebhook: (request) => [
    ...['webhooks', 'test', segments(request)[2] ?? ''],
    ...flag('event', bodyOf(request).eventType),
  ],
}
