import {execFileSync, spawn} from 'node:child_process'
import {readFileSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'
import {install, pack} from './support/installed.ts'
import {noKeyring, withKeyring} from './support/keyring.ts'
import {folder} from './support/program.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const mark = '@@@@'

interface Step {
  /** What is typed after the prompt, with its continuation lines. */
  typed: string
  printed: string
}

/** The steps of all console blocks, in their order. */
function steps(markdown: string): Step[] {
  const found: Step[] = []
  for (const [, block = ''] of markdown.matchAll(/^```console\n([\s\S]*?)^```$/gm)) {
    for (const line of block.split('\n').slice(0, -1)) {
      const last = found.at(-1)
      if (line.startsWith('$ ')) found.push({typed: line.slice(2), printed: ''})
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
    env: {...env, PATH: `${path}:${process.env.PATH}`, NO_COLOR: '1', TERM: 'xterm'},
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
    const all = steps(readFileSync(join(root, 'README.md'), 'utf8'))
    expect(all.length).toBeGreaterThan(10)
    const {path} = await install(await pack())
    const printed = await withKeyring((env) => printedBy(all, env, path))
    for (const [at, {typed, printed: promised}] of all.entries()) {
      const real = printed[at] ?? ''
      if (!pattern(promised).test(settled(real)))
        expect(`$ ${typed}\n${real}`).toBe(`$ ${typed}\n${promised}`)
    }
  },
  240_000,
)

test('the manual names every topic and exit code, and no command or script that is not there', () => {
  const manual = readFileSync(join(root, 'README.md'), 'utf8')
  const {commands} = JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8'))
  const {scripts} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  // A hidden one is for other programs.
  const topics = Object.keys(commands).flatMap((id) => (commands[id].hidden ? [] : [id.split(':')[0]]))
  for (const topic of topics) expect(manual, topic).toContain(`\`${topic}\``)
  for (const [, words = ''] of manual.matchAll(/\bscent ((?:[a-z]+ ?)+)/g)) {
    const [first = '', second = ''] = words.trim().split(' ')
    if (!topics.includes(first)) continue
    expect(`${first}:${second}` in commands || first in commands, `scent ${words}`).toBe(true)
  }
  for (const [, name = ''] of manual.matchAll(/\bnpm run ([a-z]+)/g)) expect(scripts).toHaveProperty(name)
  for (const code of [...Array(13).keys(), 130]) expect(manual).toMatch(new RegExp(`^\\| ${code} \\|`, 'm'))
})
