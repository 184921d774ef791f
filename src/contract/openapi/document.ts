import {api, type OperationName} from '../api.ts'
import {brand} from '../brands.ts'
import {cartItem} from '../cart.ts'
import {preview, previewLine} from '../checkout.ts'
import {commissionPeriod} from '../commissions.ts'
import {discountCode} from '../discounts.ts'
import {notice} from '../notices.ts'
import type {Operation} from '../operation.ts'
import {
  createdOrder,
  fulfillmentGroup,
  orderLine,
  orderRead,
  scentDetail,
  shippingAddress,
} from '../orders.ts'
import {refund, returnRequest} from '../returns.ts'
import {scent} from '../scents.ts'
import {statement, statementLine} from '../statements.ts'
import {marketing, variant} from '../variants.ts'
import {walletTransaction} from '../wallet.ts'
import {delivery, subscription} from '../webhooks.ts'
import {wishlistItem} from '../wishlist.ts'
import {either, operationOf, sharedRefusals} from './operations.ts'
import {jsonSchemaOf, type Names, type Schema} from './schema.ts'

/** What has a place of its own in the document. */
const resources = {
  Token: api.mintToken.payload,
  Variant: variant,
  Marketing: marketing,
  Scent: scent,
  Brand: brand,
  Cart: api.clearCart.payload,
  CartItem: cartItem,
  Preview: preview,
  PreviewLine: previewLine,
  ShippingAddress: shippingAddress,
  CreatedOrder: createdOrder,
  Order: orderRead,
  ScentDetail: scentDetail,
  OrderLine: orderLine,
  FulfillmentGroup: fulfillmentGroup,
  Tracking: api.trackOrder.payload.inner,
  ReturnRequest: returnRequest,
  Refund: refund,
  Notice: notice,
  Wishlist: api.readWishlist.payload,
  WishlistItem: wishlistItem,
  Registration: api.notifyBackInStock.payload,
  DiscountCode: discountCode,
  WalletTransaction: walletTransaction,
  Statement: statement,
  StatementDocument: api.reportStatement.payload.inner,
  StatementLine: statementLine,
  CommissionPeriod: commissionPeriod,
  WebhookSubscription: subscription,
  WebhookDelivery: delivery,
}

const names: Names = new Map(Object.entries(resources).map(([name, schema]) => [schema, name]))

/** Where the service is, if that is not known. */
const unknown = {
  url: '{base_url}',
  variables: {
    base_url: {default: 'https://service.invalid', description: 'The base address of the service.'},
  },
}

/**
 * The API of the contract as an OpenAPI 3.1 document, for the service at `server`, an absolute URL without a path. Its own words are
 * `x-repeat`, whether a request whose answer was lost may be sent again, `x-lost`, what is done instead, and
 * `x-refusals`, the codes that an operation can be refused with.
 */
export function openApi(server?: string): Schema {
  const paths: {[path: string]: {[method: string]: Schema}} = {}
  for (const [name, operation] of Object.entries(api) as [OperationName, Operation][]) {
    const {path, method} = operation
    const said = operationOf(name, operation, names)
    const before = paths[path]?.[method.toLowerCase()]
    paths[path] = {...paths[path], [method.toLowerCase()]: before ? either(before, said) : said}
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Partner Fragrance Ordering API',
      version: 'v1',
      description:
        'Carts, price locks, orders against a prepaid wallet, notices, returns, statements and webhooks of a partner. Answers may gain fields, and codes other than those that are listed may come. Where the description of the API only mentions an answer and does not show it, its schema allows anything, and `x-read-as` says in which shape `scent` reads it: that shape is not promised.',
    },
    servers: [server === undefined ? unknown : {url: new URL(server).origin}],
    security: [{bearer: []}],
    paths,
    components: {
      securitySchemes: {bearer: {type: 'http', scheme: 'bearer', description: 'A token of 300 seconds.'}},
      responses: sharedRefusals,
      schemas: {
        Refusal: refusal,
        ...Object.fromEntries(
          Object.entries(resources).map(([name, schema]) => [name, jsonSchemaOf(schema, names)]),
        ),
      },
    },
  }
}

/** The envelope of every error (spec, Envelope). */
const refusal: Schema = {
  type: 'object',
  required: ['state'],
  properties: {
    state: {type: 'string', maxLength: 256, description: 'A code; it decides, not the HTTP status.'},
    payload: {type: 'null'},
    details: {
      description: 'Context, if there is any.',
      anyOf: [
        {
          type: 'object',
          properties: {
            message: {type: 'string'},
            errors: {type: 'object', description: 'Each field or parameter that was refused, and why.'},
          },
        },
        {type: 'null'},
      ],
    },
  },
}
