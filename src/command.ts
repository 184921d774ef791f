import type {Interfaces} from '@oclif/core'
import {Command} from '@oclif/core/command'
import type {Client} from './client/client.ts'
import type {Item} from './client/pages.ts'
import {Failure, isFailure} from './contract/failure.ts'
import type {Input, Operation} from './contract/operation.ts'
import type {Session, SessionOptions} from './session.ts'
import {tightened} from './store/files.ts'
import type {Ask} from './terminal/ask.ts'
import {failureDocument, stackText, tellFailure, unwritable} from './terminal/failure.ts'
import type {ListFlags, OutputFlags, SessionFlags} from './terminal/flags.ts'
import {Interrupts, withStory} from './terminal/interrupts.ts'
import {nameOnLine, takesOf} from './terminal/names.ts'
import {
  collected,
  isObject,
  jsonText,
  type Listing,
  type Mode,
  Outlet,
  placeOf,
  printDocument,
} from './terminal/output.ts'
import {caseless} from './terminal/parsing.ts'
import {showWork} from './terminal/progress.ts'
import type {Query} from './terminal/query/query.ts'
import {showViews} from './terminal/show.ts'
import type {ListView, View} from './terminal/table.ts'
import {roomOf, safe, wrap, wrapProse} from './terminal/text.ts'
import {failureOf, requireOneOutput, wantsJson} from './terminal/usage.ts'
import type {Known} from './terminal/views/known.ts'

// biome-ignore lint/suspicious/noExplicitAny: oclif's own shape of parsed flags and arguments
type Parsed = {[name: string]: any}

/**
 * Base of every command. A command parses, opens the session, makes one call or runs one flow, hands what people see
 * to show(), and returns the document that --json prints. Errors and exit codes are dealt with here, once.
 */
export abstract class ScentCommand extends Command {
  /** Whether the command asks for a yes before it changes anything. */
  static confirms = false
  /** What a command of a wing shows that changes something; the others are in terminal/views/known.ts. */
  static shows: ((flags: Parsed) => Promise<readonly Known[]> | undefined) | undefined
  private views: View[] = []
  private asides: string[] = []
  private flags: Partial<OutputFlags> = {}
  private query: Query | undefined
  private hasKnownColumns = false
  private opened: Session | undefined
  private ending: (() => Promise<void>) | undefined
  private found: {failure: Failure; isWarning: boolean} | undefined
  private endWork = () => {}
  /** What Ctrl-C and SIGTERM do to this command. */
  readonly interrupts = new Interrupts()
  private readonly out = new Outlet(process.stdout)
  private readonly err = new Outlet(process.stderr)

  /** Hands over what people see. The first view is the data: only it goes into a pipe or a CSV file. */
  show(...views: View[]): void {
    this.views.push(...views)
  }

  /** Rows of a paged list as the list flags ask for them: one page, or all of them while they are read. */
  protected async list<O extends Operation>(
    client: Client,
    operation: O,
    input: Input<O>,
    flags: ListFlags,
    view: ListView<Item<O>>,
  ): Promise<Listing> {
    const {readList} = await import('./session/list.ts')
    const {document, rows} = await readList(client, operation, input, flags, view)
    const {empty, past, more} = placeOf(document, flags.page ?? 1)
    this.show(rows ? {...view, ...(empty && {empty}), rows} : await anyView(document))
    if (past) this.asides.push(past)
    if (more) this.aside(more)
    return document
  }

  /** Shows an answer in which any field may hold anything: by `views`, or as it came if they know nothing of it. */
  protected async showAnswer<Payload>(payload: Payload, views: (payload: Payload) => View[]): Promise<void> {
    const known = isObject(payload) ? views(payload) : []
    this.show(...(known.length > 0 ? known : [await anyView(payload)]))
  }

  /** Questions to the person at the terminal; --no-input and a missing terminal turn them into usage errors. */
  async ask(flags = this.flags): Promise<Ask> {
    this.flags = flags
    this.clearLine()
    const {openAsk} = await import('./terminal/ask.ts')
    const interactive = !flags['no-input'] && process.stdin.isTTY && process.stderr.isTTY
    return openAsk({interactive, yes: flags.yes === true})
  }

  /** The one confirmation of a command that changes something. Fails with DECLINED, or MISSING_INPUT naming --yes. */
  protected async confirm(message: string): Promise<void> {
    await (await this.ask()).confirm(message)
    if (!this.opened) this.endWork = showWork(process.stderr)
  }

