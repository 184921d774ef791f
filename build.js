// Builds dist/scent.cjs, the whole program in one CommonJS file, oclif.manifest.json beside package.json, and
// dist/ready.json, the texts that need no program.
import {execFileSync} from 'node:child_process'
import {createHash} from 'node:crypto'
import {mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {createRequire} from 'node:module'
import {dirname, join, relative} from 'node:path'
import {fileURLToPath, pathToFileURL} from 'node:url'
import {build as bundle} from 'esbuild'

const root = dirname(fileURLToPath(import.meta.url))
const require = createRequire(import.meta.url)

/** Command ids and their files: src/commands/cart/show.ts is cart:show, index.ts names its folder. */
function commandFiles() {
  const folder = join(root, 'src/commands')
  return readdirSync(folder, {recursive: true, withFileTypes: true})
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)).replaceAll('\\', '/'))
    .sort()
    .map((file) => [
      file
        .replace(/\.ts$/, '')
        .replaceAll('/', ':')
        .replace(/:index$/, ''),
      `./src/commands/${file}`,
    ])
}

/**
 * The entry: a getter for each command, so that a run evaluates the imports of its own command only. `used` names the
 * commands that were asked for, whose compiled code bin/bundle.js keeps.
 */
function entry() {
  const commands = commandFiles().map(([id, file]) => [id, `require('${file}').default`])
  const getters = commands.map(([id, value]) => `  get '${id}'() { use('${id}'); return ${value} },`)
  return [
    'exports.used = []',
    'const use = (id) => exports.used.includes(id) || exports.used.push(id)',
    `exports.commands = {\n${getters.join('\n')}\n}`,
    `Object.defineProperty(exports, 'Help', {get: () => { use('--help'); return require('./src/terminal/help.ts').ScentHelp }})`,
    `exports.run = (argv) => require('./src/main.ts').run(argv)`,
  ].join('\n')
}

async function manifest() {
  rmSync(join(root, 'oclif.manifest.json'), {force: true})
  const {Config} = require('@oclif/core')
  const config = await Config.load({root, ignoreManifest: true, errorOnManifestCreate: true})
  const [plugin] = [...config.plugins.values()]
  // What of a flag is false is so by default: a sixth of the file, which every start reads.
  const byDefault = ['allowNo', 'hasDynamicHelp', 'multiple', 'required']
  const lean = (name, value) => (value === false && byDefault.includes(name) ? undefined : value)
  writeFileSync(join(root, 'oclif.manifest.json'), JSON.stringify(plugin.manifest, lean))
}

/** The root's help as the program prints it, for bin/run.js; {version} stands for the line of the running node. */
function ready() {
  const print = (env) => {
    const script = `require('./dist/scent.cjs').run(['--help'])`
    const text = execFileSync(process.execPath, ['-e', script], {cwd: root, env, encoding: 'utf8'})
    return text.replace(/^(\s*)(\S+) \S+ node-\S+$/m, '$1{version}')
  }
  const plain = print({OCLIF_COLUMNS: '80'})
  if (print({OCLIF_COLUMNS: '200'}) !== plain)
    throw new Error('A line of the root help is too long for 80 columns.')
  const {name, version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const texts = {name: `${name}/${version}`, plain, bold: print({OCLIF_COLUMNS: '80', FORCE_COLOR: '1'})}
  writeFileSync(join(root, 'dist/ready.json'), JSON.stringify(texts))
}

export async function build() {
  rmSync(join(root, 'dist'), {recursive: true, force: true})
  const {outputFiles} = await bundle({
    stdin: {contents: entry(), resolveDir: root, sourcefile: 'entry.js', loader: 'js'},
    outfile: join(root, 'dist/scent.cjs'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    // Native code and WebAssembly stay packages of their own, required where they are used.
    external: ['@napi-rs/keyring', 'node-sqlite3-wasm'],
    // Node 20 can't import() from code that it took out of a cache.
    supported: {'dynamic-import': false},
    write: false,
    legalComments: 'none',
    logLevel: 'warning',
  })
  const [{path, text}] = outputFiles
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 32)
  mkdirSync(dirname(path), {recursive: true})
  writeFileSync(path, `// ${hash}\n${text}`)
  await manifest()
  ready()
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await build()
