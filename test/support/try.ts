// A first order from nothing, with a sandbox, a folder and a profile of its own; leaves none of them. npm run try.
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {address} from './address.ts'
import {noKeyring, withKeyring} from './keyring.ts'
import {begin, end, env, folder, profile, run, step, trial, value} from './trial.ts'

const addressFile = join(folder, 'address.json')

const next = `
That was a whole order, and all of it is gone again. For a sandbox that stays:

  npm link                        makes scent a command; or type bin/run.js
  scent sandbox start --detach
  scent auth login --sandbox
  scent catalog variants --include pricing,availability
  scent cart add SKU=2 --customer C-1
  scent checkout --customer C-1   asks for the rest, and before it charges
`

async function order(): Promise<void> {
  const priced = ['catalog', 'variants', '--include', 'pricing,availability']
  await step(...priced, '--limit', '6')
  const sold = "items[?availability.state=='Available' && pricing.unitPrice] | [0].sku"
  const sku = await value(...priced, '--query', sold)
  const customer = ['--customer', 'C-1']
  await step('cart', 'add', `${sku}=2`, ...customer)
  await step('cart', 'show', ...customer)
  await step('checkout', 'preview', ...customer)
  const lock = await value('checkout', 'preview', ...customer, '--lock', '--query', 'lockId')
  writeFileSync(addressFile, `${JSON.stringify(address, null, 2)}\n`)
  console.log(`\n$ cat ${addressFile}\n${JSON.stringify(address, null, 2)}`)
  const order = ['--lock', lock, '--reference', 'try-1', ...customer, '--address', addressFile]
  await step('orders', 'create', ...order)
  await step('orders', 'get', 'try-1')
  await step('wallet', 'balance')
}

/** Logs in with the keychain of the user, else with one of our own, else with a file; then orders. */
async function loginAndOrder(): Promise<void> {
  const login = ['auth', 'login', '--sandbox', '--name', profile]
  begin(login)
  const first = await run(login, ['stdout', 'stderr'])
  if (first.code === 0) {
    process.stderr.write(first.stderr)
    process.stdout.write(first.stdout)
    return order()
  }
  if (!first.stderr.includes('KEYCHAIN_UNAVAILABLE')) {
    process.stderr.write(first.stderr)
    return end(login, first)
  }
  const missing = process.platform === 'linux' ? noKeyring() : 'no keychain that answers'
  if (missing !== undefined) {
    console.log(`(There is ${missing}. So the secret goes into a file of this folder.)`)
    await step(...login, '--storage', 'file')
    return order()
  }
  console.log('(No keychain is open here. So one is started for the time of this run.)')
  await withKeyring(async (own) => {
    env.DBUS_SESSION_BUS_ADDRESS = own.DBUS_SESSION_BUS_ADDRESS
    await step(...login)
    await order()
  })
}

trial(async () => {
  await loginAndOrder()
  console.log(next)
})
