// Makes what a release is made of, in release/: the package, the executable, their lists of packages, and checksums. It
// publishes nothing: it prints the commands that would. --package-only leaves the executable out.
import {execFileSync} from 'node:child_process'
import {createHash} from 'node:crypto'
import {mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {noExecutable, writeExecutable} from './executable.js'
import {sbom} from './sbom.js'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const folder = join(root, 'release')
const packageOnly = process.argv.includes('--package-only')
const run = (command, ...args) => execFileSync(command, args, {cwd: root, encoding: 'utf8'}).trimEnd()

/** Why this version can't be released from this tree; undefined if it can. */
function obstacle(version) {
  const changed = run('git', 'status', '--porcelain')
  if (changed !== '')
    return `These files are changed and not committed. Commit or remove them first.\n${changed}`
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  if (!changelog.includes(`\n## [${version}]`))
    return `CHANGELOG.md has no heading "## [${version}]", the version of package.json. Write down what is new in it.`
  if (run('git', 'tag', '--list', `v${version}`) !== '')
    return `The tag v${version} exists already. Raise the version in package.json: npm version --no-git-tag-version.`
  return packageOnly ? undefined : noExecutable()
}

async function release(version) {
  const {build} = await import('../build.js')
  const packages = await build()
  rmSync(folder, {recursive: true, force: true})
  mkdirSync(folder)
  const [{filename}] = JSON.parse(
    run('npm', 'pack', '--json', '--silent', '--ignore-scripts', '--pack-destination', folder),
  )
  const name = filename.replace(/\.tgz$/, '')
  writeFileSync(join(folder, `${name}.cdx.json`), `${JSON.stringify(sbom(root, packages), null, 2)}\n`)
  if (!packageOnly) await writeExecutable(folder, version, packages)
  const sums = readdirSync(folder).map((file) => {
    const sum = createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex')
    return `${sum}  ${file}\n`
  })
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''))
  process.stdout.write(
    [
      `Made in release/, and nothing is published:`,
      ...readdirSync(folder).map((file) => `  ${file}`),
      'To publish it:',
      `  git tag v${version} && git push origin v${version}`,
      `  npm publish release/${filename}\n`,
    ].join('\n'),
  )
}

const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const reason = obstacle(version)
if (reason === undefined) await release(version)
else {
  process.stderr.write(`Error: ${version} can't be released. ${reason}\n`)
  process.exitCode = 1
}
