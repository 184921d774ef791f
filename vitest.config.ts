import {defineConfig} from 'vitest/config'
import {BaseSequencer, type TestSpecification} from 'vitest/node'

/** Files that take a minute or more start first: one that starts last would run alone at the end. */
const long = [
  /desk\/kills/,
  /orders-import/,
  /proof\/reads/,
  /power-cut-/,
  /hostile/,
  /proof\/refusals/,
  /desk\/page\.test/,
  /model\.test/,
  /examples/,
  /screens\.test/,
  /sandbox\/commands/,
  /seeds-\d/,
  /attacks\.test/,
  /webhooks-(faults|timeline)/,
  /bulk-kills/,
  /many-processes/,
  /checkout-kills/,
  /help-pages/,
  /try\.test/,
  /crash-points-/,
  /terminal\/walk/,
]

/**
 * Left out of `npm run test:quick`: proofs, but for a few seeds, and files that start the program again and again. Some
 * that do stay, so that it is seen to start at all.
 */
const slow = [
  'test/proof/*.test.ts',
  'test/proof/{crash,failures,model,parsers,sandbox}/**',
  'test/commands/!(cart-import|findings|notices|output|sweep).test.ts',
  'test/commands/notices-many.test.ts',
  'test/desk/{attacks,digest,endings,forward-attacks,kills,monday,page*,states,support,watch,worklist}.test.ts',
  'test/sandbox/{commands,crash}.test.ts',
  'test/client/pace-proof.test.ts',
  'test/terminal/{help-pages,screens*,walk}.test.ts',
  'test/{build,executable,nodes,pictures,readme,recipes,release,try}.test.ts',
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
    setupFiles: ['test/support/chance.ts'],
    pool: 'forks',
    // A worker loads the program once and not again for each file: no test changes a module, or leaves anything behind.
    isolate: false,
    // Most tests wait for real processes, so more than two cores can run at once.
    maxWorkers: 4,
    sequence: {sequencer: LongestFirst},
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // A skipped test is fine here and a failure in CI; .ci/run looks at the count.
    passWithNoTests: false,
  },
}))
