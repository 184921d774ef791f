// Runs a program of this folder that is written in TypeScript: node test/support/run.js try
import {createRequire} from 'node:module'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {buildSync} from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))
const name = process.argv[2] ?? ''
const outfile = join(here, '../../node_modules/.cache/scent-test', `${name}.cjs`)
buildSync({
  entryPoints: [join(here, `${name}.ts`)],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  external: ['@napi-rs/keyring', 'node-sqlite3-wasm', 'esbuild', 'playwright-core', 'axe-core'],
  // All that asks where it is lies in this folder.
  define: {'import.meta.url': JSON.stringify(import.meta.url)},
})
createRequire(import.meta.url)(outfile)
