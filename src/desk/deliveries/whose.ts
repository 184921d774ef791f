import type {Run} from '../receipts/runs.ts'
import type {Arrived} from './here.ts'

// Which listener had the URL of a subscription, and of which subscription a copy is.

/** A subscription as the local record knows it. */
export interface Known {
  id: string
  isActive?: boolean | null
  /** The oldest first, each with the moment of this machine's clock from which on it is known. */
  urls: readonly {url: string; from: number}[]
}

/** Where its deliveries went at that moment; null if that is not known. */
export const urlAt = ({urls}: Known, at: number): string | null =>
  urls.findLast(({from}) => from <= at)?.url ?? null

/** The port of this machine that a listener would have to have for that URL. */
export function portOf(url: string | null): number | undefined {
  if (url === null || !URL.canParse(url)) return undefined
  const {protocol, hostname, port} = new URL(url)
  return protocol === 'http:' && /^(localhost|127\.0\.0\.1)$/.test(hostname) ? Number(port || 80) : undefined
}

/** Whether what is sent to that URL comes to this listener, as far as it was told where it is. */
export function isAt({port, publicUrl}: Run, url: string | null): boolean {
  if (url === null || !URL.canParse(url)) return false
  const isPublic = publicUrl !== null && URL.canParse(publicUrl)
  return portOf(url) === port || (isPublic && new URL(publicUrl).href === new URL(url).href)
}

/** Whether it listened at that moment. */
export const isAwake = ({from, to, slept}: Run, at: number) =>
  at >= from && at <= to && !slept.some((nap) => at >= nap.from && at <= nap.to)

/** Whether its record says that it served this subscription, or there is no other one that it may have served. */
export const isSureOf = (run: Run, {id}: Known, known: readonly Known[]) =>
  run.subscription === null ? known.every((one) => one.id === id) : run.subscription === id

const shareUrl = (one: Known, other: Known) =>
  one.urls.some(({url}) => other.urls.some((its) => its.url === url))

/** Whether a copy is of this subscription, or of another one; `unknown` if nothing tells. */
export function isOf(
  {run, at, trust}: Arrived,
  subscription: Known,
  known: readonly Known[],
): 'own' | 'other' | 'unknown' {
  const isDeclared = run.subscription === subscription.id
  // Its signature fits the secret of that subscription, whatever way it took.
  if (run.subscription !== null && trust === 'verified') return isDeclared ? 'own' : 'other'
  // One that is switched off now may have been served then, by a listener that does not say whom it serves.
  const others = known.filter(
    ({id, isActive}) => id !== subscription.id && (isActive !== false || run.subscription === null),
  )
  const there = others.filter((one) => isAt(run, urlAt(one, at)))
  if (isAt(run, urlAt(subscription, at))) return there.length === 0 ? 'own' : 'unknown'
  if (there.some(({isActive}) => isActive !== false)) return 'other'
  const declared = known.find(({id}) => id === run.subscription)
  if (run.subscription !== null) {
    // Where its URL was is not known: what did not fit may be of another one that shares a URL with that which it serves.
    const isShared = isDeclared
      ? others.some((one) => shareUrl(one, subscription))
      : declared !== undefined && shareUrl(declared, subscription)
    return isShared ? 'unknown' : isDeclared ? 'own' : 'other'
  }
  return others.length === 0 ? 'own' : 'unknown'
}
