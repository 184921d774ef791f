import type {Command, Interfaces} from '@oclif/core'
import {CommandHelp, Help} from '@oclif/core/help'
import {type Block, type Guide, guideIds, guideNames, readGuide} from './guide.ts'
import {commandLines, isColoured, wrap} from './text.ts'
import {unknownCommand} from './usage.ts'

type Options = Partial<Interfaces.HelpOptions>
type Render = (text: string) => string

/** In this order, which puts what a command is for before its flags, and the flags that all share last. */
const order = ['USAGE', 'DESCRIPTION', 'EXAMPLES', 'ARGUMENTS', 'FLAGS']

/** oclif's help of one command. */
class ScentCommandHelp extends CommandHelp {
  constructor(command: Command.Loadable, config: Interfaces.Config, options: Interfaces.HelpOptions) {
    super(command, config, options)
    this.render = withoutTemplates(this.render, config)
  }

  protected override sections() {
    const place = ({header}: {header: string}) => (order.indexOf(header) + order.length) % order.length
    return super.sections().sort((a, b) => place(a) - place(b))
  }

  /** What must be given; the flags have their own section. */
  protected override defaultUsage(): string {
    const {id, args = {}, flags = {}, strict} = this.command
    const more = strict === false ? '...' : ''
    const words = Object.values(args).flatMap((arg) => (arg.hidden ? [] : [this.arg(arg)]))
    const needed = Object.values(flags).flatMap((flag) =>
      flag.required
        ? [`--${flag.name} ${'helpValue' in flag ? flag.helpValue : flag.name.toUpperCase()}`]
        : [],
    )
    return [
      id,
      ...words.slice(0, -1),
      ...words.slice(-1).map((word) => word + more),
      ...needed,
      ...(Object.values(flags).some((flag) => !flag.hidden) ? ['[FLAGS]'] : []),
    ].join(' ')
  }

  /** The summary stands above it already. */
  protected override description(): string | undefined {
    const {description} = this.command
    return description && this.wrap(description)
  }

  /** Ours are a command each, also if another program stands first. */
  protected override examples(examples: Command.Example[] | string | undefined): string | undefined {
    const lines = Array.isArray(examples) ? examples : []
    const room = this.opts.maxWidth - this.indentSpacing
    return (
      lines
        .map((line) => commandLines(`$ ${this.render(String(line))}`, room, {isIndented: true}).join('\n'))
        .join('\n\n') || undefined
    )
  }

  /** With spaces between values, so that a long line of them ends between two. */
  protected override flags(flags: Command.Flag.Any[]) {
    const spaced = (text: string) => text.replace(/<options: .*>/, (values) => values.replaceAll('|', ', '))
    return super.flags(flags)?.map(([flag, text]): [string, string] => [flag, spaced(text ?? '')])
  }

  /** Groups that every command has come after its own. */
  protected override groupFlags(flags: Command.Flag.Any[]) {
    const {mainFlags, flagGroups} = super.groupFlags(flags)
    const {OUTPUT = [], GLOBAL = [], ...own} = flagGroups
    const shared = {...(OUTPUT.length > 0 && {OUTPUT}), ...(GLOBAL.length > 0 && {GLOBAL})}
    return {mainFlags, flagGroups: {...own, ...shared}}
  }
}

/** The columns that a help may take: as many as there are, and at most the 80 of the pages that the build wrote. */
function columnsOf({isTTY, columns}: NodeJS.WriteStream): number {
  return Math.min(80, Number(process.env.OCLIF_COLUMNS) || (isTTY && columns) || 80)
}

/** oclif's help. Its library of colours also paints into pipes, where CI or COLORTERM is set: here it does not. */
export class ScentHelp extends Help {
  protected override CommandHelpClass = ScentCommandHelp
  /** Whether a guide is shown as well, so that none has to be named. */
  private isGuided = false

  constructor(config: Interfaces.Config, options: Options = {}) {
    const columns = columnsOf(process.stdout)
    // In narrow terminals oclif puts a text below its flag, and counts two of the six cells before it too few.
    const maxWidth = columns < 80 ? columns - 2 : columns
    super(config, {...options, maxWidth, stripAnsi: !isColoured(process.stdout)})
    this.render = withoutTemplates(this.render, config)
  }

