// The programs that are measured: how each comes here, what switches off what it does beside its work, and its words for
// the same work.
import {execFileSync} from 'node:child_process'
import {existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync} from 'node:fs'
import {basename, join} from 'node:path'
import type {Service} from './service.ts'

const root = process.cwd()
const cache = join(root, 'node_modules/.cache/peers-bench')

export const works = ['version', 'help', 'request', 'list'] as const
export type Work = (typeof works)[number]

export interface Program {
  name: string
  version: string
  command: string
  argv: {[work in Work]: string[]}
  env(service: Service): NodeJS.ProcessEnv
  /** What it keeps of the runs before, and must not have at the next. Relative to its home. */
  forgets?: string
  /** Bytes on the disk and packages, all that came with it. */
  size: number
  packages: number | string
}

/** One that is not here, and why. */
export interface Missing {
  name: string
  reason: string
}

function sizeOf(path: string): number {
  const stat = lstatSync(path)
  const own = stat.blocks * 512
  return stat.isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), own)
    : own
}

const npm = (...argv: string[]) =>
  execFileSync('npm', [...argv, '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1e8,
  })

interface Facts {
  command: string
  size: number
  packages: number | string
}

/** Installs a package into a folder of its own, without its scripts; once. */
function installed(spec: string, bin: string, folder: string): Facts {
  const modules = join(folder, 'node_modules')
  const list = join(modules, '.package-lock.json')
  if (!existsSync(list)) {
    mkdirSync(folder, {recursive: true})
    npm('install', '--prefix', folder, '--no-save', '--engine-strict=false', spec)
  }
  const {packages} = JSON.parse(readFileSync(list, 'utf8'))
  const here = Object.keys(packages).filter((path) => existsSync(join(folder, path)))
  return {command: join(modules, '.bin', bin), size: sizeOf(modules), packages: here.length}
}

/** One request after the other over one connection, each page parsed and printed: the least that Node needs. */
const nodeFloor = `
const {get} = require('node:http')
const agent = new (require('node:http').Agent)({keepAlive: true, maxSockets: 1})
const page = (at) => get(process.argv[1] + '/api/v1/wallet/transactions?page=' + at, {agent, headers: {authorization: 'Bearer x'}}, (answer) => {
  let text = ''
  answer.on('data', (part) => (text += part)).on('end', () => {
    const {items, pagination} = JSON.parse(text).payload
    process.stdout.write(items.map((item) => JSON.stringify(item) + '\\n').join(''))
    if (pagination.hasNext) page(at + 1)
    else agent.destroy()
  })
})
page(1)`

function bareNode(): Program {
  const url = ['-e', nodeFloor, '{url}']
  return {
    name: 'bare node',
    version: process.version.slice(1),
    command: process.execPath,
    argv: {version: ['-e', '0'], help: ['--help'], request: url, list: url},
    env: () => ({}),
    size: sizeOf(process.execPath),
    packages: 'none',
  }
}

function scent(name: string, {command, size, packages}: Facts, version: string): Program {
  const list = ['wallet', 'transactions', '--all', '--output', 'ndjson']
  return {
    name,
    version,
    command,
    argv: {version: ['--version'], help: ['--help'], request: list, list},
    env: ({url}) => ({
      SCENT_BASE_URL: url,
      SCENT_CLIENT_ID: 'bench',
      SCENT_CLIENT_SECRET: 'secret-of-the-bench',
      SCENT_CONFIG_DIR: '{home}/config',
      SCENT_STATE_DIR: '{home}/state',
    }),
    // The quota of a minute: ten lists would wait for it.
    forgets: 'state/quotas',
    size,
    packages,
  }
}

const {version: own} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Packed as it would be published, and installed into an empty folder. */
function scentPackage(folder: string): Program {
  const [{filename}] = JSON.parse(npm('pack', '--json', '--pack-destination', folder))
  return scent('scent', installed(join(folder, filename), 'scent', join(folder, 'scent')), own)
}

function scentExecutable(): Program {
  const command = join(root, `release/scent-${own}-linux-x64`)
  if (!existsSync(command)) throw new Error('not made: npm run nodes && npm run executable')
  return scent('scent, one executable', {command, size: sizeOf(command), packages: '1 file'}, own)
}

