import {type CatalogueEntry, type Code, entryOf, exitOf, type Remedy} from './errors.ts'

/** What is known of a failure. Only fields named here ever leave the program. */
export interface Facts {
  /** What happened, in one sentence; the catalogue's own by default. */
  message?: string
  /** The next step; the catalogue's own by default. */
  hint?: string
  httpStatus?: number
  /** The service's details, as they came. Lists of our own that are no arrays are read while they are printed. */
  details?: unknown
  requestId?: string
  /** Method and path, such as `POST /api/v1/scent/orders`. */
  request?: string
  /** Seconds that the service asked to wait. */
  retryAfter?: number
  /**
   * What the request did to the service: `none` when it is certain that nothing ran, `refused` when it ran and said
   * no, `unknown` when an attempt of it may have taken effect.
   */
  effect?: 'none' | 'refused' | 'unknown'
}

/**
 * The one error of this program. Code branches on `code` and `entry`, scripts on `code` and `remedy`, nobody on the
 * message. Anything else that is thrown is a bug.
 */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly code: string
  readonly facts: Facts

  constructor(code: Code | (string & {}), facts: Facts = {}, options?: {cause?: unknown}) {
    super(facts.message ?? entryOf(code, facts.httpStatus).says, options)
    this.code = code
    this.facts = facts
  }

  /** What the catalogue says of it, by which the program decides. */
  get entry(): CatalogueEntry {
    return entryOf(this.code, this.facts.httpStatus)
  }

  get remedy(): Remedy {
    return this.entry.remedy
  }

  get exitCode(): number {
    return exitOf(this.code, this.facts.httpStatus)
  }

  get hint(): string {
    return this.facts.hint ?? this.entry.next
  }
}

/** Narrows to a Failure of one of these codes. */
export function isFailure(error: unknown, ...codes: (Code | (string & {}))[]): error is Failure {
  return error instanceof Failure && (codes.length === 0 || codes.includes(error.code))
}
