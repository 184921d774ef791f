import {defineConfig} from 'vitest/config'

/** The tests of one mutated module, in one process; the program is not built, since none of them starts it. */
export default defineConfig({
  test: {
    include: (process.env.SCENT_TEST_MUTATION ?? '').split(' '),
    pool: 'forks',
    maxWorkers: 1,
    isolate: false,
    testTimeout: 120_000,
    env: {SCENT_TEST_SEED: '1'},
  },
})
