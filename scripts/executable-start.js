// What the executable without Node begins with. It carries the files of the program, and unpacks them into a folder of the
// user's own: native parts can be loaded from a disk only. On each start it compares them with those that it carries.
const fs = require('node:fs')
const {createRequire} = require('node:module')
const {tmpdir} = require('node:os')
const {dirname, join} = require('node:path')
const sea = require('node:sea')
const vm = require('node:vm')
const {cacheFolder} = require('../bin/kept.js')
const {CALL} = require('../src/store/keychain-call.ts')

const DAY_MS = 24 * 3600 * 1000
/** Which bytes of the asset `files` each file is; `id` is a hash of all of them. */
const {id, files} = JSON.parse(sea.getAsset('index', 'utf8'))
const carried = Buffer.from(sea.getRawAsset('files'))
const name = `program-${id}`

/** A folder of this user that nobody else may write to, made if it is not there. Fails if it is somebody else's. */
function ownFolder(path) {
  if (!fs.existsSync(path)) {
    if (!fs.existsSync(dirname(path))) ownFolder(dirname(path))
    makeFolder(path)
  }
  const stat = fs.lstatSync(path)
  if (!stat.isDirectory()) throw new Error(`${path} is not a folder`)
  if (stat.uid !== process.getuid()) throw new Error(`${path} belongs to another user`)
  if (stat.mode & 0o077) fs.chmodSync(path, 0o700)
}

function makeFolder(path) {
  try {
    fs.mkdirSync(path, {mode: 0o700})
  } catch (error) {
    // Another start was faster.
    if (error.code !== 'EEXIST') throw error
  }
}

/** Takes away what is not one of the program's files: a package that was put there would be loaded before ours. */
function removeStrays(folder) {
  const known = new Set(files.map(({path}) => path))
  const folders = new Set(files.flatMap(({path}) => parents(path)))
  const clear = (inside) => {
    for (const entry of fs.readdirSync(join(folder, inside), {withFileTypes: true})) {
      const path = inside === '' ? entry.name : `${inside}/${entry.name}`
      if (entry.isDirectory() && folders.has(path)) clear(path)
      else if (!entry.isFile() || !known.has(path))
        fs.rmSync(join(folder, path), {recursive: true, force: true})
    }
  }
  clear('')
}

const parents = (path) => (dirname(path) === '.' ? [] : [dirname(path), ...parents(dirname(path))])

/** Whether a file on the disk is byte for byte the one that is carried. */
function isWhole(path, bytes) {
  try {
    return fs.readFileSync(path).equals(bytes)
  } catch {
    return false
  }
}

/** Written beside the folder and renamed: of two starts at once none sees half a file, and both write the same. */
function replace(path, bytes, folder) {
  for (const parent of parents(path).reverse()) makeFolder(join(folder, parent))
  const temporary = `${folder}.${process.pid}-${process.hrtime.bigint()}`
  fs.writeFileSync(temporary, bytes, {flag: 'wx', mode: 0o600})
  fs.renameSync(temporary, join(folder, path))
}

/** Makes the folder hold the program's files, and nothing else. */
function unpack(folder) {
  // Whoever owns the folder above could put another one in its place.
  ownFolder(dirname(folder))
  ownFolder(folder)
  removeStrays(folder)
  const missing = files.filter(({path, at, length}) => {
    return !isWhole(join(folder, path), carried.subarray(at, at + length))
  })
  for (const {path, at, length} of missing) replace(path, carried.subarray(at, at + length), folder)
  if (missing.length > 0) removeOld(folder)
  // By its time another version sees that this one is in use.
  const now = new Date()
  if (now.getTime() - fs.statSync(folder).mtimeMs > DAY_MS) fs.utimesSync(folder, now, now)
}

/** Takes away what other versions unpacked, if they were not started for a month. */
function removeOld(folder) {
  for (const other of fs.readdirSync(dirname(folder))) {
    const path = join(dirname(folder), other)
    const isOld =
      Date.now() - (fs.lstatSync(path, {throwIfNoEntry: false})?.mtimeMs ?? Date.now()) > 30 * DAY_MS
    if (other.startsWith('program-') && path !== folder && isOld)
      fs.rmSync(path, {recursive: true, force: true})
  }
}

/** The folder with the program, in the user's cache; without one that can be used, in that for temporary files. */
function unpacked() {
  const reasons = []
  for (const place of [cacheFolder, () => join(tmpdir(), `scent-${process.getuid()}`)]) {
    try {
      const folder = join(place(), name)
      unpack(folder)
      return folder
    } catch (error) {
      reasons.push(error.message)
    }
  }
  process.stderr.write(
    `Error: scent can't be unpacked, and so not started: ${reasons.join('; ')}.\n` +
      'Next: Set XDG_CACHE_HOME or TMPDIR to a folder of your own, with 12 MB of room.\n',
  )
  process.exit(1)
}

const program = unpacked()
const run = join(program, 'bin/run.js')
const load = createRequire(run)
const [first, ...rest] = process.argv.slice(2)

// The program starts two kinds of processes by the path of Node, which is this file here: itself, and the keychain's.
if (first === '--input-type=commonjs' && rest[0] === '-e' && rest[1] === CALL) {
  process.argv.splice(1, Number.POSITIVE_INFINITY, ...rest.slice(3))
  vm.runInThisContext(`(function (require) {${CALL}})`)(load)
} else {
  if (first === run) process.argv.splice(1, 1)
  else process.argv[1] = run
  load(run)
}
