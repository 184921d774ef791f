import type {Interfaces} from '@oclif/core'
import {Failure} from '../contract/failure.ts'

// biome-ignore lint/suspicious/noExplicitAny: oclif's own shape of flags and arguments, which differs for each command
export type Loose = {[name: string]: any}
/** What oclif parses a command line by. */
export type Options = Interfaces.Input<Loose, Loose, Loose>

/** The same, with values of a set taken in any case. Their help and completion read what the command declares. */
export function caseless<O extends Options>(options: O): O {
  const freed = (items: Loose | undefined, nameOf: (name: string) => string) =>
    items &&
    Object.fromEntries(
      Object.entries(items).map(([name, {options: values, ...item}]) => {
        if (!values) return [name, items[name]]
        const parse = async (text: string) => oneOf(nameOf(name), text, values)
        return [name, {...item, parse}]
      }),
    )
  return {
    ...options,
    flags: freed(options.flags, (name) => `--${name}`),
    args: freed(options.args, (name) => name.toUpperCase()),
  }
}

/** The value of the set that is written so, in whatever case. Fails with INVALID_INPUT, and names all of them. */
export function oneOf<V extends string>(name: string, text: string, values: readonly V[]): V {
  const found = inAnyCase(text, values)
  if (found !== undefined) return found
  throw new Failure('INVALID_INPUT', {
    message: `${name} "${text}" is not one of ${values.join(', ')}.`,
    hint: 'Give one of these, in any case.',
  })
}

/** The value of the set that differs from `text` by its case at most. */
export function inAnyCase<V extends string>(text: string, values: readonly V[]): V | undefined {
  const plain = text.trim().toLowerCase()
  return values.find((value) => value === text) ?? values.find((value) => value.toLowerCase() === plain)
}

/** Such as `a, b and c`. */
export const listed = (words: readonly string[]) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
