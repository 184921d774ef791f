import {spawn} from 'node:child_process'
import {createHmac} from 'node:crypto'
import {chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {gzipSync} from 'node:zlib'
import {describe, expect, it, vi} from 'vitest'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {orderRecords} from '../../src/store/orders.ts'
import {foldersOf} from '../../src/store/paths.ts'
import {saveLocator} from '../../src/store/sandbox.ts'
import {callerOf, variantOf} from '../sandbox/caller.ts'
import {address} from '../support/address.ts'
import {scentAmongMany} from '../support/many.ts'
import {bin, type Ran, scent} from '../support/scent.ts'
import {userOf} from '../support/service.ts'
import type {Sandbox} from '../support/types.ts'

// Some examples are several processes.
vi.setConfig({testTimeout: 120_000})

const manifest = JSON.parse(readFileSync(new URL('../../oclif.manifest.json', import.meta.url), 'utf8'))
const examples = Object.values<{examples?: string[]}>(manifest.commands).flatMap((command) =>
  (command.examples ?? []).map((text) => text.replaceAll('<%= config.bin %>', 'scent')),
)

const lock = 'b6f46ae9-becd-4df9-ab56-3f1d77f31c8a'

/** What the examples take for granted beside the demo data, in this order: the ids in them come from it. */
async function prepare(sandbox: Sandbox): Promise<void> {
  const caller = callerOf(sandbox)
  const variant = variantOf(sandbox, 'NJD-INC-002')
  expect((await caller.filled('C-1042', {[variant]: 2})).payload.lockId).toBe(lock)
  const {lockId} = (await caller.filled('C-1001', {[variant]: 2})).payload
  await caller.order('PO-118', lockId, 'C-1001')
  await caller.ask('POST', '/scent/orders/90bae10f-2603-42ed-9e88-4cb7a414536e/return-requests', {
    body: {
      fulfillmentGroupId: 'b6c41220-c71d-401e-8033-a060b57915d7',
      lines: [{scentOrderLineId: '2ebd4dd0-3db4-4a37-aad0-31221273b755', quantity: 1, reasonCode: 'Damaged'}],
    },
  })
  const body = {url: 'http://127.0.0.1:9/', eventTypes: ['order.completed']}
  await caller.ask('POST', '/scent/webhooks', {body})
}

const ordered = {externalReference: 'PO-119', lockId: lock, customerRef: 'C-1042', shippingAddress: address}
const rows = (references: string[]) =>
  references.map((externalReference) => ({
    ...{externalReference, customerRef: externalReference, shippingAddress: address},
    lines: [{sku: 'NJD-INC-002', quantity: 1}],
  }))
/** A delivery of just now, and its signature. */
const now = String(Math.floor(Date.now() / 1000))
const signature = `v1=${createHmac('sha256', 'whsec_of-a-subscription').update(`${now}.{"eventId":"77e0a1b2c3d4"}`).digest('hex')}`

const noticeEvent = {
  eventId: '9f2c41d07be3',
  eventType: 'notice.raised',
  data: {
    orderId: '90bae10f-2603-42ed-9e88-4cb7a414536e',
    notice: {id: 'c6c0dd6c-5d76-4b5d-9eff-250400d2b556', status: 'AwaitingPartnerResponse'},
  },
}

const files: Record<string, string | Buffer> = {
  'riyadh.json': JSON.stringify(address),
  'order.json': JSON.stringify(ordered),
  'reason.txt': 'Order SCN-0000000004 is missing.\n',
  'lines.csv': 'sku,quantity\nNJD-INC-002,3\n',
  'carts.csv': 'customerRef,sku,quantity\nC-1,NJD-INC-002,3\n',
  'wishes.csv': 'Client no;SKU;Quantity;Notes\nC-1;NJD-INC-002;3;gift\n',
  'export.csv': [
    'Order no;Customer Ref;SKU;Quantity;Recipient;Line 1;City;National Address;Country Code;Phone;Notes',
    'PO-204;C-1;NJD-INC-002;2;Sara;King Fahd Road 1;Riyadh;RRRD2929;SAU;+966500000000;gift\n',
  ].join('\r\n'),
  'delivery.json': JSON.stringify({
    // The examples take longer on a busy machine than a delivery may be old.
    at: new Date().toISOString(),
    headers: {'X-Service-Timestamp': now, 'X-Service-Signature': signature},
    body: '{"eventId":"77e0a1b2c3d4"}',
  }),
  'choices.csv': 'notice,choice\nc6c0dd6c-5d76-4b5d-9eff-250400d2b556,CancelWhole\n',
  'body.json': '{"eventId":"77e0a1b2c3d4"}',
  'deliveries.ndjson': `${JSON.stringify(noticeEvent)}\n`,
  'receiver.log': JSON.stringify({body: JSON.stringify(noticeEvent)}),
  'data.json': '{"n": 1}',
  'secret.txt': 'whsec_of-a-subscription\n',
  'wish.json': '{"lines": [{"sku": "NJD-INC-002", "quantity": 1}]}',
  'orders.csv': [
    'externalReference,customerRef,sku,quantity,recipient,line1,city,nationalAddress,countryCode,phone',
    'PO-201,C-1,NJD-INC-002,2,Sara,King Fahd Road 1,Riyadh,RRRD2929,SAU,+966500000000\n',
  ].join('\n'),
  'orders.ndjson.gz': gzipSync(
    rows(['PO-202', 'PO-203'])
      .map((row) => `${JSON.stringify(row)}\n`)
      .join(''),
  ),
}

/** A home with the files of the examples, a `scent` in its PATH, and a `pass` that knows the secret. */
function home(url: string, secret: string): NodeJS.ProcessEnv {
  const env = userOf(url, {SCENT_CLIENT_ID: 'rimal-retail', SCENT_CLIENT_SECRET: secret})
  const place = env.HOME ?? ''
  const folder = join(place, 'bin')
  mkdirSync(folder)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(place, name), content)
  const scripts = {scent: `exec '${process.execPath}' '${bin}' "$@"`, pass: `echo '${secret}'`}
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  return {...env, PATH: `${folder}:${env.PATH}`, SIGNATURE: signature, TIMESTAMP: now}
}

