import {join} from 'node:path'
import {readOwn, writeOwn} from './files.ts'
import {cacheFolder} from './paths.ts'

/** What is known of newer versions of this program. Times are milliseconds since 1970, by this machine's clock. */
interface Update {
  /** When a registry was asked last. */
  askedAt: number
  /** What it answered: its newest release; empty before the first answer. */
  latest: string
  /** When somebody was told of it last. */
  toldAt: number
}

/** A few numbers: whatever is larger is not ours. */
const LARGEST = 1_000

/** Three numbers. What a registry calls its latest may be a version for a few, such as 2.0.0-rc.1, or any other text. */
export const isRelease = (latest: unknown): latest is string =>
  typeof latest === 'string' && /^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){2}$/.test(latest)

export const updateFile = () => join(cacheFolder(), 'update.json')

/** Whatever can't be read in the place of that file counts as nothing: it is only a cache. */
export function readUpdate(): Update {
  const {askedAt, latest, toldAt} = kept()
  return {
    askedAt: typeof askedAt === 'number' ? askedAt : 0,
    latest: isRelease(latest) ? latest : '',
    toldAt: typeof toldAt === 'number' ? toldAt : 0,
  }
}

function kept(): {[field: string]: unknown} {
  try {
    return Object(JSON.parse(readOwn(updateFile(), LARGEST) ?? '{}'))
  } catch {
    return {}
  }
}

/** Fails with FOREIGN_FILE or FILE_FAILED. */
export const writeUpdate = (update: Update) => writeOwn(updateFile(), `${JSON.stringify(update)}\n`)
