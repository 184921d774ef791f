// Makes one executable of the built program and a Node, for machines without Node: Linux on x64. npm run nodes brings the
// Node, and strip(1) of binutils takes its symbols away.
import {execFileSync} from 'node:child_process'
import {createHash} from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join, relative} from 'node:path'
import {fileURLToPath, pathToFileURL} from 'node:url'
import {build as bundle} from 'esbuild'
import {licensesText, packageIn} from './licenses.js'
import {executableSbom} from './sbom.js'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
export const nodeFolder = join(root, 'node_modules/.cache/nodes/node_modules/node26')
export const binding = '@napi-rs/keyring-linux-x64-gnu'

/** What the program loads of the packages that are not bundled. */
const beside = [
  ...['@napi-rs/keyring/package.json', '@napi-rs/keyring/index.js'],
  ...[`${binding}/package.json`, `${binding}/keyring.linux-x64-gnu.node`],
  ...['node-sqlite3-wasm/package.json', 'node-sqlite3-wasm/dist/node-sqlite3-wasm.js'],
  'node-sqlite3-wasm/dist/node-sqlite3-wasm.wasm',
].map((path) => `node_modules/${path}`)

/** The files of the package that a run may load, and those of other packages. */
function carriedFiles() {
  const argv = ['pack', '--dry-run', '--json', '--silent', '--ignore-scripts']
  const [{files}] = JSON.parse(execFileSync('npm', argv, {cwd: root, encoding: 'utf8', maxBuffer: 1e8}))
  const own = files.map(({path}) => path).filter((path) => /^(bin|dist|docs\/help)\/|\.json$/.test(path))
  return [...own.filter((path) => path !== 'dist/licenses.txt'), ...beside].sort()
}

/** One file of all files, and the index that tells where each lies in it. */
function packed(paths) {
  const parts = paths.map((path) => readFileSync(join(root, path)))
  let at = 0
  const files = paths.map((path, place) => {
    const {length} = parts[place]
    at += length
    return {path, at: at - length, length}
  })
  const bytes = Buffer.concat(parts)
  const id = createHash('sha256').update(JSON.stringify(files)).update(bytes).digest('hex').slice(0, 32)
  return {index: JSON.stringify({id, files}), bytes}
}

/** Why no executable can be made here; undefined if one can. */
export function noExecutable() {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return 'The executable is made on Linux, on x64.'
  return existsSync(nodeFolder) ? undefined : 'The executable needs Node 26: npm run nodes'
}

/** Makes the executable at `output`, of what `npm run build` has made. */
export async function makeExecutable(output) {
  const node = join(nodeFolder, 'bin/node')
  const work = mkdtempSync(join(tmpdir(), 'scent-executable-'))
  try {
    const {index, bytes} = packed(carriedFiles())
    writeFileSync(join(work, 'index'), index)
    writeFileSync(join(work, 'files'), bytes)
    await bundle({
      entryPoints: [join(root, 'scripts/executable-start.js')],
      outfile: join(work, 'main.js'),
      bundle: true,
      platform: 'node',
      target: 'node24',
      format: 'cjs',
      logLevel: 'warning',
    })
    // Its symbols are a fifth of it, and nothing needs them. Later they can't be taken away any more.
    execFileSync('strip', ['--strip-all', '-o', join(work, 'node'), node])
    const config = {
      main: join(work, 'main.js'),
      executable: join(work, 'node'),
      output: join(work, 'scent'),
      disableExperimentalSEAWarning: true,
      // NODE_OPTIONS is meant for programs of Node, and whoever uses this one need not know that it is one.
      execArgvExtension: 'none',
      assets: {index: join(work, 'index'), files: join(work, 'files')},
    }
    writeFileSync(join(work, 'config.json'), JSON.stringify(config))
    execFileSync(node, ['--build-sea', join(work, 'config.json')], {stdio: ['ignore', 'ignore', 'inherit']})
    mkdirSync(dirname(output), {recursive: true})
    copyFileSync(join(work, 'scent'), output)
    chmodSync(output, 0o755)
  } finally {
    rmSync(work, {recursive: true})
  }
}

/** Makes the executable in a folder, and beside it the list and the licences of the packages in it. */
export async function writeExecutable(folder, version, bundled) {
  const name = join(folder, `scent-${version}-linux-x64`)
  await makeExecutable(name)
  const list = executableSbom(root, bundled, binding, nodeFolder)
  writeFileSync(`${name}.cdx.json`, `${JSON.stringify(list, null, 2)}\n`)
  const others = ['@napi-rs/keyring', binding, 'node-sqlite3-wasm'].map((one) =>
    join(root, 'node_modules', one),
  )
  const packages = [...bundled, ...[...others, nodeFolder].map(packageIn)]
  writeFileSync(`${name}.licenses.txt`, licensesText(packages))
  return name
}

async function main() {
  const reason = noExecutable()
  if (reason !== undefined) throw new Error(reason)
  const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const {build} = await import('../build.js')
  const made = await writeExecutable(join(root, 'release'), version, await build())
  process.stdout.write(`Made ${relative(process.cwd(), made)}\n`)
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await main()
