// Runs of the built program in which one call to the system fails: what each may leave behind, and must not.
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {callerOf} from '../../sandbox/caller.ts'
import {address} from '../../support/address.ts'
import {bareHome} from '../../support/keyring.ts'
import {deliver, secret as signingSecret} from '../../support/listening.ts'
import {choicesAt, raise} from '../../support/notices.ts'
import {manyOrders, orderFile} from '../../support/order-file.ts'
import {type Ended, type Ran, scent, start} from '../../support/scent.ts'
import {type Shop, userAt} from '../../support/served-shop.ts'
import {type CallFault, failingCalls, type SystemCall} from './failing-calls.ts'

/** A run of a command in a home of its own, and what must hold after it whatever failed in it. */
interface Scene {
  env: NodeJS.ProcessEnv
  argv: readonly string[]
  input?: string
  /** Runs it, if that is more than to start it and wait for its end. */
  run?: (env: NodeJS.ProcessEnv) => Promise<Ran>
  /** What is wrong after it, given how it ended; runs the program again, without a fault. */
  wrongs(end: Ran): Promise<string[]>
}

export interface Trial {
  name: string
  scene(shop: Shop, name: string): Promise<Scene>
}

export interface Attempt {
  end: Ran
  calls: SystemCall[]
  wrongs: string[]
}

let scenes = 0

/** Plays a trial once, with a fault or without one. */
export async function attempt(shop: Shop, trial: Trial, fault?: CallFault): Promise<Attempt> {
  scenes += 1
  const scene = await trial.scene(shop, `F${scenes}`)
  const hook = failingCalls([scene.env.HOME ?? ''])
  const env = {...scene.env, ...hook.env(fault)}
  const end = await (scene.run ? scene.run(env) : scent(env, scene.argv, scene.input))
  const calls = hook.calls()
  return {end, calls, wrongs: [...wrongIn(end), ...(await scene.wrongs(end))]}
}

