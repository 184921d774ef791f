// Measures the program against its bars and prints them; nothing here is a test. npm run bench, or npm run bench -- desk.
import {execFileSync} from 'node:child_process'
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {availableParallelism, loadavg, tmpdir} from 'node:os'
import {join} from 'node:path'
import {benchBulk} from './bench-bulk.ts'
import {benchDesk} from './bench-desk.ts'
import {median, print} from './bench-figures.ts'
import {benchPage} from './bench-page.ts'
import {benchSandbox, type Running, startSandbox} from './bench-sandbox.ts'
import {benchExecutable, benchStart} from './bench-start.ts'

const folder = mkdtempSync(join(tmpdir(), 'scent-bench-'))
const program = join(process.cwd(), 'bin/run.js')

/** NODE_EXTRA_CA_CERTS costs Node 20 about as much as a whole start, ours and the baseline's. */
const {NODE_EXTRA_CA_CERTS: _, ...inherited} = process.env
const env: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(inherited).filter(([name]) => !name.startsWith('SCENT_'))),
  SCENT_CONFIG_DIR: join(folder, 'config'),
  SCENT_STATE_DIR: join(folder, 'state'),
  XDG_CACHE_HOME: join(folder, 'cache'),
}

/** Peak resident memory in kilobytes: each process writes down its own at its end. */
function benchMemory({env: sandboxEnv, orderId}: Running): void {
  const hook = join(folder, 'peak.cjs')
  const report = join(folder, 'peak')
  writeFileSync(
    hook,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(report)}, String(process.resourceUsage().maxRSS)))`,
  )
  const peak = (...args: string[]) =>
    median(
      Array.from({length: 7}, () => {
        execFileSync(process.execPath, ['--require', hook, ...args], {env: {...env, ...sandboxEnv}})
        return Number(readFileSync(report, 'utf8'))
      }),
    )
  const base = peak('-e', '0')
  console.log(`\nPeak memory, in times of \`node -e 0\` (${(base / 1024).toFixed(0)} MB)`)
  const ratio = (name: string, bar: number, value: number) =>
    print(name, value.toFixed(2), `<= ${bar}`, value <= bar)
  ratio('--version', 1.1, peak(program, '--version') / base)
  ratio('orders get', 1.5, peak(program, 'orders', 'get', orderId) / base)
}

function benchSize(): void {
  const listing = execFileSync('npm', ['pack', '--dry-run', '--json', '--silent', '--ignore-scripts'], {
    encoding: 'utf8',
  })
  const [{unpackedSize, size}] = JSON.parse(listing)
  console.log('\nPackage')
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`
  print('own files, installed', megabytes(unpackedSize), '<= 3.5 MB', unpackedSize <= 3.5e6)
  print('own files, to download', megabytes(size))
}

async function benchAll(): Promise<void> {
  const running = await startSandbox(program, env)
  try {
    benchStart(program, env, folder, running)
    benchMemory(running)
    benchExecutable(program, env, folder, running)
  } finally {
    running.stop()
  }
  benchSize()
  await benchSandbox(program, env)
  await benchBulk(program, env, folder)
}

async function main(): Promise<void> {
  const [load = 0] = loadavg()
  if (load > availableParallelism() / 2)
    console.log(`This machine is busy (load ${load.toFixed(1)}): expect worse.\n`)
  try {
    if (process.argv[3] !== 'desk') await benchAll()
    await benchDesk(program, env, folder)
    await benchPage(env, folder)
  } finally {
    rmSync(folder, {recursive: true, force: true, maxRetries: 5})
  }
}

main()
