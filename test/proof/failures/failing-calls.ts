// One call to the system that fails, for the built program: the k-th of those that it makes below its own folders, or a
// connection, a port or a process. Each run also tells which calls it made, so that a sweep knows how many there are.
import {existsSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {folder} from '../../support/program.ts'

/** A call of the program: what it does, by which function, and to what. */
export interface SystemCall {
  kind:
    | 'open'
    | 'create'
    | 'write'
    | 'flush'
    | 'rename'
    | 'link'
    | 'mkdir'
    | 'remove'
    | 'read'
    | 'look'
    | 'mode'
    | 'connect'
    | 'listen'
    | 'spawn'
  call: string
  path: string
  /** How it failed, if it did. */
  code?: string
}

export interface CallFault {
  /** Which call fails, from 1; of those of these kinds, if some are named. */
  at: number
  /** How; by default in a way that calls of its kind fail, another one at each place. */
  code?: string
  kinds?: readonly SystemCall['kind'][]
  /** Every later call of these kinds fails as well: a disk that is full, or was mounted anew, read-only. */
  onwards?: boolean
}

/** What changes a disk. */
export const changes = ['create', 'write', 'flush', 'rename', 'link', 'mkdir', 'remove', 'mode'] as const

/** How calls of a kind may fail. */
const codes: Record<SystemCall['kind'], readonly string[]> = {
  open: ['EMFILE', 'EACCES', 'EIO'],
  create: ['ENOSPC', 'EACCES', 'EROFS', 'EMFILE'],
  write: ['ENOSPC', 'EIO', 'EDQUOT'],
  flush: ['EIO', 'ENOSPC'],
  rename: ['EACCES', 'ENOSPC', 'EIO'],
  link: ['EPERM', 'ENOSPC', 'EMLINK'],
  mkdir: ['EACCES', 'ENOSPC', 'EROFS'],
  remove: ['EACCES', 'EROFS', 'EIO'],
  read: ['EIO'],
  look: ['EACCES', 'EIO', 'EMFILE'],
  mode: ['EPERM', 'EROFS'],
  connect: ['ECONNREFUSED', 'ECONNRESET', 'EMFILE', 'EACCES'],
  listen: ['EACCES', 'EMFILE', 'EADDRNOTAVAIL'],
  spawn: ['EAGAIN', 'ENOENT', 'EMFILE'],
}

const source = `
const {at = 0, code: wanted, codes, kinds, onwards = false, below, log} = JSON.parse(process.env.SCENT_TEST_CALLS)
// A process that this one starts has calls of its own, and none of them fails.
delete process.env.NODE_OPTIONS
const fs = require('node:fs')
const path = require('node:path')
const own = {...fs}
const out = own.openSync(log, 'a')
const names = new Map()
let count = 0
let inside = false
let over = false
process.on('exit', () => { over = true })

/** The failure of a call, if it is the one. */
function fails(kind, call, name) {
  if (over || (kinds && !kinds.includes(kind))) return undefined
  count += 1
  const strikes = at > 0 && (onwards ? count >= at : count === at)
  const code = strikes ? (wanted ?? codes[kind][at % codes[kind].length]) : undefined
  own.writeSync(out, JSON.stringify({kind, call, path: name, code}) + '\\n')
  if (!strikes) return undefined
  const of = kind === 'connect' || kind === 'listen' || kind === 'spawn' ? call + ' ' + name : call + " '" + name + "'"
  return Object.assign(new Error(code + ': simulated, ' + of), {code, errno: -5, syscall: call, path: name})
}

const nameOf = (file) =>
  typeof file === 'number' ? names.get(file) : file instanceof URL ? file.pathname : String(file)
const isOurs = (name) => name !== undefined && below.some((folder) => name === folder || name.startsWith(folder + '/'))

/** Node's own functions call each other: only what the program calls is counted. */
function counted(kind, call, real, file, rest) {
  const name = inside ? undefined : nameOf(file)
  if (!isOurs(name)) return real()
  const error = fails(typeof kind === 'function' ? kind(...rest) : kind, call, name)
  const back = rest.at(-1)
  if (error && typeof back === 'function' && !call.endsWith('Sync')) return void setImmediate(back, error)
  if (error) throw error
  inside = true
  try {
    return real()
  } finally {
    inside = false
  }
}

const {O_WRONLY, O_RDWR, O_CREAT} = fs.constants
const opening = (flags = 'r') =>
  (typeof flags === 'string' ? flags !== 'r' : (flags & (O_WRONLY | O_RDWR | O_CREAT)) !== 0) ? 'create' : 'open'

const kindsOf = {
  openSync: opening, open: opening,
  writeSync: 'write', writeFileSync: 'write', write: 'write', appendFileSync: 'write', ftruncateSync: 'write', truncateSync: 'write',
  fsyncSync: 'flush', fsync: 'flush', fdatasyncSync: 'flush',
  renameSync: 'rename', linkSync: 'link', symlinkSync: 'link', mkdirSync: 'mkdir', mkdtempSync: 'mkdir',
  rmSync: 'remove', unlinkSync: 'remove', rmdirSync: 'remove',
  readSync: 'read', readFileSync: 'read', read: 'read',
  readdirSync: 'look', statSync: 'look', lstatSync: 'look', fstatSync: 'look', statfsSync: 'look', realpathSync: 'look', watch: 'look',
  chmodSync: 'mode', fchmodSync: 'mode', utimesSync: 'mode', futimesSync: 'mode',
}
for (const [call, kind] of Object.entries(kindsOf)) {
  fs[call] = (file, ...rest) => {
    const result = counted(kind, call, () => own[call](file, ...rest), file, rest)
    if (call === 'openSync' && typeof result === 'number') names.set(result, nameOf(file))
    return result
  }
}
fs.realpathSync.native = own.realpathSync.native
const {open: openAsync} = own
fs.open = (file, ...rest) => {
  const done = rest.pop()
  return counted(opening, 'open', () => openAsync(file, ...rest, (error, fd) => {
    if (fd !== undefined) names.set(fd, nameOf(file))
    done(error, fd)
  }), file, [...rest, done])
}
fs.closeSync = (fd) => {
  names.delete(fd)
  return own.closeSync(fd)
}
const promises = fs.promises
for (const [call, kind] of Object.entries({open: opening, readFile: 'read', writeFile: 'write', mkdir: 'mkdir', mkdtemp: 'mkdir', readdir: 'look', stat: 'look', rm: 'remove', rename: 'rename', unlink: 'remove'})) {
  const real = promises[call]
  promises[call] = async (file, ...rest) => {
    const name = nameOf(file)
    const error = isOurs(name) ? fails(typeof kind === 'function' ? kind(...rest) : kind, call, name) : undefined
    if (error) throw error
    const result = await real.call(promises, file, ...rest)
    if (call === 'open' && isOurs(name))
      for (const [method, what] of Object.entries({read: 'read', writeFile: 'write', write: 'write', stat: 'look', sync: 'flush'})) {
        const inner = result[method].bind(result)
        result[method] = async (...args) => {
          const problem = fails(what, method, name)
          if (problem) throw problem
          return inner(...args)
        }
      }
    return result
  }
}

const net = require('node:net')
const connect = net.Socket.prototype.connect
net.Socket.prototype.connect = function (...args) {
  const [first] = Array.isArray(args[0]) ? args[0] : args
  const error = fails('connect', 'connect', String(first?.port ?? first?.path ?? first))
  if (error === undefined) return connect.apply(this, args)
  process.nextTick(() => this.destroy(error))
  return this
}
const listen = net.Server.prototype.listen
net.Server.prototype.listen = function (...args) {
  const error = fails('listen', 'listen', String(args[0]?.port ?? args[0]))
  if (error === undefined) return listen.apply(this, args)
  process.nextTick(() => this.emit('error', error))
  return this
}
const processes = require('node:child_process')
const spawn = processes.spawn
processes.spawn = (file, ...rest) => {
  const error = fails('spawn', 'spawn', path.basename(file))
  if (error === undefined) return spawn(file, ...rest)
  const child = spawn('/nonexistent/program', ...rest)
  child.emit = ((emit) => (name, ...args) => emit.call(child, name, ...(name === 'error' ? [error] : args)))(child.emit)
  return child
}
require('node:module').syncBuiltinESMExports()
`

export interface FailingCalls {
  /** For a run in which that call fails, or none. */
  env(fault?: CallFault): NodeJS.ProcessEnv
  /** The calls of the runs since the last look. */
  calls(): SystemCall[]
}

/** `below`: the folders in which calls to the disk are counted. */
export function failingCalls(below: readonly string[]): FailingCalls {
  const place = folder()
  const [hook, log] = [join(place, 'hook.cjs'), join(place, 'calls')]
  writeFileSync(hook, source)
  return {
    env: (fault) => {
      return {
        NODE_OPTIONS: `--require ${hook}`,
        SCENT_TEST_CALLS: JSON.stringify({...fault, codes, below, log}),
      }
    },
    calls() {
      const text = existsSync(log) ? readFileSync(log, 'utf8') : ''
      writeFileSync(log, '')
      return text
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line) as SystemCall)
    },
  }
}
