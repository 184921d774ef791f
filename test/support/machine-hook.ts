// A machine that fails, for the built program: what Node asks of the disk and the clock is answered by a hook.
import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {folder} from './program.ts'

/**
 * What is wrong: no room on the disk, flushes that fail, little room, a clock that ran on while the
 * machine slept, or minutes that pass at once.
 */
type Trouble = '' | 'full' | 'fsync' | 'low' | 'slept' | 'minutes'

export interface Machine {
  /** For the program that runs on it. */
  env: NodeJS.ProcessEnv
  have(trouble: Trouble): void
}

const HOUR = 3_600_000

/** A machine on which something can go wrong while the program runs. */
export function faultyMachine(): Machine {
  const place = folder()
  const flag = join(place, 'trouble')
  const env = hooked(
    place,
    `const trouble = () => readFileSync(${JSON.stringify(flag)}, 'utf8')
    fs.writeSync = (fd, ...rest) => {
      if (fd > 2 && trouble() === 'full') throw refusal('ENOSPC')
      return writeSync(fd, ...rest)
    }
    fs.fsync = (fd, done) => (trouble() === 'fsync' ? setImmediate(done, refusal('EIO')) : fsync(fd, done))
    fs.fsyncSync = (fd) => {
      if (trouble() === 'fsync') throw refusal('EIO')
      fsyncSync(fd)
    }
    fs.statfsSync = (path) => ({...statfsSync(path), ...(trouble() === 'low' && {bavail: 1})})
    const {now} = Date
    Date.now = () => now() + (trouble() === 'slept' ? ${HOUR} : 0)
    const ticks = performance.now.bind(performance)
    performance.now = () => ticks() + (trouble() === 'minutes' ? ${HOUR} : 0)`,
  )
  const have = (trouble: Trouble) => writeFileSync(flag, trouble)
  have('')
  return {env, have}
}

/**
 * A machine whose disk keeps what was flushed when the power fails, and nothing else for sure. With \`lies\` it says that
 * a flush is done before it is: as if the program did not wait.
 */
export function powerCutMachine({lies}: {lies: boolean}): {
  env: NodeJS.ProcessEnv
  flushed(): Map<string, number>
} {
  const place = folder()
  const log = join(place, 'flushed')
  const env = hooked(
    place,
    `const log = openSync(${JSON.stringify(log)}, 'a')
    const paths = new Map()
    const sizes = new Map()
    const keep = (path, size) => {
      sizes.set(path, size)
      writeSync(log, JSON.stringify([path, size]) + '\\n')
    }
    fs.openSync = (path, ...rest) => {
      const fd = openSync(path, ...rest)
      paths.set(fd, path)
      return fd
    }
    fs.linkSync = (from, to) => {
      linkSync(from, to)
      if (sizes.has(from)) keep(to, sizes.get(from))
    }
    fs.fsyncSync = (fd) => {
      const {size} = fstatSync(fd)
      fsyncSync(fd)
      keep(paths.get(fd), size)
    }
    fs.fsync = (fd, done) => {
      const {size} = fstatSync(fd)
      if (${lies}) setImmediate(done, null)
      setTimeout(() => {
        keep(paths.get(fd), size)
        if (!${lies}) done(null)
      }, ${lies ? 2_000 : 3})
    }`,
  )
  const flushed = () =>
    new Map(
      readFileSync(log, 'utf8')
        .split('\n')
        // The last line may be torn.
        .filter((line) => line.endsWith(']'))
        .map((line) => JSON.parse(line) as [string, number]),
    )
  return {env, flushed}
}

/** A machine that writes down to whom connections are opened: hosts, or paths of sockets. */
export function watchedMachine(): {env: NodeJS.ProcessEnv; called(): string[]} {
  const log = join(folder(), 'called')
  writeFileSync(log, '')
  const env = hooked(
    folder(),
    `const {Socket} = require('node:net')
    const {connect} = Socket.prototype
    Socket.prototype.connect = function (...given) {
      const [first, second] = Array.isArray(given[0]) ? given[0] : given
      const {host, path} = typeof first === 'object' ? first : {host: second}
      fs.appendFileSync(${JSON.stringify(log)}, (path ?? host ?? 'localhost') + '\\n')
      return connect.apply(this, given)
    }`,
  )
  return {env, called: () => readFileSync(log, 'utf8').split('\n').filter(Boolean)}
}

function hooked(place: string, source: string): NodeJS.ProcessEnv {
  const path = join(place, 'hook.cjs')
  const names = 'writeSync, readFileSync, openSync, linkSync, fstatSync, fsync, fsyncSync, statfsSync'
  writeFileSync(
    path,
    `const fs = require('node:fs')
    const {${names}} = fs
    const refusal = (code) => Object.assign(new Error(code + ': simulated'), {code})
    ${source}
    require('node:module').syncBuiltinESMExports()`,
  )
  return {NODE_OPTIONS: `--require ${path}`}
}