/** The document of an error, if the run printed one. */
export function errorIn({stdout}: Ran): {state: string; message: string; hint: string} | undefined {
  // It may stand below what was printed before.
  const start = stdout.search(/\{\s*"error":/)
  try {
    return start < 0 ? undefined : JSON.parse(stdout.slice(start)).error
  } catch {
    return undefined
  }
}

/** What no run may do, whatever fails: end by a bug, print a stack, refuse without a reason or a way out. */
function wrongIn({code, stdout, stderr}: Ran): string[] {
  const said = `${stdout}\n${stderr}`
  const error = errorIn({code, stdout, stderr})
  const isTold = error ? error.message !== '' && error.hint !== '' : /^(?:Error:|! )/m.test(stderr)
  return [
    ...(code === null || ![0, 1, 2, 3, 8, 10, 11, 12].includes(code) ? [`exit ${code}`] : []),
    ...(/UNEXPECTED|bug in scent/.test(said) ? ['a bug'] : []),
    ...(/^\s+at .*[:(]\d+/m.test(said) ? ['a stack'] : []),
    ...(code !== 0 && !isTold ? ['no word of it'] : []),
    ...(code === 1 && error && !/simulated|E[A-Z]{2,}|disk|unable/.test(error.message)
      ? [`no reason: ${error.message}`]
      : []),
  ].map((what) => `${what}: ${said.trim().slice(0, 400)}`)
}

const userOf = ({url, env}: Shop) => userAt(url, env.SCENT_CLIENT_ID ?? '', env.SCENT_CLIENT_SECRET ?? '')

const again = async (env: NodeJS.ProcessEnv, argv: readonly string[], allowed: readonly number[] = [0]) => {
  const end = await scent(env, argv)
  return allowed.includes(end.code ?? -1)
    ? []
    : [`${argv.slice(0, 2).join(' ')} afterwards: exit ${end.code}: ${end.stdout}${end.stderr}`]
}

const ordersOf = (shop: Shop, reference: string) =>
  shop.orders().filter((order) => order.external_reference === reference)

const isOne = (shop: Shop, reference: string) => {
  const count = ordersOf(shop, reference).length
  return count === 1 ? [] : [`${count} orders ${reference}`]
}

/** A run that says that it ended well, or that nothing was ordered, must be right about it. */
const agrees = (shop: Shop, {code}: Ran, references: string[], about: string) => {
  const made = references.filter((one) => ordersOf(shop, one).length > 0).length
  return code === 0 && made !== references.length
    ? [`${about} says that all is ordered, and ${made} are`]
    : []
}

const checkout: Trial = {
  name: 'checkout',
  async scene(shop, name) {
    const env = userOf(shop)
    const file = join(env.HOME ?? '', 'address.json')
    writeFileSync(file, JSON.stringify(address))
    await callerOf(shop.sandbox).ask('POST', '/scent/cart/items', {
      query: `customerRef=${name}`,
      body: {variantId: shop.variant('RML-SAF-050'), quantity: 1},
    })
    const argv = ['checkout', '--customer', name, '--reference', name, '--address', file, '--yes', '--json']
    return {
      env,
      argv,
      async wrongs(end) {
        const wrong = agrees(shop, end, [name], 'checkout')
        // 8: the order is on record already, of which only the flush failed.
        const more = end.code === 0 ? [] : await again(env, argv, [0, 8])
        return [...wrong, ...more, ...isOne(shop, name), ...(await again(env, ['orders', 'list', '--json']))]
      },
    }
  },
}

const ordersImport: Trial = {
  name: 'orders import',
  async scene(shop, name) {
    const env = userOf(shop)
    const file = orderFile(env.HOME ?? '', 'orders.csv', manyOrders(name, 3))
    const argv = ['orders', 'import', file, '--yes', '--json']
    const references = [0, 1, 2].map((n) => `${name}-${n}`)
    return {
      env,
      argv,
      async wrongs(end) {
        const wrong = agrees(shop, end, references, 'orders import')
        const more = end.code === 0 ? [] : await finished(env, argv)
        return [
          ...wrong,
          ...more,
          ...references.flatMap((one) => isOne(shop, one)),
          ...(await again(env, ['jobs', 'show', '--json'])),
        ]
      },
    }
  },
}

/** Runs a job to its end: by the same line again, or as that says by a resume. */
async function finished(env: NodeJS.ProcessEnv, argv: readonly string[]): Promise<string[]> {
  const resumed = await scent(env, ['jobs', 'resume', '--yes', '--json'])
  if (resumed.code === 0) return again(env, argv, [0, 8, 11])
  return again(env, argv)
}

const noticesImport: Trial = {
  name: 'notices import',
  async scene(shop, name) {
    const env = userOf(shop)
    const [notice] = await raise(shop, 1, Number(name.slice(1)) + 1_000)
    const file = join(env.HOME ?? '', 'events.ndjson')
    writeFileSync(file, `${JSON.stringify(notice?.event)}\n`)
    const argv = ['notices', 'import', file, '--json']
    return {
      env,
      argv,
      async wrongs(end) {
        const more = end.code === 0 ? [] : await again(env, argv)
        const inbox = await scent(env, ['notices', 'inbox', '--json'])
        return [
          ...more,
          ...(inbox.stdout.includes(notice?.id ?? '')
            ? []
            : [`not in the inbox: ${inbox.stdout}${inbox.stderr}`]),
        ]
      },
    }
  },
}

const noticesRespond: Trial = {
  name: 'notices respond',
  async scene(shop, name) {
    const env = userOf(shop)
    const raised = await raise(shop, 1, Number(name.slice(1)) + 2_000)
    await scent(env, ['notices', 'import', '-'], JSON.stringify(raised[0]?.event))
    const argv = ['notices', 'respond', raised[0]?.id ?? '', '--choice', 'CancelWhole', '--yes', '--json']
    return {
      env,
      argv,
      async wrongs(end) {
        const [choice] = choicesAt(shop, raised)
        if (end.code === 0) return choice === 'CancelWhole' ? [] : [`says that it is answered: ${choice}`]
        // 12: the first answer was sent and is not known here, and the service has closed the notice.
        const more = await again(env, argv, choice ? [0, 7, 8, 12] : [0])
        const [after] = choicesAt(shop, raised)
        return [...more, ...(after === 'CancelWhole' ? [] : [`afterwards it is answered with ${after}`])]
      },
    }
  },
}

/** What comes of it, or `late` if nothing does for as long as a busy machine could need. */
const within = <T, L>(work: Promise<T>, late: L): Promise<T | L> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(late), 20_000)
    void work.then(resolve, reject).finally(() => clearTimeout(timer))
  })

const listenOn = ['webhooks', 'listen', '--port', '0', '--output', 'ndjson']

