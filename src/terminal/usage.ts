import type {Interfaces} from '@oclif/core'
import {Failure, isFailure} from '../contract/failure.ts'
import {nearest} from '../contract/nearest.ts'
import {nameOnLine, type Takes} from './names.ts'

/** Turns what a command threw into a Failure: oclif's refusals of a command line, and bugs, which keep their cause. */
export function failureOf(error: unknown, id: string, takes: Takes): Failure {
  if (isFailure(error)) return onLine(unwrapped(error), takes)
  if (error instanceof Error && 'syscall' in error) return refusedBySystem(error as NodeJS.ErrnoException)
  if (!(error instanceof Error) || !('oclif' in error)) {
    const message = `This is a bug in scent: ${error instanceof Error ? error.message : String(error)}`
    return new Failure('UNEXPECTED', {message}, {cause: error})
  }
  const message = reasonsOf(error.message)
  const unknown = 'flags' in error && Array.isArray(error.flags) ? String(error.flags[0]) : ''
  const [near] = unknown.startsWith('--') ? nearest(unknown.slice(2), takes.flags) : []
  const hint = `${near ? `Did you mean --${near}? ` : ''}${helpOf(id)}`
  return new Failure('INVALID_INPUT', {message, hint})
}

/** A file or a process that the system refused, in a step that has no words of its own for it. */
function refusedBySystem(error: NodeJS.ErrnoException): Failure {
  const what = error.path ?? `What the program asked of the system (${error.syscall})`
  return new Failure('FILE_FAILED', {message: `${what} could not be used (${error.code}).`}, {cause: error})
}

/** Into the message of a flag's own check oclif writes around it. */
function unwrapped(failure: Failure): Failure {
  failure.message = failure.message.replace(/^Parsing --\S+ \n\t(.*)\nSee more help with --help$/s, '$1')
  return failure
}

/** A check of the client begins its message with a field of the API: a person knows the flag. */
function onLine(failure: Failure, takes: Takes): Failure {
  const {code, facts, message, cause} = failure
  const [field = ''] = Object.keys((facts.details as {errors?: object} | null | undefined)?.errors ?? {})
  const name = nameOnLine(field, takes)
  if (code !== 'INVALID_INPUT' || name === field || !message.startsWith(field)) return failure
  return new Failure(code, {...facts, message: name + message.slice(field.length)}, {cause})
}

/** oclif's messages about flags as sentences. */
function reasonsOf(message: string): string {
  const lines = message
    .replace(/\u001b\[[\d;]*m/g, '')
    .replace(/\n+See more help with --help$/, '')
    .replace(/^The following errors? occurred:\s*/, '')
    .replace(/^Parsing (--\S+)\s+/gm, '$1: ')
    .split(/\s*\n\s*/)
    .filter((line) => line !== '')
  return [...new Set(lines.map(sentenceOf))].join(' ')
}

function sentenceOf(line: string): string {
  const text = line
    .replace(/^(--[\w-]+)(?:=.*)? cannot also be provided when using (--\S+)$/s, '$1 does not go with $2')
    .replace(/^All of the following must be provided when using (--\S+): (.*)$/, '$1 needs $2 as well')
  return /[.?!]$/.test(text) ? text : `${text}.`
}

export const helpOf = (id: string) => `See \`scent ${id.replaceAll(':', ' ')} --help\`.`

/** Whether a command line asks for JSON, even if it can't be parsed. */
export function wantsJson(argv: string[], env: NodeJS.ProcessEnv = process.env): boolean {
  const end = argv.indexOf('--')
  const given = end < 0 ? argv : argv.slice(0, end)
  const asked = (text: string, at: number) =>
    /^--(?:json|query(?:=.*)?|output=json)$/s.test(text) || (text === '--output' && given[at + 1] === 'json')
  return given.some(asked) || (env.SCENT_OUTPUT === 'json' && !given.some((text) => /^--output\b/.test(text)))
}

/**
 * The failure of a command line that names an unknown command; undefined for any other error. `flagsOf` knows the flags
 * of a command.
 */
export function unknownCommand(
  error: unknown,
  known: string[],
  flagsOf: (id: string) => string[] = () => [],
): Failure | undefined {
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
    const meant = flagsOf(command).includes('customer') ? `Did you mean --customer ${rest}? ` : ''
    return new Failure('INVALID_INPUT', {message, hint: `${meant}${helpOf(command)}`})
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

/** What --columns names is not among the `known` columns. */
export function noColumn(name: string, known: readonly {key: string}[]): Failure {
  const list = [...new Set(known.map(({key}) => key))].join(', ')
  return new Failure('INVALID_INPUT', {
    message: name === '' ? '--columns names an empty column.' : `There is no column "${name}".`,
    hint: `${list && `Known columns: ${list}. `}If you did not type it, \`scent config list\` shows the setting that names it.`,
  })
}
