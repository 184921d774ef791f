import {execFile} from 'node:child_process'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {bin, openShop, type Shop} from './stand.ts'

let shop: Shop
let variant: string

beforeAll(async () => {
  shop = await openShop()
  variant = shop.variant('RML-SAF-050')
})
afterAll(() => shop.close())

/** Runs a line of sh, in which $scent is the program. */
function sh(line: string): Promise<{code: number; stdout: string; stderr: string}> {
  const env = {...shop.env, scent: bin, node: process.execPath}
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

test('bytes that are no UTF-8 name nobody: two customers never become one', async () => {
  shop.requests()
  for (const byte of ['\\377', '\\351']) {
    const {code, stderr} = await sh(`$scent cart add ${variant} --customer "$(printf 'Ren${byte}')"`)
    expect(code).toBe(2)
    expect(stderr).toMatch(/customerRef .*UTF-8/)
  }
  expect(shop.requests()).toEqual([])
})
