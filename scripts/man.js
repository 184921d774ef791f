// Makes the manual page of scent, in the language of man(7), from what the program says of itself.

const SPECIAL = {'\\': '\\e', '-': '\\-', '~': '\\(ti', '^': '\\(ha', "'": '\\(aq', '`': '\\(ga', '…': '...'}

const escaped = (text) => text.replace(/[\\\-~^'`…]/g, (char) => SPECIAL[char])

/** A text in which what stands between backticks is to be typed. A line never begins with what man(7) would obey. */
const prose = (text) =>
  text
    .replace(/\s+/g, ' ')
    .split(/`([^`]*)`/)
    .map((part, at) => (at % 2 === 0 ? escaped(part) : `\\fB${escaped(part)}\\fR`))
    .join('')
    .replace(/^(?=\.)/, '\\&')

const entry = (name, text) => `.TP\n${prose(name)}\n${prose(text)}`
const code = (text) => `\`${text}\``

/** The rows of the tables of a guide, each a list of tables. */
const tablesOf = (guide) =>
  [...guide.matchAll(/^\|[-|]+\|\n((?:\|.*\|\n)+)/gm)].map(([, rows]) =>
    rows
      .trimEnd()
      .split('\n')
      .map((row) => row.slice(2, -2).split(/ (?<!\\)\| /)),
  )

const summaryOf = (guide) => guide.split(/\n{2,}/)[1]

function commandsOf(topics, commands) {
  const all = Object.entries(commands).filter(([, {hidden}]) => !hidden)
  const entriesOf = (list) =>
    list.map(([id, {summary}]) => entry(code(`scent ${id.replaceAll(':', ' ')}`), summary)).join('\n')
  const sections = Object.entries(topics).map(([topic, {description}]) => {
    const own = all.filter(([id]) => id === topic || id.startsWith(`${topic}:`))
    return `.SS ${topic}\n${prose(description.split('\n')[0])}\n${entriesOf(own)}`
  })
  const others = all.filter(([id]) => !Object.hasOwn(topics, id.split(':')[0]))
  return [...sections, `.SS others\nOf no topic.\n${entriesOf(others)}`].join('\n')
}

/** The flags that commands share. */
function flagsOf({flags}) {
  const shared = Object.values(flags).filter(({helpGroup}) =>
    ['OUTPUT', 'GLOBAL', 'LIST'].includes(helpGroup),
  )
  return shared
    .map(({name, helpValue, options, summary, env, default: usual}) => {
      const value = helpValue ?? options?.join('|')
      const more = [
        ...(usual ? [`By default ${usual}.`] : []),
        ...(env ? [`The variable ${env} does the same.`] : []),
      ]
      return entry(
        code(value === undefined ? `--${name}` : `--${name} ${value}`),
        [summary, ...more].join(' '),
      )
    })
    .join('\n')
}

const examplesOf = (topics) =>
  Object.values(topics)
    .flatMap(({description}) => description.split('\n').filter((line) => line.startsWith('$ ')))
    .map(escaped)
    .join('\n')

/** `guides` are the texts of docs/help by their names, `manifest` is that of oclif. */
export function manualPage({pjson, manifest, guides}) {
  const {version, description, oclif} = pjson
  const {topics} = oclif
  const [variables, , files] = tablesOf(guides.environment)
  const [exits] = tablesOf(guides['exit-codes'])
  const rows = (table) => table.map(([name, text]) => entry(code(name.replaceAll('`', '')), text)).join('\n')
  return [
    '.\\" Made by the build, from the help of the commands and from docs/help.',
    `.TH SCENT 1 "" "scent ${version}" "User Commands"`,
    // No hyphens in commands, and no gaps between words.
    '.nh\n.ad l',
    `.SH NAME\nscent \\- ${escaped(description.replace(/^The/, 'the').replace(/\.$/, ''))}`,
    '.SH SYNOPSIS',
    '.B scent\n.I topic command\n.RI [ argument ...]\n.RI [ flag ...]\n.br\n.B scent help\n.RI [ name ]',
    '.SH DESCRIPTION',
    prose(oclif.description.split('\n\n')[0].replace(/ To try them all.*$/s, '')),
    '.PP',
    prose(
      'An order is charged once, whatever answer is lost on the way and however often the command is typed again. The whole API comes along as a local sandbox: `scent sandbox start --detach`, then `scent auth login --sandbox`, and everything can be tried without an account.',
    ),
    `.SH COMMANDS\n${commandsOf(topics, manifest.commands)}`,
    `.SH OPTIONS\nThese are shared by many commands; each has its own as well.\n${flagsOf(manifest.commands['returns:list'])}`,
    `.SH EXIT STATUS\n${rows(exits)}`,
    `.SH ENVIRONMENT\n${prose(summaryOf(guides.environment))}\n${rows(variables)}`,
    `.SH FILES\n${rows(files)}`,
    `.SH EXAMPLES\n.nf\n${examplesOf(topics)}\n.fi`,
    `.SH SEE ALSO\n${Object.entries(guides)
      .map(([name, guide]) => entry(code(`scent help ${name}`), summaryOf(guide)))
      .join('\n')}`,
    '',
  ].join('\n')
}
