import {defineConfig} from 'vitest/config'
import {BaseSequencer, type TestSpecification} from 'vitest/node'

/** Files that take a minute or more start first: one that starts last would run alone at the end. */
const long = [
  /bulk-kills/,
  /desk\/kills/,
  /desk\/page\.test/,
  /power-cut-/,
  /screens\.test/,
  /help-pages/,
  /seeds-\d/,
  /many-processes/,
  /crash-points-/,
  /checkout-kills/,
  /refusals/,
  /examples/,
  /hostile/,
  /proof\/reads/,
  /sandbox\/commands/,
  /orders-import/,
  /model\.test/,
  /crash\.test/,
]

/** Left out of `npm run test:quick`: proofs, but for a few seeds, and files that start the program a hundred times. */
const slow = [
  'test/proof/*.test.ts',
  'test/proof/crash/**',
  'test/proof/model/**',
  'test/commands/examples.test.ts',
  'test/desk/kills.test.ts',
  'test/desk/page.test.ts',
  'test/desk/page-load.test.ts',
  'test/commands/hostile.test.ts',
  'test/sandbox/commands.test.ts',
  'test/terminal/help-pages.test.ts',
  'test/terminal/screens.test.ts',
  'test/nodes.test.ts',
  'test/try.test.ts',
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

export default defineConfig(({mode}) => ({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: mode === 'quick' ? slow : [],
    globalSetup: ['test/support/setup.ts'],
    pool: 'forks',
    // A worker loads the program once and not again for each file: no test changes a module, or leaves anything behind.
    isolate: false,
    // Most tests wait for real processes, so a little more than two cores can run at once.
    maxWorkers: 3,
    sequence: {sequencer: LongestFirst},
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // A skipped test is fine here and a failure in CI; .ci/run looks at the count.
    passWithNoTests: false,
  },
}))
