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

/** esbuild escapes strings, not regular expressions; a bundle of ASCII alone is read without decoding it. */
function ascii(text) {
  if (/\\[^\u0000-\u007f]/.test(text))
    throw new Error('A backslash before a character beyond ASCII can not be kept.')
  return text.replace(/[^\u0000-\u007f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * oclif's files require all they may ever need at their top, and compare names by the rules of a language, which
 * loads these rules: a third of a start. Here each requires a module where it uses it, and names compare by character.
 */
function lighter(code) {
  const moved = []
  const rest = code
    .replace(
      /^const (\w+_\d+) = (__importDefault\(require\("[^"]+"\)\)|require\("[^"]+"\));$/gm,
      (_, name, value) => {
        moved.push([name, `(${value})`])
        return ''
      },
    )
    .replace(/\b([\w.]+)\.localeCompare\(([\w.]+)\)/g, '($1 < $2 ? -1 : $1 > $2 ? 1 : 0)')
  return moved.reduce((text, [name, value]) => text.replace(new RegExp(`\\b${name}\\b`, 'g'), value), rest)
}

/** What the exports of an ES module package need, and nothing else of it. */
async function part(contents) {
  const {outputFiles} = await bundle({
    stdin: {contents, resolveDir: root},
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['@inquirer/*'],
    // To Node it offers CommonJS only, of which nothing can be left out.
    alias: {rxjs: join(dirname(require.resolve('rxjs/package.json')), 'dist/esm/index.js')},
    write: false,
  })
  return {contents: outputFiles[0].text, resolveDir: root}
}

const packages = {
  name: 'packages',
  setup({onLoad, onResolve, resolve}) {
    onLoad({filter: /@oclif[\\/](core|plugin-help)[\\/]lib[\\/].*\.js$/}, ({path}) => ({
      contents: lighter(readFileSync(path, 'utf8')),
    }))
    // Its entry for Node brings the names of all countries in all languages; we register English.
    onResolve({filter: /^i18n-iso-countries$/}, ({resolveDir, kind}) =>
      resolve('i18n-iso-countries/index.js', {resolveDir, kind}),
    )
    // Never used here: a text asked in an editor, whose tables of encodings would be a quarter of the bundle, and other
    // kinds of questions; a Windows that runs Linux, which "linux" names well enough; commands found by patterns, as
    // ours are listed.
    const unused = /^(@inquirer\/(editor|rawlist|expand|search|number)|wsl-utils|tinyglobby|minimatch)$/
    onResolve({filter: unused}, ({path}) => ({
      path,
      namespace: 'unused',
    }))
    onLoad({filter: /.*/, namespace: 'unused'}, () => ({
      contents: 'export const isWsl = false\nexport default undefined',
    }))
    // Of undici HTTP/2 (src/client/undici.ts), proxies of another kind (src/client/reach.ts), and the bodies of fetch,
    // all of fetch among them: ours are text.
    onResolve({filter: /\/(client-h2|socks5-proxy-agent|fetch\/body)(\.js)?$/}, ({path, resolveDir}) =>
      /[\\/]undici[\\/]lib[\\/]/.test(`${resolveDir}/`) ? {path, namespace: 'unused'} : undefined,
    )
    // The help plugin imports all of oclif for these four.
    onResolve({filter: /^@oclif\/core$/}, ({path, importer}) =>
      importer.includes('plugin-help') ? {path, namespace: 'core'} : undefined,
    )
    onLoad({filter: /.*/, namespace: 'core'}, () => ({
      contents: [
        `export * as Args from '@oclif/core/args'`,
        `export * as Flags from '@oclif/core/flags'`,
        `export {Command} from '@oclif/core/command'`,
        `export {loadHelpClass} from '@oclif/core/help'`,
      ].join('\n'),
      resolveDir: root,
    }))
    // Loaded on demand, a package is taken whole; bundled on its own first, without the rest of rxjs.
    onResolve({filter: /^inquirer$/, namespace: 'file'}, ({path}) => ({path, namespace: 'part'}))
    onLoad({filter: /.*/, namespace: 'part'}, () => part(`export {createPromptModule} from 'inquirer'`))
  },
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
    plugins: [packages],
    write: false,
    legalComments: 'none',
    logLevel: 'warning',
  })
  const [{path, text}] = outputFiles
  const code = ascii(text)
  const hash = createHash('sha256').update(code).digest('hex').slice(0, 32)
  mkdirSync(dirname(path), {recursive: true})
  writeFileSync(path, `// ${hash}\n${code}`)
  await manifest()
  ready()
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await build()
