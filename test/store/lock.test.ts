import {execFile, spawn} from 'node:child_process'
import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {promisify} from 'node:util'
import {expect, test} from 'vitest'
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

async function holding(path: string) {
  const child = spawn(process.execPath, [program(keeper), path])
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
