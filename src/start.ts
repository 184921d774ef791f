import {dirname} from 'node:path'
import type {Interfaces} from '@oclif/core'
import {Config} from '@oclif/core/config'
import manifest from '../package.json' with {type: 'json'}
import type {ScentCommand} from './command.ts'

interface CommandClass {
  id: string
  args: object
  strict: boolean
  new (argv: string[], config: Interfaces.Config): ScentCommand
}

/** What loads the file of each command, by id, such as `cart:show`. */
export type Commands = Readonly<Record<string, () => Promise<{default: CommandClass}>>>

/** The package's folder, in whose dist all files of the built program lie, and what oclif reads of its package.json. */
export const place = {root: dirname(__dirname), pjson: manifest as unknown as Interfaces.PJSON}

/** What a command reads of oclif's configuration; a loaded one would hold all commands and topics too. */
class LeanConfig extends Config {
  constructor() {
    super(place)
    const {pjson, root} = place
    const {name, version, oclif} = pjson
    const {platform, version: node} = process
    const arch = process.arch === 'ia32' ? 'x86' : process.arch
    Object.assign(this, {root, pjson, name, version, platform, arch})
    Object.assign(this, {bin: oclif.bin, dirname: oclif.dirname, topicSeparator: oclif.topicSeparator})
    this.userAgent = `${name}/${version} ${platform}-${arch} node-${node}`
  }

  /** package.json declares no hooks, and without a root plugin oclif could not even look for them. */
  override async runHook() {
    return {successes: [], failures: []}
  }
}

/** Loads the file of a command. */
export async function load(id: string, commands: Commands): Promise<CommandClass> {
  const command = (await commands[id]?.())?.default
  if (command === undefined) throw new Error(`There is no command ${id}.`)
  command.id = id
  return command
}

/** Whether the word behind a command's name is the command's; if it takes none, oclif takes it for a part of the name. */
export function takes({args, strict}: CommandClass, next = '-'): boolean {
  return strict === false || Object.keys(args).length > 0 || next.startsWith('-') || next.includes('=')
}

/** Runs a command with the words behind its name, without loading what there is of all the others. */
export async function runDirectly(command: CommandClass, rest: string[]): Promise<void> {
  await new command(rest, new LeanConfig())._run()
}
