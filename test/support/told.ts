import type {RowsFile} from '../../src/bulk/file/groups.ts'
import type {Failure} from '../../src/contract/failure.ts'
import type {Problem} from '../../src/store/problems.ts'
import {failureTexts} from '../../src/terminal/failure.ts'

/** All that a person is told of a failure. */
export async function failureText(failure: Failure, lines?: number): Promise<string> {
  let text = ''
  for await (const part of failureTexts(failure, lines === undefined ? {} : {lines})) text += part
  return text
}

/** Runs the check of a whole file. Returns its result, and its problems as `line: column "value" rule`. */
export async function checkedRows(check: AsyncGenerator<Problem, RowsFile>) {
  const problems: string[] = []
  for (;;) {
    const step = await check.next()
    if (step.done) return {checked: step.value, problems}
    const {line, column, value, rule} = step.value
    const shown = value === null ? '' : JSON.stringify(value)
    problems.push([`${line}:`, column, shown, rule].filter(Boolean).join(' '))
  }
}
