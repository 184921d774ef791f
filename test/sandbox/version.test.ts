import {existsSync, readdirSync} from 'node:fs'
import {join} from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import {expect, test} from 'vitest'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {schemaVersion} from '../../src/sandbox/core/schema.ts'
import {restoreSnapshot, takeSnapshot} from '../../src/sandbox/core/snapshots.ts'
import {openWorld} from '../../src/sandbox/core/world.ts'
import {folder} from '../support/program.ts'

const later = schemaVersion + 1

test('a database and its snapshots are there again at the next start', () => {
  const home = folder()
  const file = join(home, 'sandbox.db')
  const world = openWorld(file, 'seed')
  world.run("INSERT INTO brands VALUES ('b-1', 'Warda', 'https://images.example/w.jpg')")
  takeSnapshot(world, join(home, 'snapshots'), 'mine')
  world.close()
  const again = openWorld(file, 'seed')
  expect(again.aside).toBeUndefined()
  const brands = again.all('SELECT * FROM brands')
  expect(brands).toEqual([{id: 'b-1', name: 'Warda', image_url: 'https://images.example/w.jpg'}])
  for (let round = 0; round < 2; round++) {
    again.run('DELETE FROM brands')
    restoreSnapshot(again, join(home, 'snapshots'), 'mine')
    expect(again.all('SELECT * FROM brands')).toEqual(brands)
  }
  again.close()
})

test('a database of another version is put aside, and a new one serves', async () => {
  const home = folder()
  const file = join(home, 'sandbox.db')
  const old = openWorld(file, 'seed')
  old.script(`PRAGMA user_version = ${later}`)
  takeSnapshot(old, join(home, 'snapshots'), 'later')
  old.close()
  const sandbox = await createSandbox({file})
  expect(sandbox.credentials.length).toBeGreaterThan(0)
  expect(sandbox.aside).toBe(`${file}.${later}`)
  expect(() => restoreSnapshot(sandbox.state.world, join(home, 'snapshots'), 'later')).toThrow(
    expect.objectContaining({
      facts: {details: {errors: {name: ['was taken by another version of the sandbox']}}},
    }),
  )
  await sandbox.close()
  const again = await createSandbox({file})
  expect(again.aside).toBeUndefined()
  await again.close()
  expect(existsSync(`${file}.${later}`)).toBe(true)
  expect(readdirSync(home).filter((name) => /\.db\.\d+$/.test(name))).toEqual([`sandbox.db.${later}`])
})

test('a database that does not belong to the sandbox is put aside as well', async () => {
  const file = join(folder(), 'sandbox.db')
  const foreign = new sqlite.Database(file)
  foreign.exec('CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)')
  foreign.close()
  const sandbox = await createSandbox({file})
  expect(sandbox.aside).toBe(`${file}.0`)
  await sandbox.close()
})
