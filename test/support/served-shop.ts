import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, vi} from 'vitest'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import type {Exchange} from '../../src/sandbox/door/requests.ts'
import {address as shippingAddress} from './address.ts'
import {bareHome} from './keyring.ts'
import {scentAmongMany} from './many.ts'
import {type Ran, type Running, start} from './scent.ts'
import type {FaultOrder, Sandbox, SandboxOptions} from './types.ts'

// A test of many processes takes longer if the machine has other work.
vi.setConfig({testTimeout: 120_000})

/** More than the words of one run of the program. */
export interface Run {
  env?: NodeJS.ProcessEnv
  input?: string | Buffer
}

/** The environment of one user with a home of their own and a credential of the service at `url`. */
export function userAt(url: string, clientId: string, clientSecret: string): NodeJS.ProcessEnv {
  return {
    ...bareHome(),
    SCENT_BASE_URL: url,
    SCENT_CLIENT_ID: clientId,
    SCENT_CLIENT_SECRET: clientSecret,
  }
}

/** One shop: a sandbox on a port of its own, a user of one of its partners, and the built program. */
export interface Shop {
  sandbox: Sandbox
  url: string
  env: NodeJS.ProcessEnv
  /** Runs the program to its end. */
  scent(argv: readonly string[], run?: Run): Promise<Ran>
  /** Starts the program, for tests that kill it. */
  start(argv: readonly string[], run?: Run): Running
  /** Runs the program with --json and returns its document. Fails if it does not exit with `code`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape
  json(argv: readonly string[], run?: Run & {code?: number}): Promise<any>
  /** The file of a valid shipping address. */
  address: string
  variant(sku: string): string
  /** Orders a fault. `expire` has every token that is out expire at the moment when it strikes. */
  fault(order: FaultOrder, more?: {expire?: boolean}): void
  /** The requests that reached the sandbox since the last call. */
  requests(): Exchange[]
  /** Resolves at the first request of that operation which is done. */
  answered(operation: string): Promise<void>
  orders(): {id: string; external_reference: string; customer_ref: string; status: string}[]
  debits(): number
  /** The quantities of a cart by variant; the bare cart for ''. */
  cart(customerRef: string): Record<string, number>
  /** Fails if a secret or a token of this run is found anywhere but in its own file. */
  close(): Promise<void>
}

/** Past the lifetime of a token and the 30 s of skew, and well within that of a lock. */
const TOKEN_GONE_MS = 331_000

