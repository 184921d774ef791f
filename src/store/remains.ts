import {existsSync, readFileSync} from 'node:fs'
import {homedir} from 'node:os'
import {basename, dirname, join, sep} from 'node:path'
import {listKeychain} from './keychain.ts'
import {cacheFolder, type Folders} from './paths.ts'
import {findSandbox} from './sandbox.ts'
import {updateFile} from './update.ts'

/** Where `scent autocomplete` says that its script, or a line that reads it, is put. */
const startFiles = ['.bashrc', '.bash_profile', '.profile', '.zshrc', '.config/fish/config.fish']
const fishFile = '.config/fish/completions/scent.fish'

/** What stays on this machine if the program is removed. */
interface Remains {
  /** Files and folders; none lies in another. */
  paths: string[]
  /** Files of which a line is of this program. */
  lines: string[]
  /** The accounts of the keychain; undefined if it was not asked. */
  accounts: string[] | undefined
  /** The process of a sandbox that runs. */
  sandbox: number | undefined
}

/**
 * What this program and its instructions have left on this machine, and removing it would not take away. `root` is where
 * the program lies: an executable has unpacked it, with the temporary files if there is no cache. The keychain is asked
 * only if it `answers`: else it might ask the user to unlock it. Fails with KEYCHAIN_UNAVAILABLE, CORRUPT_FILE or
 * FOREIGN_FILE.
 */
export async function leftBehind(folders: Folders, root: string, answers: boolean): Promise<Remains> {
  const home = process.env.HOME || homedir()
  const {config, state} = folders
  const unpacked = /^program-[0-9a-f]{32}$/.test(basename(root)) ? [dirname(root)] : []
  const places = [config, state, cacheFolder(), updateFile(), ...unpacked, join(home, fishFile)]
  const found = [...new Set(places)].filter((path) => existsSync(path))
  return {
    paths: found.filter((path) => !found.some((other) => path.startsWith(other + sep))),
    lines: startFiles.map((name) => join(home, name)).filter((path) => namesCompletion(path)),
    accounts: answers ? await listKeychain() : undefined,
    sandbox: findSandbox(folders)?.pid,
  }
}

function namesCompletion(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').includes('scent autocomplete')
  } catch {
    return false
  }
}
