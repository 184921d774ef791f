/** Room in the quota for one request. Exactly one of these is called once the fate of the request is known. */
export interface Permit {
  /** An answer came, or may be on its way: the request counts. */
  used(): void
  /** It never arrived, and counts for nothing. */
  unused(): void
  /** The service refused it with a 429: it counts for nothing, but somebody else uses the quota. */
  refused(retryAfterMs: number): Promise<void>
}

/** Keeps requests within the quota of the credential (spec, Limits). */
export interface Pacer {
  /** Waits until a request may leave. */
  permit(signal?: AbortSignal): Promise<Permit>
}

/** For a service without a quota. */
export const unpaced: Pacer = {
  permit: async () => ({used: () => {}, unused: () => {}, refused: async () => {}}),
}
