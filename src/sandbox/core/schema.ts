import {type Row, table} from './table.ts'

// Money is in halalas, moments are milliseconds since 1970 UTC, flags are 1 or 0; a partner-level cart has the empty
// customer_ref; `n` counts the rows of a table.

/** The version of these tables, kept in the database (Z03). It counts up with every change of them. */
export const schemaVersion = 5

export const meta = table('meta', 'key TEXT PRIMARY KEY, value TEXT NOT NULL')
export const counters = table('counters', 'kind TEXT PRIMARY KEY, n INTEGER NOT NULL')

/** `path` is the ids from the root down to this partner, joined by slashes; `wallet` is null if there is none. */
export const partners = table(
  'partners',
  `id TEXT PRIMARY KEY, global_id TEXT NOT NULL, name TEXT NOT NULL, parent_id TEXT, path TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('staging','production')), client_id TEXT NOT NULL,
  active INTEGER NOT NULL DEFAULT 1, product_access INTEGER NOT NULL DEFAULT 1,
  marketing INTEGER NOT NULL DEFAULT 0, notify_enabled INTEGER NOT NULL DEFAULT 1, vat_number TEXT,
  currency TEXT NOT NULL DEFAULT 'SAR', return_window_days INTEGER NOT NULL DEFAULT 14,
  overdraft INTEGER NOT NULL DEFAULT 0, wallet INTEGER CHECK (wallet >= 0 OR overdraft)`,
  'UNIQUE INDEX (client_id)',
)
export type Partner = Row<typeof partners>

export const brands = table('brands', 'id TEXT PRIMARY KEY, name TEXT NOT NULL, image_url TEXT NOT NULL')
export type Brand = Row<typeof brands>
export const scents = table(
  'scents',
  `id TEXT PRIMARY KEY, brand_id TEXT NOT NULL, name TEXT NOT NULL, concentration TEXT NOT NULL,
  audience TEXT NOT NULL, notes TEXT NOT NULL, accords TEXT NOT NULL, note_keys TEXT NOT NULL,
  accord_keys TEXT NOT NULL, image_url TEXT NOT NULL, active INTEGER NOT NULL DEFAULT 1`,
)
export type Scent = Row<typeof scents>
/** C23: `rrp` includes VAT, as a price on a shelf; the other prices do not. `withheld` is not sold whatever its stock. */
export const variants = table(
  'variants',
  `id TEXT PRIMARY KEY, scent_id TEXT NOT NULL, sku TEXT NOT NULL, barcode TEXT NOT NULL, size_ml INTEGER NOT NULL,
  is_sample INTEGER NOT NULL, price INTEGER NOT NULL CHECK (price >= 0), compare_at INTEGER, rrp INTEGER NOT NULL,
  floor INTEGER NOT NULL, badges TEXT NOT NULL DEFAULT '[]', stock INTEGER NOT NULL CHECK (stock >= 0),
  withheld INTEGER NOT NULL DEFAULT 0, active INTEGER NOT NULL DEFAULT 1, changed_at INTEGER NOT NULL`,
  'UNIQUE INDEX (sku)',
)
export type Variant = Row<typeof variants>
/** C21: what a partner may sell, on which terms. `price` is the partner's own, `commission_bp` in hundredths of a percent. */
export const assortment = table(
  'assortment',
  `partner_id TEXT NOT NULL, variant_id TEXT NOT NULL, mode TEXT NOT NULL CHECK (mode IN ('Wholesale','Retail')),
  price INTEGER CHECK (price >= 0), commission_bp INTEGER NOT NULL, changed_at INTEGER NOT NULL`,
  'PRIMARY KEY (partner_id, variant_id)',
)
export type Terms = Row<typeof assortment>

/** `version` counts every change of the lines; `lock_id` is the lock in force, the newest one. */
export const carts = table(
  'carts',
  'id TEXT PRIMARY KEY, partner_id TEXT NOT NULL, customer_ref TEXT NOT NULL, version INTEGER NOT NULL, lock_id TEXT',
  'UNIQUE INDEX (partner_id, customer_ref)',
)
export type Cart = Row<typeof carts>
export const cartLines = table(
  'cart_lines',
  `cart_id TEXT NOT NULL, variant_id TEXT NOT NULL, position INTEGER NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity >= 1)`,
  'PRIMARY KEY (cart_id, variant_id)',
)
export const locks = table(
  'locks',
  `id TEXT PRIMARY KEY, partner_id TEXT NOT NULL, customer_ref TEXT NOT NULL, cart_id TEXT NOT NULL,
  cart_version INTEGER NOT NULL, lines TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
  order_id TEXT`,
)

