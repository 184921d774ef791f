// Builds dist/, the program in files that load each other on demand, the page that its listener shows in a browser,
// dist/help, the pages of help, which need no program, dist/scent.1, the page of `man scent`, dist/licenses.txt, and oclif.manifest.json beside package.json. dist/scent.cjs is where the program
// begins; the other .cjs files have the name of the module that they begin with, and a hash.
import {execFileSync} from 'node:child_process'
import {createHash} from 'node:crypto'
import {mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {createRequire} from 'node:module'
import {basename, dirname, join, relative} from 'node:path'
import {fileURLToPath, pathToFileURL} from 'node:url'
import {transformAsync} from '@babel/core'
import {build as bundle, transform} from 'esbuild'
import metro from 'metro-transform-plugins'
import {bundledPackages, licensesText} from './scripts/licenses.js'
import {manualPage} from './scripts/man.js'

const root = dirname(fileURLToPath(import.meta.url))
const dist = join(root, 'dist')
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

/** The entry: what loads each command, so that a run loads the files of its own command only. */
function entry() {
  const commands = commandFiles().map(([id, file]) => `  '${id}': () => import('${file}'),`)
  return [
    `import {run as runCommand} from './src/main.ts'`,
    `export const commands = {\n${commands.join('\n')}\n}`,
    'export const run = (argv, progress) => runCommand(argv, commands, progress)',
    `export const runThroughOclif = async (argv) => (await import('./src/oclif.ts')).runThroughOclif(argv, commands)`,
  ].join('\n')
}

/**
 * The files of oclif require at their top all that they may ever need, and a start pays for it. Here each requires a
 * module where it uses it, by a tool that works on the syntax tree. OCLIF_AS_PUBLISHED=1 leaves it out.
 */
export const laterRequires = {
  name: 'later-requires',
  setup({onLoad}) {
    onLoad({filter: /[\\/]@oclif[\\/]core[\\/]lib[\\/].*\.js$/}, async ({path}) => {
      const {code} = await transformAsync(readFileSync(path, 'utf8'), {
        plugins: [metro.inlineRequiresPlugin],
        sourceType: 'script',
        configFile: false,
        babelrc: false,
        compact: false,
      })
      return {contents: code}
    })
  },
}

/** How esbuild reads the program. It splits ES modules only, so they become CommonJS afterwards. */
export function options() {
  return {
    stdin: {contents: entry(), resolveDir: root, sourcefile: 'scent.js', loader: 'js'},
    absWorkingDir: root,
    outdir: dist,
    entryNames: 'scent',
    chunkNames: '[name]-[hash]',
    outExtension: {'.js': '.cjs'},
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    // Native code and WebAssembly stay packages of their own, required where they are used.
    external: ['@napi-rs/keyring', 'node-sqlite3-wasm'],
    plugins: process.env.OCLIF_AS_PUBLISHED ? [] : [laterRequires],
    metafile: true,
    write: false,
    legalComments: 'none',
    logLevel: 'warning',
  }
}

/** The files of dist/ by name, as CommonJS, and what esbuild tells of them. */
async function chunks() {
  const {outputFiles, metafile} = await bundle(options())
  /** Whether less than a fifth of a file is ours: nobody will look for a line in it. */
  const isForeign = (path) => {
    const {bytes, inputs} = metafile.outputs[path]
    const ours = Object.entries(inputs).filter(([name]) => name.startsWith('src/'))
    return ours.reduce((sum, [, {bytesInOutput}]) => sum + bytesInOutput, 0) < bytes / 5
  }
  // What is left of a module that only hands on: nothing, and every file would read it.
  const [none, some] = [true, false].map((empty) =>
    outputFiles.filter(({text}) => (text.trim() === '') === empty),
  )
  const lines = none.map(({path}) => `import "./${basename(path)}";\n`)
  const withoutThem = (text) => lines.reduce((rest, line) => rest.replaceAll(line, ''), text)
  const files = await Promise.all(
    some.map(async ({path, text}) => {
      const {code} = await transform(withoutThem(text), {
        format: 'cjs',
        platform: 'node',
        target: 'node20',
        charset: 'ascii',
        // Node 20 can't import() from code that it took out of a cache.
        supported: {'dynamic-import': false},
        minify: isForeign(relative(root, path)),
        logLevel: 'warning',
      })
      return [basename(path), code]
    }),
  )
  return {files: files.sort(([a], [b]) => (a < b ? -1 : 1)), metafile}
}

async function writeChunks() {
  const {files, metafile} = await chunks()
  const hash = createHash('sha256')
  for (const [name, code] of files) hash.update(`${name}\0${code}\0`)
  // Compiled code is kept for one build: V8 itself would compare no more than the length of a file.
  const build = `module.exports.build = '${hash.digest('hex').slice(0, 32)}'\n`
  mkdirSync(dist, {recursive: true})
  for (const [name, code] of files)
    writeFileSync(join(dist, name), name === 'scent.cjs' ? code + build : code)
  return metafile
}

async function manifest() {
  const {Plugin} = require('@oclif/core')
  const {commands} = require(join(dist, 'scent.cjs'))
  /** Takes the commands as they were built, in the place of files that oclif would look for. */
  class Built extends Plugin {
    getCommandIDs() {
      return Object.keys(commands)
    }

    async findCommand(id) {
      return Object.assign((await commands[id]()).default, {id})
    }
  }
  const pjson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const plugin = new Built({root, pjson, isRoot: true, ignoreManifest: true, errorOnManifestCreate: true})
  await plugin.load()
  // What of a flag is false is so by default: a sixth of the file, which oclif's own way reads.
  const byDefault = ['allowNo', 'hasDynamicHelp', 'multiple', 'required']
  const lean = (name, value) => (value === false && byDefault.includes(name) ? undefined : value)
  writeFileSync(join(root, 'oclif.manifest.json'), JSON.stringify(plugin.manifest, lean))
}

/** The names of the pages of the manual that `scent help` prints. */
const guides = () => readdirSync(join(root, 'docs/help')).map((file) => basename(file, '.md'))

/**
 * The pages of help, and the command lines that show them: guides, the program itself, its topics, and its commands. Those of
 * topics are apart, since the name of a topic alone shows its page, and the name of a command runs it. A page of the
 * command `help` would be the root's.
 */
function pages() {
  const {commands} = JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8'))
  const ids = Object.keys(commands).filter((id) => id !== 'help')
  const topics = new Set(ids.flatMap((id) => (id.includes(':') ? [id.split(':')[0]] : [])))
  const page = (folder, words, argv = [...words, '--help']) => ({
    path: join(folder, `${['scent', ...words].join('.')}.txt`),
    argv,
  })
  return [
    ...guides().map((name) => page('guides', [name], ['help', name])),
    page('topics', []),
    ...[...topics].filter((id) => !ids.includes(id)).map((id) => page('topics', [id])),
    ...ids.map((id) => page('commands', id.split(':'))),
  ]
}

/** The page of `man scent`. */
function writeManual() {
  const read = (name) => readFileSync(join(root, name), 'utf8')
  const texts = guides().map((name) => [name, read(`docs/help/${name}.md`)])
  const [pjson, manifest] = ['package.json', 'oclif.manifest.json'].map((name) => JSON.parse(read(name)))
  writeFileSync(join(dist, 'scent.1'), manualPage({pjson, manifest, guides: Object.fromEntries(texts)}))
}

/** Writes the pages as the program draws them, painted and for 80 columns; {version} stands for that of Node. */
function writeHelp() {
  const all = pages()
  const script = `
    const {runThroughOclif} = require('./dist/scent.cjs')
    const show = async () => {
      for (const argv of ${JSON.stringify(all.map(({argv}) => argv))}) {
        await runThroughOclif(argv)
        process.stdout.write('\\f')
      }
      await runThroughOclif(['--version'])
    }
    show()`
  const env = {OCLIF_COLUMNS: '80', FORCE_COLOR: '1'}
  const drawn = execFileSync(process.execPath, ['-e', script], {cwd: root, env, encoding: 'utf8'}).split('\f')
  for (const [at, {path}] of [...all, {path: 'version.txt'}].entries()) {
    const file = join(dist, 'help', path)
    mkdirSync(dirname(file), {recursive: true})
    writeFileSync(
      file,
      drawn[at].replace(`${process.platform}-${process.arch} node-${process.version}`, '{version}'),
    )
  }
}

/** The page of `webhooks listen --ui`: what a browser loads, in three files. */
async function writePage() {
  const folder = join(root, 'src/desk/page')
  const {metafile} = await bundle({
    absWorkingDir: root,
    entryPoints: [join(folder, 'page.tsx'), join(folder, 'page.css')],
    outdir: dist,
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    charset: 'ascii',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  })
  writeFileSync(join(dist, 'index.html'), readFileSync(join(folder, 'index.html')))
  return metafile
}

/** Builds all of it. Returns the packages that are part of it. */
export async function build() {
  rmSync(dist, {recursive: true, force: true})
  const packages = bundledPackages(root, [await writeChunks(), await writePage()])
  writeFileSync(join(dist, 'licenses.txt'), licensesText(packages))
  await manifest()
  writeManual()
  writeHelp()
  return packages
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await build()
