import {createHash} from 'node:crypto'
import {mkdtempSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {buildSync} from 'esbuild'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')

/** Builds a small program that imports from src/, for tests that need a second process. Returns its path. */
export function program(source: string): string {
  // Below node_modules, so that packages which stay outside the bundle are found.
  const name = `${createHash('sha256').update(source).digest('hex').slice(0, 16)}-${process.pid}.cjs`
  const outfile = join(root, 'node_modules/.cache/scent-test', name)
  buildSync({
    stdin: {contents: source, resolveDir: root, loader: 'ts'},
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external: ['@napi-rs/keyring', 'node-sqlite3-wasm'],
  })
  return outfile
}

/** A folder of its own for a test. */
export function folder(): string {
  return mkdtempSync(join(tmpdir(), 'scent-test-'))
}
