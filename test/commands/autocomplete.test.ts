import {execFile, execFileSync} from 'node:child_process'
import {writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {promisify} from 'node:util'
import {beforeAll, describe, expect, test} from 'vitest'
import {folder} from '../support/program.ts'

const program = join(dirname(fileURLToPath(import.meta.url)), '../../bin/run.js')
const execute = promisify(execFile)
const place = folder()

/** Completes the last of the words as the shell would after Tab. Answers the candidates. */
type Complete = (...words: string[]) => Promise<string[]>

const lines = (text: string) => text.split('\n').filter((line) => line !== '')

const complete: {[shell: string]: Complete} = {
  bash: async (...words) => {
    const script = `source ${place}/bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _scent; printf '%s\\n' "\${COMPREPLY[@]}"`
    const {stdout} = await execute('bash', ['--norc', '-c', script, 'bash', 'scent', ...words])
    return lines(stdout)
  },
  zsh: async (...words) => {
    // What the shell's own functions would be handed.
    const script = `compdef() { :; }; _files() { print FILES; }
      _describe() { [[ $1 == -o ]] && shift; print -l -- "\${(@P)2}"; }
      source ${place}/zsh; words=("$@"); CURRENT=$#; _scent`
    const {stdout} = await execute('zsh', ['-f', '-c', script, 'zsh', 'scent', ...words])
    const last = words.at(-1) ?? ''
    return lines(stdout)
      .map((line) => line.split(':')[0] ?? '')
      .filter((word) => word.startsWith(last))
  },
  fish: async (...words) => {
    const script = `source ${place}/fish; complete -C "$argv"`
    const {stdout} = await execute('fish', ['--no-config', '-c', script, ['scent', ...words].join(' ')])
    return lines(stdout).map((line) => line.split('\t')[0] ?? '')
  },
}

function missing(shell: string): boolean {
  try {
    execFileSync(shell, ['-c', 'true'])
    return false
  } catch {
    console.warn(`Skipped: there is no ${shell}: apt-get install ${shell}`)
    return true
  }
}

describe.each(Object.keys(complete))('completion for %s', (shell) => {
  const skip = missing(shell)
  const tab: Complete = (...words) => complete[shell]?.(...words) ?? Promise.resolve([])

  beforeAll(async () => {
    const {stdout} = await execute(process.execPath, [program, 'autocomplete', shell])
    writeFileSync(join(place, shell), stdout)
  })

  test.skipIf(skip)('knows the topics and the commands of a topic', async () => {
    expect(await tab('')).toEqual(
      expect.arrayContaining(['auth', 'cart', 'orders', 'explain', 'autocomplete']),
    )
    expect((await tab('cart', '')).sort()).toEqual(expect.arrayContaining(['add', 'clear', 'show']))
    expect(await tab('cart', 'sh')).toEqual(['show'])
  })

  test.skipIf(skip)('knows the flags of a command and no others', async () => {
    expect(await tab('cart', 'show', '--cust')).toEqual(['--customer'])
    expect(await tab('auth', 'login', '--cust')).toEqual([])
    expect(await tab('orders', 'get', '6c1f', '--glo')).toEqual(['--global'])
  })

  test.skipIf(skip)('knows the values of a flag and of an argument', async () => {
    expect(await tab('cart', 'show', '--output', 'nd')).toEqual(['ndjson'])
    expect((await tab('auth', 'login', '--storage', '')).sort()).toEqual(['file', 'keychain'])
    expect(await tab('explain', 'RATE')).toEqual(['RATE_LIMITED'])
    expect(await tab('explain', 'createO')).toEqual(['createOrder'])
    expect((await tab('api', 'P')).sort()).toEqual(['PATCH', 'POST', 'PUT'])
    expect(await tab('api', 'GET', 'scent/wish')).toEqual(['scent/wishlist/{customerRef}'])
    expect(await tab('api', 'POST', 'scent/wish')).toEqual(['scent/wishlist/{customerRef}/items'])
  })
})

test('without a shell that it knows it says which there are', async () => {
  await expect(execute(process.execPath, [program, 'autocomplete', 'tcsh'])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('bash, zsh, fish'),
  })
})
