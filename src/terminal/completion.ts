/** A node of the tree of commands. `id` is its words, such as `cart show`; the root's is empty. */
export interface Typed {
  id: string
  summary: string
  flags: TypedFlag[]
  /** Known values of its first argument. */
  values: readonly string[]
  /** Known values of its second argument, by the first one. */
  after?: Readonly<Record<string, readonly string[]>>
}

export interface TypedFlag {
  /** With its dashes. */
  name: string
  summary: string
  takesValue: boolean
  /** Known values; empty if any text or file fits. */
  values: readonly string[]
}

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** The completion script of a shell, to be sourced. Nothing of the program runs when it completes. */
export function completionScript(shell: Shell, tree: readonly Typed[]): string {
  return {bash, zsh, fish}[shell](tree)
}

/** Commands and topics directly below one. */
function below(tree: readonly Typed[], id: string): Typed[] {
  const prefix = id === '' ? '' : `${id} `
  return tree.filter(
    (one) => one.id !== id && one.id.startsWith(prefix) && !one.id.slice(prefix.length).includes(' '),
  )
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
const lastWord = (id: string) => id.slice(id.lastIndexOf(' ') + 1)
const known = (tree: readonly Typed[]) => tree.filter(({id}) => id !== '').map(({id}) => id)

/**
 * Branches of a `case` over `command word`, for a flag that takes a value, or a first argument that decides the second.
 * Words with equal values share one.
 */
function valueBranches(tree: readonly Typed[], action: (values: readonly string[]) => string): string {
  const places = new Map<string, string[]>()
  const values = new Map<string, readonly string[]>()
  for (const {id, flags, after = {}} of tree) {
    const words = flags.filter(({takesValue}) => takesValue).map((flag) => [flag.name, flag.values] as const)
    for (const [word, known] of [...words, ...Object.entries(after)]) {
      const key = known.join(' ')
      values.set(key, known)
      places.set(key, [...(places.get(key) ?? []), quote(`${id} ${word}`)])
    }
  }
  return [...places]
    .map(([key, at]) => `    ${at.join('|')}) ${action(values.get(key) ?? [])}; return ;;`)
    .join('\n')
}

function bash(tree: readonly Typed[]): string {
  const words = tree.map(({id, flags, values}) => {
    const names = [...below(tree, id).map((one) => lastWord(one.id)), ...values]
    const options = flags.map(({name}) => name)
    return `    ${quote(id)}) words=${quote(names.join(' '))} flags=${quote(options.join(' '))} ;;`
  })
  return `# Completion of scent for bash. In ~/.bashrc:  source <(scent autocomplete bash)
_scent() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" command="" words="" flags="" next i
  if [[ $cur == "=" ]]; then cur=""; elif [[ $prev == "=" ]]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${command:+$command }\${COMP_WORDS[i]}"
    case "$next" in
      ${known(tree).map(quote).join('|')}) command="$next" ;;
    esac
  done
  COMPREPLY=()
  case "$command $prev" in
${valueBranches(tree, (values) => `COMPREPLY=($(compgen -W ${quote(values.join(' '))} -- "$cur"))`)}
  esac
  case "$command" in
${words.join('\n')}
  esac
  [[ $cur == -* || -z $words ]] && words="$words $flags"
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _scent scent
`
}

function zsh(tree: readonly Typed[]): string {
  const described = (entries: {name: string; summary: string}[]) =>
    entries.map(({name, summary}) => quote(`${name.replaceAll(':', '\\:')}:${summary}`)).join(' ')
  const words = tree.map(({id, flags, values}) => {
    const names = below(tree, id).map((one) => ({name: lastWord(one.id), summary: one.summary}))
    const all = [...names, ...values.map((name) => ({name, summary: ''}))]
    return `    ${quote(id)}) names=(${described(all)}); flags=(${described(flags)}) ;;`
  })
  return `#compdef scent
# Completion of scent for zsh. In ~/.zshrc, after compinit:  source <(scent autocomplete zsh)
_scent() {
  local command="" next word
  local -a names flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="\${command:+$command }$word"
    case "$next" in
      ${known(tree).map(quote).join('|')}) command="$next" ;;
    esac
  done
  case "$command \${words[CURRENT-1]}" in
${valueBranches(tree, (values) =>
  values.length > 0 ? `names=(${values.map(quote).join(' ')}); _describe value names` : '_files',
)}
  esac
  case "$command" in
${words.join('\n')}
  esac
  (( \${#names} )) && _describe command names
  _describe -o flag flags
}
if [[ "\${funcstack[1]}" == _scent ]]; then _scent "$@"; else compdef _scent scent; fi
`
}

function fish(tree: readonly Typed[]): string {
  const lines = tree.flatMap((one) => {
    const at = `complete -c scent -n ${quote(`__scent_at ${quote(one.id)}`)}`
    const names = below(tree, one.id).map(({id, summary}) => `${at} -fa ${lastWord(id)} -d ${quote(summary)}`)
    const values = one.values.length > 0 ? [`${at} -fa ${quote(one.values.join(' '))}`] : []
    const after = Object.entries(one.after ?? {}).map(
      ([word, known]) =>
        `complete -c scent -n ${quote(`__scent_at ${quote(one.id)} ${word}`)} -fa ${quote(known.join(' '))}`,
    )
    const flags = one.flags.map((flag) => {
      const value =
        flag.values.length > 0 ? ` -xa ${quote(flag.values.join(' '))}` : flag.takesValue ? ' -r' : ' -f'
      return `${at} -l ${flag.name.slice(2)}${value} -d ${quote(flag.summary)}`
    })
    return [...names, ...values, ...after, ...flags]
  })
  return `# Completion of scent for fish:  scent autocomplete fish > ~/.config/fish/completions/scent.fish
function __scent_at
  set -l command
  for word in (commandline -opc)[2..-1]
    set -l next (string trim -- "$command $word")
    contains -- $next ${known(tree).map(quote).join(' ')}; and set command $next
  end
  test "$command" = "$argv[1]"; or return
  set -l last (commandline -opc)[-1]
  test (count $argv) -eq 1; or test "$argv[2]" = "$last"
end
${lines.join('\n')}
`
}