/** Of the Debian package, which is unpacked and not installed. */
function gh(): Program {
  const folder = join(cache, 'gh')
  const command = join(folder, 'usr/bin/gh')
  if (!existsSync(command)) {
    mkdirSync(folder, {recursive: true})
    execFileSync('apt-get', ['download', 'gh'], {cwd: folder, stdio: 'ignore'})
    const [file = ''] = readdirSync(folder).filter((one) => one.endsWith('.deb'))
    execFileSync('dpkg-deb', ['-x', join(folder, file), folder])
  }
  const [file = ''] = readdirSync(folder).filter((one) => one.endsWith('.deb'))
  return {
    name: 'gh',
    version: /_([\d.]+)/.exec(file)?.[1] ?? '',
    command,
    argv: {
      version: ['--version'],
      help: ['--help'],
      request: ['api', '{url}/rows'],
      list: ['api', '--paginate', '{url}/rows?per_page=100'],
    },
    env: () => ({GH_TOKEN: 'token-of-the-bench', GH_NO_UPDATE_NOTIFIER: '1', GH_PROMPT_DISABLED: '1'}),
    size: sizeOf(join(folder, 'usr')),
    packages: '1 of Debian',
  }
}

interface NpmPeer extends Pick<Program, 'name' | 'argv' | 'env'> {
  package: string
  version: string
  bin: string
}

const npmPeers: NpmPeer[] = [
  {
    name: 'heroku',
    package: 'heroku',
    version: '11.10.0',
    bin: 'heroku',
    argv: {version: ['--version'], help: ['--help'], request: ['apps', '--json'], list: ['apps', '--json']},
    env: ({url}) => ({
      HEROKU_HOST: url,
      HEROKU_API_KEY: 'token-of-the-bench',
      // It asks this for another part of the account.
      HEROKU_PARTICLEBOARD_URL: url,
      HEROKU_SKIP_NEW_VERSION_CHECK: 'true',
      HEROKU_DISABLE_AUTOUPDATE: 'true',
      DISABLE_TELEMETRY: 'true',
    }),
  },
  {
    name: '@shopify/cli',
    package: '@shopify/cli',
    version: '4.8.2',
    bin: 'shopify',
    argv: {
      version: ['--version'],
      help: ['--help'],
      request: ['theme', 'list', '--json'],
      list: ['theme', 'list', '--json'],
    },
    env: ({url, authority}) => ({
      SHOPIFY_HTTP_PROXY: url,
      SHOPIFY_HTTPS_PROXY: url,
      NODE_EXTRA_CA_CERTS: authority,
      SHOPIFY_FLAG_STORE: 'bench.myshopify.com',
      SHOPIFY_CLI_THEME_TOKEN: 'shpat_of-the-bench',
      SHOPIFY_CLI_NO_ANALYTICS: '1',
      CI: '1',
    }),
  },
  {
    name: 'twilio-cli',
    package: 'twilio-cli',
    version: '6.2.4',
    bin: 'twilio',
    argv: {
      version: ['--version'],
      help: ['--help'],
      request: ['api:core:messages:list', '-o', 'json', '--page-size', '100', '--no-limit'],
      list: ['api:core:messages:list', '-o', 'json', '--page-size', '100', '--no-limit'],
    },
    env: ({url, authority}) => ({
      HTTP_PROXY: url,
      NODE_EXTRA_CA_CERTS: authority,
      TWILIO_ACCOUNT_SID: 'AC00000000000000000000000000000001',
      TWILIO_AUTH_TOKEN: 'token-of-the-bench',
      TWILIO_SKIP_NEW_VERSION_CHECK: 'true',
      TWILIO_DISABLE_AUTOUPDATE: 'true',
    }),
  },
]

function npmPeer({package: name, bin, ...peer}: NpmPeer): Program {
  return {...peer, ...installed(`${name}@${peer.version}`, bin, join(cache, basename(name)))}
}

/** All of them, and those that can't be had here. */
export function programs(folder: string): {here: Program[]; missing: Missing[]} {
  const [here, missing]: [Program[], Missing[]] = [[], []]
  const ways: [string, () => Program][] = [
    ['bare node', bareNode],
    ['scent', () => scentPackage(folder)],
    ['scent, one executable', scentExecutable],
    ['gh', gh],
    ...npmPeers.map((peer): [string, () => Program] => [peer.name, () => npmPeer(peer)]),
  ]
  for (const [name, way] of ways) {
    try {
      here.push(way())
    } catch (error) {
      missing.push({name, reason: String((error as Error).message).split('\n')[0] ?? ''})
    }
  }
  return {here, missing}
}

/** A folder with this Node alone under the name of node, for programs that begin with `env node`. */
export function pathOfNode(folder: string): string {
  const path = join(folder, 'path')
  mkdirSync(path)
  symlinkSync(process.execPath, join(path, 'node'))
  return [path, '/usr/bin', '/bin'].join(':')
}
