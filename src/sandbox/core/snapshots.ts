import {existsSync, mkdirSync, rmSync} from 'node:fs'
import {join} from 'node:path'
import {invalid} from '../door/reply.ts'
import {schemaVersion} from './schema.ts'
import {tables, type World} from './world.ts'

/** Writes the whole database to `<folder>/<name>.db`, over an older snapshot of that name. */
export function takeSnapshot(world: World, folder: string, name: string): {name: string} {
  const file = fileOf(folder, name)
  mkdirSync(folder, {recursive: true, mode: 0o700})
  rmSync(file, {force: true})
  world.script(`VACUUM INTO ${quoted(file)}`)
  return {name}
}

/** Puts the database back to a snapshot of this version (Z03). */
export function restoreSnapshot(world: World, folder: string, name: string): void {
  const file = fileOf(folder, name)
  if (!existsSync(file)) invalid({name: [`no snapshot named ${name}`]})
  world.script(`ATTACH ${quoted(file)} AS kept`)
  try {
    const taken = world.get<{user_version: number}>('PRAGMA kept.user_version')
    if (taken?.user_version !== schemaVersion)
      invalid({name: ['was taken by another version of the sandbox']})
    const take = tables.map(
      (one) => `DELETE FROM main.${one.name}; INSERT INTO main.${one.name} SELECT * FROM kept.${one.name};`,
    )
    world.transaction(() => world.script(take.join('\n')))
  } finally {
    world.script('DETACH kept')
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

function fileOf(folder: string, name: string): string {
  if (!/^\w[\w.-]{0,63}$/.test(name))
    invalid({name: ['must be 1 to 64 letters, digits, dots, hyphens or underscores']})
  return join(folder, `${name}.db`)
}