  /** Draws a picture above a table, in a terminal only. `draw` gets the width in cells. */
  protected picture(title: string, draw: (width: number) => string): void {
    if (!this.inTerminal) return
    const drawn = draw(roomOf(process.stdout))
    if (drawn) this.put(`${wrap(safe(title), roomOf(process.stdout))}\n${drawn}\n`)
  }

  /** Adds a hint below a table, in a terminal only. */
  aside(text: string): void {
    if (this.inTerminal) this.asides.push(text)
  }

  /** Says what was found to be in order: below a table, or beside what goes into a pipe. JSON says it itself. */
  said(text: string): void {
    if (this.inTerminal) this.asides.push(text)
    else if (this.mode !== 'json') this.note(text)
  }

  /**
   * What the data themselves show to be wrong. They are printed in full all the same, so that --json keeps its
   * document; this goes to stderr, and its exit code is the command's, unless it is only a warning.
   */
  finding(failure: Failure, isWarning = false): void {
    this.found = {failure, isWarning}
  }

  /** Writes a result at once, if results are written as they come. */
  async event(document: object): Promise<void> {
    this.clearLine()
    if (this.streams) await this.out.write(`${jsonText(document, 0)}\n`)
  }

  get streams(): boolean {
    return this.mode === 'ndjson'
  }

  get inTerminal(): boolean {
    return this.mode === 'table' && process.stdout.isTTY === true
  }

  /** Does it when all is said: what is wrong with a file is read while it is printed. */
  atEnd(work: () => Promise<void>): void {
    this.ending = work
  }

  /** Writes what is no view and no document as it is. */
  protected put(data: string | Uint8Array): void {
    this.clearLine()
    process.stdout.write(data)
  }

  /** A sentence or two for a person, on stderr. Its lines hang below its indent, or its `!`. */
  note(text: string): void {
    this.clearLine()
    const shown = safe(text)
    const hang = /^(?:! )? */.exec(shown)?.[0].length
    process.stderr.write(`${wrapProse(shown, roomOf(process.stderr), hang)}\n`)
  }

  /** A view for a person, on stderr: what a walk shows on its way to its result. */
  async screen(view: View): Promise<void> {
    this.clearLine()
    await showViews(this.err, [view], 'table', undefined)
    await this.err.write('\n')
  }

  /** The client and everything else this invocation works with. Loaded only when a command asks for it. */
  protected async session(
    flags: SessionFlags,
    {env = process.env, ...options}: SessionOptions & {env?: NodeJS.ProcessEnv} = {},
  ): Promise<Session> {
    const {openSession} = await import('./session.ts')
    this.endWork()
    const note = (text: string) => this.note(text)
    this.opened = openSession(flags, env, {job: 'all' in flags && flags.all === true, note, ...options})
    this.out.clock = this.err.clock = this.opened.serviceNow
    return this.opened
  }

  protected override async parse<F extends Parsed, B extends Parsed, A extends Parsed>(
    options?: Interfaces.Input<F, B, A>,
    argv?: string[],
  ): Promise<Interfaces.ParserOutput<F, B, A>> {
    // oclif would take what is piped in for the first argument that is left out, and a secret for its value.
    for (const arg of Object.values(options?.args ?? {})) arg.ignoreStdin = true
    const {confirms} = this.ctor as typeof ScentCommand
    const {withDefaults} = await import('./session/defaults.ts')
    const line = {
      id: this.id ?? '',
      argv: argv ?? this.argv,
      options: await withDefaults(this.id ?? '', options ?? {}, argv ?? this.argv),
      confirms,
    }
    const parse = (given = line.options, words = argv) => super.parse<F, B, A>(caseless(given), words)
    const parsed = await parse().catch(async () => {
      const {complete} = await import('./terminal/missing.ts')
      return complete({...line, parse, ask: (flags) => this.ask(flags)})
    })
    this.flags = parsed.flags as Partial<OutputFlags>
    requireOneOutput(this.flags, parsed.raw)
    await this.checkOutput()
    return parsed
  }

  /** A bad expression or column must be known before anything is sent. */
  private async checkOutput(): Promise<void> {
    const {query, columns} = this.flags
    if (query !== undefined) this.query = (await import('./terminal/query/query.ts')).openQuery(query)
    if (columns === undefined) return
    const {requireColumns} = await import('./terminal/views/known.ts')
    const own = (this.ctor as typeof ScentCommand).shows?.(this.flags)
    this.hasKnownColumns = await requireColumns(this.id?.replaceAll(':', ' ') ?? '', columns, own)
  }

