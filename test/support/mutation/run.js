// Changes the modules that decide about money, one small thing at a time, and looks whether a test notices:
// npm run mutation -- machine pacing. Its tools are installed on demand, and work in a copy of the project.
import {execFileSync} from 'node:child_process'
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../../..')
const tools = join(root, 'node_modules/.cache/mutation')
const modules = JSON.parse(readFileSync(join(here, 'modules.json'), 'utf8'))

function install() {
  if (existsSync(join(tools, 'node_modules/@stryker-mutator/vitest-runner'))) return
  const packages = ['core', 'vitest-runner'].map((name) => `@stryker-mutator/${name}@9.6.1`)
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps']
  execFileSync('npm', ['install', '--prefix', tools, ...flags, ...packages], {stdio: 'inherit'})
}

/** Mutates one module, and returns what became of each mutant. */
function mutate(name) {
  const report = join(tools, `${name}.json`)
  const config = join(tools, `${name}.config.json`)
  const plugin = join(tools, 'node_modules/@stryker-mutator/vitest-runner/dist/src/index.js')
  mkdirSync(tools, {recursive: true})
  writeFileSync(
    config,
    JSON.stringify({
      mutate: modules[name].src,
      testRunner: 'vitest',
      plugins: [plugin],
      vitest: {configFile: 'test/support/mutation/vitest.config.ts', related: false},
      reporters: ['json'],
      jsonReporter: {fileName: report},
      tempDirName: join(tmpdir(), `scent-mutation-${name}`),
      ignorePatterns: ['coverage'],
      // It would rewrite this one by the API of an older compiler.
      tsconfigFile: 'none',
      concurrency: Number(process.env.SCENT_TEST_WORKERS ?? 1),
      timeoutMS: 120_000,
      // What runs once, when a file is loaded, would need all tests again for each change.
      ignoreStatic: true,
      allowEmpty: false,
      allowConsoleColors: false,
    }),
  )
  execFileSync(
    process.execPath,
    [join(tools, 'node_modules/@stryker-mutator/core/bin/stryker.js'), 'run', config],
    {
      cwd: root,
      stdio: 'inherit',
      env: {...process.env, SCENT_TEST_MUTATION: modules[name].tests.join(' ')},
    },
  )
  return JSON.parse(readFileSync(report, 'utf8')).files
}

/** How many mutants were noticed, and each that was not. */
function tell(name, files) {
  const all = Object.entries(files).flatMap(([file, {mutants}]) =>
    mutants.map((mutant) => ({file, ...mutant})),
  )
  const of = (...states) => all.filter(({status}) => states.includes(status)).length
  const [killed, left] = [of('Killed', 'Timeout'), of('Survived', 'NoCoverage')]
  console.log(
    `${name}: ${killed} of ${killed + left} noticed (${((100 * killed) / (killed + left)).toFixed(1)} %), ${of('Timeout')} of them by a timeout`,
  )
  for (const {file, location, mutatorName, replacement, status} of all)
    if (status === 'Survived' || status === 'NoCoverage')
      console.log(
        `  ${file}:${location.start.line}:${location.start.column} ${mutatorName} → ${replacement?.replace(/\s+/g, ' ').slice(0, 90)}${status === 'Survived' ? '' : ' (never run)'}`,
      )
}

install()
const asked = process.argv.slice(2)
for (const name of asked.length > 0 ? asked : Object.keys(modules)) tell(name, mutate(name))
