import {setFlagsFromString} from 'node:v8'

/** V8's own values of what is limited here. */
const usual = {'heap-growing-percent': 0, 'semi-space-growth-factor': 2}

function setFlags(values: Partial<typeof usual>): void {
  for (const [name, value] of Object.entries(values)) setFlagsFromString(`--${name}=${value}`)
}

/**
 * Keeps a process that runs for hours small, also on a machine with much memory. At its exit the flags are as usual again:
 * compiled code is kept then, and V8 takes it from nobody who had other flags.
 */
export function limitHeap(limits: Partial<typeof usual>): void {
  setFlags(limits)
  process.prependOnceListener('exit', () => setFlags(usual))
}