  /** oclif's own turn of a command, with our output and our errors in the place of its own. */
  override async _run<T>(): Promise<T> {
    const deaf = this.interrupts.listen(
      (text) => this.note(text),
      () => void this.fail(new Failure('INTERRUPTED')).then(() => process.exit(process.exitCode)),
      () => void this.fail(new Error('the command waits for something that never comes')),
    )
    this.endWork = showWork(process.stderr)
    let result: unknown
    try {
      await this.init()
      result = await this.run()
      await this.present(result)
      if (this.out.problem) throw unwritable(this.out.problem)
      const {failure, isWarning} = this.found ?? {}
      if (failure && !isWarning) await this.tell(failure)
      else if (failure) this.note(`Warning: ${failure.message} ${failure.hint}`)
    } catch (error) {
      await this.fail(error)
    } finally {
      deaf()
      this.endWork()
      this.opened?.close()
      await this.ending?.()
      this.tellTightened()
      await this.tellUpdate()
    }
    return result as T
  }

  private tellTightened(): void {
    for (const {path, mode} of tightened.splice(0)) {
      this.note(
        `Warning: other users could read or change ${path} (mode ${mode}). It has mode 0600 now; check what it holds.`,
      )
    }
  }

  /** A script, a pipe and CI load nothing of it. */
  private async tellUpdate(): Promise<void> {
    const {CI, SCENT_NO_UPDATE_CHECK: off} = process.env
    const isPerson = this.inTerminal && process.stderr.isTTY && !CI && !this.ctor.hidden
    if (!isPerson || off || process.exitCode) return
    const {updateHint} = await import('./session/update.ts')
    const text = updateHint(this.config.name, this.config.version)
    if (text !== undefined) this.note(text)
  }

  protected get mode(): Mode {
    if (this.flags.json || this.flags.query !== undefined) return 'json'
    return this.flags.output ?? 'table'
  }

  /** Before anything is written, asked, or shown to be waited for by the session. */
  protected clearLine(): void {
    this.endWork()
    this.opened?.progress.clear()
  }

  private async present(result: unknown): Promise<void> {
    const {mode} = this
    this.clearLine()
    // A command that serves has said all it had to say.
    if (result === undefined && this.views.length === 0) return
    if (mode === 'json' || this.views.length === 0)
      return printDocument(this.out, this.query ? await this.queried(this.query, result) : result)
    const said = await showViews(this.out, this.views, mode, this.flags.columns, this.hasKnownColumns)
    for (const text of [...said, ...this.asides]) this.note(text)
  }

  /** What an expression finds. What was changed is told in full if the expression does not fit the answer. */
  private async queried(query: Query, result: unknown): Promise<unknown> {
    const document = await collected(result)
    try {
      return query(document)
    } catch (error) {
      if (!isFailure(error) || this.opened?.changed() === undefined) throw error
      this.finding(withStory(error, undefined, this.opened))
      return document
    }
  }

  private async fail(error: unknown): Promise<void> {
    this.clearLine()
    const told = failureOf(error, this.id ?? '', takesOf(this.id, this.ctor))
    const failure = withStory(told, this.interrupts.underWay, this.opened)
    process.exitCode = failure.exitCode
    if (told.code === 'UNEXPECTED' && this.flags.debug) process.stderr.write(this.clean(stackText(told)))
    // Behind a document that was cut off, another one could not be read.
    if (!this.out.begun && (this.parsed ? this.mode === 'json' : wantsJson(this.argv))) {
      await printDocument(this.out, failureDocument(failure), (text) => this.clean(text))
      // If stdout can't be written, the document was lost with it.
      if (!this.out.problem) return
    }
    await this.tell(failure)
  }

  /** A failure for a person, on stderr; its exit code is the process's. */
  private async tell(failure: Failure): Promise<void> {
    process.exitCode = failure.exitCode
    const nameOf = (field: string) => nameOnLine(field, takesOf(this.id, this.ctor))
    await tellFailure(failure, this.err, process.stderr, {clean: (text) => this.clean(text), nameOf})
  }

  private clean(text: string): string {
    return this.opened?.clean(text) ?? text
  }
}

async function anyView(payload: unknown): Promise<View> {
  return (await import('./terminal/views/any.ts')).anyView(payload)
}
