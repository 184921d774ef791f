// What every command says of a wrong command line, by the built program, in a real terminal of 40 columns.
import {readFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {describe, expect, test} from 'vitest'
import {scentAmongMany as scent} from '../support/many.ts'
import {drawn, inTerminal} from '../support/pty.ts'
import {emptyUser} from './stage.ts'

interface Command {
  args: Record<string, {required?: boolean}>
  flags: Record<string, {required?: boolean}>
  /** For shells, which it must not disturb: it refuses nothing. */
  hidden?: boolean
}

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const {commands} = JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8')) as {
  commands: {[id: string]: Command}
}

/** Nothing at all, where something must be given, and else a flag that no command has. */
function wrongUse([id, {args, flags}]: [string, Command]): [string, string[]] {
  const needed = [...Object.values(args), ...Object.values(flags)].some(({required}) => required)
  const words = id.split(':')
  return [id, needed ? [...words, '--no-input'] : [...words, '--no-such-flag-of-any-command-here']]
}

const open = Object.entries(commands).filter(([, {hidden}]) => !hidden)
const env = emptyUser()
const dense = (text: string) => text.replace(/\s+/g, '')

describe('a wrong command line, in a terminal of 40 columns', () => {
  test.concurrent.each(open.map(wrongUse))('%s', async (_, argv) => {
    const seen = await inTerminal(env, argv, {columns: 40})
    const {lines, broken} = drawn(seen.text, 40)
    const page = lines.join('\n')
    expect(broken, page).toEqual([])
    const piped = await scent(env, argv)
    expect([seen.code, piped.code], page).toEqual([2, 2])
    expect(dense(page)).toBe(dense(piped.stderr))
    expect(page).toMatch(/^Error: /)
  })
})
