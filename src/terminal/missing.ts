import {Failure} from '../contract/failure.ts'
import type {Ask} from './ask.ts'
import {type Loose, listed, type Options} from './parsing.ts'
import {failureOf, helpOf} from './usage.ts'

/** An argument or a flag that must be given and was not. */
interface Missing {
  /** As it stands in a command line: `ID`, `--from TIME`. */
  shape: string
  /** What it is, in the words of its help. */
  about: string
  values: readonly string[] | undefined
  /** The command line with an answer in its place. */
  put(argv: string[], answer: string): string[]
}

interface Given {
  flags: Loose
  args: Loose
}

interface Line<O, P> {
  id: string
  argv: string[]
  options: O
  /** Whether the command asks for a yes later on. */
  confirms: boolean
  parse(options: O, argv: string[]): Promise<P>
  /** Who can be asked, under these flags. */
  ask(flags: Loose): Promise<Ask>
}

/**
 * Completes a command line that lacks something, by asking for it. If nobody can be asked, it fails with MISSING_INPUT
 * and names all that is missing. What is wrong with the rest of the line is told before.
 */
export async function complete<O extends object, P extends Given>({
  id,
  argv,
  options,
  confirms,
  parse,
  ask: asking,
}: Line<O, P>): Promise<P> {
  const relaxed = relax(options)
  const given = await parse(relaxed, argv)
  const missing = missingOf(options, given)
  if (missing.length === 0) return parse(options, argv)
  const ask = await asking(given.flags)
  if (!ask.interactive) throw lacking(id, missing, confirms && !given.flags.yes && !given.flags['dry-run'])
  let words = argv
  for (const {shape, about, values, put} of missing) {
    const question = {message: `${about.replace(/\.$/, '')} (${shape})`, flag: shape}
    const check = async (answer: string) => {
      if (answer === '') return 'It is needed.'
      const problem = (error: unknown) => failureOf(error, id, {flags: [], args: []}).message
      return parse(relaxed, put(words, answer)).then(() => undefined, problem)
    }
    const choices = values?.map((value) => ({name: value, value}))
    words = put(words, await (choices ? ask.choose({...question, choices}) : ask.text({...question, check})))
  }
  return parse(options, words)
}

function lacking(id: string, missing: Missing[], lacksYes: boolean): Failure {
  const told = missing.map(({shape, about, values}) =>
    shape.startsWith('-') ? shape : `${shape} (${values?.join(', ') ?? about.replace(/\.$/, '')})`,
  )
  return new Failure('MISSING_INPUT', {
    message: `Missing ${listed([...told, ...(lacksYes ? ['--yes'] : [])])}.`,
    hint: helpOf(id),
  })
}

/** The same, but everything may be left out. */
function relax<O extends object>(options: O): O {
  const {flags, args}: Options = options
  const relaxed = ({exactlyOne, required: _, ...item}: Loose) => item
  const each = (items: Loose = {}) =>
    Object.fromEntries(Object.entries(items).map(([name, item]) => [name, relaxed(item)]))
  return {...options, flags: each(flags), args: each(args)}
}

function missingOf({args = {}, flags = {}, strict}: Options, given: Given): Missing[] {
  const several = strict === false ? /\s+/ : /$^/
  const isOpen = ([name, {required, exactlyOne, type}]: [string, Loose]) =>
    exactlyOne
      ? type === 'option' &&
        exactlyOne[0] === name &&
        exactlyOne.every((other: string) => given.flags[other] === undefined)
      : required && given.flags[name] === undefined
  const entries = (items: Loose) => Object.entries<Loose>(items)
  return [
    ...entries(args)
      .filter(([name, {required}]) => required && given.args[name] === undefined)
      .map(([name, {description: about, options: values}]): Missing => {
        const put = (argv: string[], answer: string) => [
          ...argv,
          ...(argv.includes('--') ? [] : ['--']),
          ...answer.split(several),
        ]
        return {shape: name.toUpperCase(), about, values, put}
      }),
    ...entries(flags)
      .filter(isOpen)
      .map(([name, {summary: about, options: values, helpValue = '', multiple}]): Missing => {
        const put = (argv: string[], answer: string) => [
          ...answer.split(multiple ? /[\s,]+/ : /$^/).map((value) => `--${name}=${value}`),
          ...argv,
        ]
        return {shape: `--${name} ${helpValue}`.trim(), about, values, put}
      }),
  ]
}
