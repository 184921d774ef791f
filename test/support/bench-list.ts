// A million ledger entries, listed to their end as ndjson, beside the bare transfer of the same bytes. The quota of
// the service alone would take half an hour for them, so that the list is read without one. npm run bench:list.
import {spawn} from 'node:child_process'
import {print} from './bench-figures.ts'
import {program} from './program.ts'

const rows = Number(process.env.ROWS ?? 1_000_000)

const server = `
  import {createServer} from 'node:http'
  const row = (n: number) => '{"transactionType":"Debit","amount":1.50,"balanceBefore":' + (n + 1) * 1.5 + ',"balanceAfter":' + n * 1.5 +
    ',"currency":"SAR","referenceType":"Order","timestamp":"2026-01-01T00:00:00.000Z","displayCurrency":null,"rate":null,"amountDisplay":null,"balanceBeforeDisplay":null,"balanceAfterDisplay":null}'
  createServer((request, answer) => {
    const page = Number(new URL(request.url ?? '', 'http://x').searchParams.get('page'))
    const items = Array.from({length: Math.min(100, ${rows} - (page - 1) * 100)}, (_, n) => row((page - 1) * 100 + n))
    answer.setHeader('content-type', 'application/json')
    answer.end('{"state":"SUCCESS","payload":{"items":[' + items.join(',') + '],"pagination":{"page":' + page +
      ',"pageSize":100,"totalCount":${rows},"totalPages":${rows / 100},"hasPrevious":true,"hasNext":' + (page * 100 < ${rows}) + '}},"details":null}')
  }).listen(0, '127.0.0.1', function () { console.log(this.address().port) })
`

/** The parts of the program that a list goes through, without its pacing. */
const lister = `
  import {createClient} from './src/client/client.ts'
  import {unpaced} from './src/client/pace.ts'
  import {realTime} from './src/client/time.ts'
  import {openTransport} from './src/client/transport.ts'
  import {listWalletTransactions} from './src/contract/wallet.ts'
  import {Outlet, showViews} from './src/terminal/output.ts'
  import {transactionColumns} from './src/terminal/wallet.ts'
  const client = createClient({
    ...realTime,
    send: openTransport({}, {many: true}),
    baseUrl: process.argv[2] ?? '',
    tokens: {get: async () => 'token', renew: async () => 'token', forget: () => {}},
    pacer: unpaced,
    maxWaitMs: 0,
    timeoutMs: 30_000,
  })
  const rows = client.pages(listWalletTransactions, {})
  void showViews(new Outlet(process.stdout), [{rows, columns: transactionColumns(false)}], 'ndjson', undefined)
`

const bare = `
  import {Pool} from 'undici'
  const pool = new Pool(process.argv[2] ?? '', {connections: 1})
  void (async () => {
    for (let page = 1; page <= ${rows / 100}; page += 1) {
      const {body} = await pool.request({method: 'GET', path: '/?page=' + page + '&pageSize=100'})
      for await (const chunk of body) process.stdout.write(chunk)
    }
    await pool.close()
  })()
`

interface Run {
  seconds: number
  megabytes: number
  lines: number
  bytes: number
}

/** Runs a program to its end, and reads all that it writes. */
async function run(file: string, url: string): Promise<Run> {
  const report = `process.on('exit', () => process.stderr.write(String(process.resourceUsage().maxRSS)))`
  const hook = `data:text/javascript,${encodeURIComponent(report)}`
  const start = process.hrtime.bigint()
  const child = spawn(process.execPath, ['--import', hook, file, url], {stdio: ['ignore', 'pipe', 'pipe']})
  let [lines, bytes, peak] = [0, 0, '']
  child.stderr.on('data', (text) => {
    peak += text
  })
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1
  })
  const code = await new Promise((ended) => child.on('close', ended))
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${peak}`)
  const seconds = Number(process.hrtime.bigint() - start) / 1e9
  return {seconds, megabytes: Number(peak) / 1024, lines, bytes}
}

async function main(): Promise<void> {
  const child = spawn(process.execPath, [program(server)], {stdio: ['ignore', 'pipe', 'inherit']})
  const port = await new Promise((ready) => child.stdout.once('data', (text) => ready(String(text).trim())))
  try {
    const url = `http://127.0.0.1:${port}`
    const transfer = await run(program(bare), url)
    const list = await run(program(lister), url)
    if (list.lines !== rows) throw new Error(`${list.lines} rows of ${rows} were listed`)
    console.log(`\nA list of ${rows} rows, ${(transfer.bytes / 1e6).toFixed(0)} MB`)
    print('listed as ndjson, seconds', list.seconds.toFixed(1))
    print('bare transfer, seconds', transfer.seconds.toFixed(1))
    print('in times of the bare transfer', (list.seconds / transfer.seconds).toFixed(2))
    print('peak memory, MB', list.megabytes.toFixed(0), '<= 150', list.megabytes <= 150)
  } finally {
    child.kill()
  }
}

main()
