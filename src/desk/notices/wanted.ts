import {Failure} from '../../contract/failure.ts'
import {isUuid, unguarded} from '../../contract/forms.ts'
import {type NoticeChoice, noticeChoices} from '../../contract/notices.ts'
import {fileName, type Problem, type Report, reportTo} from '../../store/problems.ts'
import {openRows, plainName, type RowFile} from '../../store/rows.ts'
import {type InboxItem, isOpen} from './inbox.ts'

/** A notice that is to be answered, and what is known of it here. */
export interface Wanted {
  id: string
  choice: NoticeChoice
  item: InboxItem | undefined
}

/** Which of the open notices are to be answered. */
interface Filter {
  withinMs?: number | undefined
  sku?: string | undefined
  reason?: string | undefined
}

/** A notice that waits for the outcome of an answer is not among them: with another choice it could be answered twice. */
export function wantedBy(
  {withinMs, sku, reason}: Filter,
  choice: NoticeChoice,
  every: readonly InboxItem[],
): {wanted: Wanted[]; unsettled: InboxItem[]} {
  const is = (wanted: string | undefined, text: string | null | undefined) =>
    wanted === undefined || wanted.toLowerCase() === text?.toLowerCase()
  const found = every.filter(
    (item) =>
      isOpen(item) &&
      is(sku, item.line?.sku) &&
      is(reason, item.reason) &&
      (withinMs === undefined || (item.desk.leftMs ?? 0) < withinMs),
  )
  const isUnsettled = ({desk}: InboxItem) => desk.state === 'unsettled'
  return {
    wanted: found.filter((item) => !isUnsettled(item)).map((item) => ({id: item.id, choice, item})),
    unsettled: found.filter(isUnsettled),
  }
}

type Name = 'notice' | 'choice'

const names: {[plain: string]: Name} = {notice: 'notice', id: 'notice', noticeid: 'notice', choice: 'choice'}
const nameOf = (text: string) => {
  const plain = plainName(text)
  return Object.hasOwn(names, plain) ? names[plain] : undefined
}

/** A file that holds something else altogether is not read to its end. */
const MOST_PROBLEMS = 1_000

interface Reading {
  report: Report
  items: ReadonlyMap<string, InboxItem>
  wanted: Map<string, Wanted & {line: number}>
}

/**
 * Reads a file of notices and choices whole: CSV, with a header or without one, or NDJSON. Other columns are left out, so
 * that a list of the inbox with a column of choices will do. Fails with INVALID_INPUT, naming each line that is wrong: one
 * notice has one choice, and if the outcome of an answer is not known it is that one.
 */
export async function wantedIn(path: string, every: readonly InboxItem[]): Promise<Wanted[]> {
  const file = await openRows(path, process.stdin)
  const problems: Problem[] = []
  const report = reportTo(problems)
  const items = new Map(every.map((item) => [item.id, item]))
  const reading: Reading = {report, items, wanted: new Map()}
  try {
    for await (const {line, fields, problem} of rowsIn(file, report)) {
      if (problem) report(line, null, null, problem)
      else takeRow(line, fields, reading)
      if (problems.length >= MOST_PROBLEMS) break
    }
  } finally {
    await file.close()
  }
  const whole = {line: null, column: null, value: null}
  if (problems.length >= MOST_PROBLEMS) problems.push({...whole, rule: 'What follows was not looked at.'})
  else if (problems.length === 0 && reading.wanted.size === 0)
    problems.push({...whole, rule: 'The file names no notice.'})
  if (problems.length > 0) throw refused(path, problems)
  return [...reading.wanted.values()].map(({line: _, ...one}) => one)
}

/** The rows, with the names of the columns that matter; none if the header leaves open which these are. */
async function* rowsIn(file: RowFile, report: Report): ReturnType<RowFile['rows']> {
  const {line, columns} = file.header
  if (file.form === 'ndjson') return yield* file.rows()
  const found = columns.map((column) => nameOf(column ?? '') ?? null)
  if (found.every((name) => name === null)) return yield* file.rows(['notice', 'choice'], false)
  const wrong = (['notice', 'choice'] as const).flatMap((name) => {
    const count = found.filter((one) => one === name).length
    return count === 1 ? [] : [`${count === 0 ? 'lacks' : 'has twice'} the column ${name}`]
  })
  for (const rule of wrong) report(line, null, null, rule)
  if (wrong.length === 0) yield* file.rows(found)
}

function takeRow(line: number, fields: Record<string, unknown>, {report, items, wanted}: Reading): void {
  const given: Partial<Record<Name, unknown>> = {}
  for (const [column, value] of Object.entries(fields)) {
    const name = nameOf(column)
    if (name && given[name] !== undefined) report(line, name, value, 'is given twice')
    else if (name) given[name] = typeof value === 'string' ? unguarded(value.trim()) : value
  }
  const {notice, choice: said} = given
  const id = typeof notice === 'string' && isUuid(notice) ? notice.toLowerCase() : undefined
  const choice = noticeChoices.find((one) => typeof said === 'string' && plainName(one) === plainName(said))
  if (id === undefined) report(line, 'notice', notice, notice ? 'must be a UUID' : 'is required')
  if (choice === undefined)
    report(line, 'choice', said, said ? `must be one of ${noticeChoices.join(', ')}` : 'is required')
  if (id === undefined || choice === undefined) return
  const item = items.get(id)
  const sent = item?.desk.state === 'unsettled' ? item.desk.answer : null
  const before = wanted.get(id)
  if (before && before.choice !== choice)
    report(line, 'choice', choice, `differs from that of line ${before.line} for notice ${id}`)
  else if (sent && sent.choice !== choice)
    report(
      line,
      'choice',
      choice,
      `differs from the ${sent.choice} that was sent before; its answer was lost`,
    )
  else if (!before) wanted.set(id, {id, choice, item, line})
}

/** A file that is refused as a whole. */
function refused(path: string, problems: readonly Problem[]): Failure {
  const count = problems.length
  return new Failure('INVALID_INPUT', {
    message: `${fileName(path)} has ${count === 1 ? 'a problem' : `${count} problems`}. Nothing was sent.`,
    hint: 'Correct the lines, and run the command again. The columns are called notice and choice.',
    details: {problems: {count, [Symbol.iterator]: () => problems[Symbol.iterator]()}},
    effect: 'none',
  })
}
