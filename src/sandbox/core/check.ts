import type {World} from './world.ts'

/** A rule that must hold at every moment, and the query that finds what breaks it. */
const invariants: Record<string, string> = {
  'every ledger entry changes the balance by its amount': `
    SELECT n AS id FROM ledger
    WHERE balance_after <> balance_before + CASE type WHEN 'Credit' THEN amount ELSE -amount END`,
  'the ledger chain of a partner is unbroken': `
    SELECT n AS id FROM (
      SELECT n, balance_before, lag(balance_after) OVER (PARTITION BY partner_id ORDER BY n) AS carried FROM ledger
    ) WHERE carried IS NOT NULL AND carried <> balance_before`,
  'the entries of a ledger are counted without a gap, in the order of their time': `
    SELECT n AS id FROM (
      SELECT n, seq, at, row_number() OVER own AS place, lag(at) OVER own AS earlier FROM ledger
      WINDOW own AS (PARTITION BY partner_id ORDER BY n)
    ) WHERE seq <> place OR at < earlier`,
  'a statement adds up what its period holds': `
    SELECT s.id FROM statements s LEFT JOIN ledger l
      ON l.partner_id = s.partner_id AND l.at >= s.period_from AND l.at < s.period_to
    GROUP BY s.id HAVING s.debits <> coalesce(sum(l.amount) FILTER (WHERE l.type = 'Debit'), 0)
      OR s.credits <> coalesce(sum(l.amount) FILTER (WHERE l.type = 'Credit'), 0)`,
  'a wallet holds its last balance': `
    SELECT p.id FROM partners p JOIN ledger l ON l.n = (SELECT max(n) FROM ledger WHERE partner_id = p.id)
    WHERE coalesce(p.wallet, 0) <> l.balance_after`,
  'a lock makes one order at most': 'SELECT lock_id AS id FROM orders GROUP BY lock_id HAVING count(*) > 1',
  'a lock and its order name each other': `
    SELECT o.id FROM orders o LEFT JOIN locks l ON l.id = o.lock_id WHERE l.order_id IS NOT o.id
    UNION ALL
    SELECT l.id FROM locks l LEFT JOIN orders o ON o.id = l.order_id WHERE l.order_id IS NOT NULL AND o.id IS NULL`,
  'a reference makes one order at most': `
    SELECT min(id) AS id FROM orders WHERE status <> 'Failed'
    GROUP BY partner_id, external_reference HAVING count(*) > 1`,
  'an order is charged once, in full, and a failed one never': `
    SELECT o.id FROM orders o LEFT JOIN ledger l ON l.reference_type = 'Order' AND l.type = 'Debit'
      AND l.partner_id = o.partner_id AND l.reference_id = printf('SCN-%010d', o.n)
    GROUP BY o.n HAVING count(l.n) <> (o.status <> 'Failed') OR (o.status <> 'Failed'
      AND sum(l.amount) <> o.goods_net + o.goods_vat + o.shipping_net + o.shipping_vat)`,
  'the lines of an order add up to it': `
    SELECT o.id FROM orders o JOIN order_lines l ON l.order_id = o.id GROUP BY o.n
    HAVING sum(l.net) <> o.goods_net OR sum(l.vat) <> o.goods_vat
      OR sum(coalesce(l.commission, 0)) <> o.commission_net
      OR sum(coalesce(l.commission_vat, 0)) <> o.commission_vat`,
  'returned and cancelled stay within ordered': `
    SELECT id FROM order_lines WHERE returned + cancelled > quantity OR returned < 0 OR cancelled < 0`,
  'a line has returned what was refunded for returns, and cancelled what was for notices': `
    SELECT l.id FROM order_lines l LEFT JOIN refund_lines f ON f.line_id = l.id LEFT JOIN refunds r ON r.n = f.refund_n
    GROUP BY l.id HAVING l.returned <> sum(CASE r.kind WHEN 'Return' THEN f.quantity ELSE 0 END)
      OR l.cancelled <> sum(CASE r.kind WHEN 'Cancel' THEN f.quantity ELSE 0 END)`,
  'open returns stay within what is left of a line': `
    SELECT l.id FROM order_lines l JOIN return_lines w ON w.line_id = l.id
      JOIN returns r ON r.id = w.return_id AND r.status IN ('Requested', 'Accepted', 'Processing')
    GROUP BY l.id HAVING l.returned + l.cancelled + sum(w.quantity) > l.quantity`,
  'exactly the returns that are Refunded and the notices that are closed have a refund': `
    SELECT r.id FROM returns r LEFT JOIN refunds f ON f.subject_id = r.id
    WHERE (r.status = 'Refunded') <> (f.n IS NOT NULL)
    UNION ALL
    SELECT t.id FROM notices t LEFT JOIN refunds f ON f.subject_id = t.id
    WHERE (t.status <> 'AwaitingPartnerResponse') <> (f.n IS NOT NULL)`,
  'a refund is the sum of its lines': `
    SELECT r.subject_id AS id FROM refunds r JOIN refund_lines f ON f.refund_n = r.n
    GROUP BY r.n HAVING sum(f.net) <> r.net OR sum(f.vat) <> r.vat
      OR sum(coalesce(f.clawback, 0)) <> coalesce(r.clawback, 0)`,
  'a refund is credited once for the goods and once for the shipping fee': `
    SELECT r.subject_id AS id FROM refunds r LEFT JOIN ledger l ON l.partner_id = r.partner_id
      AND l.reference_type = 'Refund' AND l.type = 'Credit' AND l.reference_id = r.reference_id
    GROUP BY r.n HAVING coalesce(sum(l.amount), 0) <> r.net + r.vat + coalesce(r.shipping, 0)
      OR count(l.n) <> 1 + (r.shipping IS NOT NULL)`,
  'no order gives back more than it took': `
    SELECT o.id FROM orders o JOIN refunds r ON r.order_id = o.id
    GROUP BY o.n HAVING sum(r.net) > o.goods_net OR sum(r.vat) > o.goods_vat
      OR sum(coalesce(r.shipping, 0)) > o.shipping_net + o.shipping_vat
      OR sum(coalesce(r.clawback, 0)) > o.commission_net + o.commission_vat`,
  'what is to be delivered has an event and a subscription': `
    SELECT d.n AS id FROM deliveries d LEFT JOIN events e ON e.id = d.event_id
      LEFT JOIN subscriptions s ON s.id = d.subscription_id WHERE e.id IS NULL OR s.id IS NULL`,
  'the attempts of a delivery count up, and none follows a success': `
    SELECT d.n AS id FROM deliveries d JOIN attempts a ON a.delivery_n = d.n
    GROUP BY d.n HAVING max(a.attempt) <> d.attempts OR count(*) <> max(a.attempt) - min(a.attempt) + 1
      OR sum(a.succeeded) > 1 OR max(CASE WHEN a.succeeded THEN a.attempt ELSE 0 END) NOT IN (0, d.attempts)`,
  'a delivery that is tried again has not succeeded': `
    SELECT d.n AS id FROM deliveries d JOIN attempts a ON a.delivery_n = d.n
    WHERE d.due_at IS NOT NULL AND (a.succeeded OR a.dead_at IS NOT NULL)`,
  'a partner has 5 active subscriptions at most': `
    SELECT partner_id AS id FROM subscriptions WHERE active GROUP BY partner_id HAVING count(*) > 5`,
  'stock moves add up to the stock': `
    SELECT v.id FROM variants v LEFT JOIN stock_moves m ON m.variant_id = v.id
    GROUP BY v.id HAVING coalesce(sum(m.delta), 0) <> v.stock`,
  'an order takes its lines from stock': `
    SELECT o.id FROM orders o WHERE coalesce((SELECT sum(delta) FROM stock_moves m WHERE m.reference_id = o.id
        AND m.reason = 'Order'), 0) <> CASE o.status WHEN 'Failed' THEN 0
      ELSE -(SELECT sum(quantity) FROM order_lines l WHERE l.order_id = o.id) END`,
  'a cart has a row exactly when it has a line': `
    SELECT c.id FROM carts c WHERE NOT EXISTS (SELECT 1 FROM cart_lines l WHERE l.cart_id = c.id)
    UNION ALL
    SELECT l.cart_id FROM cart_lines l WHERE NOT EXISTS (SELECT 1 FROM carts c WHERE c.id = l.cart_id)`,
  'a discount code counts its orders': `
    SELECT d.id FROM discount_codes d LEFT JOIN orders o ON o.discount_id = d.id AND o.status <> 'Failed'
    GROUP BY d.id HAVING count(o.n) <> d.usage_count`,
}

interface Violation {
  invariant: string
  ids: string[]
}

/** Every invariant that is broken, with the rows that break it. */
export function checkWorld(world: World): Violation[] {
  return Object.entries(invariants).flatMap(([invariant, sql]) => {
    const rows = world.all<{id: string | number}>(sql)
    return rows.length === 0 ? [] : [{invariant, ids: rows.slice(0, 20).map(({id}) => String(id))}]
  })
}
