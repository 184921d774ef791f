/** Milliseconds of an ISO time; one without an offset is UTC (spec, Endpoints, Conventions); NaN where it is none. */
export function millis(at: string): number {
  return Date.parse(/T.*\d$/.test(at) && !/[+-]\d\d:?\d\d$/.test(at) ? `${at}Z` : at)
}