export async function openShop({
  client = 'rimal-retail',
  ...options
}: SandboxOptions & {client?: string} = {}): Promise<Shop> {
  const sandbox = await createSandbox({limits: false, ...options})
  const url = await sandbox.listen()
  const {state} = sandbox
  const secret = sandbox.credentials.find(({clientId}) => clientId === client)?.clientSecret ?? ''
  const env = userAt(url, client, secret)
  const address = join(env.HOME ?? '', 'address.json')
  writeFileSync(address, JSON.stringify(shippingAddress))
  const said: string[] = []
  let seen = 0
  // `auth token` prints one by design.
  const heard = <End extends Ran>(argv: readonly string[], end: End) => {
    if (argv[0] !== 'auth') said.push(end.stdout, end.stderr)
    return end
  }
  const run = async (argv: readonly string[], more: Run = {}) =>
    heard(argv, await scentAmongMany({...env, ...more.env}, argv, more.input))
  // The demo data has a past of its own.
  const before = {
    orders: state.world.get<{n: number}>('SELECT max(n) AS n FROM orders')?.n ?? 0,
    entries: state.world.get<{n: number}>('SELECT max(n) AS n FROM ledger')?.n ?? 0,
  }
  const shop: Shop = {
    sandbox,
    url,
    env,
    address,
    start(argv, more = {}) {
      const running = start({...env, ...more.env}, argv, more.input)
      return {...running, ended: running.ended.then((end) => heard(argv, end))}
    },
    scent: run,
    async json(argv, {code = 0, ...more} = {}) {
      const end = await run([...argv, '--json'], more)
      expect({code: end.code, said: end.code === code ? '' : end.stdout + end.stderr}).toEqual({
        code,
        said: '',
      })
      return JSON.parse(end.stdout)
    },
    variant(sku) {
      const found = state.world.get<{id: string}>('SELECT id FROM variants WHERE sku = ?', sku)
      if (found === undefined) throw new Error(`no variant ${sku}`)
      return found.id
    },
    fault(order, {expire = false} = {}) {
      const {id} = state.faults.add(order)
      if (!expire) return
      const {strike} = state.faults
      state.faults.strike = (request) => {
        const fault = strike(request)
        if (fault?.id === id) state.clock.moveTo(state.clock.now() + TOKEN_GONE_MS)
        return fault
      }
    },
    requests() {
      const fresh = state.requests.list(seen)
      seen = fresh.at(-1)?.n ?? seen
      return fresh
    },
    async answered(operation) {
      const from = state.requests.list().at(-1)?.n ?? 0
      while (!state.requests.list(from).some((exchange) => exchange.operation === operation)) {
        await new Promise((turn) => setTimeout(turn, 5))
      }
    },
    orders: () =>
      state.world.all(
        'SELECT id, external_reference, customer_ref, status FROM orders WHERE n > ? ORDER BY n',
        before.orders,
      ),
    debits: () =>
      state.world.get<{n: number}>(
        "SELECT count(*) AS n FROM ledger WHERE type = 'Debit' AND n > ?",
        before.entries,
      )?.n ?? 0,
    cart: (customerRef) =>
      Object.fromEntries(
        state.world
          .all<{variant_id: string; quantity: number}>(
            'SELECT variant_id, quantity FROM cart_lines JOIN carts ON carts.id = cart_id WHERE customer_ref = ?',
            customerRef,
          )
          .map(({variant_id, quantity}) => [variant_id, quantity]),
      ),
    async close() {
      await sandbox.close()
      checkCanary(env, secret, said)
      const bugs = state.requests.list().filter(({bug}) => bug !== null)
      expect(bugs).toEqual([])
    },
  }
  return shop
}

/** Every file below a folder, with its text; a file that a running command removes meanwhile is left out. */
export function filesBelow(folder: string): [string, string][] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, {recursive: true, withFileTypes: true})
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((path): [string, string][] => {
      const text = textAt(path)
      return text === undefined ? [] : [[path, text]]
    })
}

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * The secret and the tokens of a run are in no output, and in no file but their own: the token cache, and the
 * credentials.json that `--storage file` asks for.
 */
export function checkCanary(env: NodeJS.ProcessEnv, secret: string, said: string[]): void {
  const files = filesBelow(env.HOME ?? '')
  const isCache = (path: string) => path.includes('/tokens/')
  const tokens = files
    .filter(([path]) => isCache(path))
    .flatMap(([, text]) => text.match(/"text":"([^"]+)"/)?.[1] ?? [])
  // Where there is a cache, its tokens must be known here, or nothing would be looked for.
  if (files.some(([path, text]) => isCache(path) && text.includes('lifeMs'))) expect(tokens).not.toEqual([])
  const holders = (canary: string, own: (path: string) => boolean) => [
    ...files.filter(([path, text]) => text.includes(canary) && !own(path)).map(([path]) => path),
    ...said.filter((text) => text.includes(canary)),
  ]
  if (secret !== '') expect(holders(secret, (path) => path.endsWith('/credentials.json'))).toEqual([])
  for (const token of tokens) expect(holders(token, isCache)).toEqual([])
}

/** A folder of the shop's user. */
export function folderIn(env: NodeJS.ProcessEnv, name: string): string {
  const path = join(env.HOME ?? '', name)
  mkdirSync(path, {recursive: true})
  return path
}
