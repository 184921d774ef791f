import {execFile, execFileSync, spawn} from 'node:child_process'
import {appendFileSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {promisify} from 'node:util'
import {describe, expect, test} from 'vitest'
import * as z from 'zod/mini'
import {type Journal, journal} from '../../src/store/journal.ts'
import {folder, program} from '../support/program.ts'

const record = z.object({n: z.number(), text: z.string()})
const header = {journal: 'test', version: 1, owner: 'me'}
const at = (path: string) => journal({path, header, record})

async function filled(count: number): Promise<string> {
  const path = join(folder(), 'test.ndjson')
  const file = at(path)
  for (let n = 0; n < count; n++) await file.append({n, text: `ünïcode \n "${n}"`})
  return path
}

const source = `
  import * as z from 'zod/mini'
  import {journal} from './src/store/journal.ts'
  const [path, name, count] = process.argv.slice(2)
  const file = journal({path, header: ${JSON.stringify(header)}, record: z.object({n: z.number(), text: z.string()})})
  async function main() {
    for (let n = 0; n < Number(count); n++) {
      await file.append({n, text: name + 'x'.repeat(n % 5000)}, {sync: n % 20 === 0})
      process.stdout.write(n + '\\n')
    }
  }
  main()
`

const all = async <R>(file: Journal<R>) => [...file.records()]

describe('a journal', () => {
  test('gives back what was appended, in order', async () => {
    const file = at(await filled(5))
    expect((await all(file)).map(({n}) => n)).toEqual([0, 1, 2, 3, 4])
    expect((await all(file))[3]?.text).toBe('ünïcode \n "3"')
  })

  test('is empty if there is no file yet, and makes none by reading', async () => {
    const path = join(folder(), 'deep', 'test.ndjson')
    expect(await all(at(path))).toEqual([])
    expect(() => statSync(path)).toThrow()
  })

  test('is a file of mode 0600 with one JSON object a line', async () => {
    const path = await filled(2)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([header, {n: 0}, {n: 1}])
  })

  test('gives back what replaced all others, and takes more after it', async () => {
    const path = await filled(5)
    const file = at(path)
    await Promise.all([file.replace([{n: 10, text: 'é'}]), file.append({n: 11, text: ''})])
    expect((await all(file)).map(({n}) => n)).toEqual([10, 11])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const other = journal({path, header: {...header, owner: 'other'}, record})
    await expect(other.replace([])).rejects.toMatchObject({code: 'FOREIGN_FILE'})
    expect(await all(file)).toHaveLength(2)
  })

  test('keeps the order of appends that were started at once', async () => {
    const file = at(join(folder(), 'test.ndjson'))
    await Promise.all(Array.from({length: 50}, (_, n) => file.append({n, text: ''})))
    expect((await all(file)).map(({n}) => n)).toEqual(Array.from({length: 50}, (_, n) => n))
  })

  test('cut at any byte of its last three records loses only the records that were cut', async () => {
    const path = await filled(5)
    const whole = readFileSync(path)
    const ends: number[] = []
    for (let i = whole.indexOf(10); i >= 0; i = whole.indexOf(10, i + 1)) ends.push(i)
    for (let size = (ends[2] ?? 0) + 1; size <= whole.length; size++) {
      writeFileSync(path, whole.subarray(0, size))
      // A record that lost only its line end is whole.
      const left = ends.filter((end) => end <= size).length - 1
      const file = at(path)
      expect((await all(file)).map(({n}) => n)).toEqual([0, 1, 2, 3, 4].slice(0, left))
      await file.append({n: 99, text: ''})
      expect((await all(file)).map(({n}) => n)).toEqual([...[0, 1, 2, 3, 4].slice(0, left), 99])
    }
  })

  test('with a damaged line before the last names the line, and stays as it is', async () => {
    const path = await filled(4)
    const damaged = readFileSync(path, 'utf8').replace('"n":1', '"n":7')
    writeFileSync(path, damaged)
    const file = at(path)
    await expect(all(file)).rejects.toMatchObject({
      code: 'CORRUPT_FILE',
      message: expect.stringContaining(`${path} is damaged in line 3`),
    })
    expect(readFileSync(path, 'utf8')).toBe(damaged)
  })

  test('with a damaged last line that has its end is damaged, not torn', async () => {
    const path = await filled(2)
    writeFileSync(path, readFileSync(path, 'utf8').replace('"n":1', '"n":7'))
    await expect(all(at(path))).rejects.toMatchObject({code: 'CORRUPT_FILE'})
  })

  test('that is empty, or no journal, is refused and stays as it is', async () => {
    for (const content of ['', 'hello\n', '{"n":1}\n', '\0'.repeat(100)]) {
      const path = join(folder(), 'test.ndjson')
      writeFileSync(path, content)
      await expect(all(at(path))).rejects.toMatchObject({code: 'CORRUPT_FILE'})
      await expect(at(path).append({n: 1, text: ''})).rejects.toMatchObject({code: 'CORRUPT_FILE'})
      expect(readFileSync(path, 'utf8')).toBe(content)
    }
  })

  test('of another owner is refused and stays as it is', async () => {
    const path = await filled(1)
    const before = readFileSync(path, 'utf8')
    const other = journal({path, header: {...header, owner: 'you'}, record})
    await expect(all(other)).rejects.toMatchObject({code: 'FOREIGN_FILE'})
    await expect(other.append({n: 1, text: ''})).rejects.toMatchObject({code: 'FOREIGN_FILE'})
    expect(readFileSync(path, 'utf8')).toBe(before)
  })

  test('with a record of a later version names the line', async () => {
    const path = await filled(1)
    const later = journal({path, header, record: z.object({m: z.number()})})
    await later.append({m: 1})
    await expect(all(at(path))).rejects.toMatchObject({code: 'CORRUPT_FILE', message: /line 3/})
  })

  test('takes nothing more once a write has failed: what was lost is not known', async () => {
    const root = join(folder(), 'blocked')
    writeFileSync(root, '')
    const path = join(root, 'folder', 'test.ndjson')
    const file = at(path)
    await expect(file.append({n: 1, text: ''})).rejects.toMatchObject({code: 'FILE_FAILED'})
    rmSync(root)
    await expect(file.append({n: 2, text: ''})).rejects.toMatchObject({code: 'FILE_FAILED'})
    await at(path).append({n: 3, text: ''})
    expect(await all(file)).toMatchObject([{n: 3}])
  })

  test('on a full disk says so, and keeps what it had', async () => {
    // A limit on the size of files stands for a full disk.
    const path = await filled(1)
    const built = program(source)
    const child = promisify(execFile)('sh', [
      '-c',
      `trap '' XFSZ; ulimit -f 8; exec "$0" "$@"`,
      process.execPath,
      built,
      path,
      'a',
      '5000',
    ])
    await expect(child).rejects.toMatchObject({stderr: expect.stringContaining('could not be written (')})
    const kept = await all(at(path))
    expect(kept.length).toBeGreaterThan(1)
    await at(path).append({n: 1, text: 'after'})
    expect((await all(at(path))).length).toBe(kept.length + 1)
  })

  test('takes the lines of several processes, none lost, none mixed', async () => {
    const path = join(folder(), 'test.ndjson')
    const built = program(source)
    const names = ['a', 'b', 'c']
    await Promise.all(names.map((name) => promisify(execFile)(process.execPath, [built, path, name, '150'])))
    const records = await all(at(path))
    expect(records.length).toBe(450)
    for (const name of names) {
      const mine = records.filter(({text}) => text.startsWith(name)).map(({n}) => n)
      expect(mine).toEqual(Array.from({length: 150}, (_, n) => n))
    }
  })

  test('survives kill -9 of a writer: every acknowledged record is there, and another can go on', async () => {
    const path = join(folder(), 'test.ndjson')
    const built = program(source)
    for (let round = 0; round < 8; round++) {
      const before = (await all(at(path))).length
      const child = spawn(process.execPath, [built, path, `r${round}-`, '100000'])
      let acknowledged = 0
      await new Promise<void>((resolve) => {
        child.stdout.on('data', (chunk: Buffer) => {
          acknowledged += chunk.toString().split('\n').length - 1
          if (acknowledged > 20 + round * 7) child.kill('SIGKILL')
        })
        child.on('close', resolve)
      })
      const after = (await all(at(path))).length
      expect(after - before).toBeGreaterThanOrEqual(acknowledged)
      await at(path).append({n: -1, text: 'alive'})
    }
  })

  test('is read in constant memory', async () => {
    const path = await filled(1)
    const line = readFileSync(path, 'utf8').split('\n')[1] ?? ''
    const block = `${line}\n`.repeat(10_000)
    for (let i = 0; i < 30; i++) appendFileSync(path, block)
    globalThis.gc?.()
    const before = process.memoryUsage().rss
    let seen = 0
    for (const _ of at(path).records()) seen += 1
    expect(seen).toBe(300_001)
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024)
  })

  test('can be read by jq', async ({skip}) => {
    const path = await filled(2)
    try {
      execFileSync('jq', ['--version'])
    } catch {
      skip('jq is missing: apt-get install jq')
    }
    expect(execFileSync('jq', ['-r', '.n', path], {encoding: 'utf8'})).toBe('null\n0\n1\n')
  })
})