/** Runs a line without a terminal: by a shell if it needs one. What is `endless` gets a Ctrl-C as soon as it has printed something. */
function ranAs(env: NodeJS.ProcessEnv, line: string, {endless = false} = {}): Promise<Ran> {
  const [name, ...words] = line.split(' ')
  const needsNone = /^[\w ./:=@,+-]+$/.test(line) && !/import|resume|--detach/.test(line)
  if (name === 'scent' && needsNone && !endless) return scentAmongMany({...env, PWD: env.HOME}, words)
  return new Promise((resolve, reject) => {
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe']
    const child = spawn('bash', ['-c', line], {env, cwd: env.HOME, stdio, detached: true})
    const out = {stdout: '', stderr: ''}
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        if (endless && out.stdout + out.stderr === '') process.kill(-(child.pid ?? 0), 'SIGINT')
        out[name] += text
      })
    }
    child.on('error', reject)
    child.on('close', (code) => resolve({code, ...out}))
  })
}

/** Writes an order into the local record of this user, as if it had been made from here. */
async function record(env: NodeJS.ProcessEnv, origin: string, reference: string, orderId: string) {
  const identity = {origin, clientId: 'rimal-retail', onBehalfOf: null}
  const [at, none] = ['2026-11-20T09:00:00.000Z', {http: null, total: null, currency: null, status: null}]
  await orderRecords(foldersOf(env), identity).append({
    ...{step: 'PLANNED', reference, at, customerRef: 'C-1001', lines: null, address},
  })
  await orderRecords(foldersOf(env), identity).append({
    ...{step: 'OUTCOME', reference, at, outcome: 'placed', state: 'CREATED', orderId, ...none},
  })
}

