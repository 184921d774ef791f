import {type ChildProcess, spawn} from 'node:child_process'
import {readdirSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {foldersOf} from '../../src/store/paths.ts'
import {quotaFile, sharedFile, tokenFile} from '../../src/store/shared.ts'
import {folder, program} from '../support/program.ts'

const counter = program(`
  import {sharedFile} from './src/store/shared.ts'
  const file = sharedFile(process.argv[2])
  const times = Number(process.argv[3])
  let failed = 0
  async function main() {
    for (let n = 0; n < times; n += 1) {
      const done = await file.update((text) => ({text: String(Number(text ?? 0) + 1), result: true}))
      if (done === undefined) failed += 1
    }
    process.stdout.write(String(failed))
  }
  main()
`)

const holder = program(`
  import {sharedFile} from './src/store/shared.ts'
  sharedFile(process.argv[2]).alone(() => {
    process.stdout.write('held')
    return new Promise((never) => setTimeout(never, 60_000))
  })
`)

const run = (script: string, ...args: string[]) => {
  const child = spawn(process.execPath, [script, ...args], {stdio: ['ignore', 'pipe', 'inherit']})
  let out = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  const ended = new Promise<string>((done) => child.on('close', () => done(out)))
  return {child, ended}
}

const spoken = (child: ChildProcess) => new Promise((said) => child.stdout?.once('data', said))

describe('a shared text', () => {
  it('loses no change of eight processes at once', async () => {
    const path = join(folder(), 'state', 'n.json')
    const children = Array.from({length: 8}, () => run(counter, path, '50'))
    expect(await Promise.all(children.map(({ended}) => ended))).toEqual(Array(8).fill('0'))
    expect(readFileSync(path, 'utf8')).toBe('400')
  })

  it('survives kills of those who change it', async () => {
    const path = join(folder(), 'n.json')
    for (let n = 0; n < 6; n += 1) {
      const {child, ended} = run(counter, path, '100000')
      await expect.poll(() => Number(sharedFile(path).read() ?? 0), {interval: 3}).toBeGreaterThan(n)
      child.kill('SIGKILL')
      await ended
      expect(sharedFile(path).read()).toMatch(/^\d+$/)
    }
    expect(await run(counter, path, '1').ended).toBe('0')
  })

  it('lets one process work alone, and another one at once when that was killed', async () => {
    const path = join(folder(), 'token.json')
    const {child, ended} = run(holder, path)
    await spoken(child)
    const file = sharedFile(path)
    expect(await file.alone(async () => 'mine')).toBeUndefined()
    child.kill('SIGKILL')
    await ended
    expect(await file.alone(async () => 'mine')).toEqual({result: 'mine'})
    expect(await file.alone(async () => 'mine')).toEqual({result: 'mine'})
  })

  it('lets go of the lock when the work fails', async () => {
    const file = sharedFile(join(folder(), 'token.json'))
    await expect(file.alone(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await file.alone(async () => 1)).toEqual({result: 1})
  })

  it('is for this user alone', async () => {
    const state = join(folder(), 'state')
    const file = sharedFile(join(state, 'tokens', 't.json'))
    file.write('secret')
    await file.update(() => ({text: 'secret', result: 1}))
    expect(statSync(join(state, 'tokens')).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(join(state, 'tokens'))) {
      expect(statSync(join(state, 'tokens', name)).mode & 0o777).toBe(0o600)
    }
  })

  it('is empty if it is torn, and whole again after the next change', async () => {
    const path = join(folder(), 't.json')
    writeFileSync(path, Buffer.from([0xff, 0xfe]))
    const file = sharedFile(path)
    expect(file.read()).toBeUndefined()
    expect(await file.update((text) => ({text: `${text} then`, result: 1}))).toEqual({result: 1})
    expect(file.read()).toBe('undefined then')
  })

  it('is never followed through a link', async () => {
    const place = folder()
    writeFileSync(join(place, 'other'), 'other')
    symlinkSync(join(place, 'other'), join(place, 't.json'))
    expect(() => sharedFile(join(place, 't.json')).read()).toThrow('symbolic link')
    expect(readFileSync(join(place, 'other'), 'utf8')).toBe('other')
  })

  it('knows a process by its name, and takes nothing else for one', async () => {
    const file = sharedFile(join(folder(), 't.json'))
    expect(file.isAlive(file.me)).toBe(true)
    const [host, pid] = JSON.parse(file.me) as [string, number, string]
    const parent = [
      '',
      'x',
      '[]',
      '{}',
      JSON.stringify([host, pid, '1']),
      JSON.stringify(['elsewhere', pid, '1']),
    ]
    expect(parent.map((name) => file.isAlive(name))).toEqual(parent.map(() => false))
  })

  it('stops nobody if nothing can be written', async () => {
    const place = join(folder(), 'file')
    writeFileSync(place, '')
    const file = sharedFile(join(place, 'below', 't.json'))
    expect(file.write('x')).toBe(false)
    expect(await file.update(() => ({text: 'x', result: 1}))).toBeUndefined()
    expect(await file.alone(async () => 'done')).toEqual({result: 'done'})
  })
})

it('an identity has a token of its own, and shares the quota with its client id', () => {
  const folders = foldersOf({HOME: '/h'}, 'linux')
  const identity = {origin: 'https://api.example.com', clientId: 'c', onBehalfOf: null}
  const child = {...identity, onBehalfOf: '3f2b8a44-0c1d-4e5f-8a6b-7c8d9e0f1a2b'}
  expect(tokenFile(folders, child)).not.toBe(tokenFile(folders, identity))
  expect(quotaFile(folders, child, 'requests')).toBe(quotaFile(folders, identity, 'requests'))
  expect(quotaFile(folders, child, 'mints')).not.toBe(quotaFile(folders, identity, 'requests'))
})
