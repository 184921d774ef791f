import {printJson} from '../contract/money.ts'

/** What is wrong with a line of a file, by the rule that it breaks. */
export interface Problem {
  /** null for the file as a whole. */
  line: number | null
  column: string | null
  value: string | null
  rule: string
}

/** Adds what is wrong. A value is kept as it should be printed. */
export type Report = (line: number, column: string | null, value: unknown, rule: string) => void

const LONGEST_VALUE = 100

/** Puts what is reported into a list. */
export function reportTo(list: Problem[]): Report {
  return (line, column, value, rule) => list.push({line, column, value: shown(value), rule})
}

function shown(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null
  const text = typeof value === 'string' ? value : printJson(value, 0)
  if (text.length <= LONGEST_VALUE) return text
  return `${text.slice(0, LONGEST_VALUE).replace(/\p{Surrogate}/gu, '')}…`
}

/** How a file is called that was named so on the command line. */
export const fileName = (path: string) => (path === '-' ? 'stdin' : JSON.stringify(path))
