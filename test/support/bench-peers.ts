// Measures scent beside the command lines of others and bare Node, all in one run, and prints the tables of
// docs/peers.md. npm run bench:peers; RUNS=3 for a quick look.
//
// What makes it fair:
// - One machine, one Node for all that need one, one run: each round runs every program once, one after the other, so
//   that a busy moment hits all of them. What is printed are medians, and their ratios to `node -e 0` of the same rounds.
// - Before anything is timed, each program does the work once, which warms its caches, and once more, of which the exit
//   code, the output and what the service was asked for are looked at. Each timed run must end well, write as many bytes
//   as that one, and ask for as many rows.
// - Each starts as a person starts it, by the link that npm made; in an environment of its own and a home of its own,
//   with stdin closed and its output in a file.
// - Nobody looks for updates or reports usage: GH_NO_UPDATE_NOTIFIER, HEROKU_ and TWILIO_SKIP_NEW_VERSION_CHECK and
//   _DISABLE_AUTOUPDATE, DISABLE_TELEMETRY (heroku), SHOPIFY_CLI_NO_ANALYTICS; scent does neither.
// - The rows come from one service on loopback, the same rows to each, a hundred a page, over HTTP to those that can
//   (TLS, behind a proxy on loopback, to twilio and Shopify, which can't).
// - Peak memory is that of the largest process of a run, as /usr/bin/time tells it, measured in runs of their own.
import {spawn} from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import {cpus, loadavg, tmpdir, totalmem} from 'node:os'
import {join} from 'node:path'
import {median} from './bench-figures.ts'
import {type Program, pathOfNode, programs, type Work, works} from './peers/programs.ts'
import {markOf, openService, type Service} from './peers/service.ts'
import {type Figures, tables} from './peers/tables.ts'

const RUNS = Number(process.env.RUNS ?? 11)
const MEMORY_RUNS = Math.min(RUNS, 5)
const ROWS: {[work in Work]: number} = {version: 0, help: 0, request: 1, list: 10_000}
const timeTool = '/usr/bin/time'

const folder = mkdtempSync(join(tmpdir(), 'scent-peers-'))
process.env.TMPDIR = folder
const path = pathOfNode(folder)

/** One piece of work of one program, ready to be run again and again. */
interface Job {
  program: Program
  work: Work
  run(through?: string[]): Promise<Run>
}

interface Run {
  milliseconds: number
  stdout(): string
  bytes: number
  requests: number
  rows: number
}

function jobOf(program: Program, work: Work, service: Service): Job {
  const argv = program.argv[work]
  const home = join(folder, 'homes', program.name.replace(/\W+/g, '-'))
  mkdirSync(home, {recursive: true, mode: 0o700})
  const filled = (text = '') => text.replace('{home}', home).replace('{url}', service.url)
  const own = Object.entries(program.env(service)).map(([name, value]) => [name, filled(value)])
  const env = {PATH: path, HOME: home, LANG: 'C.UTF-8', TMPDIR: folder, ...Object.fromEntries(own)}
  const line = [program.command, ...argv.map(filled)]
  const out = join(home, `${work}.out`)
  const said = join(home, `${work}.err`)
  return {
    program,
    work,
    async run(through = []) {
      if (program.forgets) rmSync(join(home, program.forgets), {recursive: true, force: true})
      service.served()
      const files = [openSync(out, 'w'), openSync(said, 'w')] as const
      const [command = '', ...rest] = [...through, ...line]
      const start = process.hrtime.bigint()
      const child = spawn(command, rest, {env, cwd: home, stdio: ['ignore', ...files]})
      const code = await new Promise((ended, failed) => child.on('exit', ended).on('error', failed))
      const milliseconds = Number(process.hrtime.bigint() - start) / 1e6
      for (const file of files) closeSync(file)
      if (code !== 0)
        throw new Error(`${program.name}, ${work}: ended with ${code}\n${readFileSync(said, 'utf8')}`)
      return {
        milliseconds,
        stdout: () => readFileSync(out, 'utf8'),
        bytes: statSync(out).size,
        ...service.served(),
      }
    },
  }
}

