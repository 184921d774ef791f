import {type ChildProcess, spawn} from 'node:child_process'
import {readdirSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'
import {isAlive} from '../src/store/lock.ts'
import {folder} from './support/program.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** Starts what `npm run try` starts, or another trial, without a terminal. */
function start(temporary: string, name = 'try') {
  const child = spawn(process.execPath, ['test/support/run.js', name], {
    cwd: root,
    env: {...process.env, TMPDIR: temporary, SCENT_CLIENT_ID: 'nobody', SCENT_BASE_URL: 'http://127.0.0.1:9'},
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part) => (text += part))
  return {child, text: () => text, ended: ended(child)}
}

const ended = (child: ChildProcess) =>
  new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)))

const pidIn = (text: string) => Number(/"pid":(\d+)/.exec(text)?.[1])

test('a first order is one command, which leaves nothing running and nothing behind', async () => {
  const temporary = folder()
  const {text, ended} = start(temporary)
  expect(await ended, text()).toBe(0)
  expect(text()).toMatch(/\$ scent orders get [\s\S]*^header\.status\tProcessing$/m)
  expect(text()).toMatch(/\$ scent wallet balance\nbalanceAfter\t49\d{3}\.\d+\n/)
  expect(text()).toContain('scent sandbox start --detach')
  expect(readdirSync(temporary)).toEqual([])
  expect(isAlive(pidIn(text()))).toBe(false)
})

test('Ctrl-C in the middle leaves nothing either', async () => {
  const temporary = folder()
  const {child, text, ended} = start(temporary)
  while (!text().includes('$ scent cart add')) await new Promise((wake) => setTimeout(wake, 20))
  child.kill('SIGINT')
  expect(await ended, text()).toBe(130)
  expect(text()).not.toContain('$ scent orders create')
  expect(readdirSync(temporary)).toEqual([])
  expect(isAlive(pidIn(text()))).toBe(false)
})

test('a day at the desk is one command, which leaves nothing running and nothing behind', async () => {
  const temporary = folder()
  const {text, ended} = start(temporary, 'try-desk')
  expect(await ended, text()).toBe(0)
  expect(text()).toMatch(/3 notices to answer[\s\S]*responseChoice\tShipAvailable/)
  expect(text()).toMatch(/reason: body\n {2}change: compact/)
  expect(text()).toMatch(/! Nothing listens on this machine now[\s\S]*! 1 event of the last 72 hours/)
  expect(text()).toContain('· 4 earlier events known')
  const [, replayed = ''] = text().split('$ scent webhooks replay')
  expect(replayed.match(/\tnotice\.raised\t\S+\t200\t/g)).toHaveLength(4)
  expect(text().match(/notice\.expired/g)?.length).toBeGreaterThanOrEqual(3)
  expect(readdirSync(temporary)).toEqual([])
  expect(isAlive(pidIn(text()))).toBe(false)
  const doors = [...text().matchAll(/Ready on (\S+)/g)].map(([, url]) => url ?? '')
  expect(doors).toHaveLength(2)
  for (const url of doors) await expect(fetch(url)).rejects.toThrow()
}, 120_000)

test('the desk goes as well when it is cut off', async () => {
  const temporary = folder()
  const {child, text, ended} = start(temporary, 'try-desk')
  while (!text().includes('Ready on')) await new Promise((wake) => setTimeout(wake, 20))
  child.kill('SIGINT')
  expect(await ended, text()).toBe(130)
  expect(readdirSync(temporary)).toEqual([])
  expect(isAlive(pidIn(text()))).toBe(false)
}, 120_000)
