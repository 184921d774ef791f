// The pages of help that the build wrote are those that the program draws: for each command, topic and guide, painted and
// plain, in wide terminals too.
import {execFile} from 'node:child_process'
import {readdirSync, readFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {promisify} from 'node:util'
import {expect, test} from 'vitest'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const help = join(root, 'dist/help')
const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'))
const ids = Object.keys(read('oclif.manifest.json').commands).filter((id) => id !== 'help')
const topics = Object.keys(read('package.json').oclif.topics).filter((id) => !ids.includes(id))

const guides = readdirSync(join(root, 'docs/help')).map((name) => name.replace(/\.md$/, ''))

const pages = [
  {file: 'topics/scent.txt', argv: ['--help']},
  ...topics.map((id) => ({file: `topics/scent.${id}.txt`, argv: [id, '--help']})),
  ...ids.map((id) => ({
    file: `commands/scent.${id.replaceAll(':', '.')}.txt`,
    argv: [...id.split(':'), '--help'],
  })),
  ...guides.map((name) => ({file: `guides/scent.${name}.txt`, argv: ['help', name]})),
]

/** All pages as the program draws them in one process. */
async function drawAll(env: NodeJS.ProcessEnv): Promise<string[]> {
  const lines = pages.map(({argv}) => argv)
  const script = `
    const {runThroughOclif} = require('./dist/scent.cjs')
    const show = async () => {
      for (const line of ${JSON.stringify(lines)}) {
        await runThroughOclif(line)
        process.stdout.write('\\f')
      }
    }
    show()`
  const options = {cwd: root, env: {PATH: process.env.PATH, ...env}, maxBuffer: 1e8}
  const {stdout} = await promisify(execFile)(process.execPath, ['-e', script], options)
  return stdout.split('\f').slice(0, -1)
}

test.each([
  {OCLIF_COLUMNS: '80', FORCE_COLOR: '1'},
  {OCLIF_COLUMNS: '200', FORCE_COLOR: '1'},
  {OCLIF_COLUMNS: '80'},
  {OCLIF_COLUMNS: '200'},
])('every page is what the program draws: %j', async (env) => {
  const written = pages.map(({file}) => {
    const version = `${process.platform}-${process.arch} node-${process.version}`
    const text = readFileSync(join(help, file), 'utf8').replace('{version}', version)
    return 'FORCE_COLOR' in env ? text : text.replace(/\u001b\[[\d;]*m/g, '')
  })
  expect(pages.length).toBeGreaterThan(80)
  expect(await drawAll(env)).toEqual(written)
})

test('there is a page for every command, topic and guide, and none beside', () => {
  const files = readdirSync(help, {recursive: true, encoding: 'utf8'}).filter((name) => name.endsWith('.txt'))
  const names = files.map((name) => name.replaceAll('\\', '/')).sort()
  expect(names).toEqual([...pages.map(({file}) => file), 'version.txt'].sort())
})
