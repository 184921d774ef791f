import {copyFileSync, existsSync, rmSync} from 'node:fs'
import {join} from 'node:path'
import {invalid} from '../door/reply.ts'
import {copyInto, quoted} from './versions.ts'
import type {World} from './world.ts'

/** Writes the whole database to `<folder>/<name>.db`, over an older snapshot of that name. */
export function takeSnapshot(world: World, folder: string, name: string): {name: string} {
  fileOf(folder, name)
  copyInto({exec: world.script}, folder, name)
  return {name}
}

/** Puts the database back to a snapshot, also to one of an earlier version, which stays as it is (Z03). */
export function restoreSnapshot(world: World, folder: string, name: string): void {
  const file = fileOf(folder, name)
  if (!existsSync(file)) invalid({name: [`no snapshot named ${name}`]})
  const copy = `${file}.restored`
  copyFileSync(file, copy)
  try {
    if (!world.bringForward(copy)) invalid({name: ['was taken by a later version of the sandbox']})
    takeRows(world, copy)
  } finally {
    rmSync(copy)
  }
}

function takeRows(world: World, file: string): void {
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
