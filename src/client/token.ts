/** Where bearer tokens come from. */
export interface TokenSource {
  /** A token with life enough for one request. */
  get(signal?: AbortSignal): Promise<string>
  /** A token other than `stale`, which the service called expired. */
  renew(stale: string, signal?: AbortSignal): Promise<string>
}
