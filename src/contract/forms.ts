const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/**
 * A UUID in its hyphenated form, whatever its version and case. Without the schema library, since every command starts
 * with it.
 */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}

/**
 * A class of an expression: what a terminal hides, or obeys without showing it, beyond C0 and lone surrogates. Unicode's
 * default ignorables, C1, line separators, annotations, and letters without ink.
 */
export const HIDDEN =
  '\\u007f-\\u009f\\u2028\\u2029\\u2800\\ufff9-\\ufffb\\u{1d159}\\p{Default_Ignorable_Code_Point}'

/**
 * Characters that a terminal or a page acts on or hides: control characters (line breaks and tabs too), bidi controls,
 * zero-width and other invisible characters, lone surrogates. And the marks of a letter after its fourth: a pile of them
 * covers the lines around it.
 */
const UNSAFE = new RegExp(`[\\u0000-\\u001f\\ud800-\\udfff${HIDDEN}]|\\p{M}(?<=\\p{M}{5})`, 'gu')

const PLAIN = /^[\x20-\x7e]*$/

/** Writes out what would act on a line or hide in it: text from outside then has no effect but its letters. */
export const writtenOut = (text: string): string =>
  PLAIN.test(text) ? text : text.replace(UNSAFE, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`)

/** Milliseconds of an ISO time; one without an offset is UTC (spec, Endpoints, Conventions). Returns NaN for any other text. */
export function millis(at: string): number {
  const isLocal = !at.endsWith('Z') && /T.*\d$/.test(at) && !/[+-]\d\d:?\d\d$/.test(at)
  return Date.parse(isLocal ? `${at}Z` : at)
}

/** Q07 in docs/assumptions.md. */
const MOMENT =
  /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))?)?$/

/**
 * Milliseconds of a date or date-time that is sent (spec, Endpoints, Conventions): a date alone is 00:00Z, no offset
 * means UTC, an offset is converted. Returns undefined for any other text, such as month 13, 24:00 or year 0.
 */
export function momentOf(text: string): number | undefined {
  const [, day = '', time = '00:00', second = '00', fraction = '', sign, hours, minutes] =
    MOMENT.exec(text) ?? []
  const local = Date.parse(`${day}T${time}:${second}.${`${fraction}000`.slice(0, 3)}Z`)
  // Date.parse takes 31 February for 3 March, and 24:00 for the next day: the text must come back.
  const isReal = !Number.isNaN(local) && new Date(local).toISOString().startsWith(`${day}T${time}`)
  if (!isReal || day.startsWith('0000')) return undefined
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000
  return sign === '-' ? local + offset : local - offset
}

/** A cell that a spreadsheet takes for a formula, also in its full-width forms, and with apostrophes before it. */
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/** Text for a cell of a CSV file: what a spreadsheet would run gets a leading apostrophe. */
export const guarded = (text: string) => (FORMULA.test(text) ? `'${text}` : text)

/** The text that guarded() was given; a phone in its international form is one that had to be. */
export const unguarded = (cell: string) => (FORMULA.test(cell) && cell.startsWith("'") ? cell.slice(1) : cell)
