/** Where a fact comes from: the service's answer to us, a checked copy, an import, or a copy that proves nothing. */
export type Trust = 'service' | 'verified' | 'imported' | 'unchecked' | 'stale'

export const rank: Record<Trust, number> = {service: 4, verified: 3, imported: 2, unchecked: 1, stale: 0}
/** Anything may open a notice; only these may close it, or change what one of them told. */
export const isTrusted = (trust: Trust) => rank[trust] >= rank.imported
