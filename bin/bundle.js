// Loads the bundle with the code that V8 compiled for an earlier run: most of a start would be spent on compiling.
const fs = require('node:fs')
const Module = require('node:module')
const {homedir} = require('node:os')
const {dirname, join} = require('node:path')
const vm = require('node:vm')

const {env, platform, arch} = process

/** Where compiled code is kept: the user's own cache folder. Fails for a user without a home. */
function cacheFolder() {
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, 'scent')
  if (platform === 'win32' && env.LOCALAPPDATA) return join(env.LOCALAPPDATA, 'scent/cache')
  return join(homedir(), platform === 'darwin' ? 'Library/Caches/scent' : '.cache/scent')
}

/**
 * The kept code, after one line of JSON that names the commands whose code is in it. Code is run, so a file is only
 * trusted when it belongs to this user and nobody else may write it.
 */
function read(name) {
  let file
  try {
    file = fs.openSync(join(cacheFolder(), name), fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0))
    const {uid, mode} = fs.fstatSync(file)
    if (process.getuid && (uid !== process.getuid() || mode & 0o022)) return undefined
    const bytes = fs.readFileSync(file)
    const end = bytes.indexOf(10)
    return {commands: JSON.parse(bytes.toString('latin1', 0, end)), code: bytes.subarray(end + 1)}
  } catch {
    return undefined
  } finally {
    if (file !== undefined) fs.closeSync(file)
  }
}

/** Step by step: where the system makes no folder, as below /proc, Node's recursive way tries for ever. */
function make(folder) {
  if (fs.existsSync(folder)) return
  make(dirname(folder))
  fs.mkdirSync(folder, {mode: 0o700})
}

/** Without a folder to write to, every start compiles; nothing else is lost. */
function write(name, commands, code) {
  let temporary
  try {
    const folder = cacheFolder()
    temporary = join(folder, `${name}.${process.pid}`)
    make(folder)
    fs.writeFileSync(temporary, Buffer.concat([Buffer.from(`${JSON.stringify(commands)}\n`), code]), {
      mode: 0o600,
      flag: 'wx',
    })
    fs.renameSync(temporary, join(folder, name))
    removeOld(folder)
  } catch {
    try {
      if (temporary) fs.rmSync(temporary, {force: true})
    } catch {}
  }
}

/** Code of other releases, after a month. */
function removeOld(folder) {
  const month = 30 * 24 * 3600 * 1000
  for (const name of fs.readdirSync(folder)) {
    const path = join(folder, name)
    if (name.includes('.code') && Date.now() - fs.statSync(path).mtimeMs > month)
      fs.rmSync(path, {force: true})
  }
}

/**
 * Runs the bundle as the module it is, and registers it, so that oclif's own require of it gets this one. Its first
 * line is a comment with the hash of the rest: V8 itself compares only the length.
 */
exports.load = (path) => {
  const source = fs.readFileSync(path, 'utf8')
  const {mtimeMs} = fs.statSync(path)
  // The code of the sandbox is as large as all other, and only its own commands should pay for it.
  const part = process.argv[2] === 'sandbox' ? 'sandbox' : 'scent'
  const built = `${source.slice(3, 35)}-${Math.trunc(mtimeMs).toString(36)}`
  const name = `${[part, built, process.versions.v8, arch].join('-')}.code`
  const kept = read(name)
  const script = new vm.Script(Module.wrap(source), {filename: path, cachedData: kept?.code})
  const bundle = new Module(path, module)
  bundle.filename = path
  bundle.paths = Module._nodeModulePaths(dirname(path))
  require.cache[path] = bundle
  script
    .runInThisContext()
    .call(bundle.exports, bundle.exports, Module.createRequire(path), bundle, path, dirname(path))
  bundle.loaded = true

  const known = script.cachedDataRejected === false ? kept.commands : undefined
  process.once('exit', (status) => {
    const ran = status === 0 ? bundle.exports.used : []
    const news = ran.filter((id) => !known?.includes(id))
    // V8 drops the code of a long run piece by piece: what is left then would be less than what is kept.
    if ((known && news.length === 0) || process.uptime() > 20) return
    write(name, [...(known ?? []), ...news], script.createCachedData())
  })
  return bundle.exports
}
