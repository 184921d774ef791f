#!/usr/bin/env node
// Prints what the build wrote down already; anything else starts the program.
const {existsSync, readFileSync, writeSync} = require('node:fs')
const {join} = require('node:path')

const dist = join(__dirname, '../dist')
const argv = process.argv.slice(2)

/** The version and the root's help, as oclif prints them; undefined where the program itself must answer. */
function ready() {
  const [first = '--help', ...rest] = argv
  const help = ['--help', '-h', 'help'].includes(first)
  if (rest.length > 0 || !(help || first === '--version')) return undefined
  const texts = JSON.parse(readFileSync(join(dist, 'ready.json'), 'utf8'))
  const version = `${texts.name} ${process.platform}-${process.arch} node-${process.version}`
  if (!help) return `${version}\n`
  const tty = require('node:tty').isatty(1)
  // The text was made for 80 columns or more.
  if (process.env.OCLIF_COLUMNS || (tty && process.stdout.columns < 80)) return undefined
  return texts[coloured(tty) ? 'bold' : 'plain'].replace('{version}', version)
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
