import {randomBytes} from 'node:crypto'
import * as z from 'zod/mini'
import {Failure} from '../contract/failure.ts'
import {corrupt, createOwn, readOwn, removeOwn, writeOwn} from './files.ts'
import {isAlive} from './lock.ts'
import {type Folders, sandboxFile, sandboxSecretFile} from './paths.ts'
import {isLoopback, parseFile} from './profiles.ts'

/** How to reach the running sandbox of this user. It keeps this in the state folder, with mode 0600. */
const locator = z.looseObject({
  baseUrl: z.string(),
  adminUrl: z.string(),
  adminToken: z.string(),
  pid: z.int(),
  /** false if it has no rate limits. */
  limits: z.optional(z.boolean()),
  /** The types of its events. */
  eventTypes: z.optional(z.array(z.string())),
  credentials: z.array(
    z.looseObject({
      clientId: z.string(),
      clientSecret: z.string(),
      partnerId: z.string(),
      name: z.string(),
    }),
  ),
})
export type Locator = z.output<typeof locator>

/** The locator of the running sandbox, if there is one. Fails with CORRUPT_FILE or FOREIGN_FILE. */
export function findSandbox(folders: Folders): Locator | undefined {
  const path = sandboxFile(folders)
  const text = readOwn(path)
  if (text === undefined) return undefined
  const found = parseFile(path, text, locator)
  return isAlive(found.pid) ? found : undefined
}

/** The locator of the running sandbox. Fails with SANDBOX_NOT_RUNNING as well. */
export function requireSandbox(folders: Folders): Locator {
  const found = findSandbox(folders)
  if (found === undefined) throw new Failure('SANDBOX_NOT_RUNNING')
  return found
}

/** Whether this origin is the running sandbox, started without limits. Looks at the locator only. */
export function isUnlimited(folders: Folders, origin: string): boolean {
  if (!isLoopback(new URL(origin).hostname)) return false
  const found = findSandbox(folders)
  return found?.baseUrl === origin && found.limits === false
}

export function saveLocator(folders: Folders, running: Locator): void {
  writeOwn(sandboxFile(folders), `${JSON.stringify(running, null, 2)}\n`)
}

/** Removes the locator, unless another sandbox has written its own since. */
export function removeLocator(folders: Folders, pid: number): void {
  const path = sandboxFile(folders)
  const text = readOwn(path)
  if (text !== undefined && parseFile(path, text, locator).pid === pid) removeOwn(path)
}

/**
 * What the secrets of all sandboxes of this installation come from: random, made by the first start. Fails with
 * CORRUPT_FILE or FOREIGN_FILE.
 */
export function sandboxSecret(folders: Folders): string {
  const path = sandboxSecretFile(folders)
  if (readOwn(path) === undefined) createOwn(path, `${randomBytes(32).toString('hex')}\n`)
  const [, secret] = /^([0-9a-f]{64})\n$/.exec(readOwn(path) ?? '') ?? []
  if (secret === undefined) throw corrupt(path, 'does not hold the secret of a sandbox')
  return secret
}
