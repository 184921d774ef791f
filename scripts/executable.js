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

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const nodeFolder = join(root, 'node_modules/.cache/nodes/node_modules/node26')
const binding = '@napi-rs/keyring-linux-x64-gnu'

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
  const own = files.map(({path}) => path).filter((path) => /^(bin|dist)\/|\.json$/.test(path))
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

/** Makes the executable at `output`, of what `npm run build` has made. */
export async function makeExecutable(output) {
  const node = join(nodeFolder, 'bin/node')
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error('The executable is made on Linux, on x64.')
  if (!existsSync(node)) throw new Error('Node 26 is missing: npm run nodes')
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

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const output = join(root, `release/scent-${version}-linux-x64`)
  await makeExecutable(output)
  process.stdout.write(`Made ${relative(process.cwd(), output)}\n`)
}
