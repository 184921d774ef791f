import {execFileSync} from 'node:child_process'
import * as fs from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {createOwn, ownFolder, readOwn, removeOwn, tightened, writeOwn} from '../../src/store/files.ts'
import {folder} from '../support/program.ts'

const mode = (path: string) => fs.statSync(path).mode & 0o777
const isRoot = process.getuid?.() === 0

function underUmask(mask: number, work: () => void) {
  const before = process.umask(mask)
  try {
    work()
  } finally {
    process.umask(before)
  }
}

describe('a file of ours', () => {
  test.each([0, 0o022, 0o077, 0o277])('has mode 0600 in folders of 0700, whatever the umask (%o)', (mask) => {
    const root = folder()
    const path = join(root, 'a', 'b', 'file.json')
    underUmask(mask, () => writeOwn(path, 'text'))
    expect([mode(path), mode(join(root, 'a')), mode(join(root, 'a/b'))]).toEqual([0o600, 0o700, 0o700])
  })

  test('tightens a folder that others could look into', () => {
    const path = join(folder(), 'open')
    fs.mkdirSync(path)
    fs.chmodSync(path, 0o777)
    ownFolder(path)
    expect(mode(path)).toBe(0o700)
  })

  test.each([0o666, 0o644, 0o640, 0o602])(
    'of mode %o is tightened when it is opened, and said so once',
    (loose) => {
      const path = join(folder(), 'file.json')
      fs.writeFileSync(path, 'text')
      fs.chmodSync(path, loose)
      // What other tests left.
      tightened.splice(0)
      expect([readOwn(path), mode(path)]).toEqual(['text', 0o600])
      readOwn(path)
      expect(tightened.splice(0)).toEqual([{path, mode: `0${loose.toString(8)}`}])
    },
  )

  test('is replaced whole, and no temporary file stays', () => {
    const root = folder()
    const path = join(root, 'file.json')
    writeOwn(path, 'one')
    writeOwn(path, 'two')
    expect(readOwn(path)).toBe('two')
    expect(fs.readdirSync(root)).toEqual(['file.json'])
  })

  test('that does not exist reads as nothing', () => {
    expect(readOwn(join(folder(), 'none'))).toBeUndefined()
    expect(removeOwn(join(folder(), 'none'))).toBe(false)
  })

  test('is made only once', () => {
    const path = join(folder(), 'file.json')
    expect(createOwn(path, 'one')).toBe(true)
    expect(createOwn(path, 'two')).toBe(false)
    expect(readOwn(path)).toBe('one')
  })

  test('is never a symbolic link: neither read nor replaced nor removed', () => {
    const root = folder()
    const target = join(root, 'target')
    const path = join(root, 'link')
    fs.writeFileSync(target, 'theirs')
    fs.symlinkSync(target, path)
    const refused = expect.objectContaining({code: 'FOREIGN_FILE', message: expect.stringContaining(path)})
    expect(() => readOwn(path)).toThrow(refused)
    expect(() => writeOwn(path, 'ours')).toThrow(refused)
    expect(() => removeOwn(path)).toThrow(refused)
    expect(fs.readlinkSync(path)).toBe(target)
    expect(fs.readFileSync(target, 'utf8')).toBe('theirs')
  })

  test('is never a folder or a pipe', () => {
    const root = folder()
    fs.mkdirSync(join(root, 'folder'))
    execFileSync('mkfifo', [join(root, 'pipe')])
    for (const path of [join(root, 'folder'), join(root, 'pipe')]) {
      expect(() => readOwn(path)).toThrow(expect.objectContaining({code: 'FOREIGN_FILE'}))
      expect(() => writeOwn(path, 'ours')).toThrow(expect.objectContaining({code: 'FOREIGN_FILE'}))
    }
  })

  test("is never another user's", () => {
    const root = folder()
    const path = isRoot ? join(root, 'file.json') : '/etc/passwd'
    if (isRoot) {
      fs.writeFileSync(path, 'theirs')
      fs.chownSync(path, 12345, 12345)
      fs.chownSync(root, 12345, 12345)
    }
    const before = fs.readFileSync(path, 'utf8')
    const refused = expect.objectContaining({code: 'FOREIGN_FILE'})
    expect(() => readOwn(path)).toThrow(refused)
    expect(() => removeOwn(path)).toThrow(refused)
    expect(() => writeOwn(path, 'ours')).toThrow(refused)
    expect(() => ownFolder(isRoot ? root : '/etc')).toThrow(refused)
    expect(fs.readFileSync(path, 'utf8')).toBe(before)
  })

  test('is not read if it is too large or not UTF-8', () => {
    const path = join(folder(), 'file.json')
    fs.writeFileSync(path, 'x'.repeat(101))
    expect(() => readOwn(path, 100)).toThrow(expect.objectContaining({code: 'CORRUPT_FILE'}))
    fs.writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d]))
    expect(() => readOwn(path)).toThrow(expect.objectContaining({code: 'CORRUPT_FILE'}))
  })

  test.runIf(fs.existsSync('/proc/self'))('never makes its folder where the system allows none', () => {
    const path = '/proc/nope/scent'
    expect(() => ownFolder(path)).toThrow(
      expect.objectContaining({
        code: 'FILE_FAILED',
        message: expect.stringMatching(/^\/proc\/nope could not be made \(/),
      }),
    )
  })

  test("that can't be written fails with FILE_FAILED, naming it", () => {
    const root = folder()
    fs.writeFileSync(join(root, 'file'), '')
    const path = join(root, 'file', 'below', 'x.json')
    expect(() => writeOwn(path, 'text')).toThrow(expect.objectContaining({code: 'FILE_FAILED'}))
  })
})
