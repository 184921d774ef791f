// The page of `man scent`: the formatter has nothing to complain of, and it names all that there is.
import {execFileSync, spawnSync} from 'node:child_process'
import {readdirSync, readFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const page = join(root, 'dist/scent.1')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const pjson = JSON.parse(read('package.json'))
const env = {PATH: process.env.PATH, LC_ALL: 'C.UTF-8', MANWIDTH: '80'}

const missing = ['groff', 'man'].filter((tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0)
if (missing.length > 0)
  console.warn(`Skipped: no ${missing.join(' and ')}: apt-get install groff-base man-db`)

/** As it is read in a terminal of 80 columns, without bold letters. */
const shown = () =>
  execFileSync('man', ['-l', page], {env, encoding: 'utf8'})
    .replace(/.\u0008/g, '')
    .replace(/\u001b\[[\d;]*m/g, '')

test.skipIf(missing.length > 0)('is accepted without a warning', () => {
  const strict = spawnSync('groff', ['-man', '-ww', '-Tutf8', '-z', page], {env, encoding: 'utf8'})
  expect({status: strict.status, stderr: strict.stderr}).toEqual({status: 0, stderr: ''})
  const {status, stderr} = spawnSync('man', ['--warnings', '-l', page], {env, encoding: 'utf8'})
  expect({status, stderr}).toEqual({status: 0, stderr: ''})
})

test.skipIf(missing.length > 0)(
  'is read at 80 columns, and names every command, exit code and variable',
  () => {
    const text = shown()
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([])
    const words = text.replace(/\s+/g, ' ')
    const {commands} = JSON.parse(read('oclif.manifest.json'))
    for (const [id, {hidden, summary}] of Object.entries<{hidden?: boolean; summary: string}>(commands))
      if (!hidden) expect(words).toContain(`scent ${id.replaceAll(':', ' ')} ${summary.replaceAll('`', '')}`)
    const sections = [...text.matchAll(/^[A-Z][A-Z ]+$/gm)].map(([name]) => name)
    expect(sections).toEqual(
      expect.arrayContaining(['NAME', 'SYNOPSIS', 'DESCRIPTION', 'COMMANDS', 'OPTIONS', 'EXIT STATUS']),
    )
    expect(sections).toEqual(expect.arrayContaining(['ENVIRONMENT', 'FILES', 'EXAMPLES', 'SEE ALSO']))
    for (const code of [0, 12, 130]) expect(text).toMatch(new RegExp(`^ +${code} +[A-Z]`, 'm'))
    for (const name of [
      'SCENT_PROFILE',
      'SCENT_CLIENT_ID, SCENT_CLIENT_SECRET',
      '~/.config/scent/config.json',
    ])
      expect(text).toContain(name)
    for (const name of readdirSync(join(root, 'docs/help')))
      expect(text).toContain(`scent help ${name.replace('.md', '')}`)
    expect(text).toContain('$ scent webhooks listen --subscribe')
    expect(text).toContain(`scent ${pjson.version}`)
  },
)

test('is part of the package, in letters that every formatter knows', () => {
  expect(pjson.man).toEqual(['./dist/scent.1'])
  expect(readFileSync(page, 'utf8')).not.toMatch(/[^\n\x20-\x7e]/)
})