/** Those that would ask a person for more than a yes. */
const walks = [
  'scent notices respond',
  'scent auth login',
  'scent checkout --customer C-1042',
  'scent returns create PO-118',
  'scent returns create 90bae10f-2603-42ed-9e88-4cb7a414536e',
]
const confirms =
  /^scent (auth logout --all|sandbox reset|cart (clear|import)|orders import|webhooks prune|commissions object|notices respond|returns withdraw)/
const endless =
  /^scent (webhooks deliveries .* --watch|notices inbox --watch|webhooks listen (?!.*--for )|sandbox start (?!--detach))/
/** Those whose exit code says what they found: nothing, here, or that they can't know. */
const verdicts: [RegExp, number][] = [
  [/^scent webhooks (events|listen --limit|verify --stored|replay|deliveries .*--id)/, 5],
  [/^scent sandbox webhook redeliver/, 5],
  // Nothing listens there.
  [/^scent webhooks test .*--wait/, 10],
  [/^scent notices import --without-login/, 5],
  [/^scent notices inbox --due-within/, 12],
  [/^scent notices respond .*--due-within/, 5],
]
/** Those that go by the profiles of this machine, and not by what the environment says. */
const profiled = /^scent (auth (?!login)|doctor|config|webhooks create .*--save-secret)/
const job = '20261120-030000-k3vq'

/** What must be there before an example, as a line of a shell. */
function before(text: string): string {
  if (profiled.test(text)) return 'scent auth login --sandbox --name staging --storage file'
  if (text === 'scent sandbox stop') return 'scent sandbox start --detach --memory --port 0'
  if (text.includes('--to before')) return 'scent sandbox reset --save before'
  if (/^scent notices (inbox|show)/.test(text)) return 'scent notices import deliveries.ndjson'
  if (/jobs (show|resume)/.test(text)) return 'scent orders import orders.csv --yes'
  if (text.includes('webhook duplicate'))
    return text.replace('sandbox webhook duplicate', 'webhooks test').concat(' --event order.completed')
  if (endless.test(text) && text.includes('webhooks deliveries'))
    return text.replace('deliveries', 'test').replace('--watch', '--event order.completed')
  return ':'
}

/** An example as it is typed here, where nothing can be asked, and no name of a host leads anywhere. */
function typed(text: string, url: string): string {
  const line = text
    .replace(/https:\/\/api\.example\.com|http:\/\/127\.0\.0\.1:4747/, url)
    .replace('https://hooks.example.com', 'http://127.0.0.1:9')
    .replace('2027-01-01', `${new Date().getFullYear() + 1}-01-01`)
    .replace(/\bauth login.*$/, '$& --storage file')
  return confirms.test(line) && !/--yes|--dry-run/.test(line) ? `${line} --yes` : line
}

it.concurrent.each(examples)('%s', async (text) => {
  const sandbox = await createSandbox({limits: false})
  await prepare(sandbox)
  const baseUrl = await sandbox.listen()
  const {adminToken, credentials} = sandbox
  const eventTypes = [...sandbox.eventTypes]
  const env = home(baseUrl, credentials[0]?.clientSecret ?? '')
  await record(env, baseUrl, 'PO-118', '90bae10f-2603-42ed-9e88-4cb7a414536e')
  if (profiled.test(text) || /\bauth login/.test(text))
    for (const name of ['SCENT_BASE_URL', 'SCENT_CLIENT_ID', 'SCENT_CLIENT_SECRET']) delete env[name]
  // The sandbox of this process is none to be stopped.
  const startsOne = /^scent sandbox (start|stop)/.test(text)
  const about = {adminUrl: `${baseUrl}/__sandbox/v1`, pid: process.pid, limits: false}
  if (!startsOne)
    saveLocator(foldersOf(env), {
      baseUrl,
      adminToken,
      credentials,
      eventTypes,
      environment: 'staging',
      ...about,
    })
  try {
    expect(await ranAs(env, before(text))).toMatchObject({code: 0})
    let line = typed(text, baseUrl)
    if (text.includes(job)) {
      const {items} = JSON.parse((await scent(env, ['jobs', 'list', '--json'])).stdout)
      line = line.replace(job, items[0].id)
    }
    const {code, stdout, stderr} = await ranAs(env, line, {endless: endless.test(text)})
    if (walks.includes(text)) expect(stderr).toContain('MISSING_INPUT')
    const verdict = verdicts.find(([example]) => example.test(text))?.[1] ?? 0
    expect(code, `${line}\n${stdout}${stderr}`).toBe(walks.includes(text) ? 2 : verdict)
  } finally {
    if (startsOne) await scent(env, ['sandbox', 'stop'])
    await sandbox.close()
  }
})

