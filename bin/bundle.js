// Loads the files that the build made of the program (dist/*.cjs, here chunks), with their compiled code if it was kept.
const fs = require('node:fs')
const Module = require('node:module')
const {join} = require('node:path')
const vm = require('node:vm')
const {openKept} = require('./kept.js')

const dist = join(__dirname, '../dist')
const outside = Module.createRequire(join(dist, 'scent.cjs'))
/** Of every chunk that was loaded: its module, its script, and whether that had to be compiled. */
const modules = new Map()
const scripts = new Map()
let compiled = false
let kept

/** Loads a chunk once, and returns what it exports. */
function load(name) {
  const known = modules.get(name)
  if (known) return known.exports
  const filename = join(dist, name)
  const source = Module.wrap(fs.readFileSync(filename, 'utf8'))
  const cachedData = kept?.codeOf(name)
  const script = new vm.Script(source, {filename, cachedData})
  if (script.cachedDataRejected !== false) compiled = true
  scripts.set(name, script)
  const module = {exports: {}}
  modules.set(name, module)
  script.runInThisContext().call(module.exports, module.exports, requireFrom, module, filename, dist)
  return module.exports
}

/** Chunks name each other ./NAME; all other names are built in, or packages beside the program. */
function requireFrom(name) {
  return name.startsWith('./') ? load(name.slice(2)) : outside(name)
}
requireFrom.resolve = outside.resolve

/** Runs a command line. The first chunk is small, and finds out which command it is, whose code is kept. */
exports.run = async (argv) => {
  const {run, build} = load('scent.cjs')
  scripts.clear()
  await run(argv, {
    begin(id) {
      kept = openKept(id?.replaceAll(':', '.') ?? 'other', build)
      compiled = false
      process.once('exit', keep)
    },
    begun: () => kept?.begun(),
  })
}

function keep(status) {
  if (status !== 0) kept?.failed()
  // V8 drops the code of a long run piece by piece: what is left then would be less than what is kept.
  else if (compiled && process.uptime() < 20) kept?.write(scripts)
}
