import {execFile, spawn} from 'node:child_process'
import {readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync} from 'node:fs'
import {basename, dirname, join} from 'node:path'
import {promisify} from 'node:util'
import {expect, test} from 'vitest'
import * as z from 'zod/mini'
import {journal} from '../../src/store/journal.ts'
import {withLock} from '../../src/store/lock.ts'
import {folder, program} from '../support/program.ts'

const counter = `
  import {readFileSync, writeFileSync} from 'node:fs'
  import {withLock} from './src/store/lock.ts'
  const [path, count] = process.argv.slice(2)
  async function main() {
    for (let n = 0; n < Number(count); n++) {
      await withLock(path + '.lock', async () => {
        const value = Number(readFileSync(path, 'utf8'))
        if (n % 10 === 0) await new Promise((wake) => setTimeout(wake, 1))
        writeFileSync(path, String(value + 1))
      })
    }
  }
  main()
`
const keeper = `
  import {withLock} from './src/store/lock.ts'
  withLock(process.argv[2], () => {
    console.log('held')
    return new Promise((wake) => setTimeout(wake, 60_000))
  })
`

/** A process that holds a lock; `first` runs in it before. */
async function holding(path: string, first = '') {
  const preload = `--import=data:text/javascript,${encodeURIComponent(first)}`
  const child = spawn(process.execPath, [preload, program(keeper), path])
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return child
}

test('one lock is held by one at a time, among processes and within one', async () => {
  const path = join(folder(), 'counter')
  writeFileSync(path, '0')
  const built = program(counter)
  const other = Promise.all([1, 2, 3].map(() => promisify(execFile)(process.execPath, [built, path, '100'])))
  const here = Promise.all(
    Array.from({length: 40}, () =>
      withLock(`${path}.lock`, async () => {
        const value = Number(readFileSync(path, 'utf8'))
        await Promise.resolve()
        writeFileSync(path, String(value + 1))
      }),
    ),
  )
  await Promise.all([other, here])
  expect(readFileSync(path, 'utf8')).toBe('340')
}, 30_000)

test('a lock whose holder was killed is taken over, by one only', async () => {
  const path = join(folder(), 'lock')
  const child = await holding(path)
  child.kill('SIGKILL')
  await new Promise((resolve) => child.once('close', resolve))
  let inside = 0
  let most = 0
  await Promise.all(
    [1, 2, 3, 4].map(() =>
      withLock(path, async () => {
        inside += 1
        most = Math.max(most, inside)
        await new Promise((wake) => setTimeout(wake, 2))
        inside -= 1
      }),
    ),
  )
  expect(most).toBe(1)
})

test('a lock that a living process keeps fails after the wait, and its work is not done', async () => {
  const path = join(folder(), 'lock')
  const child = await holding(path)
  let done = false
  const late = withLock(
    path,
    () => {
      done = true
    },
    {waitMs: 50},
  )
  await expect(late).rejects.toMatchObject({code: 'BUSY'})
  expect(done).toBe(false)
  child.kill('SIGKILL')
})

test('a wait for a lock ends if it is interrupted, and its work is not done', async () => {
  const path = join(folder(), 'lock')
  const interrupt = new AbortController()
  await withLock(path, async () => {
    let done = false
    const began = performance.now()
    const late = withLock(
      path,
      () => {
        done = true
      },
      {waitMs: 5_000, stop: interrupt.signal},
    )
    setTimeout(() => interrupt.abort(), 20)
    await expect(late).rejects.toMatchObject({code: 'BUSY'})
    expect({done, soon: performance.now() - began < 4_000}).toEqual({done: false, soon: true})
  })
})

test('a lock is free again after work that failed', async () => {
  const path = join(folder(), 'lock')
  await expect(withLock(path, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await withLock(path, () => 'again', {waitMs: 0})).toBe('again')
})

test('a lock that a power cut left with no sense in it is free', async () => {
  for (const rest of ['', '\0\0\0\0', '["host"', '7']) {
    const path = join(folder(), 'lock')
    writeFileSync(`${path}.3`, rest)
    expect(await withLock(path, () => 'held', {waitMs: 0})).toBe('held')
  }
})

/** A system on which nothing tells when a process was started, as outside of Linux. */
const withoutStarts = `Object.defineProperty(process, 'platform', {value: 'darwin'})`

/** The time of a lock that was last renewed a minute ago. */
const aMinuteAgo = () => new Date(Date.now() - 60_000)

const lockIn = (path: string) => {
  const name = readdirSync(dirname(path)).find((file) => file.startsWith(`${basename(path)}.`)) ?? ''
  return join(dirname(path), name)
}

test.each([
  {what: 'nothing tells when a process was started', before: withoutStarts, rename: false},
  {what: 'the name of the machine was changed since', before: '', rename: true},
])(
  'a lock is renewed while it is held, and not taken over where $what',
  async ({before, rename}) => {
    const path = join(folder(), 'lock')
    const child = await holding(path, before)
    const file = lockIn(path)
    if (rename) {
      const [, pid, started] = JSON.parse(readFileSync(file, 'utf8'))
      writeFileSync(file, JSON.stringify(['its-earlier-name', pid, started]))
    }
    utimesSync(file, aMinuteAgo(), aMinuteAgo())
    await expect.poll(() => statSync(file).mtimeMs, {timeout: 20_000}).toBeGreaterThan(Date.now() - 30_000)
    await expect(withLock(path, () => 'taken', {waitMs: 50})).rejects.toMatchObject({code: 'BUSY'})
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('close', resolve))
    utimesSync(file, aMinuteAgo(), aMinuteAgo())
    expect(await withLock(path, () => 'taken', {waitMs: 0})).toBe('taken')
  },
  60_000,
)

test('a job whose lock was taken over writes no more', async () => {
  const path = join(folder(), 'records.ndjson')
  const records = journal({path, header: {journal: 'test'}, record: z.object({n: z.int()})})
  const letGo = records.hold()
  await records.append({n: 1})
  const file = lockIn(`${path}.lock`)
  // Another process takes it over: it makes the next number, and removes this one.
  writeFileSync(
    file.replace(/\d+$/, (n) => String(Number(n) + 1)),
    readFileSync(file),
  )
  rmSync(file)
  await expect(records.append({n: 2})).rejects.toMatchObject({code: 'BUSY'})
  letGo()
  expect([...records.records()]).toEqual([{n: 1}])
})
