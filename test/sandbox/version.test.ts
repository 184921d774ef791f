import {existsSync, readdirSync} from 'node:fs'
import {join} from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import {expect, test} from 'vitest'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {schemaSteps} from '../../src/sandbox/core/schema.ts'
import {restoreSnapshot, takeSnapshot} from '../../src/sandbox/core/snapshots.ts'
import {openWorld, type World} from '../../src/sandbox/core/world.ts'
import {folder} from '../support/program.ts'

/** A version of the sandbox that is still to come. */
const later = [...schemaSteps, "ALTER TABLE brands ADD COLUMN country TEXT NOT NULL DEFAULT 'SAU'"]
const brands = (world: World) => world.all('SELECT * FROM brands ORDER BY id')
const versionOf = (world: World) => world.get('PRAGMA user_version')

test('a database of an earlier version is brought forward with all it holds, after a copy of it was kept', () => {
  const home = folder()
  const file = join(home, 'sandbox.db')
  const old = openWorld(file, 'seed')
  expect(versionOf(old)).toEqual({user_version: 1})
  old.run("INSERT INTO brands VALUES ('b-1', 'Warda', 'https://images.example/w.jpg')")
  takeSnapshot(old, join(home, 'snapshots'), 'mine')
  old.close()
  const brought = {id: 'b-1', name: 'Warda', image_url: 'https://images.example/w.jpg', country: 'SAU'}
  const world = openWorld(file, 'seed', later)
  expect([versionOf(world), brands(world)]).toEqual([{user_version: 2}, [brought]])
  // Snapshots of the earlier version come forward too, again and again.
  for (const name of ['mine', 'version-1', 'mine']) {
    world.run('DELETE FROM brands')
    restoreSnapshot(world, join(home, 'snapshots'), name)
    expect(brands(world)).toEqual([brought])
  }
  world.close()
  expect(readdirSync(join(home, 'snapshots')).sort()).toEqual(['mine.db', 'version-1.db'])
  const kept = new sqlite.Database(join(home, 'snapshots', 'version-1.db'))
  expect(kept.get('PRAGMA user_version')).toEqual({user_version: 1})
  kept.close()
  // There is nothing more to do at the next start, and so nothing to keep.
  const again = openWorld(file, 'seed', later)
  expect(brands(again)).toEqual([brought])
  again.close()
})

test('a step that fails leaves the database as it was', () => {
  const file = join(folder(), 'sandbox.db')
  const old = openWorld(file, 'seed')
  old.run("INSERT INTO brands VALUES ('b-1', 'Warda', 'x')")
  old.close()
  expect(() => openWorld(file, 'seed', [...later, 'ALTER TABLE nothing ADD COLUMN x TEXT'])).toThrow(
    /nothing/,
  )
  const world = openWorld(file, 'seed')
  expect([versionOf(world), brands(world)]).toEqual([
    {user_version: 1},
    [{id: 'b-1', name: 'Warda', image_url: 'x'}],
  ])
  world.close()
})

test('a database of a later version is put aside, and a new one serves', async () => {
  const home = folder()
  const file = join(home, 'sandbox.db')
  const old = openWorld(file, 'seed', later)
  takeSnapshot(old, join(home, 'snapshots'), 'later')
  old.close()
  const sandbox = await createSandbox({file})
  expect(sandbox.credentials.length).toBeGreaterThan(0)
  expect(sandbox.aside).toBe(`${file}.2`)
  expect(() => restoreSnapshot(sandbox.state.world, join(home, 'snapshots'), 'later')).toThrow(
    expect.objectContaining({
      facts: {details: {errors: {name: ['was taken by a later version of the sandbox']}}},
    }),
  )
  await sandbox.close()
  const again = await createSandbox({file})
  expect(again.aside).toBeUndefined()
  await again.close()
  expect(existsSync(`${file}.2`)).toBe(true)
  expect(readdirSync(home).filter((name) => /\.db\.\d+$/.test(name))).toEqual(['sandbox.db.2'])
})

test('a database that is none of the sandbox is put aside as well', async () => {
  const file = join(folder(), 'sandbox.db')
  const foreign = new sqlite.Database(file)
  foreign.exec('CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)')
  foreign.close()
  const sandbox = await createSandbox({file})
  expect(sandbox.aside).toBe(`${file}.0`)
  await sandbox.close()
})
