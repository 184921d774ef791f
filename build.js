// Builds dist/scent.cjs, the whole program in one CommonJS file, and oclif.manifest.json beside package.json.
import {readdirSync, rmSync, writeFileSync} from 'node:fs'
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

/** The entry: a getter for each command, so that a run evaluates the imports of its own command only. */
function entry() {
  const getters = [
    ...commandFiles().map(([id, file]) => `get '${id}'() { return require('${file}').default }`),
    `get help() { return require('@oclif/plugin-help').commands.help }`,
  ]
  return `exports.commands = {\n  ${getters.join(',\n  ')},\n}\nexports.run = (argv) => require('./src/main.ts').run(argv)\n`
}

async function manifest() {
  rmSync(join(root, 'oclif.manifest.json'), {force: true})
  const {Config} = require('@oclif/core')
  const config = await Config.load({root, ignoreManifest: true, errorOnManifestCreate: true})
  const [plugin] = [...config.plugins.values()]
  writeFileSync(join(root, 'oclif.manifest.json'), JSON.stringify(plugin.manifest))
}

export async function build() {
  rmSync(join(root, 'dist'), {recursive: true, force: true})
  await bundle({
    stdin: {contents: entry(), resolveDir: root, sourcefile: 'entry.js', loader: 'js'},
    outfile: join(root, 'dist/scent.cjs'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    // Native code and WebAssembly stay packages of their own, required where they are used.
    external: ['@napi-rs/keyring', 'node-sqlite3-wasm'],
    legalComments: 'none',
    logLevel: 'warning',
  })
  await manifest()
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await build()
