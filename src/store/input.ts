import {open} from 'node:fs/promises'
import type {Readable} from 'node:stream'
import {Failure} from '../contract/failure.ts'

const MAX_BYTES = 16 * 1024 * 1024

/**
 * The text of a file that the user names, or of stdin for `-`.
 * Fails with INVALID_INPUT where it can't be read, is no UTF-8, or is over 16 MiB.
 */
export async function readInput(path: string, stdin: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    const source = path === '-' ? stdin : (await open(path, 'r')).createReadStream()
    for await (const chunk of source) {
      chunks.push(Buffer.from(chunk))
      bytes += chunk.length
      if (bytes > MAX_BYTES) throw refused(path, 'it is over 16 MiB')
    }
    return new TextDecoder('utf-8', {fatal: true}).decode(Buffer.concat(chunks))
  } catch (error) {
    if (error instanceof Failure) throw error
    throw refused(path, error instanceof TypeError ? 'it is not UTF-8' : (error as Error).message)
  }
}

function refused(path: string, why: string): Failure {
  const name = path === '-' ? 'stdin' : JSON.stringify(path)
  return new Failure('INVALID_INPUT', {message: `${name} can't be read: ${why}.`})
}
