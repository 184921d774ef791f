import {execFile, spawn} from 'node:child_process'
import {existsSync, readdirSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {promisify} from 'node:util'
import {describe, expect, test} from 'vitest'
import {address} from './support/address.ts'
import {folder} from './support/program.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const program = join(root, 'bin/run.js')
const execute = promisify(execFile)

const nodes = [22, 24, 26].map((major) => {
  const path = join(root, `node_modules/.cache/nodes/node_modules/node${major}/bin/node`)
  return {major, path, missing: !existsSync(path)}
})
const missing = nodes.filter((node) => node.missing).map(({major}) => major)
if (missing.length > 0) console.warn(`Skipped on Node ${missing.join(', ')}, which npm run nodes brings.`)

/** A user of that Node, with folders of their own. */
function userOf(node: string) {
  const home = folder()
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: home,
    SCENT_CONFIG_DIR: join(home, 'config'),
    SCENT_STATE_DIR: join(home, 'state'),
  }
  const scent = async (...argv: string[]) => {
    const {stdout, stderr} = await execute(node, [program, ...argv], {env})
    expect(stderr).not.toMatch(/warning/i)
    return stdout
  }
  return {home, env, scent}
}

describe.each(nodes)('on Node $major', ({major, path, missing}) => {
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
    const child = spawn(path, [program, 'sandbox', 'start', '--port', '0', '--json'], {env})
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
