import {readFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'
import {inTerminal, plain} from '../support/pty.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const {commands} = JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8')) as {
  commands: {[id: string]: unknown}
}
const pages = Object.keys(commands).map((id) => id.split(':'))

test.each([80, 40])(
  'every help page opens in a terminal of %i columns',
  async (columns) => {
    expect(pages.length).toBeGreaterThan(70)
    const shut: string[] = []
    for (const words of pages) {
      const {code, text} = await inTerminal(process.env, [...words, '--help'], {columns})
      if (code !== 0 || !plain(text).includes('USAGE'))
        shut.push(`${words.join(' ')}: ${code} ${text.slice(0, 200)}`)
    }
    expect(shut).toEqual([])
  },
  240_000,
)
