import {statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {findSandbox, removeLocator, requireSandbox, saveLocator} from '../../src/store/sandbox.ts'
import {folder} from '../support/program.ts'

const running = {
  baseUrl: 'http://127.0.0.1:8080',
  adminUrl: 'http://127.0.0.1:8080/__sandbox/v1',
  adminToken: 'secret',
  pid: process.pid,
  credentials: [{clientId: 'c', clientSecret: 's', partnerId: 'p', name: 'Rimal Retail'}],
}
const folders = () => {
  const root = folder()
  return {config: join(root, 'config'), state: join(root, 'state')}
}

test('a running sandbox is found by its locator, which only its user can read', () => {
  const at = folders()
  expect(findSandbox(at)).toBeUndefined()
  saveLocator(at, running)
  expect(requireSandbox(at)).toEqual(running)
  expect(statSync(join(at.state, 'sandbox.json')).mode & 0o777).toBe(0o600)
})

test('a sandbox that was killed is not running', () => {
  const at = folders()
  saveLocator(at, {...running, pid: 2 ** 22 + 1})
  expect(findSandbox(at)).toBeUndefined()
  expect(() => requireSandbox(at)).toThrow(expect.objectContaining({code: 'SANDBOX_NOT_RUNNING'}))
})

test('a sandbox that stops leaves the locator of another one alone', () => {
  const at = folders()
  saveLocator(at, running)
  removeLocator(at, running.pid + 1)
  expect(findSandbox(at)).toEqual(running)
  removeLocator(at, running.pid)
  removeLocator(at, running.pid)
  expect(findSandbox(at)).toBeUndefined()
})

test('an invalid locator is named', () => {
  const at = folders()
  saveLocator(at, running)
  writeFileSync(join(at.state, 'sandbox.json'), '{}')
  expect(() => findSandbox(at)).toThrow(expect.objectContaining({code: 'CORRUPT_FILE'}))
})
