import {execFile} from 'node:child_process'
import {mkdirSync, symlinkSync} from 'node:fs'
import {userInfo} from 'node:os'
import {delimiter, dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {promisify} from 'node:util'
import {folder} from './program.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')

/** Runs npm on a Node, with the settings and the cache of the user who runs the tests. Returns what it printed. */
export async function npm(argv: string[], cwd: string, node = process.execPath): Promise<string> {
  const env = {
    ...process.env,
    HOME: userInfo().homedir,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
  }
  const {stdout} = await promisify(execFile)('npm', [...argv, '--ignore-scripts', '--silent'], {cwd, env})
  return stdout
}

/** Packs the built program, as it would be published. Returns the packed file. */
export async function pack(): Promise<string> {
  const into = folder()
  const [{filename}] = JSON.parse(await npm(['pack', '--json', '--pack-destination', into], root))
  return join(into, filename)
}

/** Installs a packed file as a manual says: for every user of a machine, which here is an empty folder. Returns that. */
export async function installGlobally(packed: string): Promise<string> {
  const home = folder()
  await npm(
    ['install', '--global', '--prefer-offline', '--no-audit', '--no-fund', '--prefix', home, packed],
    home,
  )
  symlinkSync(process.execPath, join(home, 'bin/node'))
  return home
}

/**
 * Installs a packed file into an empty folder, without scripts of packages, by npm on that Node. Returns that folder, and
 * one that holds nothing but that `node` and `scent`.
 */
export async function install(
  packed: string,
  node = process.execPath,
): Promise<{home: string; path: string}> {
  const home = folder()
  const flags = ['--engine-strict', '--prefer-offline', '--no-audit', '--no-fund']
  await npm(['install', ...flags, '--prefix', home, packed], home, node)
  const path = join(home, 'path')
  mkdirSync(path)
  symlinkSync(node, join(path, 'node'))
  symlinkSync(join(home, 'node_modules/.bin/scent'), join(path, 'scent'))
  return {home, path}
}
