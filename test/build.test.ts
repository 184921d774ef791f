// What the build makes: of dependencies as they are published, and in files of which a start loads only its own.
import {execFile} from 'node:child_process'
import {existsSync, mkdirSync, readFileSync, statSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath, pathToFileURL} from 'node:url'
import {promisify} from 'node:util'
import {type BuildOptions, type BuildResult, build, type Plugin} from 'esbuild'
import {beforeAll, describe, expect, test} from 'vitest'
import {createSandbox} from '../src/sandbox/core/sandbox.ts'
import {npm} from './support/installed.ts'
import {folder} from './support/program.ts'
import {userOf} from './support/service.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const {options, laterRequires} = (await import(pathToFileURL(join(root, 'build.js')).href)) as {
  options(): BuildOptions
  laterRequires: Plugin
}
const {packageIn} = (await import(pathToFileURL(join(root, 'scripts/licenses.js')).href)) as {
  packageIn(folder: string): {texts: string[]}
}
const asPublished = Boolean(process.env.OCLIF_AS_PUBLISHED)

describe('dependencies are taken as they are published', () => {
  /** The files that esbuild did not read as they lie on the disk, as far as their sizes tell. */
  async function changed(plugins: Plugin[]): Promise<string[]> {
    const {metafile} = (await build({...options(), plugins})) as BuildResult<{metafile: true}>
    const read = Object.entries(metafile.inputs).filter(([name]) => name !== 'scent.js')
    expect(read.length).toBeGreaterThan(500)
    return read.flatMap(([name, {bytes}]) => {
      const path = join(root, name)
      return existsSync(path) && statSync(path).size === bytes ? [] : [name]
    })
  }

  test('all of them without the tool, and all but oclif with it', async () => {
    expect(options().plugins).toEqual(asPublished ? [] : [laterRequires])
    expect(options()).not.toHaveProperty('define')
    expect(options()).not.toHaveProperty('alias')
    expect(await changed([])).toEqual([])
    const others = (await changed([laterRequires])).filter((name) => !/@oclif\/core\/lib\/.*\.js$/.test(name))
    expect(others).toEqual([])
  })
})

