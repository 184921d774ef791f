/**
 * The tables of the sandbox's database. Money is in halalas, moments are milliseconds since 1970 UTC, a bare
 * partner-level cart has the empty customer_ref.
 */
export const schemaVersion = 1

export const schema = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE counters (kind TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE partners (
  id TEXT PRIMARY KEY, global_id TEXT NOT NULL, name TEXT NOT NULL, parent_id TEXT, path TEXT NOT NULL,
  environment TEXT NOT NULL, client_id TEXT NOT NULL, client_secret TEXT NOT NULL,
  active INTEGER NOT NULL DEFAULT 1, product_access INTEGER NOT NULL DEFAULT 1,
  marketing INTEGER NOT NULL DEFAULT 0, notify_enabled INTEGER NOT NULL DEFAULT 1,
  vat_number TEXT, currency TEXT NOT NULL DEFAULT 'SAR', return_window_days INTEGER NOT NULL DEFAULT 14,
  wallet INTEGER CHECK (wallet >= 0)
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
  status TEXT NOT NULL, failure_reason TEXT, intervention INTEGER NOT NULL DEFAULT 0,
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

CREATE TABLE ledger (
  n INTEGER PRIMARY KEY, partner_id TEXT NOT NULL, type TEXT NOT NULL CHECK (type IN ('Debit', 'Credit')),
  amount INTEGER NOT NULL CHECK (amount >= 0), balance_before INTEGER NOT NULL, balance_after INTEGER NOT NULL,
  reference_type TEXT NOT NULL, reference_id TEXT NOT NULL, at INTEGER NOT NULL
) STRICT;
CREATE INDEX ledger_partner ON ledger (partner_id, n);
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
