import {execFileSync, spawn} from 'node:child_process'
import {readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'
import {install, pack} from './support/installed.ts'
import {noKeyring, withKeyring} from './support/keyring.ts'
import {folder} from './support/program.ts'
import {quiet} from './support/scent.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const mark = '@@@@'

/** The pages with transcripts: each goes on where the one before it has ended, in one shell. */
const pages = ['README', 'names', 'scripts', 'files', 'integration', 'ops', 'support'].map((name) =>
  name === 'README' ? 'README.md' : `docs/${name}.md`,
)
const read = (page: string) => readFileSync(join(root, page), 'utf8')
const others = readdirSync(join(root, 'docs'), {recursive: true, encoding: 'utf8'})
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name.replaceAll('\\', '/')}`)
  .filter((page) => !pages.includes(page))

interface Step {
  page: string
  /** What is typed after the prompt, with its continuation lines. */
  typed: string
  printed: string
}

/** The steps of all console blocks of a page, in their order. */
function steps(page: string): Step[] {
  const found: Step[] = []
  for (const [, block = ''] of read(page).matchAll(/^```console\n([\s\S]*?)^```$/gm)) {
    for (const line of block.split('\n').slice(0, -1)) {
      const last = found.at(-1)
      if (line.startsWith('$ ')) found.push({page, typed: line.slice(2), printed: ''})
      else if (last && line.startsWith('> ') && last.printed === '') last.typed += `\n${line.slice(2)}`
      else if (last) last.printed += `${line}\n`
    }
  }
  return found
}

/** What differs from run to run. The widths stay, so that columns are compared as well. */
function settled(text: string): string {
  return (
    text
      .replace(/\r/g, '')
      // A sign of life, which is drawn over itself and taken away again.
      .replace(/\u001b\[2K[^\u001b\n]*(?=\u001b\[2K)|\u001b\[2K/g, '')
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'an id')
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d/g, 'a time')
      .replace(/127\.0\.0\.1:\d+\s*/g, 'a host ')
      .replace(/--port \d+/g, '--port N')
      .replace(/HOST\s+/g, 'HOST ')
      // A busy machine takes more than a minute from the notice to the list.
      .replace(/\b71 h \d\d min/g, '71 h NN min')
      .replace(/\b\d+ (?:s|min) ago +/g, 'a moment ago ')
      .replace(/^TIME +/gm, 'TIME ')
      .replace(/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d+ \w{3} \d\d:\d\d/g, 'a moment')
  )
}

/** As a pattern: … stands for anything in a line, and alone in a line for any lines. */
function pattern(printed: string): RegExp {
  const escaped = settled(printed).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${escaped.replace(/^…$\n/gm, '(?:.*\\n)*?').replaceAll('…', '.*')}$`)
}

/** Why there is no terminal of the kind that is needed here; undefined where there is. */
function missing(): string | undefined {
  try {
    execFileSync('script', ['-qec', 'jq --version', '/dev/null'], {stdio: 'ignore'})
    return noKeyring()
  } catch {
    return 'no script(1) of util-linux, or no jq: apt-get install bsdutils jq'
  }
}

/** Runs the steps in one shell, in a terminal of 110 columns, with that `scent`. Answers what each printed. */
async function printedBy(all: Step[], env: NodeJS.ProcessEnv, path: string): Promise<string[]> {
  const home = folder()
  const lines = all.map(({typed}) => `echo '${mark}'\n${typed}\n`)
  writeFileSync(
    join(home, 'steps'),
    `stty cols 110 rows 50\n${lines.join('')}scent sandbox stop >/dev/null\n`,
  )
  const child = spawn('script', ['-qec', 'bash steps', '/dev/null'], {
    cwd: home,
    env: {...env, PATH: `${path}:${process.env.PATH}`, ...quiet, NO_COLOR: '1', TERM: 'xterm'},
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  await new Promise((done) => child.on('close', done))
  return text.replace(/\r/g, '').split(`${mark}\n`).slice(1)
}

const reason = missing()
if (reason !== undefined) console.warn(`Skipped: ${reason}`)

test.skipIf(reason !== undefined)(
  'the transcripts of the manual are what the packed and installed program prints',
  async () => {
    const all = pages.flatMap(steps)
    expect(all.length).toBeGreaterThan(60)
    const {path} = await install(await pack())
    const printed = await withKeyring((env) => printedBy(all, env, path))
    for (const [at, {page, typed, printed: promised}] of all.entries()) {
      const real = printed[at] ?? ''
      if (!pattern(promised).test(settled(real)))
        expect(`$ ${typed}\n${real}`, page).toBe(`$ ${typed}\n${promised}`)
    }
  },
  240_000,
)

test('no other page has a transcript that nobody runs', () => {
  expect(others.length).toBeGreaterThan(10)
  expect(others.filter((page) => steps(page).length > 0)).toEqual([])
})

test('README names every topic, and no page a command or script that is not there', () => {
  const {commands} = JSON.parse(read('oclif.manifest.json'))
  const {scripts} = JSON.parse(read('package.json'))
  // A hidden one is for other programs.
  const topics = Object.keys(commands).flatMap((id) => (commands[id].hidden ? [] : [id.split(':')[0]]))
  for (const topic of topics) expect(read('README.md'), topic).toContain(`\`${topic}\``)
  for (const page of [...pages, ...others]) {
    for (const [, name = ''] of read(page).matchAll(/\bnpm run ([a-z]+)/g))
      expect(scripts, page).toHaveProperty(name)
  }
})