describe('the package', () => {
  let files: {path: string; size: number}[] = []
  beforeAll(async () => {
    ;[{files}] = JSON.parse(await npm(['pack', '--dry-run', '--json'], root))
  })
  const paths = () => files.map(({path}) => path)

  test('holds the built program, its manual, and nothing that it was built from', () => {
    const belongs =
      /^(LICENSE|[A-Z]+\.md|docs\/[\w/-]+\.(md|svg)|package\.json|oclif\.manifest\.json|bin\/(run|bundle|kept)\.js|bin\/package\.json|dist\/([\w-]+\.cjs|page\.(js|css)|index\.html|licenses\.txt|scent\.1|help\/[\w./-]+\.txt))$/
    expect(paths().filter((path) => !belongs.test(path))).toEqual([])
    const needed = [
      'bin/run.js',
      'dist/scent.cjs',
      'dist/licenses.txt',
      'LICENSE',
      'README.md',
      'CHANGELOG.md',
    ]
    expect(paths()).toEqual(expect.arrayContaining(needed))
    expect(files.filter(({size}) => size === 0)).toEqual([])
  })

  test('holds no text twice', () => {
    const texts = paths().map((path) => readFileSync(join(root, path), 'latin1'))
    expect(paths().filter((_, at) => texts.indexOf(texts[at] ?? '') !== at)).toEqual([])
  })

  test('holds every file that its manual leads to', () => {
    const targets = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/\]\(([^)\s#]+)[^)]*\)/g)]
    const own = targets.map(([, target = '']) => target).filter((target) => !target.startsWith('https://'))
    expect(own.length).toBeGreaterThan(0)
    expect(own.filter((target) => !paths().includes(target))).toEqual([])
  })

  test('knows nothing of the folder that it was built in', () => {
    expect(paths().filter((path) => readFileSync(join(root, path)).includes(root))).toEqual([])
  })

  test('holds what the page of the listener is made of, and no source of it', () => {
    const page = files.filter(({path}) => /page\.|index\.html|\.tsx?$/.test(path))
    expect(page.map(({path}) => path).sort()).toEqual(['dist/index.html', 'dist/page.css', 'dist/page.js'])
    expect(page.find(({path}) => path === 'dist/page.js')?.size).toBeLessThanOrEqual(45_000)
  })
})

describe('the licences', () => {
  test('name every package that is bundled, those of the page too', () => {
    const text = readFileSync(join(root, 'dist/licenses.txt'), 'utf8')
    for (const name of ['preact', 'zod', 'undici', 'inquirer', '@oclif/core', 'iconv-lite'])
      expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ · [\\w.-]+`, 'm'))
    expect(text.match(/^\S+ \d+\.\d+\.\d+\S* · /gm)?.length).toBeGreaterThan(60)
  })

  test('of a package without a text of one fail the build', () => {
    const bare = join(folder(), 'node_modules/bare')
    mkdirSync(bare, {recursive: true})
    writeFileSync(join(bare, 'package.json'), '{"name": "bare", "version": "1.0.0", "license": "MIT"}')
    writeFileSync(join(bare, 'NOTICE'), 'Made by somebody.')
    expect(() => packageIn(bare)).toThrow('bare 1.0.0 is part of the program, and has no text of a licence.')
    writeFileSync(join(bare, 'LICENCE.md'), 'Do what you like.')
    expect(packageIn(bare).texts).toEqual(['Do what you like.', 'Made by somebody.'])
  })
})

describe('a start loads', () => {
  interface Loaded {
    /** Beside those of an empty run. */
    builtins: string[]
    /** Each with the modules that it was made of. */
    chunks: {[name: string]: string[]}
    /** What was used of the rules of languages, which V8 loads late and slowly. */
    intl: string[]
  }

  const hook = join(folder(), 'hook.cjs')
  let inputs = new Map<string, string[]>()

  beforeAll(async () => {
    writeFileSync(
      hook,
      `const fs = require('node:fs')
      const [read, chunks, intl] = [fs.readFileSync, [], []]
      fs.readFileSync = (path, ...more) => {
        const [, name] = /dist.([^/]+\\.cjs)$/.exec(String(path)) ?? []
        if (name) chunks.push(name)
        return read(path, ...more)
      }
      const watch = (owner, name, value = owner[name]) =>
        Object.defineProperty(owner, name, {get: () => (intl.push(name), value), configurable: true})
      for (const name of ['DateTimeFormat', 'NumberFormat', 'Collator', 'Segmenter']) watch(Intl, name)
      for (const type of [String, Number, Date])
        for (const name of Object.getOwnPropertyNames(type.prototype).filter((one) => /[lL]ocale/.test(one))) watch(type.prototype, name)
      process.on('exit', () => {
        const list = process.moduleLoadList.filter((name) => /^NativeModule (?!internal)/.test(name))
        fs.writeSync(2, '\\n' + JSON.stringify({builtins: list.map((name) => name.slice(13)), chunks, intl}))
      })`,
    )
    const {metafile} = (await build(options())) as BuildResult<{metafile: true}>
    inputs = new Map(
      Object.entries(metafile.outputs).map(([path, output]) => [
        path.replace('dist/', ''),
        Object.keys(output.inputs),
      ]),
    )
  })

  async function run(env: NodeJS.ProcessEnv, args: string[]) {
    const {stderr} = await promisify(execFile)(process.execPath, ['-r', hook, ...args], {cwd: root, env})
    return JSON.parse(stderr.slice(stderr.lastIndexOf('\n') + 1)) as {
      builtins: string[]
      chunks: string[]
      intl: string[]
    }
  }

  async function loaded(env: NodeJS.ProcessEnv, argv: string[]): Promise<Loaded> {
    const empty = await run(env, ['-e', '0'])
    const {builtins, chunks, intl} = await run(env, ['bin/run.js', ...argv])
    return {
      builtins: [...new Set(builtins)].filter((name) => !empty.builtins.includes(name)).sort(),
      chunks: Object.fromEntries(chunks.map((name) => [name, inputs.get(name) ?? []])),
      intl,
    }
  }

  /** What a pipe on stdout brings by itself. */
  const pipe = ['diagnostics_channel', 'net', 'stream', 'stream/promises', 'string_decoder', 'tty']
  const loader = ['os', 'vm', 'zlib']
  /** Beyond `known`; as they are published, the files of oclif load what they like. */
  const unknown = (builtins: string[], known: string[]) =>
    asPublished ? [] : builtins.filter((name) => !known.includes(name))

  test.each([[[]], [['--help']], [['help', 'orders']], [['orders', 'get', '-h']], [['--version']]])(
    'no chunk at all for a page: %j',
    async (argv) => {
      const {builtins, chunks, intl} = await loaded({PATH: process.env.PATH}, argv)
      expect({chunks, intl}).toEqual({chunks: {}, intl: []})
      expect(pipe).toEqual(expect.arrayContaining(builtins))
    },
  )

  test('what explain needs', async () => {
    const {builtins, chunks, intl} = await loaded(userOf('http://127.0.0.1:1'), ['explain', 'RATE_LIMITED'])
    expect(unknown(builtins, [...pipe, ...loader])).toEqual([])
    expect(intl).toEqual([])
    const modules = Object.values(chunks).flat()
    expect(
      modules.filter((name) =>
        /^src\/(sandbox|bulk|client|session(?!\/defaults)|contract\/api)|inquirer|undici/.test(name),
      ),
    ).toEqual([])
  })

  test('what a listener needs until it is ready, and nothing of its page, its subscription, and what was told of notices', async () => {
    const line = ['webhooks', 'listen', '--port', '0', '--for', '1s', '--output', 'ndjson']
    const env = {...userOf('http://127.0.0.1:1'), SCENT_WEBHOOK_SECRET: 'whsec_of-the-test'}
    const {builtins, chunks, intl} = await loaded(env, line)
    const others = builtins.filter((name) => !/^_?http(?!s)/.test(name))
    // What an open port brings by itself.
    const port = ['child_process', 'cluster', 'dgram', 'dns']
    expect(unknown(others, [...pipe, ...loader, ...port, 'crypto', 'v8'])).toEqual([])
    expect(intl).toEqual([])
    const modules = Object.values(chunks).flat()
    expect(modules).toContain('src/desk/listener/listener.ts')
    const late =
      /^src\/(desk\/(page|deliveries|listener\/subscribe|notices\/(coverage|known|evidence))|store\/(input|keychain)|contract\/(returns|webhooks))|undici/
    expect(modules.filter((name) => late.test(name))).toEqual([])
  })

  test('what one request needs, and nothing of the sandbox, of prompts, of bulk jobs', async () => {
    const sandbox = await createSandbox()
    try {
      const secret = sandbox.credentials.find(({clientId}) => clientId === 'rimal-retail')?.clientSecret
      const env = userOf(await sandbox.listen(), {
        SCENT_CLIENT_ID: 'rimal-retail',
        SCENT_CLIENT_SECRET: secret,
      })
      const line = ['orders', 'get', '90bae10f-2603-42ed-9e88-4cb7a414536e']
      await run(env, ['bin/run.js', ...line])
      const {builtins, chunks, intl} = await loaded(env, line)
      const others = builtins.filter((name) => !/^_?http/.test(name))
      expect(unknown(others, [...pipe, ...loader, 'crypto'])).toEqual([])
      expect(intl).toEqual([])
      const modules = Object.values(chunks).flat()
      const late = /^src\/(sandbox|bulk)|inquirer|undici|cli-table3|csv-|jmespath|i18n|jose/
      // Which looks names up in the records, and loads them only if it must.
      const names = 'src/bulk/orders/names.ts'
      expect(modules.filter((name) => late.test(name) && name !== names)).toEqual([])
      expect(modules).toContain('src/commands/orders/get.ts')
      expect(Object.keys(chunks).length).toBeLessThanOrEqual(51)
    } finally {
      await sandbox.close()
    }
  })
})
