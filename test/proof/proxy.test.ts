// The description of the API, held against both sides of it by a proxy that others made: Prism checks each request and each
// answer between the program and the sandbox. `npm run peers` brings it.
import {spawn} from 'node:child_process'
import {existsSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {createInterface} from 'node:readline'
import {fileURLToPath} from 'node:url'
import {afterAll, beforeAll, expect, test, vi} from 'vitest'
import {api, operationsAt} from '../../src/contract/api.ts'
import {folder} from '../support/program.ts'
import {scent} from '../support/scent.ts'
import {emptyUser, openStage, type Stage} from '../terminal/stage.ts'

vi.setConfig({testTimeout: 600_000, hookTimeout: 300_000})

const cache = join(dirname(fileURLToPath(import.meta.url)), '../../node_modules/.cache')
const prism = join(cache, 'peers/node_modules/@stoplight/prism-cli/dist/index.js')
const node = join(cache, 'nodes/node_modules/node24/bin/node')
const isHere = existsSync(prism) && existsSync(node)

/** The main flows: each operation of the contract is called by one of them. */
const lines = [
  'auth status',
  ...['catalog variants --limit 3', 'catalog variant <saffron>', 'catalog brands', 'catalog scents'],
  ...[
    'catalog brands bf15d3f8-9ad1-4163-8c1f-fa32dee11101',
    'catalog scents 8f4ef755-2bb4-4fd2-9a67-94dd1f96fd81',
  ],
  ...['cart add <saffron>=2 --customer C-PROXY', 'cart add <incense>=1 --customer C-PROXY'],
  ...['cart set <saffron> --quantity 3 --customer C-PROXY', 'cart show --customer C-PROXY'],
  ...['cart remove <incense> --customer C-PROXY', 'cart notify 21a27be4-4486-4e22-b786-48ab92ba603a'],
  'checkout preview --customer C-PROXY --currency KWD',
  'checkout --customer C-PROXY --address <home>/address.json --reference PROXY-1 --yes',
  ...['cart clear --customer C-CLEAR --yes', 'orders get PROXY-1', 'orders get SCN-0000000004'],
  ...['orders track PROXY-1', 'returns create <delivered> --line RML-SAF-050=1:Damaged --yes'],
  ...['returns list', 'returns list --order <returned>', 'returns withdraw <return> --yes'],
  'notices respond <notice> --choice ShipAvailable --yes',
  ...['wallet balance', 'wallet transactions --page-size 5'],
  ...[
    'statements get 2c271271-3523-4d0e-9c3a-9d538ae1b155',
    'statements report --from 2026-11-01 --to 2026-11-30',
  ],
  ...[
    'commissions list',
    'commissions object a6b23fd1-e4ce-41eb-a0bf-2561b34d328b --reason Missing --yes',
    'reports sales --from 2026-01-01 --to 2027-01-01',
  ],
  ...[
    'discounts list',
    'discounts create PROXY15 --type Percent --value 15 --valid-from 2026-02-18 --valid-to 2027-03-20 --yes',
    'discounts update fc661550-2633-4d85-afec-3267e51bbbb4 --no-active --yes',
  ],
  ...['wishlist add <saffron> --customer C-PROXY', 'wishlist show --customer C-PROXY'],
  'wishlist remove <saffron> --customer C-PROXY',
  'webhooks create --url https://127.0.0.1:9/hooks/proxy --event order.completed',
  ...['webhooks update <changed> --url http://127.0.0.1:9/v2', 'webhooks disable <disabled> --yes'],
  ...['webhooks test <webhook> --event order.completed', 'webhooks deliveries <webhook>'],
  // Those that no command but `api` calls.
  ...['api GET scent/cart/C-1001/checkout-preview', 'api POST scent/cart/C-1001/price-lock'],
  'api PUT scent/cart/C-1001/items/<saffron> -f action=increment',
]

let stage: Stage
let proxy: Awaited<ReturnType<typeof openProxy>>

/** Prism between a sandbox and its callers: what passed, and what did not fit the description. */
async function openProxy(baseUrl: string) {
  const file = join(folder(), 'openapi.json')
  writeFileSync(file, await (await fetch(`${baseUrl}/__sandbox/openapi.json`)).text())
  const child = spawn(node, [prism, 'proxy', file, baseUrl, '--port', '0', '--verboseLevel', 'info'], {
    env: {...process.env, NO_COLOR: '1'},
  })
  const passed: string[] = []
  const violations: string[] = []
  let url = ''
  const told = createInterface(child.stdout)
  told.on('line', (line) => {
    url ||= /listening on (\S+)/.exec(line)?.[1] ?? ''
    passed.push(...(/\[HTTP SERVER\] (\w+ \S+) /.exec(line)?.slice(1) ?? []))
    violations.push(...(/Violation: .*/.exec(line) ?? []))
  })
  await vi.waitFor(() => expect(url).not.toBe(''), {timeout: 120_000})
  return {url, passed, violations, close: () => child.kill()}
}

beforeAll(async () => {
  if (!isHere) return
  stage = await openStage()
  proxy = await openProxy(stage.rimal.baseUrl)
})

afterAll(async () => {
  proxy?.close()
  await stage?.close()
})

test.skipIf(!isHere)(
  'no request of the main flows and no answer to them breaks the description',
  async () => {
    const {clientId, clientSecret} = stage.rimal
    const env = {
      ...emptyUser(),
      SCENT_BASE_URL: proxy.url,
      SCENT_CLIENT_ID: clientId,
      SCENT_CLIENT_SECRET: clientSecret,
    }
    const failed: string[] = []
    for (const line of lines) {
      const {code, stdout, stderr} = await scent(env, stage.fill(line))
      if (code !== 0) failed.push(`${line}: ${code} ${stdout}${stderr}`)
    }
    expect(failed).toEqual([])
    expect(proxy.violations).toEqual([])
    const called = proxy.passed.flatMap((request) => {
      const [method = '', path = ''] = request.split(' ')
      return operationsAt(path, method.toUpperCase())
    })
    // R07: the singular path is served by a sandbox of its own.
    const others = Object.keys(api).filter((name) => !called.includes(name as keyof typeof api))
    expect(others).toEqual(['createReturnSingular'])
    console.log(`${proxy.passed.length} requests through Prism`)
  },
)

test.skipIf(!isHere)('the proxy notices a request and an answer that break it', async () => {
  const post = (body: object) =>
    fetch(`${proxy.url}/api/v1/auth/token`, {
      method: 'POST',
      headers: {'content-type': 'application/json'},
      body: JSON.stringify(body),
    })
  await post({clientId: 5})
  await vi.waitFor(() => expect(proxy.violations.join()).toContain('clientSecret'), {timeout: 60_000})
})
