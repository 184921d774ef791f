import {defineConfig} from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/setup.ts'],
    pool: 'forks',
    // Most tests wait for real processes, so a little more than two cores can run at once.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A skipped test is fine here and a failure in CI; .ci/run looks at the count.
    passWithNoTests: false,
  },
})
