import {Failure} from '../../contract/failure.ts'
import {nearest} from '../../contract/nearest.ts'
import type {Report} from '../../store/problems.ts'
import {type Columns, plainName, type RowFile} from '../../store/rows.ts'
import {counted} from '../../terminal/text.ts'
import {unknownName} from './rows.ts'

/** How a user tells what the columns of a CSV file are. */
interface Naming {
  /** From a column of the file to one that is known here; both as they were typed. */
  map: readonly (readonly [header: string, column: string])[]
  /** Whether columns that are not known here are left out. */
  ignore: boolean
}

/** Reads `HEADER=column`, as --map has it. Fails with INVALID_INPUT if that is not a known column. */
export function mappingOf(texts: readonly string[], known: readonly string[]): Naming['map'] {
  return texts.map((text) => {
    const at = text.lastIndexOf('=')
    const [header, name] = [text.slice(0, Math.max(at, 0)).trim(), text.slice(at + 1).trim()]
    if (header === '') {
      const message = `--map ${JSON.stringify(text)} must be 'HEADER=column', as in 'Order no=${known[0]}'.`
      throw new Failure('INVALID_INPUT', {message})
    }
    const column = known.find((one) => plainName(one) === plainName(name))
    if (column !== undefined) return [header, column]
    const message = `--map ${JSON.stringify(text)}: ${JSON.stringify(name)} ${unknownName('column', name, known)}`
    throw new Failure('INVALID_INPUT', {message: `${message.replace(/\?$/, '')}.`})
  })
}

/**
 * A file whose columns have the names that are known here. Those that are not known keep theirs, and are left out if
 * that is allowed. Fails with INVALID_INPUT if the file has no column that is to be mapped.
 */
export function withNames<File extends RowFile>(
  file: File,
  known: readonly string[],
  {map, ignore}: Naming,
): File {
  const {columns} = file.header
  for (const [header] of map)
    if (!columns.some((name) => name !== null && plainName(name) === plainName(header)))
      throw new Failure('INVALID_INPUT', {
        message: `--map names a column ${JSON.stringify(header)}, which the file does not have. ${hasText(file)}`,
      })
  const nameOf = (raw: string | null) => {
    if (raw === null || raw === '') return raw
    const [, mapped] = map.find(([header]) => plainName(header) === plainName(raw)) ?? []
    const name = mapped ?? known.find((one) => plainName(one) === plainName(raw))
    return name ?? (ignore ? null : raw)
  }
  const names = columns.map(nameOf)
  return {...file, header: {...file.header, columns: names}, rows: () => file.rows(names)}
}

const hasText = ({form, header: {columns}}: Pick<RowFile, 'form' | 'header'>) =>
  form === 'csv' ? `It has ${someOf(columns)}.` : 'It is NDJSON, which has fields instead of columns.'

/** Names that a message holds: of a file of a hundred columns the first ones say enough. */
const SOME = 8

function someOf(names: Columns): string {
  const texts = names.slice(0, SOME).map((name) => JSON.stringify(cut(name ?? '')))
  const more = names.length - texts.length
  return more > 0 ? `${texts.join(', ')} and ${more} more` : texts.join(', ')
}

const LONGEST_NAME = 40
const cut = (text: string) =>
  text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME).replace(/\p{Surrogate}/gu, '')}…` : text

/** A column that must be there, or several of which one must be. */
export type RequiredColumn = string | readonly string[]

/**
 * Checks the names of a CSV file's columns: known, each once, none missing, in a line for each of these rules. False if
 * they leave open what the cells of its rows are.
 */
export function checkHeader(
  {form, header: {line, columns}}: Pick<RowFile, 'form' | 'header'>,
  known: readonly string[],
  required: readonly RequiredColumn[],
  report: Report,
): boolean {
  if (form !== 'csv') return true
  const names = columns.filter((name): name is string => name !== null && name !== '')
  const doubled = known.filter((name) => names.indexOf(name) !== names.lastIndexOf(name))
  const missing = required
    .map((one) => [one].flat())
    .filter((one) => !one.some((name) => names.includes(name)))
  const unknown = [...new Set(names.filter((name) => !known.includes(name)))]
  const tell = (rule: string) => report(line, null, null, rule)
  if (missing.length > 0) tell(`lacks ${missing.map((one) => one.join(' or ')).join(', ')}`)
  if (doubled.length > 0) tell(`has twice: ${doubled.join(', ')}`)
  if (unknown.length > 0)
    tell(
      `has ${counted(unknown.length, 'column')} not known here: ${someOf(unknown)}${meantText(unknown, known)}`,
    )
  return doubled.length === 0 && missing.length === 0
}

/** What unknown names may have meant, of those that a message names. */
function meantText(unknown: readonly string[], known: readonly string[]): string {
  const near = unknown.slice(0, SOME).flatMap((name) => nearest(cut(name), known)[0] ?? [])
  return near.length === 0 ? '' : `; did you mean ${[...new Set(near)].join(', ')}?`
}
