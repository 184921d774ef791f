import type {Failure} from '../contract/failure.ts'
import type {Session} from '../session.ts'
import type {Problem} from '../store/problems.ts'
import type {NamedFile} from './file/check.ts'
import type {RowsFile, Source} from './file/groups.ts'
import type {VariantsBySku} from './file/rows.ts'
import type {JobDraft, JobFile} from './journal.ts'
import type {Counts} from './meter.ts'
import type {JobHead, Ledger} from './records.ts'
import type {Report} from './report.ts'
import type {JobScreen} from './screen.ts'

/** The options that decide what a job does, as its first record keeps them. */
type JobOptions = JobHead['options']

/** A job that a user wishes for: a file that was checked offline, and nothing planned yet. */
export interface Wish {
  screen: JobScreen
  session: Session
  file: Source & {hash: string}
  source: NamedFile
  checked: RowsFile
  options: JobOptions
  /** Orders under way at a time. */
  concurrency: number
  /** Whether the question is answered with yes before it is asked. */
  yes: boolean
  /** Whether a dry run prices baskets by live previews, in carts of its own. */
  preview?: boolean
}

/** What differs between the kinds of jobs. */
export interface Kind {
  /** What its rows are called. */
  rows: 'orders' | 'carts'
  /** The columns of its CSV files, in the order of the template. */
  columns: readonly string[]
  /** What a resume never does. */
  promise: string
  /** The options whose values make two jobs of one file different jobs. */
  sameBy: readonly string[]
  /** Reads a whole file, and checks it; see checkRows(). */
  check(file: Source, options: JobOptions, found?: VariantsBySku): AsyncGenerator<Problem, RowsFile>
  /** Shows what a job would do, and changes nothing, unless by previews; returns the document of it. */
  dryRun(wish: Wish): Promise<unknown>
  /** Writes every row into the draft, shows what they will take, and asks once. Changes nothing. */
  plan(wish: Wish, draft: Pick<JobDraft, 'append'>, at: string): Promise<void>
  open(job: JobFile): OpenJob
}

/** A job as its journal tells it. */
export interface OpenJob {
  /** Requests that a row takes on average if nothing goes wrong. */
  requestsEach(): number
  /** Takes in what was written to the journal since; true if something was. */
  readOn(): boolean
  counts(): Counts
  summary(): Record<string, number>
  /** Brings the rows to their ends. Throws what stops the whole job. */
  run(work: Work): Promise<void>
  /** What the last record says besides the summary, of a job that has just ended. */
  proof?(session: Session, note: (text: string) => void): Promise<{ledger?: Ledger}>
  report(): Report
  /** What the exit code has to tell; undefined if all is well. `note` is for what is worth knowing besides. */
  verdict(note: (text: string) => void): Failure | undefined
  /** The command to type once all is well. */
  next(): string
}

/** Pauses up to this long pass without a word. */
export const TOLD_MS = 2_000

/** What the rows of a job are brought to their ends with. */
export interface Work {
  session: Session
  concurrency: number
  /** Aborted by the first Ctrl-C. */
  stop: AbortSignal
  say(text: string): void
  /** Runs work while nobody else on this machine uses that cart. Fails with BUSY. */
  alone<T>(customerRef: string, work: () => Promise<T>): Promise<T>
  /** To be called when the counts have changed; `ended` is the event of a row that came to its end. */
  changed(ended?: object): void
}
