import {writeFileSync} from 'node:fs'
import {afterAll, beforeAll, describe, expect, it, vi} from 'vitest'
import {api, type OperationName, operationsAt} from '../../src/contract/api.ts'
import {isDigits, parseJson, printJson} from '../../src/contract/money.ts'
import {foldersOf} from '../../src/store/paths.ts'
import {saveLocator} from '../../src/store/sandbox.ts'
import {fieldAt, type Schema} from '../../src/terminal/paths.ts'
import {effort} from '../support/effort.ts'
import {scentAmongMany} from '../support/many.ts'
import {type Ran, scent} from '../support/scent.ts'
import {filesBelow} from '../support/served-shop.ts'
import {type Seen, serve, type TestServer} from '../support/server.ts'
import {screens} from '../terminal/screens.ts'
import {emptyUser, openStage, type Stage} from '../terminal/stage.ts'

// One operation is a thousand runs.
vi.setConfig({testTimeout: 600_000, hookTimeout: 300_000})

/**
 * Every command that only reads, against answers in which each field in turn is absent, null, or of another type: it
 * shows the rest, and ends with 0. The fields are those of the contract and of the sandbox's own answers; the commands
 * are those of the main screens, and these.
 */
const furtherLines = [
  'api GET scent/cart/C-1001/checkout-preview',
  'cart show',
  'cart show --customer C-1001 --currency KWD',
  'catalog brands bf15d3f8-9ad1-4163-8c1f-fa32dee11101',
  'catalog scents 8f4ef755-2bb4-4fd2-9a67-94dd1f96fd81',
  'catalog variants --page-size 3 --currency KWD',
  'catalog variants --all',
  'catalog variants --search saffron',
  'catalog variant RML-SAF-050',
  'checkout preview --customer C-1001 --lock --currency KWD',
  'orders get SCN-0000000004 --currency KWD',
  'returns list --order <returned>',
  'reports sales by-day --from 2026-01-01 --to 2026-12-01',
  'wallet transactions --currency KWD --page-size 3',
  'wallet transactions --check',
  'webhooks deliveries <webhook> --failed',
]

/** What these lines can't do without, and so refuse; all else they show. */
const needed: {[line: string]: RegExp} = {
  'catalog sync': /^(items)?$/,
  'catalog variants --all': /^(items)?$/,
  'catalog variants --search saffron': /^(items)?$/,
  // A SKU stands for a variant only if the service says so too.
  'catalog variant RML-SAF-050': /^(items(\.0(\.sku)?)?)?$/,
  'wallet transactions --check': /^(items)?$/,
  // It asks for an entry to see whether the service works.
  doctor: /^(items(\.0(\.amount)?)?)?$/,
  'webhooks deliveries <webhook> --failed': /^(items)?$/,
  'webhooks timeline <webhook>': /^(items)?$/,
}

type Path = (string | number)[]

/** One request of a line, and what it was answered. */
interface Read {
  line: string
  argv: string[]
  /** The request, as method and URL. */
  request: string
  operation: OperationName
  payload: unknown
}

let stage: Stage
let door: TestServer & {seen: Seen[]}
let env: NodeJS.ProcessEnv
let reads: Read[]
/** What is kept of the catalog on this machine, by its path, before any answer is odd. */
let usualCatalog: [string, string][]
/** A request whose answer is replaced, and by what payload. */
let odd: {request: string; payload: unknown} | undefined

/** As if in a terminal of so many columns, or in a pipe. */
const run = (argv: string[], columns?: number) => scentAmongMany(env, argv, '', columns)

