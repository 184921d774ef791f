import {statfsSync} from 'node:fs'
import {statOf} from '../../store/files.ts'
import type {Folders, Identity} from '../../store/paths.ts'
import {segmentsOf} from './read.ts'

/** With less free disk a listener may soon have to refuse deliveries. */
export const LEAST_FREE = 200 * 1024 * 1024

/** Free bytes for this user where the folder is; undefined if the system does not tell. */
export function freeBytes(folder: string): number | undefined {
  try {
    const {bavail, bsize} = statfsSync(folder)
    return bavail * bsize
  } catch {
    return undefined
  }
}

/** How many files of receipts there are, and how many bytes they take. */
export function receiptsSize(folders: Folders, identity: Identity): {files: number; bytes: number} {
  const sizes = segmentsOf(folders, identity).map(({path}) => statOf(path)?.size ?? 0)
  return {files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0)}
}

/** From here on the size of the receipts is worth a word. */
export const LARGE = 1024 ** 3

/** What is worth a word about files of receipts that take so many bytes; '' for nothing. */
export const largeText = (bytes: number): string =>
  bytes < LARGE ? '' : `They take ${(bytes / LARGE).toFixed(1)} GiB; nothing deletes them by itself.`

export const PRUNE = '`scent webhooks prune --older-than 90`'
