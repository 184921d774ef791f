import {execFile, execFileSync, spawn} from 'node:child_process'
import {appendFileSync, chmodSync, cpSync, mkdirSync, readdirSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {promisify} from 'node:util'
import {beforeAll, describe, expect, test} from 'vitest'
import {orderFile} from '../support/order-file.ts'
import {folder} from '../support/program.ts'
import {openShop} from '../support/served-shop.ts'

const program = join(dirname(fileURLToPath(import.meta.url)), '../../bin/run.js')
const execute = promisify(execFile)
const place = folder()
/** Of the user at whose terminal TAB is pressed. */
let env: NodeJS.ProcessEnv = process.env

/** Completes the last of the words as the shell would after Tab. Answers the candidates. */
type Complete = (...words: string[]) => Promise<string[]>

const lines = (text: string) => text.split('\n').filter((line) => line !== '')

const complete: {[shell: string]: Complete} = {
  bash: async (...words) => {
    const script = `source ${place}/bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _scent; printf '%s\\n' "\${COMPREPLY[@]}"`
    const {stdout} = await execute('bash', ['--norc', '-c', script, 'bash', 'scent', ...words], {env})
    return lines(stdout)
  },
  zsh: async (...words) => {
    // What the shell's own functions would be handed.
    const script = `compdef() { :; }; _files() { print FILES; }
      _describe() { [[ $1 == -o ]] && shift; print -l -- "\${(@P)2}"; }
      source ${place}/zsh; words=("$@"); CURRENT=$#; _scent`
    const {stdout} = await execute('zsh', ['-f', '-c', script, 'zsh', 'scent', ...words], {env})
    const last = words.at(-1) ?? ''
    return lines(stdout)
      .map((line) => line.split(':')[0] ?? '')
      .filter((word) => word.startsWith(last))
  },
  fish: async (...words) => {
    const script = `source ${place}/fish; complete -C "$argv"`
    const {stdout} = await execute('fish', ['--no-config', '-c', script, ['scent', ...words].join(' ')], {
      env,
    })
    return lines(stdout).map((line) => line.split('\t')[0] ?? '')
  },
}

function missing(shell: string): boolean {
  try {
    execFileSync(shell, ['-c', 'true'])
    return false
  } catch {
    console.warn(`Skipped: there is no ${shell}: apt-get install ${shell}`)
    return true
  }
}

/** A user who has worked for a while with a service that is not there any more: whatever asks it fails. */
async function someoneOffline(): Promise<{
  env: NodeJS.ProcessEnv
  job: string
  order: string
  webhook: string
}> {
  const shop = await openShop()
  await shop.json(['catalog', 'sync'])
  await shop.json(['cart', 'add', 'RML-SAF-050', '--customer', 'C-ONE'])
  const walk = 'checkout --customer C-ONE --reference PO-ONE --yes --address'
  const {id} = await shop.json([...walk.split(' '), shop.address])
  const row = {externalReference: "PO'TWO x", customerRef: 'C-TWO'}
  const {job} = await shop.json(['orders', 'import', orderFile(place, 'two.csv', [row]), '--yes'])
  const hook = 'webhooks create --url http://127.0.0.1:9/ --event order.completed'
  const webhook = (await shop.json(hook.split(' '))).id
  const {SCENT_BASE_URL = '', SCENT_CLIENT_SECRET = '', ...rest} = shop.env
  const login = 'auth login --storage file --client-id rimal-retail --client-secret-stdin --name'
  for (const name of ['rimal', 'other'])
    await shop.scent([...login.split(' '), name, '--base-url', SCENT_BASE_URL], {input: SCENT_CLIENT_SECRET})
  await shop.close()
  const bin = join(place, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'scent'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)
  chmodSync(join(bin, 'scent'), 0o755)
  const there = {...rest, SCENT_BASE_URL, SCENT_CLIENT_SECRET, PATH: `${bin}:${process.env.PATH}`}
  return {env: there, job, order: id, webhook}
}

let someone: Awaited<ReturnType<typeof someoneOffline>>
beforeAll(async () => {
  someone = await someoneOffline()
  env = someone.env
})

describe.each(Object.keys(complete))('completion for %s', (shell) => {
  const skip = missing(shell)
  const tab: Complete = (...words) => complete[shell]?.(...words) ?? Promise.resolve([])

  beforeAll(async () => {
    const {stdout} = await execute(process.execPath, [program, 'autocomplete', shell])
    writeFileSync(join(place, shell), stdout)
  })

  test.skipIf(skip)('knows the topics and the commands of a topic', async () => {
    expect(await tab('')).toEqual(
      expect.arrayContaining(['auth', 'cart', 'orders', 'explain', 'autocomplete']),
    )
    expect((await tab('cart', '')).sort()).toEqual(expect.arrayContaining(['add', 'clear', 'show']))
    expect(await tab('cart', 'sh')).toEqual(['show'])
  })

  test.skipIf(skip)('knows the flags of a command and no others', async () => {
    expect(await tab('cart', 'show', '--cust')).toEqual(['--customer'])
    expect(await tab('auth', 'login', '--cust')).toEqual([])
    expect(await tab('orders', 'get', '6c1f', '--glo')).toEqual(['--global'])
  })

  test.skipIf(skip)('knows the values of a flag and of an argument', async () => {
    expect(await tab('cart', 'show', '--output', 'nd')).toEqual(['ndjson'])
    expect((await tab('auth', 'login', '--storage', '')).sort()).toEqual(['file', 'keychain'])
    expect(await tab('explain', 'RATE')).toEqual(['RATE_LIMITED'])
    expect(await tab('explain', 'createO')).toEqual(['createOrder'])
    expect((await tab('api', 'P')).sort()).toEqual(['PATCH', 'POST', 'PUT'])
    expect(await tab('api', 'GET', 'scent/wish')).toEqual(['scent/wishlist/{customerRef}'])
    expect(await tab('api', 'POST', 'scent/wish')).toEqual(['scent/wishlist/{customerRef}/items'])
  })

  test.skipIf(skip)('knows what the local records know, and asks no service for it', async () => {
    const {job, order, webhook} = someone
    expect(await tab('cart', 'add', 'RML-SAF-0')).toEqual(['RML-SAF-002', 'RML-SAF-050'])
    expect(await tab('cart', 'add', 'RML-SAF-002', 'RML-SAF-1')).toEqual(['RML-SAF-100'])
    expect(await tab('discounts', 'update', 'X', '--variant', 'NJD-INC-002')).toEqual(['NJD-INC-002'])
    expect(await tab('orders', 'get', 'PO-')).toEqual(['PO-ONE'])
    expect(await tab('orders', 'track', order.slice(0, 6))).toEqual([order])
    expect(await tab('returns', 'list', '--order', 'PO-')).toEqual(['PO-ONE'])
    expect((await tab('cart', 'show', '--customer', '')).sort()).toEqual(['C-ONE', 'C-TWO'])
    expect(await tab('jobs', 'resume', job.slice(0, 10))).toEqual([job])
    expect(await tab('webhooks', 'enable', webhook.slice(0, 4))).toEqual([webhook])
    expect((await tab('orders', 'list', '--profile', '')).sort()).toEqual(['other', 'rimal'])
    expect(await tab('auth', 'use', 'ri')).toEqual(['rimal'])
    expect(await tab('orders', 'list', '--columns', 'externalReference,out')).toEqual([
      'externalReference,outcome',
    ])
    expect(await tab('jobs', 'list', '--columns', 'sta')).toEqual(
      expect.arrayContaining(['state', 'startedAt']),
    )
    // A reference with a blank and a quote is one word of the command line.
    const [word] = await tab('orders', 'get', 'PO')
    expect([word, ...(await tab('orders', 'get', 'PO'))].join()).toContain('TWO')
  })

  test.skipIf(skip)('falls back on flags if the records know nothing', async () => {
    expect(await tab('jobs', 'show', '--wat')).toEqual(['--watch'])
    expect(await tab('orders', 'get', 'nothing-begins-so')).toEqual([])
  })
})

test('what completes leaves nothing out on a machine that is busy', async () => {
  const child = spawn(
    process.execPath,
    [program, 'complete', 'variants', 'cart add', '--', 'cart', 'add', 'RML-SAF-0'],
    {env},
  )
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  const ended = new Promise((done) => child.once('close', done))
  // It gets a small part of the time, as where many others work.
  let turn = 0
  const turns = setInterval(() => {
    turn += 1
    child.kill(turn % 24 === 0 ? 'SIGCONT' : 'SIGSTOP')
  }, 3)
  await ended
  clearInterval(turns)
  expect(text.split('\n').map((line) => line.split('\t')[0])).toEqual(['RML-SAF-002', 'RML-SAF-050', ''])
})

test('what completes never fails, and says nothing about it, whatever it is asked', async () => {
  const damaged = folder()
  const records = join(env.SCENT_STATE_DIR ?? '', 'records')
  cpSync(env.SCENT_STATE_DIR ?? '', damaged, {recursive: true})
  for (const identity of readdirSync(records))
    for (const name of ['orders', 'catalog'])
      appendFileSync(join(damaged, 'records', identity, `${name}.ndjson`), 'nonsense\nmore\n')
  for (const [argv, more] of [
    [['complete'], {}],
    [['complete', 'nonsense', 'x', '--', '']],
    [['complete', 'variants']],
    [['complete', 'columns', '__proto__', '--', '']],
    [['complete', 'variants', 'cart add', '--', '--profile', 'nobody', '']],
    [['complete', 'variants', 'cart add', '--', '--json', '--help', '-x'.repeat(50_000)]],
    [['complete', 'variants', 'cart add', '--', ''], {SCENT_STATE_DIR: damaged}],
    [['complete', 'orders', 'orders get', '--', ''], {SCENT_STATE_DIR: damaged}],
    [['complete', 'profiles', 'cart add', '--', ''], {SCENT_CONFIG_DIR: '/dev/null'}],
  ] as [string[], NodeJS.ProcessEnv?][]) {
    const {stdout, stderr} = await execute(process.execPath, [program, ...argv], {env: {...env, ...more}})
    expect({argv, stdout: stdout.replace(/.*\n/g, ''), stderr}).toEqual({argv, stdout: '', stderr: ''})
  }
})

test('without a shell that it knows it says which there are', async () => {
  await expect(execute(process.execPath, [program, 'autocomplete', 'tcsh'])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('bash, zsh, fish'),
  })
})
