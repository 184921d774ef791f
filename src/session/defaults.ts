import {existsSync, readFileSync} from 'node:fs'
import {configFile, foldersOf} from '../store/paths.ts'
import type {Loose, Options} from '../terminal/parsing.ts'
import {wantsJson} from '../terminal/usage.ts'

/** The flags that a setting of this machine stands in for, and where. A filter of a list, or a file's own customers, is none. */
const USED: Readonly<Record<string, RegExp>> = {
  output: /./,
  customer: /^(?:cart:(?!import)|checkout|wishlist:|orders:create)/,
  'max-total': /^(?:checkout$|orders:import)/,
  address: /^(?:checkout$|orders:create)/,
}

/**
 * The same, but a flag that is left out is what `scent config set` keeps for it. What was typed wins, and so does the
 * environment. The setting `accessible` is from here on the variable of that name. Fails with CORRUPT_FILE or FOREIGN_FILE.
 */
export async function withDefaults<O extends Options>(id: string, options: O, argv: string[]): Promise<O> {
  const folders = foldersOf()
  const path = configFile(folders)
  // Most have none, and their commands need not load what reads it.
  if (!existsSync(path) || !readFileSync(path, 'utf8').includes('"defaults"')) return options
  const {readConfig} = await import('../store/profiles.ts')
  const {defaults = {}} = readConfig(folders)
  // Commands about settings tell where each comes from.
  if (defaults.accessible === 'on' && !id.startsWith('config:')) process.env.ACCESSIBLE ??= '1'
  const asJson =
    wantsJson(argv) || (defaults.output === 'json' && !argv.some((word) => /^--output\b/.test(word)))
  const partly = argv.some((word) => word.startsWith('--address-'))
  const valueFor = (name: string) => {
    if (name === 'columns') return asJson ? undefined : defaults[`columns.${id.replaceAll(':', '.')}`]
    if (name === 'address' && partly) return undefined
    return USED[name]?.test(id) ? defaults[name] : undefined
  }
  const flags = Object.entries<Loose>(options.flags ?? {}).map(([name, flag]) => {
    const value = valueFor(name)
    return [name, value === undefined ? flag : {...flag, default: value}]
  })
  return {...options, flags: Object.fromEntries(flags)}
}
