import {createHmac} from 'node:crypto'
import {cpSync, mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {foldersOf} from '../../src/store/paths.ts'
import {saveLocator} from '../../src/store/sandbox.ts'
import {callerOf, control, variantOf} from '../sandbox/caller.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import {manyOrders, orderFile} from '../support/order-file.ts'
import {folder} from '../support/program.ts'
import {openSlowLine} from './slow.ts'

/** A sandbox with something of everything, and a user of it: what a person meets after some weeks of work. */
export interface Stage {
  env: NodeJS.ProcessEnv
  /** Puts what only this sandbox knows in the place of `<name>`. */
  fill(line: string): string[]
  /** A user of the same sandbox with the same profiles, whose changes nobody else sees. */
  another(): NodeJS.ProcessEnv
  /** From here on the service is slow: its first answer to each command takes two seconds. */
  slowDown(): void
  /** The sandbox, and the credential of the partner whose stage it is. */
  rimal: {baseUrl: string; clientId: string; clientSecret: string}
  close(): Promise<void>
}

const shippingAddress = {
  recipient: 'Noura Al-Harbi',
  line1: 'King Fahd Road 12, building 7, third floor, beside the old post office',
  city: 'Riyadh',
  nationalAddress: 'RRRD2929',
  countryCode: 'SAU',
  phone: '+966501234567',
}

/** Signed without spaces, and written again on its way. */
const rewrittenDelivery = JSON.stringify({
  at: '2026-11-22T10:00:03Z',
  headers: {
    'X-Service-Timestamp': '1795341600',
    'X-Service-Signature': `v1=${createHmac('sha256', 'whsec_of-the-stage').update('1795341600.{"eventId":"77e0a1b2c3d4"}').digest('hex')}`,
  },
  body: '{"eventId": "77e0a1b2c3d4"}',
})

export async function openStage(): Promise<Stage> {
  const {sandbox, env, baseUrl, slowDown, close} = await openBare()
  const home = env.HOME ?? ''
  const names: Record<string, string> = {home}
  const run = async (line: string, codes = [0]) => {
    const ended = await scent({...env, PWD: home}, fill(line, names))
    if (!codes.includes(ended.code ?? -1))
      throw new Error(`${line}: ${ended.code}\n${ended.stdout}${ended.stderr}`)
    return ended.stdout
  }
  const json = async (line: string, codes?: number[]) => JSON.parse(await run(`${line} --json`, codes))

  writeFileSync(join(home, 'address.json'), JSON.stringify(shippingAddress))
  writeFileSync(join(home, 'lines.csv'), 'sku,quantity\nNJD-INC-002,3\nRML-SAF-050,1\n')
  orderFile(home, 'orders.csv', manyOrders('NOV', 3))
  orderFile(home, 'more.csv', manyOrders('DEC', 2))
  orderFile(home, 'refused.csv', [
    {externalReference: 'REF-1', customerRef: 'C-OTHER-GOODS'},
    {externalReference: 'REF-2', customerRef: 'REF-2', city: 'Jeddah'},
  ])
  writeFileSync(join(home, 'delivery.json'), rewrittenDelivery)
  env.SCENT_WEBHOOK_SECRET = 'whsec_of-the-stage'
  orderFile(home, 'wrong.csv', [{externalReference: 'BAD-1', customerRef: 'B', quantity: 0, phone: '12'}])

  await run('auth login --sandbox --storage file --name warda --client-id warda-boutique')
  await run('auth login --sandbox --storage file --name staging')
  const rimal = callerOf(sandbox)
  const [saffron, incense] = [variantOf(sandbox, 'RML-SAF-050'), variantOf(sandbox, 'NJD-INC-002')]
  for (const ref of ['C-1001', 'C-CLEAR', 'C-CHANGED', 'C-REMOVE', 'C-WALK'])
    await rimal.filled(ref, {[saffron]: 2, [incense]: 1})
  await rimal.filled('C-OTHER-GOODS', {[incense]: 1})
  const locked = async (ref: string) => (await rimal.filled(ref, {[saffron]: 2})).payload.lockId
  const delivered = async (reference: string): Promise<string> => {
    const {payload} = await rimal.order(reference, await locked(reference), reference)
    await control(sandbox, 'POST', `orders/${reference}/deliver`)
    return payload.id
  }
  const requested = async (reference: string): Promise<{id: string; orderId: string}> => {
    const id = await delivered(reference)
    const {lines, fulfillmentGroups} = (await rimal.ask('GET', `/scent/orders/${id}`)).payload.scentDetail
    const body = {
      fulfillmentGroupId: fulfillmentGroups[0].id,
      lines: [{scentOrderLineId: lines[0].id, quantity: 1, reasonCode: 'Damaged'}],
    }
    return (await rimal.ask('POST', `/scent/orders/${id}/return-requests`, {body})).payload
  }
  const noticed = async (reference: string): Promise<string> => {
    await rimal.order(reference, await locked(reference), reference)
    const body = {lineId: 'RML-SAF-050', availableQuantity: 1}
    const {notice, event} = (await control(sandbox, 'POST', `orders/${reference}/notices`, body)).payload
    writeFileSync(join(home, 'notice.json'), JSON.stringify(event))
    return notice.id
  }
  Object.assign(names, {saffron, incense, lock: await locked('C-LOCKED')})
  names.delivered = await delivered('PO-DELIVERED')
  const {id, orderId} = await requested('PO-RETURNED')
  Object.assign(names, {return: id, returned: orderId})
  names.returnToMove = (await requested('PO-MOVED')).id
  names.notice = await noticed('PO-SHORT')
  for (const reference of ['PO-ON-ITS-WAY', 'PO-AT-RISK'])
    await rimal.order(reference, await locked(reference), reference)

  names.job = (await json('orders import <home>/orders.csv --yes')).job
  names.refusedJob = (await json('orders import <home>/refused.csv --yes', [11, 12])).job
  await run('cart import <home>/lines.csv --customer C-IMPORTED --yes')
  names.order = (await json('orders list')).items.at(-1).orderId
  names.webhook = (
    await json('webhooks create --url http://127.0.0.1:9/hooks/orders --event order.completed')
  ).id
  for (const name of ['enabled', 'disabled', 'changed']) {
    const body = {url: `http://127.0.0.1:9/hooks/${name}`, eventTypes: ['order.completed']}
    names[name] = (await rimal.ask('POST', '/scent/webhooks', {body})).payload.id
  }
  await rimal.ask('POST', `/scent/webhooks/${names.webhook}/test-fire`, {
    body: {eventType: 'order.completed'},
  })
  // Copied now: later a command may be writing there, and its lock would be copied with it.
  const kept = folder()
  for (const path of ['config', 'state/sandbox.json'])
    cpSync(join(home, path), join(kept, path), {recursive: true})
  return {
    env,
    fill: (line) => fill(line, names),
    another() {
      const other = emptyUser()
      cpSync(kept, other.HOME ?? '', {recursive: true})
      return other
    },
    rimal: {baseUrl, clientId: '', clientSecret: '', ...sandbox.credentials[0]},
    slowDown,
    close,
  }
}

/** A sandbox as it starts, and a user who has not logged in yet. */
export async function openBare() {
  const sandbox = await createSandbox({limits: false})
  const line = await openSlowLine(await sandbox.listen())
  const baseUrl = line.url
  const env = emptyUser()
  const {adminToken, credentials} = sandbox
  const about = {adminUrl: `${baseUrl}/__sandbox/v1`, pid: process.pid, limits: false, environment: 'staging'}
  saveLocator(foldersOf(env), {baseUrl, adminToken, credentials, ...about})
  const close = async () => {
    await line.close()
    await sandbox.close()
  }
  return {sandbox, env, baseUrl, slowDown: line.begin, close}
}

/** A user whose home is empty. */
export function emptyUser(): NodeJS.ProcessEnv {
  const home = folder()
  for (const name of ['config', 'state']) mkdirSync(join(home, name), {mode: 0o700})
  return {
    PATH: process.env.PATH,
    HOME: home,
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
    TZ: 'Asia/Riyadh',
    LANG: 'C.UTF-8',
    SCENT_CONFIG_DIR: join(home, 'config'),
    SCENT_STATE_DIR: join(home, 'state'),
  }
}

/** The words of a line, where a word may stand in quotes. */
function fill(line: string, names: Record<string, string>): string[] {
  const words = line.match(/"[^"]*"|\S+/g) ?? []
  return words.map((word) =>
    word.replaceAll('"', '').replace(/<(\w+)>/g, (_, name) => {
      if (names[name] === undefined) throw new Error(`nothing is called <${name}>`)
      return names[name]
    }),
  )
}
