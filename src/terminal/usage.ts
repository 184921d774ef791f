import type {Interfaces} from '@oclif/core'
import {Failure, isFailure} from '../contract/failure.ts'
import {nearest} from '../contract/nearest.ts'

/** Turns what a command threw into a Failure: oclif's refusals of a command line, and bugs, which keep their cause. */
export function failureOf(error: unknown, id: string, flags: string[]): Failure {
  if (isFailure(error)) return error
  if (!(error instanceof Error) || !('oclif' in error)) {
    const message = `This is a bug in scent: ${error instanceof Error ? error.message : String(error)}`
    return new Failure('UNEXPECTED', {message}, {cause: error})
  }
  const missing = missingArguments(error)
  if (missing !== undefined) return new Failure('MISSING_INPUT', {message: missing, hint: helpOf(id)})
  const message = reasonsOf(error.message)
  const code = /^Missing/.test(message) ? 'MISSING_INPUT' : 'INVALID_INPUT'
  const unknown = 'flags' in error && Array.isArray(error.flags) ? String(error.flags[0]) : ''
  const [near] = unknown.startsWith('--') ? nearest(unknown.slice(2), flags) : []
  const hint = `${near ? `Did you mean --${near}? ` : ''}${helpOf(id)}`
  return new Failure(code, {message, hint})
}

/** oclif's messages about flags as sentences, the missing flags first. */
function reasonsOf(message: string): string {
  const lines = message
    .replace(/\u001b\[[\d;]*m/g, '')
    .replace(/\n+See more help with --help$/, '')
    .replace(/^The following errors? occurred:\s*/, '')
    .replace(/^Parsing (--\S+)\s+/gm, '$1: ')
    .split(/\s*\n\s*/)
    .filter((line) => line !== '')
  const missing = lines.flatMap((line) => /^Missing required flag (?:--)?(\S+)/.exec(line)?.[1] ?? [])
  const names = missing.map((name) => `--${name}`).join(' and ')
  const others = lines.filter((line) => !line.startsWith('Missing required flag')).map(sentenceOf)
  const told =
    missing.length === 0 ? [] : [`Missing required ${missing.length > 1 ? 'flags' : 'flag'} ${names}.`]
  return [...told, ...new Set(others)].join(' ')
}

function sentenceOf(line: string): string {
  const text = line
    .replace(/^(--[\w-]+)(?:=.*)? cannot also be provided when using (--\S+)$/s, '$1 does not go with $2')
    .replace(/^All of the following must be provided when using (--\S+): (.*)$/, '$1 needs $2 as well')
  return /[.?!]$/.test(text) ? text : `${text}.`
}

const helpOf = (id: string) => `See \`scent ${id.replaceAll(':', ' ')} --help\`.`

interface Arg {
  name: string
  description?: string
  options?: string[]
}

/**
 * Names the arguments that are missing; returns undefined if the error is about something else. oclif's own message
 * goes on about flags that take several values: ours take one each.
 */
function missingArguments(error: Error): string | undefined {
  if (!/^Missing \d+ required arg/.test(error.message) || !('args' in error)) return undefined
  const args = error.args as Arg[]
  const told = args.map(({name, description, options}) => {
    const what = options ? `${options.join(', ')}` : (description ?? '').replace(/\.$/, '')
    return `${name.toUpperCase()}${what && ` (${what})`}`
  })
  return `Missing ${told.join(' and ')}.`
}

/** Whether a command line asks for JSON, even if it can't be parsed. */
export function wantsJson(argv: string[], env: NodeJS.ProcessEnv = process.env): boolean {
  const end = argv.indexOf('--')
  const given = end < 0 ? argv : argv.slice(0, end)
  const asked = (text: string, at: number) =>
    /^--(?:json|query(?:=.*)?|output=json)$/s.test(text) || (text === '--output' && given[at + 1] === 'json')
  return given.some(asked) || (env.SCENT_OUTPUT === 'json' && !given.some((text) => /^--output\b/.test(text)))
}

/** The failure of a command line that names an unknown command; undefined for any other error. */
export function unknownCommand(error: unknown, known: string[]): Failure | undefined {
  const [, id] = (error instanceof Error && /^command (.*) not found\.?$/is.exec(error.message)) || []
  if (id === undefined) return undefined
  if (id.startsWith('-')) {
    const [flag] = id.split(/[=:]/)
    return new Failure('INVALID_INPUT', {
      message: `${flag} stands where a command belongs.`,
      hint: `Flags go after the command, as in \`scent cart show ${flag}\`. See \`scent --help\`.`,
    })
  }
  const words = id.replaceAll(':', ' ')
  const [command] = known
    .filter((one) => id.startsWith(`${one}:`) && !known.some((other) => other.startsWith(`${one}:`)))
    .sort((a, b) => b.length - a.length)
  if (command !== undefined) {
    const rest = id.slice(command.length + 1).replaceAll(':', ' ')
    const message = `\`scent ${command.replaceAll(':', ' ')}\` takes no argument "${rest}".`
    return new Failure('INVALID_INPUT', {message, hint: helpOf(command)})
  }
  const near = nearest(
    words,
    known.map((one) => one.replaceAll(':', ' ')),
  ).map((one) => `\`scent ${one}\``)
  return new Failure('INVALID_INPUT', {
    message: `There is no command \`scent ${words}\`.`,
    hint: `${near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''}See \`scent --help\`.`,
  })
}

interface OutputChoice {
  json?: boolean | undefined
  output?: string | undefined
  columns?: string | undefined
  query?: string | undefined
}

/** Refuses flags that ask for different outputs. SCENT_OUTPUT is only a default, and gives way silently. */
export function requireOneOutput(flags: OutputChoice, raw: Interfaces.ParserOutput['raw']): void {
  const typed = raw.some((token) => token.type === 'flag' && token.flag === 'output')
  const asJson = flags.json || flags.query !== undefined
  const clash =
    asJson && typed && flags.output !== 'json'
      ? `--output ${flags.output} does not go with ${flags.json ? '--json' : '--query'}, which prints JSON.`
      : flags.columns !== undefined && (asJson || flags.output === 'json')
        ? '--columns goes with a table, CSV or ndjson. In JSON, --query chooses.'
        : undefined
  if (clash) throw new Failure('INVALID_INPUT', {message: clash, hint: 'Give one of the two.'})
}
