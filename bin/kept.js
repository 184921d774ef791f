// Keeps the code that V8 compiled, one file for each command: most of a start would be spent on compiling. A file
// begins with a line of JSON that tells where the code of each chunk lies, and its checksum; each lies at a multiple
// of 8. Without a folder to write to every start compiles, and nothing else is lost.
const fs = require('node:fs')
const {homedir} = require('node:os')
const {dirname, join} = require('node:path')
const {crc32} = require('node:zlib')

const {env, platform, arch} = process
const MONTH_MS = 30 * 24 * 3600 * 1000

/** The user's own cache folder. Fails for a user without a home. */
function cacheFolder() {
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, 'scent')
  if (platform === 'win32' && env.LOCALAPPDATA) return join(env.LOCALAPPDATA, 'scent/cache')
  return join(homedir(), platform === 'darwin' ? 'Library/Caches/scent' : '.cache/scent')
}

/**
 * The file's parts, each with the name of its chunk. Code is run, so a file is only trusted if it belongs to this user
 * and nobody else may write it; and V8 believes what it is given, so damaged code would end the process or hang it.
 */
function read(path) {
  let file
  try {
    file = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0))
    const {uid, mode} = fs.fstatSync(file)
    if (process.getuid && (uid !== process.getuid() || mode & 0o022)) return new Map()
    const bytes = fs.readFileSync(file)
    const head = bytes.subarray(0, bytes.indexOf(10))
    const parts = JSON.parse(head.toString('latin1')).map(({name, at, length, sum}) => {
      return [name, {code: bytes.subarray(at, at + length), length, sum}]
    })
    return new Map(parts)
  } catch {
    return new Map()
  } finally {
    if (file !== undefined) fs.closeSync(file)
  }
}

/** The bytes of a file for parts of compiled code, by the name of their chunks. */
function bytesOf(parts) {
  const aligned = (size) => Math.ceil(size / 8) * 8
  const rows = [...parts].map(([name, code]) => ({name, at: 0, length: code.length, sum: crc32(code)}))
  // Wide enough for every place, whatever its digits.
  const room = aligned(JSON.stringify(rows).length + rows.length * 12 + 1)
  let size = room
  for (const row of rows) {
    row.at = size
    size += aligned(row.length)
  }
  const bytes = Buffer.alloc(size)
  bytes.write(JSON.stringify(rows).padEnd(room - 1), 'latin1')
  bytes[room - 1] = 10
  for (const {name, at} of rows) bytes.set(parts.get(name), at)
  return bytes
}

/** Step by step: where the system makes no folder, as below /proc, Node's recursive way tries for ever. */
function make(folder) {
  if (fs.existsSync(folder)) return
  make(dirname(folder))
  fs.mkdirSync(folder, {mode: 0o700})
}

/** Written beside and renamed, and on the disk before: after a power cut a file is the old one or the new one. */
function write(path, bytes) {
  const temporary = `${path}.${process.pid}`
  try {
    make(dirname(path))
    const file = fs.openSync(temporary, 'wx', 0o600)
    try {
      fs.writeSync(file, bytes)
      fs.fsyncSync(file)
    } finally {
      fs.closeSync(file)
    }
    fs.renameSync(temporary, path)
    removeOld(dirname(path))
  } catch {
    remove(temporary)
  }
}

function remove(path) {
  try {
    fs.rmSync(path, {force: true})
  } catch {}
}

/** What was left by other releases, after a month. */
function removeOld(folder) {
  for (const name of fs.readdirSync(folder)) {
    const path = join(folder, name)
    if (name.includes('.code') && Date.now() - fs.statSync(path).mtimeMs > MONTH_MS) remove(path)
  }
}

/**
 * Says in a file beside it that this process begins to run kept code. Returns 'died', and removes both, if a process
 * said so and is gone: it ended before it had started, perhaps because of that code.
 */
function beginWith(path, marker) {
  try {
    fs.writeFileSync(marker, String(process.pid), {flag: 'wx', mode: 0o600})
    return 'marked'
  } catch (error) {
    if (error.code !== 'EEXIST' || isRunning(marker)) return 'unmarked'
    remove(path)
    remove(marker)
    return 'died'
  }
}

/** Whether the process that a marker names still runs; one that has not yet written its id does. */
function isRunning(marker) {
  try {
    const pid = Number(fs.readFileSync(marker, 'utf8'))
    return pid === 0 || process.kill(pid, 0)
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}

exports.cacheFolder = cacheFolder

/** The kept code of one command of one build: it is read at once, and written when the process ends. */
exports.openKept = (command, build) => {
  let path
  try {
    path = join(cacheFolder(), `${[command, build, process.versions.v8, arch].join('-')}.code`)
  } catch {
    return undefined
  }
  const marker = `${path}.begun`
  let parts = read(path)
  const state = parts.size > 0 ? beginWith(path, marker) : 'unmarked'
  let marked = state === 'marked'
  if (state === 'died') parts = new Map()
  return {
    /** The code of a chunk, if it is as it was written. */
    codeOf(name) {
      const {code, length, sum} = parts.get(name) ?? {}
      return code?.length === length && code && crc32(code) === sum ? code : undefined
    },
    /** The command runs: what ends it now is not the kept code. */
    begun() {
      if (marked) remove(marker)
      marked = false
    },
    /** Keeps the code of these chunks, and of those that this run did not need. */
    write(scripts) {
      const kept = [...parts].filter(([name]) => this.codeOf(name)).map(([name, {code}]) => [name, code])
      const fresh = [...scripts].map(([name, script]) => [name, script.createCachedData()])
      write(path, bytesOf(new Map([...kept, ...fresh])))
    },
    /** The process failed. If the command had not begun, the next run compiles, whatever the reason was. */
    failed() {
      if (marked) remove(path)
      this.begun()
    },
  }
}
