import * as Flags from '@oclif/core/flags'
import {Failure} from '../contract/failure.ts'

export const webhookFlags = {
  url: Flags.string({summary: 'URL that receives the events.', helpValue: 'URL'}),
  event: Flags.string({
    summary: 'Event type, such as order.completed; repeatable.',
    helpValue: 'TYPE',
    multiple: true,
    multipleNonGreedy: true,
  }),
  header: Flags.string({
    summary: 'Header to send with each delivery; repeatable, at most 10.',
    helpValue: 'NAME=VALUE',
    multiple: true,
    multipleNonGreedy: true,
  }),
}

/** The map of headers that the flags name; undefined if they name none. Fails with INVALID_INPUT. */
export function headersOf(given: string[] | undefined): Record<string, string> | undefined {
  if (given === undefined) return undefined
  const headers = new Map<string, string>()
  for (const text of given) {
    const cut = text.indexOf('=')
    const name = text.slice(0, cut)
    if (cut < 1)
      throw new Failure('INVALID_INPUT', {
        message: `--header ${JSON.stringify(text)} is not NAME=VALUE.`,
        hint: 'Such as --header X-Team=ops.',
      })
    const twice = [...headers.keys()].some((other) => other.toLowerCase() === name.toLowerCase())
    if (twice) throw new Failure('INVALID_INPUT', {message: `--header ${name} is given twice.`})
    headers.set(name, text.slice(cut + 1))
  }
  return Object.fromEntries(headers)
}
