/**
 * The fields of every resource, as the API's description lists them: the name, the type, and whether it may be null.
 *
 * - `uuid`, `string`, `integer`, `decimal`, `boolean`, `time` are types; a trailing `?` allows null.
 * - `=A|B` is one of these values.
 * - `[shape]` is an array, `{'?': shape}` an object that may be null, `{'~': shape}` one whose key may be absent, and
 *   `{'*': shape}` a map.
 */
export type Shape = string | readonly [Shape] | {readonly [name: string]: Shape}

const maybe = (shape: Shape): Shape => ({'?': shape})
const absent = (shape: Shape): Shape => ({'~': shape})

const fee = {amount: 'decimal', vatAmount: 'decimal', amountWithVat: 'decimal'}

const availability = '=Available|Limited|Unavailable'

const marketing = absent({
  currentPrice: 'decimal',
  compareAtPrice: 'decimal?',
  discountPercent: 'decimal?',
  badges: ['=LIMITED|BACK_IN_STOCK|NEW_ARRIVAL|BEST_SELLER|SAMPLE_AVAILABLE'],
  currentPriceDisplay: 'decimal?',
  compareAtPriceDisplay: 'decimal?',
})

const cartLine = {
  subtotal: 'decimal',
  goodsVatAmount: 'decimal',
  totalWithVat: 'decimal',
  commission: {amount: 'decimal?', vatAmount: 'decimal?', netAfterCommission: 'decimal?', rate: 'decimal?'},
}

const cartItem = {
  variantId: 'uuid',
  sku: 'string',
  sizeMl: 'integer',
  quantity: 'integer',
  pricing: maybe({
    currency: '=SAR',
    unitPrice: 'decimal',
    line: cartLine,
    rrp: 'decimal',
    display: maybe({unitPrice: 'decimal', line: cartLine, rrp: 'decimal'}),
  }),
  availability: {state: availability, availableQuantity: 'integer', insufficientForQuantity: 'boolean'},
  marketing,
}

const cartTotals = {chargedWithVat: 'decimal', commissionWithVat: 'decimal', netAfterCommission: 'decimal'}

const cart = {
  id: 'uuid?',
  customerRef: 'string?',
  status: '=None|Open',
  baseCurrency: '=SAR',
  items: [cartItem],
  totals: {
    ...cartTotals,
    shipping: {...fee, freeThreshold: 'decimal', isFree: 'boolean'},
    display: maybe({
      currency: 'string',
      rate: 'decimal',
      ...cartTotals,
      shipping: {...fee, freeThreshold: 'decimal'},
    }),
  },
  pricedAt: 'time?',
} as const

const preview = {
  cartId: 'uuid?',
  partnerId: 'uuid',
  customerRef: 'string?',
  lines: [
    {
      variantId: 'uuid',
      quantity: 'integer',
      ok: 'boolean',
      issue: '=UNAVAILABLE|INSUFFICIENT_STOCK|PRICE_BELOW_FLOOR|NOT_PRICED?',
      sku: 'string',
      listPrice: 'decimal?',
      baseCurrency: '=SAR',
      lineGoodsVatAmount: 'decimal?',
      lineTotalWithVat: 'decimal?',
      availability,
      availableQuantity: 'integer?',
      lineCommission: 'decimal?',
      lineCommissionVatAmount: 'decimal?',
      lineNetAfterCommission: 'decimal?',
      marketing,
    },
  ],
  canCheckout: 'boolean',
  cartIssue: '=CART_HAS_PENDING_ORDER|PRODUCT_ACCESS_DISABLED?',
  pendingOrderReference: 'string?',
  pricedAt: 'time',
  lockId: 'uuid?',
  lockExpiresAt: 'time?',
  ...cartTotals,
  displayCurrency: 'string?',
  rate: 'decimal?',
  chargedWithVatDisplay: 'decimal?',
  commissionWithVatDisplay: 'decimal?',
  netAfterCommissionDisplay: 'decimal?',
} as const

const orderStatus = '=Processing|Completed|Failed|Cancelled|PartiallyReturned|Returned'

const createdOrder = {
  id: 'uuid',
  externalReference: 'string',
  customerRef: 'string?',
  status: orderStatus,
  failureReason: absent('string'),
  pricing: {
    currency: '=SAR',
    subtotal: 'decimal',
    vat: 'decimal',
    shippingFee: fee,
    discount: maybe({code: 'string', amount: 'decimal'}),
    total: 'decimal',
    commission: {...fee, netAfterCommission: 'decimal'},
  },
  modeBreakdown: {'*': 'decimal'},
}