export const orders = table(
  'orders',
  `n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, partner_id TEXT NOT NULL, saga_id TEXT NOT NULL,
  external_reference TEXT NOT NULL, customer_ref TEXT NOT NULL, lock_id TEXT NOT NULL UNIQUE, status TEXT NOT NULL,
  failure_reason TEXT, intervention INTEGER NOT NULL DEFAULT 0, detail_reason TEXT, goods_net INTEGER NOT NULL,
  goods_vat INTEGER NOT NULL, shipping_net INTEGER NOT NULL, shipping_vat INTEGER NOT NULL,
  commission_net INTEGER NOT NULL, commission_vat INTEGER NOT NULL, discount_id TEXT, discount_amount INTEGER,
  address TEXT NOT NULL, created_at INTEGER NOT NULL, completed_at INTEGER`,
  "UNIQUE INDEX (partner_id, external_reference) WHERE status <> 'Failed'",
)
export type Order = Row<typeof orders>
/** Cancelled units are counted beside the quantity (N08). */
export const orderLines = table(
  'order_lines',
  `id TEXT NOT NULL, order_id TEXT NOT NULL, position INTEGER NOT NULL, variant_id TEXT NOT NULL,
  quantity INTEGER NOT NULL, unit INTEGER NOT NULL, net INTEGER NOT NULL, vat INTEGER NOT NULL, mode TEXT NOT NULL,
  commission INTEGER, commission_vat INTEGER, returned INTEGER NOT NULL DEFAULT 0,
  cancelled INTEGER NOT NULL DEFAULT 0`,
  'PRIMARY KEY (order_id, position)',
)
export type OrderLine = Row<typeof orderLines>
export const groups = table(
  'groups',
  'id TEXT PRIMARY KEY, order_id TEXT NOT NULL, status TEXT NOT NULL, delivered_at INTEGER',
  'INDEX (order_id)',
)

export const returns = table(
  'returns',
  `n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, partner_id TEXT NOT NULL, order_id TEXT NOT NULL,
  group_id TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN
    ('Requested','Accepted','Processing','Refunded','Rejected','Withdrawn')), decline_reason TEXT,
  requested_at INTEGER NOT NULL, decided_at INTEGER, dispatched_at INTEGER, received_at INTEGER, inspected_at INTEGER`,
  'INDEX (order_id, n)',
  'INDEX (partner_id, n)',
)
export type Return = Row<typeof returns>
export const returnLines = table(
  'return_lines',
  `id TEXT NOT NULL, return_id TEXT NOT NULL, position INTEGER NOT NULL, line_id TEXT NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity >= 1), reason TEXT NOT NULL`,
  'PRIMARY KEY (return_id, position)',
)
export type ReturnLine = Row<typeof returnLines>
/** `ordered` is how many units were outstanding when it was raised. */
export const notices = table(
  'notices',
  `n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, partner_id TEXT NOT NULL, order_id TEXT NOT NULL,
  line_id TEXT NOT NULL, reason TEXT NOT NULL CHECK (reason IN ('OutOfStock','Lost')),
  status TEXT NOT NULL CHECK (status IN
    ('AwaitingPartnerResponse','Resolved','ExpiredCancelledWhole','ExpiredShipAvailable')),
  choice TEXT CHECK (choice IN ('CancelWhole','ShipAvailable')), notified_at INTEGER NOT NULL,
  deadline_at INTEGER NOT NULL, responded_at INTEGER, departed INTEGER NOT NULL, ordered INTEGER NOT NULL,
  available INTEGER NOT NULL CHECK (available < ordered)`,
  'INDEX (partner_id, n)',
  "INDEX (deadline_at) WHERE status = 'AwaitingPartnerResponse'",
  "UNIQUE INDEX (line_id) WHERE status = 'AwaitingPartnerResponse'",
)
export type Notice = Row<typeof notices>
/** The refund of one return or notice. `shipping` has its VAT, and is null if the fee is not part of it. */
export const refunds = table(
  'refunds',
  `n INTEGER PRIMARY KEY, subject_id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL CHECK (kind IN ('Return','Cancel')),
  reference_id TEXT NOT NULL, partner_id TEXT NOT NULL, order_id TEXT NOT NULL, net INTEGER NOT NULL,
  vat INTEGER NOT NULL, clawback INTEGER, shipping INTEGER, at INTEGER NOT NULL`,
  'INDEX (order_id)',
  'INDEX (partner_id, at)',
)
export type Refund = Row<typeof refunds>
export const refundLines = table(
  'refund_lines',
  `refund_n INTEGER NOT NULL, line_id TEXT NOT NULL, quantity INTEGER NOT NULL CHECK (quantity >= 1),
  net INTEGER NOT NULL, vat INTEGER NOT NULL, clawback INTEGER`,
  'PRIMARY KEY (refund_n, line_id)',
)

