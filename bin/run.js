#!/usr/bin/env node
// Prints what the build wrote down already; anything else starts the program.
const {existsSync, readFileSync, writeSync} = require('node:fs')
const {join} = require('node:path')

const dist = join(__dirname, '../dist')
const argv = process.argv.slice(2)

/** The page of help that a command line asks for, if the build wrote it; undefined if the program itself must answer. */
function page() {
  if (argv.length === 1 && argv[0] === '--version') return read('version')
  const flag = ['--help', '-h'].includes(argv.at(-1))
  const words = flag ? argv.slice(0, -1) : argv[0] === 'help' ? argv.slice(1) : argv
  if (!words.every((word) => /^[a-z][a-z-]*$/.test(word))) return undefined
  const name = ['scent', ...words].join('.')
  const guide = argv[0] === 'help' && !flag ? read(`guides/${name}`) : undefined
  if (guide) return guide
  // The name of a command alone runs it.
  return read(`topics/${name}`) ?? (words === argv ? undefined : read(`commands/${name}`))
}

function read(name) {
  try {
    return readFileSync(join(dist, 'help', `${name}.txt`), 'utf8')
  } catch {
    return undefined
  }
}

/** A page as this terminal shows it; undefined if it was not made for one like this. */
function ready() {
  const text = page()
  if (text === undefined) return undefined
  const tty = require('node:tty').isatty(1)
  const narrow = process.env.OCLIF_COLUMNS || (tty && process.stdout.columns < 80)
  if (narrow && argv[0] !== '--version') return undefined
  const version = `${process.platform}-${process.arch} node-${process.version}`
  const painted = text.replace('{version}', version)
  return coloured(tty) ? painted : painted.replaceAll(/\u001b\[[\d;]*m/g, '')
}

/** As the program itself decides it: src/terminal/text.ts. */
function coloured(tty) {
  const {FORCE_COLOR, NO_COLOR, TERM} = process.env
  if (NO_COLOR) return false
  return FORCE_COLOR ? !['0', 'false'].includes(FORCE_COLOR) : tty && TERM !== 'dumb'
}

function print(text) {
  try {
    writeSync(1, text)
  } catch (error) {
    // A reader that went away wants no more; a pipe that is full takes the text later.
    if (error.code === 'EAGAIN') process.stdout.write(text)
    else if (error.code !== 'EPIPE') {
      process.exitCode = 1
      process.stderr.write(`Error: stdout could not be written (${error.code}).\n`)
    }
  }
}

function start() {
  const text = ready()
  if (text) print(text)
  else require('./bundle.js').run(argv)
}

if (existsSync(dist)) start()
else {
  process.stderr.write('This copy of scent is not built yet: npm ci && npm run build\n')
  process.exitCode = 1
}
