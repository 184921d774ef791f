import {type Facts, Failure, isFailure} from '../contract/failure.ts'

/**
 * Waits for a read that shows whether a request took effect whose answer was lost. If that fails too, the loss is all
 * that is known: any other failure would sound as if nothing had been sent.
 */
export async function settleBy<T>(lost: Failure, read: Promise<T>): Promise<T> {
  try {
    return await read
  } catch (error) {
    if (isFailure(error) && error.code !== 'INTERRUPTED') throw lost
    throw error
  }
}

/** The same failure in words that know more of the request, or under another code. */
export function reworded(
  error: Failure,
  words: Pick<Facts, 'message' | 'hint' | 'details'>,
  code: Failure['code'] = error.code,
): Failure {
  return new Failure(code, {...error.facts, ...words}, {cause: code === error.code ? error.cause : error})
}