export const subscriptions = table(
  'subscriptions',
  `n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, partner_id TEXT NOT NULL, url TEXT NOT NULL,
  event_types TEXT NOT NULL, headers TEXT NOT NULL, secret TEXT NOT NULL, active INTEGER NOT NULL DEFAULT 1,
  last_delivery_at INTEGER, last_delivery_status TEXT, created_at INTEGER NOT NULL`,
  'INDEX (partner_id) WHERE active',
)
export type Subscription = Row<typeof subscriptions>
export const events = table(
  'events',
  'id TEXT PRIMARY KEY, type TEXT NOT NULL, body TEXT NOT NULL, at INTEGER NOT NULL',
)
/** `attempts` counts those made so far; `due_at` is when the next one is due, null if there is none. */
export const deliveries = table(
  'deliveries',
  `n INTEGER PRIMARY KEY, subscription_id TEXT NOT NULL, event_id TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
  first_at INTEGER, due_at INTEGER`,
  'INDEX (subscription_id, due_at) WHERE due_at IS NOT NULL',
  'INDEX (due_at) WHERE due_at IS NOT NULL',
  'INDEX (event_id)',
)
export type Delivery = Row<typeof deliveries>
/** Each attempt is recorded by itself (H10); one that is `hidden`, since a fault says so, is not shown to partners. */
export const attempts = table(
  'attempts',
  `n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, delivery_n INTEGER NOT NULL, subscription_id TEXT NOT NULL,
  event_id TEXT NOT NULL, event_type TEXT NOT NULL, attempt INTEGER NOT NULL, http_status INTEGER,
  sent_at INTEGER NOT NULL, succeeded INTEGER NOT NULL, error TEXT, dead_at INTEGER, next_at INTEGER,
  hidden INTEGER NOT NULL DEFAULT 0`,
  'INDEX (subscription_id, n)',
  'INDEX (sent_at)',
  'INDEX (event_id)',
)
export type Attempt = Row<typeof attempts>

/** `seq` counts the entries of one partner from 1 without a gap, in the order of their time. */
export const ledger = table(
  'ledger',
  `n INTEGER PRIMARY KEY, partner_id TEXT NOT NULL, seq INTEGER NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('Debit','Credit')), amount INTEGER NOT NULL CHECK (amount >= 0),
  balance_before INTEGER NOT NULL, balance_after INTEGER NOT NULL, reference_type TEXT NOT NULL,
  reference_id TEXT NOT NULL, at INTEGER NOT NULL`,
  'UNIQUE INDEX (partner_id, seq)',
  'INDEX (partner_id, at, seq)',
  'INDEX (partner_id, reference_type, seq)',
)
export type LedgerEntry = Row<typeof ledger>
export const statements = table(
  'statements',
  `id TEXT PRIMARY KEY, partner_id TEXT NOT NULL, sequence INTEGER NOT NULL, period_from INTEGER NOT NULL,
  period_to INTEGER NOT NULL, generated_at INTEGER NOT NULL, debits INTEGER NOT NULL, credits INTEGER NOT NULL`,
  'UNIQUE INDEX (partner_id, sequence)',
)
export type Statement = Row<typeof statements>
/** From `issue_date` on it is too late to object; the commission is what was issued, null while it is provisional. */
export const commissionPeriods = table(
  'commission_periods',
  `id TEXT PRIMARY KEY, partner_id TEXT NOT NULL, period_from INTEGER NOT NULL, period_to INTEGER NOT NULL,
  issue_date INTEGER NOT NULL, settle_date INTEGER NOT NULL, issued_at INTEGER, settled_at INTEGER,
  commission INTEGER, commission_vat INTEGER, objection TEXT, objected_at INTEGER`,
  'UNIQUE INDEX (partner_id, period_from)',
)
export type CommissionPeriod = Row<typeof commissionPeriods>
export const stockMoves = table(
  'stock_moves',
  `n INTEGER PRIMARY KEY, variant_id TEXT NOT NULL, delta INTEGER NOT NULL, reason TEXT NOT NULL, reference_id TEXT,
  at INTEGER NOT NULL`,
)

/** `value` is a percentage, or an amount in SAR. */
export const discountCodes = table(
  'discount_codes',
  `id TEXT PRIMARY KEY, partner_id TEXT NOT NULL, code TEXT NOT NULL, discount_type TEXT NOT NULL,
  value REAL NOT NULL, valid_from INTEGER NOT NULL, valid_to INTEGER NOT NULL, active INTEGER NOT NULL,
  total_cap INTEGER, customer_cap INTEGER, scope TEXT NOT NULL, scoped_variants TEXT NOT NULL, min_order INTEGER,
  usage_count INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, modified_at INTEGER NOT NULL`,
  'UNIQUE INDEX (partner_id, code COLLATE NOCASE)',
)
export type DiscountCode = Row<typeof discountCodes>
export const registrations = table(
  'registrations',
  `id TEXT PRIMARY KEY, partner_id TEXT NOT NULL, variant_id TEXT NOT NULL, created_at INTEGER NOT NULL,
  fired_at INTEGER`,
)
export const wishlistItems = table(
  'wishlist_items',
  `n INTEGER PRIMARY KEY, partner_id TEXT NOT NULL, customer_ref TEXT NOT NULL, variant_id TEXT NOT NULL,
  added_at INTEGER NOT NULL`,
  'UNIQUE INDEX (partner_id, customer_ref, variant_id)',
)
