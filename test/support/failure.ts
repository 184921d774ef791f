import {type Failure, isFailure} from '../../src/contract/failure.ts'

/** Returns the Failure that some work ends in. Throws if it ends in anything else. */
export async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const error = await work.then(
    (value) => value,
    (thrown: unknown) => thrown,
  )
  if (!isFailure(error)) throw new Error(`expected a Failure, got ${String(error)}`)
  return error
}
