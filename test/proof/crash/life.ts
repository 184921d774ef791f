/*
 * Proof by crashing: a small job (order-shop.ts: four orders; cart-shop.ts: three carts) is run to its end once, and
 * its boundaries are counted: before and after each request, and around each record that is written. Then it is run
 * again for every boundary, killed exactly there, and resumed. Each resume must come to the same end: the same verdict
 * for each row, the same orders and debits at the service, the same carts.
 *
 *   crash-points-orders, crash-points-imports   killed at every boundary, and at pairs of them; with the power, too,
 *                                               what was written and not flushed is gone
 *   power-cut-orders, power-cut-imports         the journal on a real disk, cut off at any byte that a power cut may
 *                                               leave as its last (power-cut.ts)
 *   checkout-kills, bulk-kills                  the built program, ended by a real SIGKILL at random moments
 *
 * The first four run in this process, against the sandbox and with a clock that jumps, so that thousands of crashes
 * take seconds. A process that has died is a `Life` that passes no further boundary: whatever it still tries throws.
 */

/** A process that is killed at the n-th boundary that it comes to. */
export interface Life {
  /** Passes a boundary, or dies there; the dead pass none. */
  pass(boundary: string): void
  isDead(): boolean
  /** The boundaries that it has passed. */
  passed: string[]
}

export function lifeOf(dieAt: number | null, onDeath: () => void = () => {}): Life {
  const passed: string[] = []
  let dead = false
  return {
    passed,
    isDead: () => dead,
    pass(boundary) {
      if (!dead && passed.length !== dieAt) {
        passed.push(boundary)
        return
      }
      if (!dead) onDeath()
      dead = true
      throw new Error('killed')
    },
  }
}
