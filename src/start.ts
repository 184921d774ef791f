import {dirname} from 'node:path'
import type {Interfaces} from '@oclif/core'
import manifest from '../package.json' with {type: 'json'}
import type {ScentCommand} from './command.ts'

interface CommandClass {
  id: string
  new (argv: string[], config: Interfaces.Config): ScentCommand
}

/** What loads the file of each command, by id, such as `cart:show`. */
export type Commands = Readonly<Record<string, () => Promise<{default: CommandClass}>>>

/** The package's folder, in whose dist all files of the built program lie, and what oclif reads of its package.json. */
export const place = {root: dirname(__dirname), pjson: manifest as unknown as Interfaces.PJSON}

/** Loads the file of a command. */
export async function load(id: string, commands: Commands): Promise<CommandClass> {
  const command = (await commands[id]?.())?.default
  if (command === undefined) throw new Error(`There is no command ${id}.`)
  command.id = id
  return command
}
