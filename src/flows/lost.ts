import {type Failure, isFailure} from '../contract/failure.ts'

/**
 * Reads what became of a request whose answer was lost. Where that can't be read, the loss is all that is known: any
 * other failure would let one think that nothing was sent.
 */
export async function settleBy<T>(lost: Failure, read: Promise<T>): Promise<T> {
  try {
    return await read
  } catch (error) {
    if (isFailure(error) && error.code !== 'INTERRUPTED') throw lost
    throw error
  }
}
