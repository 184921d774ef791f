import {defineConfig} from 'vitest/config'
import {BaseSequencer, type TestSpecification} from 'vitest/node'

/** Those that take a minute begin first: none of them may be left for the end, where nothing runs beside it. */
const long = [
  /bulk-kills/,
  /power-cut-/,
  /crash\.test/,
  /seeds-\d/,
  /many-processes/,
  /refusals/,
  /model\.test/,
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({moduleId}: TestSpecification) => {
      const at = long.findIndex((name) => name.test(moduleId))
      return at < 0 ? long.length : at
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/setup.ts'],
    pool: 'forks',
    // Most tests wait for real processes, so a little more than two cores can run at once.
    maxWorkers: 3,
    sequence: {sequencer: LongestFirst},
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A skipped test is fine here and a failure in CI; .ci/run looks at the count.
    passWithNoTests: false,
  },
})
