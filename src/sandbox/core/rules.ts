import type {OperationName} from '../../contract/api.ts'
import {rules as brands} from '../rules/brands.ts'
import {rules as cart, fieldRules as ofCart} from '../rules/cart.ts'
import {rules as checkout} from '../rules/checkout.ts'
import {rules as commissions, fieldRules as ofCommissions} from '../rules/commissions.ts'
import {rules as discounts, fieldRules as ofDiscounts} from '../rules/discounts.ts'
import {rules as notices} from '../rules/notices.ts'
import {rules as orderReads} from '../rules/order-reads.ts'
import {fieldRules as ofOrders, rules as orders} from '../rules/orders.ts'
import {rules as reports} from '../rules/reports.ts'
import {fieldRules as ofReturns, rules as returns} from '../rules/returns.ts'
import {rules as scents} from '../rules/scents.ts'
import {rules as statements} from '../rules/statements.ts'
import {rules as variants} from '../rules/variants.ts'
import {rules as wallet} from '../rules/wallet.ts'
import {fieldRules as ofWebhooks, rules as webhooks} from '../rules/webhooks.ts'
import {rules as wishlist} from '../rules/wishlist.ts'
import type {FieldRules, Rules} from './call.ts'

/** The rule of each operation. The token exchange has a door of its own. */
export const rules: Rules = {
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

/** The rules of the fields of their bodies. */
export const fieldRules: FieldRules = {
  ...ofCart,
  ...ofOrders,
  ...ofReturns,
  ...ofWebhooks,
  ...ofDiscounts,
  ...ofCommissions,
}

/** The operations that this sandbox serves; the singular form of return requests only if it is assumed (R07). */
export const servedNames = (['mintToken', ...Object.keys(rules)] as OperationName[]).filter(
  (name) => name !== 'createReturnSingular',
)