const orderLine = {
  id: 'uuid',
  variantId: 'uuid',
  quantity: 'integer',
  returnedQuantity: 'integer',
  unitAmount: 'decimal',
  lineTotal: 'decimal',
  partnerCommission: 'decimal?',
  pricingMode: '=Wholesale|Retail',
  source: 'string?',
  taxClassification: 'string',
  vatRateApplied: 'decimal',
  lineGoodsVatAmount: 'decimal',
  lineCommissionVatAmount: 'decimal?',
  unitAmountDisplay: 'decimal?',
  lineTotalDisplay: 'decimal?',
  partnerCommissionDisplay: 'decimal?',
}

const order = {
  header: {
    orderGlobalId: 'string',
    partnerId: 'uuid',
    productType: '=Scent',
    productOrderId: 'uuid?',
    externalReference: 'string',
    amount: 'decimal',
    currency: '=SAR',
    status: orderStatus,
    failureCode: 'string?',
    createdAt: 'time',
    completedAt: 'time?',
    displayCurrency: 'string?',
    rate: 'decimal?',
    amountDisplay: 'decimal?',
  },
  scentDetail: {
    id: 'uuid',
    orderGlobalId: 'string',
    sagaId: 'uuid',
    partnerId: 'uuid',
    externalReference: 'string',
    customerRef: 'string?',
    totalAmount: 'decimal',
    totalCommission: 'decimal',
    currency: '=SAR',
    status: orderStatus,
    lines: [orderLine],
    fulfillmentGroups: [{id: 'uuid', status: 'string', deliveredAt: 'time?'}],
    deliveryRollup: {totalGroups: 'integer', deliveredGroups: 'integer'},
    totalGoodsVatAmount: 'decimal',
    totalCommissionVatAmount: 'decimal',
    totalAmountWithVat: 'decimal',
    totalCommissionWithVat: 'decimal',
    taxPoint: 'time?',
    platformTaxRegistrationNumber: 'string',
    partnerTaxRegistrationNumber: 'string?',
    partnerIsVatRegistered: 'boolean',
    displayCurrency: 'string?',
    rate: 'decimal?',
    totalAmountDisplay: 'decimal?',
  },
  detailUnavailableReason: 'string?',
} as const

const refund = {
  currency: '=SAR',
  goods: {net: 'decimal', vat: 'decimal', total: 'decimal'},
  commissionClawback: 'decimal?',
  shippingFeeRefund: 'decimal?',
  total: 'decimal',
}

const returnRequest = {
  id: 'uuid',
  orderId: 'uuid',
  fulfillmentGroupId: 'uuid',
  returnRequestNumber: 'string?',
  status: '=Requested|Accepted|Processing|Refunded|Rejected|Withdrawn',
  declineReason: 'string?',
  timeline: {
    requestedAt: 'time',
    decidedAt: 'time?',
    waybillIssuedAt: 'time?',
    collectionScheduledAt: 'time?',
    inTransitAt: 'time?',
    refundReleasedAt: 'time?',
  },
  logistics: maybe({
    waybillNumber: 'string',
    carrier: 'string',
    carrierNameOther: 'string',
    returnDestinationType: '=SortingPoint',
  }),
  inspection: maybe({
    receivedAt: 'time',
    inspectionStartedAt: 'time',
    decidedAt: 'time?',
    outcome: 'string?',
    shippingFeeRefundApplies: 'boolean',
  }),
  refund: maybe(refund),
  lines: [
    {id: 'uuid', scentOrderLineId: 'uuid', allocationId: 'uuid', quantity: 'integer', reasonCode: 'string'},
  ],
} as const

const listedReturn = {
  ...returnRequest,
  scentOrderId: 'uuid',
  orderGlobalId: 'string',
  partnerId: 'uuid',
  requestedAt: 'time',
  decidedAt: 'time?',
  decidedByUserId: 'uuid?',
} as const

const notice = {
  id: 'uuid',
  scentOrderId: 'uuid',
  reason: '=OutOfStock|Lost',
  status: '=AwaitingPartnerResponse|Resolved|ExpiredCancelledWhole|ExpiredShipAvailable',
  responseChoice: '=CancelWhole|ShipAvailable?',
  notifiedAt: 'time',
  responseDeadlineAt: 'time',
  respondedAt: 'time?',
  hasShipmentDeparted: 'boolean',
  line: {
    scentOrderLineId: 'uuid',
    variantId: 'uuid',
    sku: 'string',
    orderedQuantity: 'integer',
    availableQuantity: 'integer',
    shortfallQuantity: 'integer',
  },
  impact: {cancelWhole: maybe(refund), shipAvailable: maybe(refund)},
}

