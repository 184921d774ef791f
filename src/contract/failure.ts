import {type CatalogueEntry, type Code, entryOf, exitOf, type Remedy} from './errors.ts'

/** The facts of a failure. Only fields named here ever leave the program. */
export interface Facts {
  /** What happened, in one sentence; the catalogue's own by default. */
  message?: string
  /** The next step; the catalogue's own by default. */
  hint?: string
  httpStatus?: number
  /** The service's details, as they came. A list of ours that is not an array is read while it is printed. */
  details?: unknown
  requestId?: string
  /** Method and path, such as `POST /api/v1/scent/orders`. */
  request?: string
  /** Seconds that the service asked to wait. */
  retryAfter?: number
  /**
   * The effect of the request on the service: `none` if it is certain that nothing ran, `refused` if it ran and was
   * refused, `unknown` if an attempt of it may have taken effect.
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

  /** Its row of the catalogue, by which the program decides. */
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
