import type {Interfaces} from '@oclif/core'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {Failure} from '../contract/failure.ts'
import {isUuid} from '../contract/forms.ts'
import {modes} from './output.ts'
import {secondsFlag} from './times.ts'

/** How results are written; every command takes these. */
export const outputFlags = {
  json: Flags.boolean({
    summary: 'Print one JSON document: the payload of the API, digit for digit.',
    helpGroup: 'OUTPUT',
  }),
  output: Flags.option({options: modes})({
    summary:
      'How to print; a table by default, which is tab-separated and without header in a pipe. Lists stream in ndjson and csv.',
    env: 'SCENT_OUTPUT',
    helpGroup: 'OUTPUT',
  }),
  columns: Flags.string({
    summary: 'Which columns, in which order: paths of fields, such as pricing.unitPrice.',
    helpValue: 'A,B',
    helpGroup: 'OUTPUT',
  }),
  query: Flags.string({
    summary: 'JMESPath expression over the JSON; prints JSON.',
    helpValue: 'EXPR',
    helpGroup: 'OUTPUT',
  }),
  'no-input': Flags.boolean({
    summary: 'Never ask. Implied if stdin is not a terminal.',
    env: 'SCENT_NO_INPUT',
    helpGroup: 'GLOBAL',
  }),
  yes: Flags.boolean({summary: 'Answer yes to the one confirmation.', helpGroup: 'GLOBAL'}),
  debug: Flags.boolean({
    summary: 'Show the HTTP exchange on stderr, secrets redacted.',
    env: 'SCENT_DEBUG',
    helpGroup: 'GLOBAL',
  }),
}

/** Whom to talk to, and as whom; every command that calls the API takes these. */
export const apiFlags = {
  ...outputFlags,
  profile: Flags.string({
    summary: 'Stored credential and host to use; by default the one that `auth use` chose.',
    env: 'SCENT_PROFILE',
    helpValue: 'NAME',
    helpGroup: 'GLOBAL',
  }),
  'base-url': Flags.string({
    summary: 'Host of the service, without /api/v1; by default that of the profile.',
    env: 'SCENT_BASE_URL',
    helpValue: 'URL',
    helpGroup: 'GLOBAL',
  }),
  as: Flags.string({
    summary: 'Act as a descendant partner.',
    env: 'SCENT_ON_BEHALF_OF',
    helpValue: 'PARTNER_ID',
    helpGroup: 'GLOBAL',
  }),
  currency: Flags.string({
    summary: 'Display currency; adds its columns. Charges stay in SAR.',
    env: 'SCENT_CURRENCY',
    helpValue: 'CODE',
    helpGroup: 'GLOBAL',
  }),
  'max-wait': secondsFlag({
    summary: 'Longest wait that a rate limit may ask for: seconds, or a span such as 5m.',
    default: 120,
    min: 0,
    helpGroup: 'GLOBAL',
  }),
  timeout: secondsFlag({
    summary: 'Longest time for one answer: seconds, or a span such as 2m.',
    default: 30,
    min: 1,
    helpGroup: 'GLOBAL',
  }),
}

/** Which cart: without it the partner's own. */
export const customerFlag = Flags.string({
  summary: "The customer's cart instead of the partner's.",
  helpValue: 'REF',
})

/** Which variant. */
export const variantArg = Args.string({description: 'SKU or id of a variant.', required: true})

/** What is wrong with the totals of a statement is a warning without it. */
export const checkFlag = Flags.boolean({
  summary: 'End with exit code 8 (STATEMENT_MISMATCH) if its totals are not the sums of its lines.',
})

/** How many orders of a job are under way at a time. */
export const concurrencyFlag = Flags.integer({
  summary: 'Orders under way at a time.',
  default: 4,
  min: 1,
  max: 32,
  helpValue: 'N',
})

/** Which order. */
export const orderArg = Args.string({
  description: 'Reference of an order made from here, or a Scent order id or global id.',
  required: true,
})

/** Which job. */
export const jobArg = Args.string({
  description: 'Job id, or as much of its beginning as no other job has; without it the latest job.',
})

/** A file of rows for a job. */
export const rowsArg = Args.string({description: 'CSV or NDJSON, or - for stdin.', required: true})

/** The same in a command line that may ask for the template instead. */
export const rowsArgIn = (argv: string[]) => ({...rowsArg, required: !argv.includes('--template')})

/** What a file of rows may look like, for help pages. */
export const exportsText =
  'CSV may come from a spreadsheet of any country: separated by commas, semicolons, tabs or bars, in UTF-8 or UTF-16, with names of columns in any case and with blanks. --map says what a column of another name is, and --ignore-columns leaves out what is not known here.'

/** What columns of a file of rows stand for. */
export const rowsFlags = {
  map: Flags.string({
    summary: "What a column of the CSV file is, such as 'Order no=externalReference'. Repeatable.",
    helpValue: 'HEADER=COLUMN',
    multiple: true,
    multipleNonGreedy: true,
    default: [],
  }),
  'ignore-columns': Flags.boolean({
    summary: 'Leave out the columns of the CSV file that are not known here.',
  }),
  template: Flags.boolean({
    summary: 'Print an empty CSV file with the header.',
    exclusive: ['json', 'query'],
  }),
}

export const refusedFlag = Flags.string({
  summary: 'Write refused rows to this new file, to correct and import again.',
  helpValue: 'FILE',
})

export const listFlags = {
  page: Flags.integer({
    summary: 'Page to show; the first by default.',
    min: 1,
    helpValue: 'N',
    helpGroup: 'LIST',
  }),
  'page-size': Flags.integer({
    summary: 'Rows a page, 1 to 100; by default 20, and with --all 100.',
    min: 1,
    max: 100,
    helpValue: 'N',
    helpGroup: 'LIST',
  }),
  all: Flags.boolean({
    summary: 'Every row, over all pages. ndjson and csv stream; --json prints when all have come.',
    exclusive: ['page', 'limit'],
    helpGroup: 'LIST',
  }),
  limit: Flags.integer({
    summary: 'At most this many rows, over all pages.',
    min: 1,
    exclusive: ['page'],
    helpValue: 'N',
    helpGroup: 'LIST',
  }),
}

/** The same flag where it must be given. */
export function needed<T>(flag: Interfaces.OptionFlag<T | undefined>): Interfaces.OptionFlag<T> {
  return {...flag, required: true} as Interfaces.OptionFlag<T>
}

/** How many rows of the local record. */
export const recordFlags = {
  limit: Flags.integer({
    summary: 'At most this many rows; 30 by default.',
    min: 1,
    exclusive: ['all'],
    helpValue: 'N',
    helpGroup: 'LIST',
  }),
  all: Flags.boolean({summary: 'Every row.', helpGroup: 'LIST'}),
}

/** Fails with INVALID_INPUT if the value of a flag is not an id, before a question is asked about it. */
export function requireUuid(flag: string, text: string): void {
  if (!isUuid(text))
    throw new Failure('INVALID_INPUT', {message: `${flag} "${text}" is not a valid id; expected a UUID.`})
}

export type OutputFlags = Interfaces.InferredFlags<typeof outputFlags>
type ApiFlags = Interfaces.InferredFlags<typeof apiFlags>
/** Those of the API's flags that a session is opened with. */
export type SessionFlags = Pick<ApiFlags, 'max-wait' | 'timeout' | 'debug'> &
  Partial<Pick<ApiFlags, 'profile' | 'base-url' | 'as' | 'currency'>>
export type ListFlags = Interfaces.InferredFlags<typeof listFlags>
