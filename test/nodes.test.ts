// The packed file, as npm installs it on each Node, for a user whose machine holds no repository: an empty home, and no
// other command than node and scent.
import {execFile, spawn} from 'node:child_process'
import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {promisify} from 'node:util'
import {beforeAll, describe, expect, test} from 'vitest'
import {address} from './support/address.ts'
import {install, installGlobally, npm, pack} from './support/installed.ts'
import {folder} from './support/program.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const execute = promisify(execFile)
const own = Number.parseInt(process.versions.node, 10)

const nodes = [20, 22, 24, 26].map((major) => {
  const cached = join(root, `node_modules/.cache/nodes/node_modules/node${major}/bin/node`)
  const path = major === own ? process.execPath : cached
  return {major, path, missing: !existsSync(path)}
})
const missing = nodes.filter((node) => node.missing).map(({major}) => major)
if (missing.length > 0) console.warn(`Skipped on Node ${missing.join(', ')}, which npm run nodes brings.`)

let packed = ''
beforeAll(async () => {
  packed = await pack()
})

const filesIn = (folder: string) =>
  readdirSync(folder, {recursive: true, withFileTypes: true}).flatMap((one) =>
    one.isFile() ? [one.name] : [],
  )

/** A user of that Node, with folders of their own. */
function userOf(path: string) {
  const home = folder()
  const env: NodeJS.ProcessEnv = {PATH: path, HOME: home}
  const scent = async (...argv: string[]) => {
    const {stdout, stderr} = await execute(join(path, 'scent'), argv, {env, cwd: home})
    // What Node itself says.
    expect(stderr).not.toMatch(/\(node:\d+\)|DeprecationWarning|ExperimentalWarning/)
    return stdout
  }
  return {home, env, scent}
}

describe.each(nodes)('on Node $major', ({major, path: node, missing}) => {
  let path = ''
  beforeAll(async () => {
    if (missing) return
    const installed = await install(packed, node)
    path = installed.path
    // The binding of the keychain, and its part for this platform.
    const packages = readdirSync(join(installed.home, 'node_modules')).filter((name) => !name.startsWith('.'))
    expect(packages.sort()).toEqual(['@napi-rs', 'node-sqlite3-wasm', 'scent-cli'])
    expect(readdirSync(join(installed.home, 'node_modules/@napi-rs'))).toHaveLength(2)
  })

  test.skipIf(missing)('the program starts, and starts from kept code', async () => {
    const {home, scent} = userOf(path)
    expect(await scent('--version')).toMatch(new RegExp(`^scent-cli/\\S+ \\S+ node-v${major}\\.`))
    expect(await scent('--help')).toContain('TOPICS')
    const first = await scent('explain', 'RATE_LIMITED')
    expect(first).toContain('429')
    expect(readdirSync(join(home, '.cache/scent'))).toHaveLength(1)
    expect(await scent('explain', 'RATE_LIMITED')).toBe(first)
    expect(await scent('cart', 'show', '--help')).toContain('USAGE')
  })

  test.skipIf(missing)('a sandbox runs, and an order is placed in it', async () => {
    const {home, env, scent} = userOf(path)
    const start = ['sandbox', 'start', '--port', '0', '--json']
    const child = spawn(join(path, 'scent'), start, {env, cwd: home})
    try {
      const line = await new Promise<string>((resolve, reject) => {
        child.stdout.once('data', (text) => resolve(String(text)))
        child.once('exit', () => reject(new Error('the sandbox ended')))
      })
      const {baseUrl, credentials} = JSON.parse(line)
      env.SCENT_BASE_URL = baseUrl
      env.SCENT_CLIENT_ID = credentials[0].clientId
      env.SCENT_CLIENT_SECRET = credentials[0].clientSecret
      const sold = "items[?availability.state=='Available' && pricing.unitPrice] | [0].id"
      const read = async (...argv: string[]) => JSON.parse(await scent(...argv))
      const id = await read('catalog', 'variants', '--include', 'pricing,availability', '--query', sold)
      await scent('cart', 'add', `${id}=2`, '--customer', 'C 1/ä')
      const lock = await read('checkout', 'preview', '--customer', 'C 1/ä', '--lock', '--query', 'lockId')
      writeFileSync(join(home, 'address.json'), JSON.stringify(address))
      const from = ['--lock', lock, '--customer', 'C 1/ä', '--address', join(home, 'address.json')]
      const order = await read('orders', 'create', ...from, '--reference', `node-${major}`, '--json')
      expect(order.status).toBe('Processing')
      const [newest] = (await read('wallet', 'transactions', '--json')).items
      expect(newest).toMatchObject({transactionType: 'Debit', amount: order.pricing.total})
    } finally {
      child.kill('SIGTERM')
      await new Promise((done) => child.once('exit', done))
    }
  })
})

test('removed by the commands that doctor names, it leaves nothing', async () => {
  const place = await installGlobally(packed)
  const path = join(place, 'bin')
  expect(readFileSync(join(place, 'share/man/man1/scent.1'), 'utf8')).toMatch(/^\.TH SCENT 1/m)
  const {home, env, scent} = userOf(path)
  await scent('sandbox', 'start', '--detach', '--port', '0')
  await scent('auth', 'login', '--sandbox', '--storage', 'file')
  await scent('cart', 'add', 'NJD-INC-002=2', '--customer', 'C-1')
  writeFileSync(join(home, 'address.json'), JSON.stringify(address))
  await scent('checkout', '--customer', 'C-1', '--address', 'address.json', '--reference', 'PO-1', '--yes')
  writeFileSync(join(home, '.bashrc'), 'umask 077\nsource <(scent autocomplete bash)\n')
  const {items} = JSON.parse(await scent('doctor', '--json')) as {
    items: {check: string; detail: string; next: string}[]
  }
  const last = items.find(({check}) => check === 'left behind')
  expect(last?.detail).toMatch(/a sandbox that is running \(process \d+\)/)
  const lines = [...(last?.next.matchAll(/`([^`]+)`/g) ?? [])].map(([, line]) => line ?? '')
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['scent', 'scent', 'rm', 'sed', 'npm'])
  expect(lines.at(-1)).toBe('npm uninstall --global scent-cli')
  const typing = {env: {...env, PATH: `${path}:/usr/bin:/bin`}, cwd: home}
  await execute('sh', ['-ec', lines.slice(0, -1).join('\n')], typing)
  await npm(['uninstall', '--global', '--prefix', place, 'scent-cli'], place)
  expect(
    readdirSync(place, {recursive: true, withFileTypes: true}).flatMap((one) =>
      one.isDirectory() ? [] : [one.name],
    ),
  ).toEqual(['node'])
  expect(filesIn(home).sort()).toEqual(['.bashrc', 'address.json'])
  expect(readFileSync(join(home, '.bashrc'), 'utf8')).toBe('umask 077\n')
})
