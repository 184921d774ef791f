import {existsSync, readFileSync} from 'node:fs'
import {homedir} from 'node:os'
import {basename, dirname, join} from 'node:path'
import {listKeychain} from './keychain.ts'
import {cacheFolder, type Folders} from './paths.ts'
import {updateFile} from './update.ts'

/** Where `scent autocomplete` says that its script, or a line that reads it, is put. */
const startFiles = ['.bashrc', '.bash_profile', '.profile', '.zshrc', '.config/fish/config.fish']
const fishFile = '.config/fish/completions/scent.fish'

/**
 * What this program and its instructions have left on this machine, and removing it would not take away. `root` is where
 * the program lies: an executable has unpacked it, with the temporary files if there is no cache. The keychain is asked
 * only if it `answers`: else it might ask the user to unlock it. Fails with KEYCHAIN_UNAVAILABLE.
 */
export async function leftBehind(folders: Folders, root: string, answers: boolean): Promise<string[]> {
  const home = process.env.HOME || homedir()
  const {config, state} = folders
  const unpacked = /^program-[0-9a-f]{32}$/.test(basename(root)) ? [dirname(root)] : []
  const places = new Set([config, state, cacheFolder(), updateFile(), ...unpacked, join(home, fishFile)])
  const files = [...places].filter((path) => existsSync(path))
  const lines = startFiles.map((name) => join(home, name)).filter((path) => namesCompletion(path))
  const entries = answers
    ? (await listKeychain()).map((account) => `"${account}" of "scent" in the keychain`)
    : ['what the keychain holds of "scent"']
  return [...files, ...lines.map((path) => `a line in ${path}`), ...entries]
}

function namesCompletion(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').includes('scent autocomplete')
  } catch {
    return false
  }
}
