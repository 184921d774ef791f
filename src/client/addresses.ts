import {lookup} from 'node:dns/promises'

/** A name may not resolve for minutes if the network is gone. */
const PATIENCE_MS = 5_000

/** Where a host leads, as this machine sees it; nowhere if it does not resolve. */
export async function addressesOf(host: string): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<[]>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, [])
  })
  const found = await Promise.race([lookup(host, {all: true}).catch(() => []), tooLong])
  clearTimeout(timer)
  return found.map(({address}) => address)
}
