// The desk on one machine, offline: notices arrive, are answered, and are missed; leaves nothing behind. npm run try:desk.
import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import {writeFileSync} from 'node:fs'
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import {address} from './address.ts'
import {begin, env, finding, folder, profile, run, step, trial} from './trial.ts'

const say = (text: string) => console.log(`\n# ${text}`)
const pause = (ms: number) => new Promise((wake) => setTimeout(wake, ms))

/** A receiver that is still being built: until it is mended, it refuses everything. */
let isMended = false
const receiver = createServer((request, response) => {
  request.resume()
  if (isMended) response.end()
  else response.writeHead(500).end('{"error":"no such customer"}')
})

let listener: {child: ChildProcess; said(text: string, times?: number): Promise<void>} | undefined

/** Starts the listener beside the other commands, in whose terminal it speaks as well. */
async function listen(...argv: string[]): Promise<void> {
  const line = ['webhooks', 'listen', '--subscribe', ...argv]
  begin(line)
  const child = spawn(process.execPath, [join(process.cwd(), 'bin/run.js'), ...line], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (part: string) => {
      text += part
      process.stdout.write(part.replace(/^(?=.)/gm, '  | '))
    })
  const said = async (wanted: string, times = 1) => {
    for (let tries = 0; text.split(wanted).length <= times; tries += 1) {
      if (tries > 1_200 || child.exitCode !== null) throw new Error(`The listener did not say "${wanted}".`)
      await pause(50)
    }
  }
  listener = {child, said}
  await said('Ready on')
}

async function stopListening(signal: NodeJS.Signals): Promise<void> {
  const child = listener?.child
  listener = undefined
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

/** The document of a command that is not part of what is shown. */
async function json(...argv: string[]) {
  const {code, stdout, stderr} = await run([...argv, '--json'], ['stdout', 'stderr'])
  if (code !== 0) throw new Error(`${argv.join(' ')}: ${stderr}${stdout}`)
  return JSON.parse(stdout)
}

/** An order of two units each of four variants. Returns their SKUs. */
async function order(): Promise<string[]> {
  const {items} = await json('catalog', 'variants', '--include', 'pricing,availability')
  const sold = items.filter(
    (one: {availability?: {state: string}; pricing?: {unitPrice: unknown}}) =>
      one.availability?.state === 'Available' && one.pricing?.unitPrice,
  )
  const skus: string[] = sold.slice(0, 4).map(({sku}: {sku: string}) => sku)
  await json('cart', 'add', ...skus.map((sku) => `${sku}=2`), '--customer', 'C-1')
  const {lockId} = await json('checkout', 'preview', '--customer', 'C-1', '--lock')
  const file = join(folder, 'address.json')
  writeFileSync(file, JSON.stringify(address))
  await json(
    'orders',
    'create',
    '--lock',
    lockId,
    '--reference',
    'PO-1',
    '--customer',
    'C-1',
    '--address',
    file,
  )
  return skus
}

/** A delivery that was received here, as something on its way would have written it again. */
async function reencoded(): Promise<{file: string; subscription: string}> {
  const {items} = await json('webhooks', 'events', '--event', 'notice.raised')
  const {headers, copies} = await json('webhooks', 'events', items[0].eventId)
  const body = JSON.stringify(JSON.parse(copies[0].body), null, 2)
  const file = join(folder, 'delivery.json')
  const named = headers.map(({name, value}: {name: string; value: string}) => [name, value])
  writeFileSync(file, JSON.stringify({at: copies[0].at, headers: Object.fromEntries(named), body}))
  const {items: known} = await json('webhooks', 'list')
  return {file, subscription: known[0].id}
}

async function desk(): Promise<void> {
  await step('auth', 'login', '--sandbox', '--name', profile, '--storage', 'file')
  const [first = '', second = '', third = '', fourth = ''] = await order()
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const {port} = receiver.address() as AddressInfo

  say('A listener, with a receiver behind it that fails. What it got 200 for is on disk.')
  await listen('--forward-to', `http://127.0.0.1:${port}/hook`)
  const notice = (sku: string) =>
    step('sandbox', 'notice', 'PO-1', '--line', sku, '--available', '1', '--query', 'notice.id')
  for (const sku of [first, second, third]) await notice(sku)
  await listener?.said('notice.raised', 3)
  await step('notices', 'inbox')

  say('One is answered.')
  const {items} = await json('notices', 'inbox')
  await step('notices', 'respond', items[0].id, '--choice', 'ShipAvailable', '--yes')

  say('Why a receiver finds a signature wrong: something has written the body again.')
  const {file, subscription} = await reencoded()
  await finding(6, 'webhooks', 'verify', file, '--subscription', subscription)

  say('The listener is killed, and another notice is raised.')
  await stopListening('SIGKILL')
  await notice(fourth)
  await step('notices', 'inbox', '--check')

  say('It is started again, and the service sends what was not taken once more.')
  await listen()
  await listener?.said('notice.raised')
  await step('notices', 'inbox')

  say('The receiver is mended, and gets what it has missed.')
  isMended = true
  await step('webhooks', 'replay', '--event', 'notice.raised', '--to', `http://127.0.0.1:${port}/hook`)

  say('72 hours later the service has decided alone.')
  await step('sandbox', 'clock', '--advance', '72h')
  await listener?.said('notice.expired', 3)
  await step('notices', 'inbox', '--all')
  console.log('\nThat was the desk, and all of it is gone again.')
}

trial(desk, async () => {
  await stopListening('SIGINT')
  receiver.closeAllConnections()
  receiver.close()
})
