import {existsSync, readdirSync} from 'node:fs'
import {join} from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import {expect, test} from 'vitest'
import {createSandbox} from '../../src/sandbox/sandbox.ts'
import {folder} from '../support/program.ts'

test("a database with another version's tables is put aside, and a new one serves", async () => {
  const home = folder()
  const file = join(home, 'sandbox.db')
  const old = new sqlite.Database(file)
  old.exec('CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT); PRAGMA user_version = 7')
  old.close()
  const sandbox = await createSandbox({file})
  expect(sandbox.credentials.length).toBeGreaterThan(0)
  await sandbox.close()
  expect(existsSync(`${file}.7`)).toBe(true)
  const again = await createSandbox({file})
  await again.close()
  expect(readdirSync(home).filter((name) => /\.db\.\d+$/.test(name))).toEqual(['sandbox.db.7'])
})
