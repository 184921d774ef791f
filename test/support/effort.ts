/** How much a long proof does: little, as in CI, and all of it with `npm run proofs`, which takes an hour. */
export function effort<T>({little, all}: {little: T; all: T}): T {
  return process.env.SCENT_TEST_PROOFS ? all : little
}