const listen: Trial = {
  name: 'webhooks listen',
  async scene(shop, name) {
    const env: NodeJS.ProcessEnv = {...userOf(shop), SCENT_WEBHOOK_SECRET: signingSecret}
    const id = `event-${name}`
    const body = JSON.stringify({eventId: id, eventType: 'order.completed', data: {}})
    let status = 0
    return {
      env,
      argv: [],
      async run(hooked) {
        const {child, ended} = start(hooked, [...listenOn, '--save', join(env.HOME ?? '', 'saved')])
        const url = await new Promise<string | undefined>((resolve) => {
          let text = ''
          child.stdout?.on('data', (more: string) => {
            text += more
            const found = /"url":"([^"]+)"/.exec(text)?.[1]
            if (found) resolve(found)
          })
          void ended.then(() => resolve(undefined))
        })
        // The service sends again what was not taken.
        for (let tries = 0; url && tries < 3 && status !== 200; tries += 1)
          status = await within(deliver(Number(new URL(url).port), body), -1)
        child.kill('SIGINT')
        const end = await within(ended, null)
        if (end === null) child.kill('SIGKILL')
        return end ?? ended
      },
      async wrongs({code: first}) {
        const {stdout, stderr, code} = await scent(env, ['webhooks', 'events', '--json'])
        return [
          ...(status === -1 ? ['a delivery without an answer'] : []),
          ...(first === null ? ['it does not end'] : []),
          ...(code === 0 || (code === 5 && status !== 200)
            ? []
            : [`events afterwards: exit ${code}: ${stdout}${stderr}`]),
          ...(status === 200 && !stdout.includes(id) ? ['answered with 200, and not kept'] : []),
        ]
      },
    }
  },
}

const login: Trial = {
  name: 'auth login',
  async scene({url, env: {SCENT_CLIENT_ID = '', SCENT_CLIENT_SECRET = ''}}) {
    const env = bareHome()
    const flags = [
      '--base-url',
      url,
      '--client-id',
      SCENT_CLIENT_ID,
      '--client-secret-stdin',
      '--storage',
      'file',
    ]
    const argv = ['auth', 'login', ...flags, '--json']
    return {
      env,
      argv,
      input: SCENT_CLIENT_SECRET,
      async wrongs(end) {
        const listed = await again(env, ['auth', 'list', '--json'])
        const second = end.code === 0 ? end : await scent(env, argv, SCENT_CLIENT_SECRET)
        const read = await again(env, ['catalog', 'variants', '--page-size', '1', '--json'])
        return [...listed, ...(second.code === 0 ? [] : [`login afterwards: ${second.stdout}`]), ...read]
      },
    }
  },
}

const keychainLogin: Trial = {
  name: 'auth login --storage keychain',
  async scene(shop, name) {
    const {env, argv, ...scene} = await login.scene(shop, name)
    // Without a bus there is no keychain: the process that asks it says so, if it starts.
    return {
      ...scene,
      env,
      argv: argv.map((word) => (word === 'file' ? 'keychain' : word)),
      wrongs: async () => [],
    }
  },
}

const configSet: Trial = {
  name: 'config set',
  async scene() {
    const env = bareHome()
    await scent(env, ['config', 'set', 'customer', 'C-before'])
    const argv = ['config', 'set', 'customer', 'C-after', '--json']
    return {
      env,
      argv,
      async wrongs(end) {
        const {stdout, stderr} = await scent(env, ['config', 'get', 'customer', '--json'])
        const wanted = end.code === 0 ? /"C-after"/ : /"C-(?:before|after)"/
        return wanted.test(stdout) ? [] : [`afterwards it is ${stdout}${stderr}`]
      },
    }
  },
}

/** The sandbox until it is reached, and its end by Ctrl-C. */
async function served(env: NodeJS.ProcessEnv): Promise<Ended> {
  const {child, ended} = start(env, ['sandbox', 'start', '--port', '0', '--json'])
  child.stdout?.on('data', (text: string) => {
    if (text.includes('baseUrl')) child.kill('SIGINT')
  })
  return ended
}

const sandboxStart: Trial = {
  name: 'sandbox start',
  async scene() {
    const env = bareHome()
    return {
      env,
      argv: [],
      run: served,
      async wrongs() {
        const {code, stdout, stderr} = await served(env)
        return code === 0 || code === 130 ? [] : [`start afterwards: exit ${code}: ${stdout}${stderr}`]
      },
    }
  },
}

const detached: Trial = {
  name: 'sandbox start --detach',
  async scene() {
    const env = bareHome()
    const argv = ['sandbox', 'start', '--memory', '--port', '0', '--detach', '--json']
    return {
      env,
      argv,
      wrongs: async ({code}) => (code === 0 ? again(env, ['sandbox', 'stop']) : []),
    }
  },
}

export const trials: readonly Trial[] = [
  checkout,
  ordersImport,
  noticesImport,
  noticesRespond,
  listen,
  login,
  keychainLogin,
  configSet,
  sandboxStart,
  detached,
]
