export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** One figure; with its bar, and whether that is held. */
export function print(name: string, value: string, bar?: string, held?: boolean): void {
  const verdict = bar === undefined ? '' : `bar ${bar.padEnd(12)} ${held ? 'held' : 'MISSED'}`
  console.log(`  ${name.padEnd(44)} ${value.padStart(12)}   ${verdict}`.trimEnd())
}