describe('what is wrong with the output that was asked for', () => {
  /** Examples as words of their own, without what stands before and behind them in a shell. */
  const lines = examples
    .filter(
      (text) =>
        !/ (--template|--openapi|--watch)\b|scent (complete|autocomplete|update-check|auth token)\b/.test(
          text,
        ),
    )
    .map((text) => text.replace(/^.*\| (?=scent )/, '').replace(/ (>|\|) .*$/, ''))
    .map((text) => text.replace(/ (--json|--query ('[^']*'|\S+)|--output \S+)/g, ''))
    .map(
      (line) => line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)?.map((word) => word.replace(/['"]/g, '')) ?? [],
    )
  const tables = (sandbox: Sandbox) => {
    const {world} = sandbox.state
    const names = world.all<{name: string}>(
      "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name",
    )
    return Object.fromEntries(
      names.map(({name}) => [name, JSON.stringify(world.all(`SELECT * FROM ${name}`))]),
    )
  }

  it.each([
    ['a column that is not there', ['--columns', 'nope']],
    ['an expression that is cut off', ['--query', 'items[']],
  ])('%s is found before any command changes anything', async (_, wrong) => {
    const sandbox = await createSandbox({limits: false})
    await prepare(sandbox)
    const baseUrl = await sandbox.listen()
    const {adminToken, credentials} = sandbox
    const env = home(baseUrl, credentials[0]?.clientSecret ?? '')
    const stoppable = spawn('sleep', ['1000'])
    const about = {
      adminUrl: `${baseUrl}/__sandbox/v1`,
      pid: stoppable.pid ?? 0,
      limits: false,
      eventTypes: [...sandbox.eventTypes],
    }
    saveLocator(foldersOf(env), {baseUrl, adminToken, credentials, environment: 'staging', ...about})
    const before = tables(sandbox)
    const from = sandbox.state.requests.list().at(-1)?.n ?? 0
    const kept = () => readdirSync(env.SCENT_CONFIG_DIR ?? '')
    const ended = await Promise.all(
      lines.map(async ([, ...argv]) => ({
        line: argv.join(' '),
        ...(await scentAmongMany(env, [...argv, ...wrong, '--yes', '--no-input'])),
      })),
    )
    // What a list of the service may have, only its rows tell: such a command has changed nothing.
    const sent = sandbox.state.requests
      .list(from)
      .filter(({method, target}) => method !== 'GET' && !target.includes('/auth/token'))
    expect(sent.map(({method, target}) => `${method} ${target}`)).toEqual([])
    const after = tables(sandbox)
    expect(Object.keys(before).filter((name) => after[name] !== before[name])).toEqual([])
    expect(kept()).toEqual([])
    const reads =
      /^\S+ (list|show|get|track|status|inbox|variants|sales|transactions|deliveries|events|timeline)\b/
    const bad = ended.filter(({code, line}) => code !== 2 && !(wrong.includes('nope') && reads.test(line)))
    expect(bad.map(({line, code, stderr}) => `${code} ${line}: ${stderr}`)).toEqual([])
    expect(stoppable.kill()).toBe(true)
    await sandbox.close()
  })
})
