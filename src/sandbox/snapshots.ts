import {existsSync, mkdirSync, rmSync} from 'node:fs'
import {join} from 'node:path'
import {invalid} from './reply.ts'
import type {World} from './world.ts'

/** Writes the whole database to `<folder>/<name>.db`, over an older snapshot of that name. */
export function takeSnapshot(world: World, folder: string, name: string): {name: string} {
  const file = fileOf(folder, name)
  mkdirSync(folder, {recursive: true, mode: 0o700})
  rmSync(file, {force: true})
  world.script(`VACUUM INTO ${quoted(file)}`)
  return {name}
}

/** Puts the database back to a snapshot. */
export function restoreSnapshot(world: World, folder: string, name: string): void {
  const file = fileOf(folder, name)
  if (!existsSync(file)) invalid({name: [`no snapshot named ${name}`]})
  world.script(`ATTACH ${quoted(file)} AS kept`)
  try {
    world.transaction(() => {
      for (const table of world.tables()) {
        world.script(`DELETE FROM main.${table}; INSERT INTO main.${table} SELECT * FROM kept.${table}`)
      }
    })
  } finally {
    world.script('DETACH kept')
  }
}

function fileOf(folder: string, name: string): string {
  if (!/^\w[\w.-]{0,63}$/.test(name))
    invalid({name: ['must be 1 to 64 letters, digits, dots, hyphens or underscores']})
  return join(folder, `${name}.db`)
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
