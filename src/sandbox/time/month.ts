/** Calendar months, in UTC (L06, L13). */

/** The first moment of the month that holds `moment`, or of one that many months later. */
export function monthStart(moment: number, later = 0): number {
  const date = new Date(moment)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1)
}
