import * as fs from 'node:fs'
import {join} from 'node:path'
import {attempt, namesIn, ownFolder} from './files.ts'
import {type Folders, isNameAt, recordsRoot} from './paths.ts'

/** The names of all identities at a host that have local records. */
export function recordsAt(folders: Folders, origin: string): string[] {
  return namesIn(recordsRoot(folders)).filter((name) => isNameAt(origin, name))
}

/**
 * Moves the local records of all identities at a host out of the way: its orders, webhooks and jobs are gone there, and
 * its new ones may have the same ids. Returns the folder that holds them now, undefined if there were none.
 */
export function setRecordsAside(folders: Folders, origin: string, now: Date): string | undefined {
  const names = recordsAt(folders, origin)
  if (names.length === 0) return undefined
  const root = recordsRoot(folders)
  const aside = join(folders.state, 'records-aside', now.toISOString().replaceAll(':', '-'))
  ownFolder(aside)
  for (const name of names)
    attempt(aside, 'written', () => fs.renameSync(join(root, name), join(aside, name)))
  return aside
}
