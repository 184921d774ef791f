import * as Flags from '@oclif/core/flags'
import {Failure} from '../contract/failure.ts'
import {momentOf} from '../contract/forms.ts'

const DAY = 86_400_000
const UNITS: Record<string, number> = {w: 7 * DAY, d: DAY, h: 3_600_000, min: 60_000, m: 60_000, s: 1_000}
const PART = /(\d{1,9})\s*(min|[wdhms])\s*/gi
const DAYS: Record<string, number> = {yesterday: -1, today: 0, tomorrow: 1}
const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/
/** A span that is longer leads out of the years that a date can have. */
const LONGEST = 1_000 * 365 * DAY

/** Milliseconds of a span such as 7d, 90s or 14m55s; undefined for any other text. */
function spanOf(text: string): number | undefined {
  const parts = [...text.matchAll(PART)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return undefined
  const ms = parts.reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit.toLowerCase()] ?? 0),
    0,
  )
  return ms < LONGEST ? ms : undefined
}

const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/**
 * The moment that a person means, as the service takes it: a date or time as it was typed; the first moment of a month, or of
 * today, yesterday or tomorrow in UTC, as all dates are; or what lies a span before `now`, or behind it if it is to come.
 * Returns undefined for any other text.
 */
function timeOf(text: string, now: number, isAhead: boolean): string | undefined {
  if (momentOf(text) !== undefined) return text
  if (MONTH.test(text)) return momentOf(`${text}-01`) === undefined ? undefined : `${text}-01`
  const word = text.toLowerCase()
  if (word === 'now') return new Date(now).toISOString()
  const days = Object.hasOwn(DAYS, word) ? DAYS[word] : undefined
  if (days !== undefined) return dateOf(now + days * DAY)
  const span = spanOf(text)
  return span === undefined ? undefined : new Date(isAhead ? now + span : now - span).toISOString()
}

/** How every command says what a TIME may be. */
export const timeHelp =
  'A TIME is a date or a date-time (UTC if it has no offset; a date alone means its first moment), a month such as 2026-10, today or yesterday, or a span back from now such as 7d or 14h30m.'

const FORMS =
  'Give a date, a date-time, a month such as 2026-10, today, yesterday, or a span such as 7d or 14h30m.'

function checkTime(flag: string, text: string): string {
  if (timeOf(text, Date.now(), false) !== undefined) return text
  throw new Failure('INVALID_INPUT', {message: `${flag} "${text}" is not a valid time.`, hint: FORMS})
}

function checkMonth(flag: string, text: string): string {
  if (MONTH.test(text) && momentOf(`${text}-01`) !== undefined) return text
  throw new Failure('INVALID_INPUT', {
    message: `${flag} "${text}" is not a valid month.`,
    hint: 'Give one such as 2026-10.',
  })
}

/** A flag that takes a time in any of its forms. Its value is what was typed, which momentIn() resolves. */
export const timeFlag = Flags.custom<string>({
  helpValue: 'TIME',
  parse: async (text, _, {name}) => checkTime(`--${name}`, text),
})

/** The ends of a period. Whether they must be given is up to the command. */
export const periodFlags = {
  from: timeFlag({summary: 'Start.'}),
  to: timeFlag({summary: 'End; now by default.'}),
  month: Flags.custom<string>({
    summary: 'A whole month, such as 2026-10, instead of both.',
    helpValue: 'YYYY-MM',
    exclusive: ['from', 'to'],
    parse: async (text, _, {name}) => checkMonth(`--${name}`, text),
  })(),
}

/** The same, where a period must be given. */
export const neededPeriod = {
  ...periodFlags,
  from: timeFlag({summary: 'Start.', exactlyOne: ['from', 'month']}),
}

interface Period {
  from: string | undefined
  to: string | undefined
}

/** The period that the flags mean, as the service takes it. A month ends with the first moment of the next one. */
export function periodIn(flags: Period & {month: string | undefined}, now: number): Period {
  const {month} = flags
  if (month === undefined) return {from: momentIn(flags.from, now), to: momentIn(flags.to, now)}
  const next = new Date(Date.parse(`${month}-01`) + 31 * DAY)
  return {from: `${month}-01`, to: `${next.toISOString().slice(0, 7)}-01`}
}

/** The same of flags of which one is given: a period without an end ends now. */
export function wholePeriodIn(
  flags: Parameters<typeof periodIn>[0],
  now: number,
): {from: string; to: string} {
  const {from = '', to = new Date(now).toISOString()} = periodIn(flags, now)
  return {from, to}
}

/** Flags that take a span; a bare number counts their own unit. */
const spanFlag = (unit: 'd' | 's' | 'ms') =>
  Flags.custom<number, {min?: number}>({
    helpValue: 'SPAN',
    parse: async (text, _, {name, min = 0}) => {
      const size = unit === 'ms' ? 1 : (UNITS[unit] ?? 1)
      const count = /^\d{1,9}$/.test(text) ? Number(text) : (spanOf(text) ?? Number.NaN) / size
      if (count >= min && Number.isInteger(count)) return count
      const needs = min > 0 ? ` of at least ${min} ${unit}` : ''
      throw new Failure('INVALID_INPUT', {
        message: `--${name} "${text}" is not a valid span${needs}.`,
        hint: `Give a number (of ${names[unit]}), or a span such as ${unit === 'd' ? '14d or 2w' : '90s, 2m or 1h30m'}.`,
      })
    },
  })

const names = {d: 'days', s: 'seconds', ms: 'milliseconds'}
export const daysFlag = spanFlag('d')
export const secondsFlag = spanFlag('s')
export const millisecondsFlag = spanFlag('ms')

/** The moment that a flag of a time means. `now` in milliseconds, by the clock that the span is counted from. */
export function momentIn<T extends string | undefined>(text: T, now: number, {isAhead = false} = {}): T {
  return (text === undefined ? undefined : timeOf(text, now, isAhead)) as T
}