/** Fails unless the program has really done the work. */
function checkRun({program, work}: Job, run: Run): void {
  const text = run.stdout()
  const fail = (why: string) => {
    throw new Error(`${program.name}, ${work}: ${why}\n${text.slice(0, 500)}`)
  }
  if (work === 'version' && program.name !== 'bare node' && !text.includes(program.version))
    fail(`did not print ${program.version}`)
  if (work === 'help' && !(/usage/i.test(text) && text.length > 300)) fail('did not print its help')
  const wanted = ROWS[work]
  const found = new Set(text.match(/row-\d{6}-mark/g) ?? [])
  if (found.size !== wanted) fail(`printed ${found.size} rows of ${wanted}`)
  if (wanted > 0 && !(found.has(markOf(0)) && found.has(markOf(wanted - 1)))) fail('printed other rows')
  if (run.rows !== wanted) fail(`was given ${run.rows} rows of ${wanted}`)
}

/** Does the work twice, to warm what it keeps and to see that it is done. Returns what a run must be like. */
async function prove(job: Job): Promise<Run> {
  await job.run()
  const run = await job.run()
  checkRun(job, run)
  console.error(
    `${job.program.name}, ${job.work}: exit 0, ${run.bytes} bytes, ${run.rows} rows in ${run.requests} requests, ${run.milliseconds.toFixed(0)} ms`,
  )
  return run
}

/** Medians in milliseconds and peak memory, of all programs by turns. */
async function race(jobs: Job[]): Promise<Figures[]> {
  const proofs: Run[] = []
  for (const job of jobs) proofs.push(await prove(job))
  const times = jobs.map((): number[] => [])
  const peaks = jobs.map((): number[] => [])
  const same = (at: number, run: Run) => {
    const {rows, bytes} = proofs[at] ?? run
    if (run.rows !== rows || Math.abs(run.bytes - bytes) > bytes / 100)
      throw new Error(`${jobs[at]?.program.name}, ${jobs[at]?.work}: this run is not like the one before`)
  }
  for (let round = 0; round < RUNS; round += 1)
    for (const [at, job] of jobs.entries()) {
      const run = await job.run()
      same(at, run)
      times[at]?.push(run.milliseconds)
    }
  const report = join(folder, 'peak')
  for (let round = 0; round < MEMORY_RUNS && existsSync(timeTool); round += 1)
    for (const [at, job] of jobs.entries()) {
      same(at, await job.run([timeTool, '-f', '%M', '-o', report]))
      peaks[at]?.push(Number(readFileSync(report, 'utf8')) * 1024)
    }
  return jobs.map(({program, work}, at) => ({
    name: program.name,
    work,
    milliseconds: median(times[at] ?? []),
    peak: median(peaks[at] ?? []),
    requests: proofs[at]?.requests ?? 0,
  }))
}

async function main(): Promise<void> {
  const {here, missing} = programs(folder)
  const services = {one: await openService(ROWS.request), many: await openService(ROWS.list)}
  const before = loadavg()[0] ?? 0
  try {
    const found: Figures[] = []
    for (const work of works) {
      const service = work === 'list' ? services.many : services.one
      const jobs = here.map((program) => jobOf(program, work, service))
      // `node -e 0` runs with each of them, so that every ratio is of one race.
      const base = work === 'version' ? [] : here.slice(0, 1).map((bare) => jobOf(bare, 'version', service))
      found.push(...(await race([...base, ...jobs])))
    }
    const load = [before, loadavg()[0] ?? 0].map((one) => one.toFixed(1)).join(' before and ')
    console.log(
      `${new Date().toISOString().slice(0, 10)}; ${cpus().length} cores (${cpus()[0]?.model}), ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${process.arch}, Node ${process.versions.node}; load ${load} after; medians of ${RUNS} runs, memory of ${MEMORY_RUNS}.\n`,
    )
    console.log(tables(here, missing, found))
  } finally {
    await Promise.all([services.one.close(), services.many.close()])
    rmSync(folder, {recursive: true, force: true, maxRetries: 5})
  }
}

main()