const variant = {
  id: 'uuid',
  scentId: 'uuid',
  sku: 'string',
  barcode: 'string',
  sizeMl: 'integer',
  isSample: 'boolean',
  pricing: maybe({
    currency: '=SAR',
    unitPrice: 'decimal',
    goodsVatAmount: 'decimal',
    totalWithVat: 'decimal',
    rrp: 'decimal',
    commission: maybe({amount: 'decimal', vatAmount: 'decimal', netAfterCommission: 'decimal'}),
    display: maybe({
      displayCurrency: 'string',
      rate: 'decimal',
      unitPriceDisplay: 'decimal',
      goodsVatAmountDisplay: 'decimal',
      totalWithVatDisplay: 'decimal',
      rrpDisplay: 'decimal',
      commissionAmountDisplay: 'decimal?',
      commissionVatAmountDisplay: 'decimal?',
      netAfterCommissionDisplay: 'decimal?',
    }),
  }),
  availability: maybe({state: availability, availableQuantity: 'integer'}),
  marketing,
}

const wishlist = {
  items: [
    {
      variantId: 'uuid',
      sku: 'string',
      sizeMl: 'integer',
      scentName: 'string',
      brandName: 'string',
      imageUrl: 'string',
      currentPrice: 'decimal',
      availability: {state: availability},
      addedAt: 'time',
    },
  ],
} as const

const discountCode = {
  id: 'uuid',
  partnerId: 'uuid',
  code: 'string',
  discountType: 'string',
  value: 'decimal',
  validFrom: 'time',
  validTo: 'time',
  isActive: 'boolean',
  totalUsageCap: 'integer?',
  perCustomerCap: 'integer?',
  productScope: 'string',
  scopedVariantIds: ['uuid'],
  minOrderValue: 'decimal?',
  usageCount: 'integer',
  createdAt: 'time',
  lastModifiedAt: 'time',
} as const

const subscription = {
  id: 'uuid',
  url: 'string',
  eventTypes: ['string'],
  isActive: 'boolean',
  lastDeliveryAt: 'time?',
  lastDeliveryStatus: 'string?',
  createdAt: 'time',
} as const

const delivery = {
  id: 'uuid',
  eventType: 'string',
  eventId: 'string',
  attemptNumber: 'integer',
  httpStatus: 'integer?',
  sentAt: 'time',
  succeeded: 'boolean',
  errorSummary: '=Timeout|Connection failed|Destination rejected|Delivery failed?',
  deadLetteredAt: 'time?',
  nextAttemptAt: 'time?',
}

const walletTransaction = {
  transactionType: 'string',
  amount: 'decimal',
  balanceBefore: 'decimal',
  balanceAfter: 'decimal',
  currency: '=SAR',
  referenceType: 'string',
  timestamp: 'time',
  displayCurrency: 'string?',
  rate: 'decimal?',
  amountDisplay: 'decimal?',
  balanceBeforeDisplay: 'decimal?',
  balanceAfterDisplay: 'decimal?',
}

const statementTotals = {
  partnerId: 'uuid',
  partnerGlobalId: 'string',
  periodFrom: 'time',
  periodTo: 'time',
  generatedAt: 'time',
  currency: '=SAR',
  totalDebits: 'decimal',
  totalCredits: 'decimal',
  netPosition: 'decimal',
}

const statementDocument = {
  ...statementTotals,
  sequenceNumber: 'integer?',
  statementNumber: 'string?',
  isProvisional: 'boolean',
  lines: [
    {
      transactionId: 'integer',
      timestamp: 'time',
      transactionType: 'string',
      referenceType: 'string',
      referenceId: 'string',
      amount: 'decimal',
      balanceAfter: 'decimal',
      notes: 'string?',
      orderGoodsVatAmount: 'decimal?',
      orderCommissionVatAmount: 'decimal?',
      orderTotalAmountWithVat: 'decimal?',
      orderTotalCommissionWithVat: 'decimal?',
    },
  ],
  platformTaxRegistrationNumber: 'string',
  partnerTaxRegistrationNumber: 'string?',
  documentNature: 'string',
} as const

const statement = {
  id: 'uuid',
  ...statementTotals,
  sequenceNumber: 'integer',
  statementNumber: 'string',
  locked: 'boolean',
  emailStatus: 'string',
  emailStatusReason: 'string?',
  emailSentAt: 'time?',
  document: statementDocument,
}

export const resources = {
  token: {accessToken: 'string', tokenType: '=Bearer', expiresIn: 'integer'},
  cart,
  preview,
  createdOrder,
  order,
  returnRequest,
  listedReturn,
  notice,
  variant,
  wishlist,
  registration: {id: 'uuid', variantId: 'uuid', partnerId: 'uuid', createdAt: 'time', firedAt: 'time?'},
  discountCode,
  subscription,
  activation: {id: 'uuid', isActive: 'boolean'},
  delivery,
  walletTransaction,
  statement,
  statementDocument,
} as const satisfies Record<string, Shape>

export type ResourceName = keyof typeof resources
