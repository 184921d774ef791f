// The recipes of the manual that are for shells are run as they stand, against a sandbox that they start themselves.
import {execFile, spawnSync} from 'node:child_process'
import {chmodSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {promisify} from 'node:util'
import {afterEach, expect, test} from 'vitest'
import {bareHome} from './support/keyring.ts'
import {bin, scent} from './support/scent.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const missing = ['jq', 'curl'].filter((tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0)
if (missing.length > 0) console.warn(`Skipped: apt-get install ${missing.join(' ')}`)

/** The block for a shell in which a text stands. */
function block(page: string, text: string): string {
  const blocks = readFileSync(join(root, 'docs', page), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)
  const found = [...blocks].map(([, lines = '']) => lines).find((lines) => lines.includes(text))
  if (found === undefined) throw new Error(`${page} has no recipe with ${text}`)
  return found
}

const homes: NodeJS.ProcessEnv[] = []
afterEach(async () => {
  for (const env of homes.splice(0)) await scent(env, ['sandbox', 'stop'])
})

/** Runs lines in a shell of a new user, where what is mailed is printed. */
async function shell(lines: string, files: {[name: string]: string} = {}): Promise<string> {
  const env = bareHome()
  homes.push(env)
  const home = env.HOME ?? ''
  mkdirSync(join(home, 'bin'))
  const tools = {
    scent: `exec '${process.execPath}' '${bin}' "$@"`,
    mail: 'echo "mailed: $2"; cat >/dev/null',
    npm: 'scent wallet balance --query balanceAfter',
  }
  for (const [name, script] of Object.entries(tools)) {
    writeFileSync(join(home, 'bin', name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(home, 'bin', name), 0o755)
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text)
  const options = {cwd: home, env: {...env, PATH: `${join(home, 'bin')}:${env.PATH}`}}
  const {stdout, stderr} = await promisify(execFile)('bash', ['-c', lines], options)
  return stdout + stderr
}

const started = () => block('ci.md', 'export SCENT_CLIENT_SECRET').split('npm test')[0]

test.skipIf(missing.length > 0)(
  'CI tests a client against a sandbox of its own, and its books are right',
  async () => {
    const said = await shell(`set -e\n${block('ci.md', 'export SCENT_CLIENT_SECRET')}`)
    expect(said).toContain('50000')
  },
)

test.skipIf(missing.length > 0)(
  'another client gets a token, and a test steers the sandbox by HTTP',
  async () => {
    const start = block('integration.md', 'api/v1/auth/token').replace('scent sandbox stop', '')
    const said = await shell(`set -e\n${start}\n${block('integration.md', 'admin POST faults')}`)
    expect(said).toContain('"accessToken"')
    expect(said).toMatch(/"effect":"reset"[\s\S]*"state": "SUCCESS"[\s\S]*\[\]/)
  },
)

test.skipIf(missing.length > 0)(
  'the job at night orders, and calls somebody for what was refused',
  async () => {
    const header =
      'externalReference,customerRef,sku,quantity,recipient,line1,city,nationalAddress,countryCode,phone'
    const row = (reference: string) =>
      `${reference},${reference},NJD-INC-002,1,Sara,King Fahd Road 1,Riyadh,RRRD2929,SAU,+966500000000`
    const frame = block('scripts.md', 'case $code in')
    const file = (...rows: string[]) => `printf '%s\\n' '${[header, ...rows].join("' '")}' > new.csv\n`
    // The cart of this one holds something else.
    const inTheWay = 'scent cart add RML-SAF-050 --customer PO-3 > /dev/null'
    const said = await shell(
      [started(), file(row('PO-1')), frame, inTheWay, file(row('PO-2'), row('PO-3')), frame].join('\n'),
    )
    expect(said.match(/mailed: .*/g)).toEqual(['mailed: refused orders'])
  },
)
