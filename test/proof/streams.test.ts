import {execFile} from 'node:child_process'
import {readdirSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {bin} from '../support/scent.ts'
import {openShop, type Shop} from '../support/served-shop.ts'

let shop: Shop
let variant: string

beforeAll(async () => {
  shop = await openShop()
  variant = shop.variant('RML-SAF-050')
})
afterAll(() => shop.close())

/** Runs a line of sh, in which $scent is the program. */
function sh(line: string): Promise<{code: number; stdout: string; stderr: string}> {
  const env = {...shop.env, scent: bin, node: process.execPath, SECRET: shop.env.SCENT_CLIENT_SECRET}
  return new Promise((done) =>
    execFile('sh', ['-c', line.replaceAll('$scent', '"$node" "$scent"')], {env}, (error, stdout, stderr) =>
      done({code: Number(error?.code ?? 0), stdout, stderr}),
    ),
  )
}

describe('an order is made once', () => {
  test.each([
    ['nobody reads its result', '| true'],
    ['stdout is closed', '>&-'],
    ['stderr is closed', '2>&-'],
    ['stdin is closed', '<&-'],
    ['all three are closed', '<&- >&- 2>&-'],
    ['its result has no room', '>/dev/full'],
    ['its messages have no room', '2>/dev/full'],
    ['it writes to a reader that leaves', '2>&1 | head -c 1 >/dev/null'],
  ])('also where %s', async (name, redirection) => {
    await shop.json(['cart', 'add', `${variant}=2`, '--customer', name])
    // A repeat, so that something is said while the order is on its way.
    shop.fault({match: {operation: 'createOrder'}, effect: 'status', status: 504, when: 'after', times: 1})
    await sh(`$scent checkout --customer '${name}' --address '${shop.address}' --yes --debug ${redirection}`)
    expect(shop.orders().filter(({customer_ref}) => customer_ref === name)).toHaveLength(1)
    const {items} = await shop.json(['orders', 'list'])
    const [entry] = items.filter((item: {customerRef: string}) => item.customerRef === name)
    expect(entry).toMatchObject({orderId: expect.any(String), outcome: expect.stringMatching(/placed/)})
  })
})

test('whatever the umask, what the program writes is for its user alone', async () => {
  const customer = 'umask'
  const home = `${shop.env.HOME}/own`
  const folders = `SCENT_CONFIG_DIR='${home}/config' SCENT_STATE_DIR='${home}/state'`
  await sh(`umask 0; mkdir '${home}'
    export ${folders}
    $scent cart add ${variant} --customer ${customer}
    $scent checkout --customer ${customer} --address '${shop.address}' --yes
    unset SCENT_CLIENT_ID SCENT_CLIENT_SECRET
    echo secret-of-nobody | $scent auth login --client-id x --client-secret-stdin --storage file
    printf '%s' "$SECRET" | $scent auth login --client-id rimal-retail --client-secret-stdin --storage file`)
  const entries = readdirSync(home, {recursive: true, withFileTypes: true})
  const open = entries
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => (statSync(path).mode & 0o077) !== 0)
  expect(open).toEqual([])
  const names = entries.map(({name}) => name)
  for (const name of ['config.json', 'credentials.json', 'orders.ndjson']) expect(names).toContain(name)
})

test("an order under another partner is that partner's, on the service and in the records", async () => {
  const child = shop.sandbox.credentials.find(({clientId}) => clientId === 'rimal-online')?.partnerId ?? ''
  const as = ['--as', child, '--customer', 'D']
  await shop.json(['cart', 'add', variant, ...as])
  const order = await shop.json(['checkout', ...as, '--address', shop.address, '--yes'])
  expect((await shop.json(['orders', 'list', '--as', child])).items).toMatchObject([{orderId: order.id}])
  await shop.json(['orders', 'get', order.id], {code: 5})
  await shop.json(['orders', 'get', order.id, '--as', child])
  const stranger =
    shop.sandbox.credentials.find(({clientId}) => clientId === 'warda-boutique')?.partnerId ?? ''
  const {error} = await shop.json(['cart', 'show', '--as', stranger], {code: 4})
  expect(error.state).toBe('FORBIDDEN_NOT_YOUR_DESCENDANT')
})

test('bytes that are not UTF-8 are not a name: two customers never become one', async () => {
  shop.requests()
  for (const byte of ['\\377', '\\351']) {
    const {code, stderr} = await sh(`$scent cart add ${variant} --customer "$(printf 'Ren${byte}')"`)
    expect(code).toBe(2)
    expect(stderr).toMatch(/--customer .*UTF-8/)
  }
  expect(shop.requests()).toEqual([])
})
