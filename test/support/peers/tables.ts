// The tables of docs/peers.md, from what was measured.
import type {Missing, Program, Work} from './programs.ts'

export interface Figures {
  name: string
  work: Work
  milliseconds: number
  /** Bytes; not a number where they could not be measured. */
  peak: number
  requests: number
}

const headers = ['version', 'help', 'one request', '10,000 rows']
const works: Work[] = ['version', 'help', 'request', 'list']

const line = (cells: string[]) => `| ${cells.join(' | ')} |`
const table = (head: string[], rows: string[][]) =>
  [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`

export function tables(here: Program[], missing: Missing[], found: Figures[]): string {
  const of = (name: string, work: Work) => found.filter((one) => one.name === name && one.work === work)
  const bases = works.map((work) => {
    const at = found.findIndex((one) => one.work === work)
    // The race of a work begins with `node -e 0`, which stands before it as one more `version`.
    return found[work === 'version' ? at : at - 1]
  })
  const ratio = (value: number, base = Number.NaN) => `${(value / base).toFixed(2)} ×`
  const cell = (program: Program, work: Work, text: (one: Figures, at: number) => string) => {
    const [one] = of(program.name, work)
    return one ? text(one, works.indexOf(work)) : ''
  }
  const time = ({milliseconds}: Figures, at: number) =>
    `${milliseconds.toFixed(0)} ms, ${ratio(milliseconds, bases[at]?.milliseconds)}`
  const memory = ({peak}: Figures, at: number) =>
    Number.isNaN(peak) ? 'not measured' : `${megabytes(peak)}, ${ratio(peak, bases[at]?.peak)}`
  const row = (program: Program, text: typeof time) => [
    `${program.name} ${program.version}`,
    ...works.map((work) => cell(program, work, text)),
  ]
  const gone = (columns: number) =>
    missing.map(({name, reason}) => [name, ...Array(columns).fill(`not here: ${reason}`)])
  return [
    table(['time', ...headers], [...here.map((one) => row(one, time)), ...gone(4)]),
    table(['peak memory', ...headers], [...here.map((one) => row(one, memory)), ...gone(4)]),
    table(
      ['installed', 'on disk', 'packages', 'requests for the 10,000 rows'],
      [
        ...here.map((one) => [
          `${one.name} ${one.version}`,
          megabytes(one.size),
          String(one.packages),
          cell(one, 'list', ({requests}) => String(requests)),
        ]),
        ...gone(3),
      ],
    ),
  ].join('\n\n')
}
