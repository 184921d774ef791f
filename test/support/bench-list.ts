// A million ledger entries, listed to their end by the built program as ndjson, beside the bare transfer of the same
// pages. Both read from a sandbox without limits, towards which the program keeps no pace: with the quota of the
// service it would take half an hour. npm run bench:list.
import {spawn} from 'node:child_process'
import {mkdirSync, mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {print} from './bench-figures.ts'
import {type Located, spawnSandbox} from './bench-sandbox.ts'
import {program} from './program.ts'

const rows = Number(process.env.ROWS ?? 1_000_000)

const bare = `
  import {Pool} from 'undici'
  const [, , url = '', clientId, clientSecret] = process.argv
  const pool = new Pool(url, {connections: 1})
  const headers = {'content-type': 'application/json'}
  const mint = {method: 'POST', path: '/api/v1/auth/token', headers, body: JSON.stringify({clientId, clientSecret})} as const
  void (async () => {
    const {payload} = (await (await pool.request(mint)).body.json()) as {payload: {accessToken: string}}
    const headers = {authorization: 'Bearer ' + payload.accessToken}
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const {body} = await pool.request({method: 'GET', path: '/api/v1/wallet/transactions?page=' + page + '&pageSize=100', headers})
      if (page === 1) {
        const text = await body.text()
        pages = JSON.parse(text).payload.pagination.totalPages
        process.stdout.write(text)
      } else for await (const chunk of body) process.stdout.write(chunk)
    }
    await pool.close()
  })()
`

interface Run {
  seconds: number
  /** Of the processor, in the process itself. */
  busy: number
  megabytes: number
  lines: number
  bytes: number
}

/** Runs a program to its end, and reads all that it writes. */
async function run(argv: string[], env: NodeJS.ProcessEnv): Promise<Run> {
  const report = `process.on('exit', () => {
    const {maxRSS, userCPUTime, systemCPUTime} = process.resourceUsage()
    process.stderr.write([maxRSS, userCPUTime + systemCPUTime].join(' '))
  })`
  const hook = `data:text/javascript,${encodeURIComponent(report)}`
  const start = process.hrtime.bigint()
  const child = spawn(process.execPath, ['--import', hook, ...argv], {env, stdio: ['ignore', 'pipe', 'pipe']})
  let [lines, bytes, said] = [0, 0, '']
  child.stderr.on('data', (text) => {
    said += text
  })
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1
  })
  const code = await new Promise((ended) => child.on('close', ended))
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${said}`)
  const seconds = Number(process.hrtime.bigint() - start) / 1e9
  const [peak = 0, busy = 0] = said.split(' ').map(Number)
  return {seconds, busy: busy / 1e6, megabytes: peak / 1024, lines, bytes}
}

async function measure({baseUrl, credentials}: Located, env: NodeJS.ProcessEnv): Promise<void> {
  const [{clientId, clientSecret} = {clientId: '', clientSecret: ''}] = credentials
  const user = {
    ...env,
    SCENT_BASE_URL: baseUrl,
    SCENT_CLIENT_ID: clientId,
    SCENT_CLIENT_SECRET: clientSecret,
  }
  const transfer = await run([program(bare), baseUrl, clientId, clientSecret], env)
  const list = await run(['bin/run.js', 'wallet', 'transactions', '--all', '--output', 'ndjson'], user)
  // The demo's own history stands before them.
  if (list.lines < rows) throw new Error(`${list.lines} rows of ${rows} were listed`)
  console.log(`\n${list.lines} rows, ${(transfer.bytes / 1e6).toFixed(0)} MB, from the sandbox to the end`)
  print('listed by the program as ndjson, seconds', list.seconds.toFixed(1))
  print('bare transfer, seconds', transfer.seconds.toFixed(1))
  print('in times of the bare transfer', (list.seconds / transfer.seconds).toFixed(2))
  print('the same, of the processor alone', (list.busy / transfer.busy).toFixed(2))
  print('microseconds of the processor a row', ((list.busy / list.lines) * 1e6).toFixed(1))
  print('peak memory, MB', list.megabytes.toFixed(0), '<= 150', list.megabytes <= 150)
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'scent-bench-'))
  const env: NodeJS.ProcessEnv = {PATH: process.env.PATH, HOME: folder, XDG_CACHE_HOME: join(folder, 'cache')}
  for (const name of ['config', 'state'] as const) {
    env[`SCENT_${name.toUpperCase()}_DIR`] = join(folder, name)
    mkdirSync(join(folder, name), {mode: 0o700})
  }
  const sandbox = spawnSandbox('bin/run.js', env, ['--seed', `bulk:wallet=${rows}`])
  try {
    await measure(await sandbox.located, env)
  } finally {
    sandbox.stop()
    await sandbox.ended
    rmSync(folder, {recursive: true, force: true, maxRetries: 5})
  }
}

main()
