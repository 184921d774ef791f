/**
 * How much a long proof does: little by default, more in CI, where nothing may be skipped (SCENT_TEST_ALL), and all of it
 * with `npm run proofs`, which takes half an hour.
 */
export function effort<T>({little, more, all}: {little: T; more: T; all: T}): T {
  if (process.env.SCENT_TEST_PROOFS) return all
  return process.env.SCENT_TEST_ALL ? more : little
}