beforeAll(async () => {
  stage = await openStage()
  const {baseUrl, clientId, clientSecret} = stage.rimal
  const usual = new Map<string, {status: number; text: string}>()
  door = await serve(async ({method, url, headers, body}, response) => {
    const request = `${method} ${url}`
    if (odd?.request === request) {
      response.writeHead(200, {'content-type': 'application/json'})
      response.end(`{"state":"SUCCESS","details":null,"payload":${printJson(odd.payload, 0)}}`)
      return
    }
    const changes = method !== 'GET' && !url.endsWith('/auth/token')
    const {host: _, ...others} = headers
    const ask = async () => {
      const init = {method, headers: others as Record<string, string>, body: body || null}
      const answer = await fetch(`${baseUrl}${url}`, init)
      return {status: answer.status, text: await answer.text()}
    }
    const forbidden = {status: 403, text: '{"state":"FORBIDDEN"}'}
    const {status, text} = changes ? forbidden : (usual.get(request) ?? (await ask()))
    // Nothing changes what the sandbox answers, so it is asked once.
    if (method === 'GET' && status === 200) usual.set(request, {status, text})
    response.writeHead(status, {'content-type': 'application/json'}).end(text)
  })
  env = {
    ...emptyUser(),
    SCENT_BASE_URL: door.url,
    SCENT_CLIENT_ID: clientId,
    SCENT_CLIENT_SECRET: clientSecret,
  }
  const paced = {baseUrl: door.url, adminUrl: door.url, adminToken: '', credentials: [], limits: false}
  saveLocator(foldersOf(env), {...paced, pid: process.pid})
  await scent(stage.env, ['cart', 'add', ...stage.fill('<incense>')])
  reads = await readsOf([...mainLines(), ...furtherLines])
  usualCatalog = filesBelow(env.HOME ?? '').filter(([path]) => path.endsWith('/catalog.ndjson'))
  expect(usualCatalog).toHaveLength(1)
})

afterAll(async () => {
  await door.close()
  await stage.close()
})

/** The main screens of commands that ask nothing and start nothing. */
const mainLines = () =>
  Object.values(screens)
    .filter(({line, asks, before, user}) => !asks && !before && !user && !/^(sandbox|auth|jobs) /.test(line))
    .map(({line}) => line)

