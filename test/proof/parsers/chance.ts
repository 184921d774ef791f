// Properties of parsers, tried with random input: the same input at each run of CI, more of it in `npm run proofs`.
import fc from 'fast-check'
import {afterAll, beforeAll, expect} from 'vitest'
import {isFailure} from '../../../src/contract/failure.ts'
import {effort} from '../../support/effort.ts'

/** SCENT_TEST_SEED plays another one, or one again. */
export const SEED = Number(process.env.SCENT_TEST_SEED ?? 20_261_123)
const RUNS = effort({little: 100, all: 10_000})

let runs = 0
let properties = 0

/** Says at the end of a file of properties what was tried. */
export function tellRuns(name: string): void {
  // Other files may have been run by this process before.
  beforeAll(() => {
    runs = properties = 0
  })
  afterAll(() => console.log(`${name}: ${properties} properties, ${runs} runs, seed ${SEED}`))
}

/** Requires that it holds for all; `cost` divides the runs of one that takes longer. */
export async function holds<T>(
  arbitrary: fc.Arbitrary<T>,
  check: (value: T) => void | Promise<void>,
  {cost = 1}: {cost?: number} = {},
): Promise<void> {
  const numRuns = Math.ceil(RUNS / cost)
  await fc.assert(
    fc.asyncProperty(arbitrary, async (value) => void (await check(value))),
    {seed: SEED, numRuns},
  )
  runs += numRuns
  properties += 1
  expect(Object.keys(Object.prototype)).toEqual([])
}

/** What a parser makes of a text, or the codes of its refusal: whatever else it throws is a mistake. */
export async function refusalOr<T>(
  read: () => T | Promise<T>,
  ...codes: string[]
): Promise<T | {refused: string}> {
  try {
    return await read()
  } catch (error) {
    if (!isFailure(error, ...(codes.length > 0 ? codes : ['INVALID_INPUT']))) throw error
    expect(error.message).not.toBe('')
    expect(error.hint).not.toBe('')
    return {refused: error.message}
  }
}

export const isRefused = (value: unknown): value is {refused: string} =>
  typeof value === 'object' && value !== null && 'refused' in value

/** Text of the kinds that break parsers: signs, marks of direction, halves of characters, names of what objects inherit. */
const oddities = [
  ...[
    '',
    ' ',
    '\t',
    '\r',
    '\n',
    '\r\n',
    '"',
    "'",
    ',',
    ';',
    '|',
    '=',
    '+',
    '-',
    '@',
    '\\',
    '/',
    '%',
    '&',
    '#',
    '?',
    ':',
    '.',
    '..',
  ],
  ...[
    '\u0000',
    '\u001b[2J',
    '\u007f',
    '\u202e',
    '\u200b',
    '\ufeff',
    '\ufffd',
    '\ud800',
    '\udfff',
    'e\u0301',
    '🌹',
    'عود',
    '٣',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'null',
    'NaN',
    '1e999999999',
    '-0',
    '1_000',
    '0x10',
    '9007199254740993',
  ],
  ...[
    '{',
    '}',
    '[',
    ']',
    '{{',
    '$x',
    '`',
    '$(x)',
    '..\\',
    '%2e%2e',
    '<b>',
    '2026-02-31',
    '24:00',
    '99999999w',
  ],
]
export const oddText = fc.oneof(
  fc.string({unit: 'binary', maxLength: 40}),
  fc.string({unit: 'grapheme', maxLength: 40}),
  fc
    .array(fc.oneof(fc.constantFrom(...oddities), fc.string({maxLength: 6})), {maxLength: 12})
    .map((parts) => parts.join('')),
)

/** Text that a file keeps as it is: well formed, and without NUL. */
export const goodText = oddText.map((text) => text.replace(/[\u0000\ufffd\p{Surrogate}]/gu, ''))

/** A JSON document, with keys of all kinds. */
export const document = fc.jsonValue({maxDepth: 4}).chain((value) =>
  fc.oneof(
    fc.constant(value),
    fc
      .tuple(fc.constantFrom('__proto__', 'constructor', 'items', 'eventId', 'a.b'), fc.constant(value))
      .map(([key, inner]) => Object.fromEntries([[key, inner]])),
  ),
)

/** A JSON text with something cut out, put in or doubled, which may be JSON or not. */
export const nearlyJson = fc
  .tuple(
    document,
    fc.nat(),
    fc.nat(8),
    fc.constantFrom('', '"', '{', ']', ',', ':', '1e9', '\\u0000', '-', '\ufeff'),
  )
  .map(([value, at, count, put]) => {
    const text = JSON.stringify(value)
    const place = at % (text.length + 1)
    return text.slice(0, place) + put + text.slice(place + count)
  })
