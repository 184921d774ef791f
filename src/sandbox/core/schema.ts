/**
 * The tables of the sandbox's database. Money is in halalas, moments are milliseconds since 1970 UTC, a bare
 * partner-level cart has the empty customer_ref.
 */
const first = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE counters (kind TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE partners (
  id TEXT PRIMARY KEY, global_id TEXT NOT NULL, name TEXT NOT NULL, parent_id TEXT, path TEXT NOT NULL,
  environment TEXT NOT NULL, client_id TEXT NOT NULL, client_secret TEXT NOT NULL,
  active INTEGER NOT NULL DEFAULT 1, product_access INTEGER NOT NULL DEFAULT 1,
  marketing INTEGER NOT NULL DEFAULT 0, notify_enabled INTEGER NOT NULL DEFAULT 1,
  vat_number TEXT, currency TEXT NOT NULL DEFAULT 'SAR', return_window_days INTEGER NOT NULL DEFAULT 14,
  overdraft INTEGER NOT NULL DEFAULT 0, wallet INTEGER CHECK (wallet >= 0 OR overdraft)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX partners_client ON partners (client_id);

CREATE TABLE brands (id TEXT PRIMARY KEY, name TEXT NOT NULL, image_url TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE scents (
  id TEXT PRIMARY KEY, brand_id TEXT NOT NULL, name TEXT NOT NULL, concentration TEXT NOT NULL,
  audience TEXT NOT NULL, notes TEXT NOT NULL, accords TEXT NOT NULL,
  note_keys TEXT NOT NULL, accord_keys TEXT NOT NULL, image_url TEXT NOT NULL, active INTEGER NOT NULL DEFAULT 1
) STRICT, WITHOUT ROWID;
CREATE TABLE variants (
  id TEXT PRIMARY KEY, scent_id TEXT NOT NULL, sku TEXT NOT NULL, barcode TEXT NOT NULL,
  size_ml INTEGER NOT NULL, is_sample INTEGER NOT NULL, price INTEGER NOT NULL CHECK (price >= 0),
  compare_at INTEGER, rrp INTEGER NOT NULL, floor INTEGER NOT NULL, badges TEXT NOT NULL DEFAULT '[]',
  stock INTEGER NOT NULL CHECK (stock >= 0), withheld INTEGER NOT NULL DEFAULT 0,
  active INTEGER NOT NULL DEFAULT 1, changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX variants_sku ON variants (sku);
CREATE TABLE assortment (
  partner_id TEXT NOT NULL, variant_id TEXT NOT NULL, mode TEXT NOT NULL CHECK (mode IN ('Wholesale', 'Retail')),
  price INTEGER CHECK (price >= 0), commission_bp INTEGER NOT NULL, changed_at INTEGER NOT NULL,
  PRIMARY KEY (partner_id, variant_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE carts (
  id TEXT PRIMARY KEY, partner_id TEXT NOT NULL, customer_ref TEXT NOT NULL,
  version INTEGER NOT NULL, lock_id TEXT
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX carts_owner ON carts (partner_id, customer_ref);
CREATE TABLE cart_lines (
  cart_id TEXT NOT NULL, variant_id TEXT NOT NULL, position INTEGER NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity >= 1), PRIMARY KEY (cart_id, variant_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE locks (
  id TEXT PRIMARY KEY, partner_id TEXT NOT NULL, customer_ref TEXT NOT NULL, cart_id TEXT NOT NULL,
  cart_version INTEGER NOT NULL, lines TEXT NOT NULL, created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL, order_id TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE orders (
  n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, partner_id TEXT NOT NULL, saga_id TEXT NOT NULL,
  external_reference TEXT NOT NULL, customer_ref TEXT NOT NULL, lock_id TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL, failure_reason TEXT, intervention INTEGER NOT NULL DEFAULT 0, detail_reason TEXT,
  goods_net INTEGER NOT NULL, goods_vat INTEGER NOT NULL, shipping_net INTEGER NOT NULL,
  shipping_vat INTEGER NOT NULL, commission_net INTEGER NOT NULL, commission_vat INTEGER NOT NULL,
  discount_id TEXT, discount_amount INTEGER, address TEXT NOT NULL,
  created_at INTEGER NOT NULL, completed_at INTEGER
) STRICT;
CREATE UNIQUE INDEX orders_reference ON orders (partner_id, external_reference) WHERE status <> 'Failed';
CREATE TABLE order_lines (
  id TEXT NOT NULL, order_id TEXT NOT NULL, position INTEGER NOT NULL, variant_id TEXT NOT NULL,
  quantity INTEGER NOT NULL, unit INTEGER NOT NULL, net INTEGER NOT NULL, vat INTEGER NOT NULL,
  mode TEXT NOT NULL, commission INTEGER, commission_vat INTEGER,
  returned INTEGER NOT NULL DEFAULT 0, cancelled INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (order_id, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE groups (
  id TEXT PRIMARY KEY, order_id TEXT NOT NULL, status TEXT NOT NULL, delivered_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX groups_order ON groups (order_id);

CREATE TABLE returns (
  n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, partner_id TEXT NOT NULL, order_id TEXT NOT NULL,
  group_id TEXT NOT NULL, status TEXT NOT NULL, decline_reason TEXT, requested_at INTEGER NOT NULL,
  decided_at INTEGER, dispatched_at INTEGER, received_at INTEGER, inspected_at INTEGER
) STRICT;
CREATE INDEX returns_order ON returns (order_id, n);
CREATE INDEX returns_partner ON returns (partner_id, n);
CREATE TABLE return_lines (
  id TEXT NOT NULL, return_id TEXT NOT NULL, position INTEGER NOT NULL, line_id TEXT NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity >= 1), reason TEXT NOT NULL, PRIMARY KEY (return_id, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE notices (
  n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, partner_id TEXT NOT NULL, order_id TEXT NOT NULL,
  line_id TEXT NOT NULL, reason TEXT NOT NULL CHECK (reason IN ('OutOfStock', 'Lost')), status TEXT NOT NULL,
  choice TEXT, notified_at INTEGER NOT NULL, deadline_at INTEGER NOT NULL, responded_at INTEGER,
  departed INTEGER NOT NULL, ordered INTEGER NOT NULL, available INTEGER NOT NULL CHECK (available < ordered)
) STRICT;
CREATE INDEX notices_partner ON notices (partner_id, n);
CREATE INDEX notices_due ON notices (deadline_at) WHERE status = 'AwaitingPartnerResponse';
CREATE UNIQUE INDEX notices_line ON notices (line_id) WHERE status = 'AwaitingPartnerResponse';
CREATE TABLE refunds (
  n INTEGER PRIMARY KEY, subject_id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL CHECK (kind IN ('Return', 'Cancel')),
  reference_id TEXT NOT NULL, partner_id TEXT NOT NULL, order_id TEXT NOT NULL, net INTEGER NOT NULL,
  vat INTEGER NOT NULL, clawback INTEGER, shipping INTEGER, at INTEGER NOT NULL
) STRICT;
CREATE INDEX refunds_order ON refunds (order_id);
CREATE INDEX refunds_partner ON refunds (partner_id, at);
CREATE TABLE refund_lines (
  refund_n INTEGER NOT NULL, line_id TEXT NOT NULL, quantity INTEGER NOT NULL CHECK (quantity >= 1),
  net INTEGER NOT NULL, vat INTEGER NOT NULL, clawback INTEGER, PRIMARY KEY (refund_n, line_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE subscriptions (
  n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, partner_id TEXT NOT NULL, url TEXT NOT NULL,
  event_types TEXT NOT NULL, headers TEXT NOT NULL, secret TEXT NOT NULL, active INTEGER NOT NULL DEFAULT 1,
  last_delivery_at INTEGER, last_delivery_status TEXT, created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX subscriptions_partner ON subscriptions (partner_id) WHERE active;
CREATE TABLE events (
  id TEXT PRIMARY KEY, type TEXT NOT NULL, body TEXT NOT NULL, at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE deliveries (
  n INTEGER PRIMARY KEY, subscription_id TEXT NOT NULL, event_id TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
  first_at INTEGER, due_at INTEGER
) STRICT;
CREATE INDEX deliveries_due ON deliveries (subscription_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_next ON deliveries (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_event ON deliveries (event_id);
CREATE TABLE attempts (
  n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, delivery_n INTEGER NOT NULL, subscription_id TEXT NOT NULL,
  event_id TEXT NOT NULL, event_type TEXT NOT NULL, attempt INTEGER NOT NULL, http_status INTEGER,
  sent_at INTEGER NOT NULL, succeeded INTEGER NOT NULL, error TEXT, dead_at INTEGER, next_at INTEGER
) STRICT;
CREATE INDEX attempts_subscription ON attempts (subscription_id, n);
CREATE INDEX attempts_sent ON attempts (sent_at);
CREATE INDEX attempts_event ON attempts (event_id);

CREATE TABLE ledger (
  n INTEGER PRIMARY KEY, partner_id TEXT NOT NULL, seq INTEGER NOT NULL, type TEXT NOT NULL CHECK (type IN ('Debit', 'Credit')),
  amount INTEGER NOT NULL CHECK (amount >= 0), balance_before INTEGER NOT NULL, balance_after INTEGER NOT NULL,
  reference_type TEXT NOT NULL, reference_id TEXT NOT NULL, at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX ledger_partner ON ledger (partner_id, seq);
CREATE INDEX ledger_at ON ledger (partner_id, at, seq);
CREATE INDEX ledger_type ON ledger (partner_id, reference_type, seq);
CREATE TABLE statements (
  id TEXT PRIMARY KEY, partner_id TEXT NOT NULL, sequence INTEGER NOT NULL, period_from INTEGER NOT NULL,
  period_to INTEGER NOT NULL, generated_at INTEGER NOT NULL, debits INTEGER NOT NULL, credits INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX statements_partner ON statements (partner_id, sequence);
CREATE TABLE commission_periods (
  id TEXT PRIMARY KEY, partner_id TEXT NOT NULL, period_from INTEGER NOT NULL, period_to INTEGER NOT NULL,
  issue_date INTEGER NOT NULL, settle_date INTEGER NOT NULL, issued_at INTEGER, settled_at INTEGER,
  commission INTEGER, commission_vat INTEGER, objection TEXT, objected_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX commission_periods_partner ON commission_periods (partner_id, period_from);
CREATE TABLE stock_moves (
  n INTEGER PRIMARY KEY, variant_id TEXT NOT NULL, delta INTEGER NOT NULL, reason TEXT NOT NULL,
  reference_id TEXT, at INTEGER NOT NULL
) STRICT;

CREATE TABLE discount_codes (
  id TEXT PRIMARY KEY, partner_id TEXT NOT NULL, code TEXT NOT NULL, discount_type TEXT NOT NULL,
  value INTEGER NOT NULL, valid_from INTEGER NOT NULL, valid_to INTEGER NOT NULL, active INTEGER NOT NULL,
  total_cap INTEGER, customer_cap INTEGER, scope TEXT NOT NULL, scoped_variants TEXT NOT NULL,
  min_order INTEGER, usage_count INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, modified_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX discount_codes_code ON discount_codes (partner_id, code COLLATE NOCASE);
CREATE TABLE registrations (
  id TEXT PRIMARY KEY, partner_id TEXT NOT NULL, variant_id TEXT NOT NULL,
  created_at INTEGER NOT NULL, fired_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE wishlist_items (
  n INTEGER PRIMARY KEY, partner_id TEXT NOT NULL, customer_ref TEXT NOT NULL, variant_id TEXT NOT NULL,
  added_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX wishlist_items_owner ON wishlist_items (partner_id, customer_ref, variant_id);
`

/**
 * What makes a database of each version out of the one before (Z03); the first makes a new one. From the first release
 * on a step never changes: the next change of the tables is one more.
 */
export const schemaSteps: readonly string[] = [first]