/** What each line reads of the service, if it only reads. */
async function readsOf(lines: string[]): Promise<Read[]> {
  const found: Read[] = []
  for (const line of lines) {
    const argv = stage.fill(line)
    const before = door.seen.length
    const {code, stderr} = await run([...argv, '--json'])
    const seen = door.seen.slice(before).filter(({url}) => !url.endsWith('/auth/token'))
    if (seen.length === 0 || seen.some(({method}) => method !== 'GET')) continue
    expect({line, code, stderr: code === 0 ? '' : stderr}).toEqual({line, code: 0, stderr: ''})
    for (const url of new Set(seen.map((one) => one.url))) {
      const [operation] = operationsAt(new URL(url, door.url).pathname, 'GET')
      const answer = await run(['api', 'GET', url])
      if (operation)
        found.push({line, argv, request: `GET ${url}`, operation, payload: parseJson(answer.stdout)})
    }
  }
  return found
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isDigits(value)

/** The paths of all fields below the answer itself that it has, or that the contract says it has; of a list its first row. */
function pathsIn(schema: Schema, value: unknown, path: Path = []): Path[] {
  const name = ['payload', ...path].join('.')
  const own = isObject(value) ? Object.keys(value) : []
  const known = Object.keys(fieldAt({shape: {payload: schema}}, name)?.shape ?? {})
  const names = Array.isArray(value) ? value.slice(0, 1).keys() : new Set([...known, ...own])
  return [...names].flatMap((key): Path[] => {
    const at = [...path, key]
    return [at, ...pathsIn(schema, valueAt(value, [key]), at)]
  })
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value)

/** The payload with another value at a path, or without it. */
function changed(payload: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value
  if (Array.isArray(payload)) {
    const inner = changed(payload[key as number], rest, value)
    return payload.flatMap((one, at) => (at !== key ? [one] : inner === undefined ? [] : [inner]))
  }
  const held = isObject(payload) ? payload : {}
  const inner = changed(held[key], rest, value)
  const {[key]: _, ...others} = held
  return inner === undefined ? others : {...held, [key]: inner}
}

const otherTypes: [string, unknown][] = [
  ['a text', 'odd'],
  ['a number', 7],
  ['a truth', true],
  ['a list', [1, 'two', null]],
  ['an object', {a: {b: 1}}],
]

const typeOf = (value: unknown) => (isDigits(value) ? 'number' : Array.isArray(value) ? 'list' : typeof value)

/** What comes in the place of a value: nothing, null, and another type, all of them in proofs and else by turns. */
function oddities(value: unknown, turn: number): [string, unknown][] {
  const others = otherTypes.filter(([, other]) => typeOf(other) !== typeOf(value))
  const all: [string, unknown][] = [
    ['absent', undefined],
    ['null', null],
    others[turn % others.length] ?? ['a text', 'odd'],
  ]
  const odd = all.filter(([, other]) => other !== value)
  return effort({little: [odd[turn % odd.length]], all: odd}) as typeof all
}

const leavesOf = (value: unknown): number =>
  Array.isArray(value) || isObject(value)
    ? Object.values(value).reduce((sum: number, one) => sum + leavesOf(one), 0)
    : 1

/** Runs a line against a payload: in a pipe, in a wide terminal, and if asked to, for a script. */
async function shown({argv, request}: Read, payload: unknown, isScript = true) {
  // Each run adds what it is told of the catalog: the next would read it all.
  for (const [path, text] of usualCatalog) writeFileSync(path, text, 'latin1')
  odd = {request, payload}
  const pipe = await run(argv)
  const screen = await run(argv, 300)
  const json = isScript ? {json: await run([...argv, '--json'])} : {}
  odd = undefined
  return {pipe, screen, ...json}
}

type Shown = Awaited<ReturnType<typeof shown>>

/** The cells of the pipe that are not there any more. */
function lostCells(before: Ran, after: Ran): string[] {
  const left = after.stdout.split(/[\t\n]/)
  return before.stdout.split(/[\t\n]/).filter((cell) => {
    const at = left.indexOf(cell)
    if (at >= 0) left.splice(at, 1)
    return at < 0 && cell !== ''
  })
}

/** What is wrong with what a line shows if one field, whose usual value is `value`, holds something else. */
function* faultsIn(
  read: Read,
  path: Path,
  value: unknown,
  usual: Shown,
  now: Shown,
  payload: unknown,
): Generator<string> {
  // Without its only row a list is empty.
  const isRow = typeof path.at(-1) === 'number'
  for (const [form, {code, stdout, stderr}] of Object.entries(now)) {
    const text = `${form}: ${stderr || stdout}`
    if (code === 0 && /\bNaN\b|undefined|\[object |Infinity|bug in/.test(stdout + stderr)) yield text
    if (code !== 0 && !needed[read.line]?.test(path.join('.'))) yield `ends with ${code}, ${text}`
    // A pipe gets nothing of an answer without fields.
    const isEmpty = form === 'pipe' && (payload === null || payload === undefined || leavesOf(payload) === 0)
    const says = usual[form as keyof Shown]?.stdout !== '' && !isEmpty
    if (code === 0 && says && !isRow && stdout + stderr === '') yield `${form} says nothing`
  }
  if (now.pipe.code !== 0 || read.argv[0] === 'api' || path.length === 0) return
  // A field that is shown fills one cell, or one of each row.
  const lost = lostCells(usual.pipe, now.pipe).filter((cell) => cell !== path.at(-1))
  if (lost.length > Math.max(1, leavesOf(value))) yield `hides ${lost.join(', ')}`
}

/** Every field of one answer of a line, in turn: what goes wrong. */
async function faultsOf(read: Read): Promise<string[]> {
  const faults: string[] = []
  const usual = await shown(read, read.payload)
  const isPayload = usual.json?.stdout === `${printJson(read.payload)}\n`
  const paths: Path[] = [[], ...pathsIn(api[read.operation].payload as Schema, read.payload)]
  for (const [turn, path] of paths.entries()) {
    const value = valueAt(read.payload, path)
    for (const [what, other] of oddities(value, turn)) {
      const payload = changed(read.payload, path, other)
      // For a script nothing is drawn: one of the values is enough.
      const now = await shown(read, payload, what !== 'null')
      const found = [...faultsIn(read, path, value, usual, now, payload)]
      if (isPayload && now.json && now.json.stdout !== `${printJson(payload)}\n`)
        found.push('--json prints something else')
      faults.push(
        ...found.map((text) =>
          `${read.line}: ${path.join('.') || 'the answer'} ${what}: ${text}`.slice(0, 300),
        ),
      )
    }
  }
  return faults
}

describe('a field that is absent, null or of another type', () => {
  const operations = (Object.keys(api) as OperationName[]).filter((name) => api[name].method === 'GET')

  it.each(operations)('hides nothing of the answer of %s', async (operation) => {
    const its = reads.filter((read) => read.operation === operation)
    expect(its, `No line of this test reads ${operation}.`).not.toEqual([])
    const faults: string[] = []
    for (const read of its) faults.push(...(await faultsOf(read)))
    expect(faults).toEqual([])
  })

  it('is shown by the built program as well', async () => {
    const read = reads.find(({line}) => line === 'catalog variants --all') as Read
    odd = {request: read.request, payload: changed(read.payload, ['items', 0, 'id'], 7)}
    const {code, stdout} = await scent(env, read.argv)
    odd = undefined
    expect([code, stdout]).toEqual([0, expect.stringContaining('NJD-INC-002')])
  })
})