  /** In the order of package.json, which is that of the tasks: oclif sorts them by their names. */
  protected override get sortedTopics(): Interfaces.Topic[] {
    const tasks = Object.keys(this.config.pjson.oclif.topics ?? {})
    const place = ({name}: Interfaces.Topic) => tasks.indexOf(name.split(':')[0] ?? '')
    return super.sortedTopics.sort((a, b) => place(a) - place(b))
  }

  /** Behind its first line the description of a topic says where to begin; lines that begin with $ are examples. */
  protected override formatTopic({name, description = ''}: Interfaces.Topic): string {
    const [summary = '', ...lines] = description.split('\n')
    const isExample = (line: string) => line.startsWith('$ ')
    const text = lines.filter((line) => !isExample(line)).join('\n')
    const examples = lines
      .filter(isExample)
      .map((line) => commandLines(line, this.opts.maxWidth - 2, {isIndented: true}).join('\n'))
    const page = [
      summary,
      this.section('USAGE', `$ ${this.config.bin} ${name.replaceAll(':', ' ')} COMMAND`),
      ...(text ? [this.section('DESCRIPTION', this.wrap(text))] : []),
      ...(examples.length > 0 ? [this.section('EXAMPLES', examples.join('\n'))] : []),
    ]
    return `${page.join('\n\n')}\n`
  }

  override async showRootHelp(): Promise<void> {
    await super.showRootHelp()
    this.showGuides(guideNames(this.config.root))
  }

  /** A topic with a guide names it below its commands. */
  override async showTopicHelp(topic: Interfaces.Topic): Promise<void> {
    await super.showTopicHelp(topic)
    if (!this.isGuided) this.showGuides(guideNames(this.config.root).filter((name) => name === topic.name))
  }

  private showGuides(names: string[]): void {
    if (names.length === 0) return
    const rows = names.map((name): [string, string] => [
      `help ${name}`,
      readGuide(this.config.root, name)?.summary ?? '',
    ])
    this.log(this.section('GUIDES', this.list(rows)))
    this.log('')
  }

  /** What `help` was asked for: a guide, the page of a command or a topic, or that of a topic with its guide below. */
  async showAsked(argv: string[]): Promise<void> {
    const [name = ''] = argv
    const guide = argv.length === 1 ? readGuide(this.config.root, name) : undefined
    if (guide === undefined) return this.showHelp(argv)
    this.isGuided = true
    if (this.config.findTopic(name)) await this.showHelp(argv)
    else this.log(`${guide.summary}\n`)
    this.showGuide(guide)
  }

  private showGuide({title, blocks}: Guide): void {
    const body = blocks.map((block) => this.blockText(block)).join('\n\n')
    this.log(this.section(title.toUpperCase(), body))
    this.log('')
  }

  private blockText(block: Block): string {
    const room = this.opts.maxWidth - this.indentSpacing
    if ('text' in block) return wrap(block.text, room)
    if ('points' in block)
      return block.points.map((point) => wrap(point, room, point.indexOf(' ') + 1)).join('\n')
    return this.list(block.rows)
  }

  private list(rows: [string, string][]): string {
    return this.renderList(rows, {indentation: 2, spacer: '\n', stripAnsi: this.opts.stripAnsi ?? false})
  }

  /** oclif wraps what is indented; a summary is not. */
  protected override log(...texts: string[]): void {
    super.log(...texts.map((text) => text.replace(/^\S.*$/gm, (line) => this.wrap(line, 0))))
  }

  /** Fails with INVALID_INPUT where there is no such command. */
  override async showHelp(argv: string[]): Promise<void> {
    try {
      await super.showHelp(argv)
    } catch (error) {
      const {commandIDs, root} = this.config
      throw unknownCommand(error, [...commandIDs, ...guideIds(root)]) ?? error
    }
  }
}

/** Compiling a template for every sentence would be a third of the time that a help takes. */
function withoutTemplates(render: Render, config: Interfaces.Config): Render {
  return (text) => {
    const plain = text.replaceAll('<%= config.bin %>', config.bin)
    return plain.includes('<%') ? render(plain) : plain
  }
}
