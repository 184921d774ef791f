/** What the local records know and TAB completes; `scent complete` prints it. */
export const recordKinds = [
  'variants',
  'orders',
  'customers',
  'jobs',
  'webhooks',
  'profiles',
  'columns',
] as const
export type RecordKind = (typeof recordKinds)[number]

/** A node of the tree of commands. `id` is its words, such as `cart show`; the root's is empty. */
export interface Typed {
  id: string
  summary: string
  flags: TypedFlag[]
  /** Known values of its first argument. */
  values: readonly string[]
  /** Known values of its second argument, by the first one. */
  after?: Readonly<Record<string, readonly string[]>>
  /** What the local records know its arguments by. */
  known?: RecordKind | undefined
}

export interface TypedFlag {
  /** With its dashes. */
  name: string
  summary: string
  takesValue: boolean
  /** Known values; empty if any text or file fits. */
  values: readonly string[]
  known?: RecordKind | undefined
}

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** The completion script of a shell, to be sourced. The program runs only for what the local records know. */
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
function valueBranches(
  tree: readonly Typed[],
  action: (values: readonly string[]) => string,
  recorded: (kind: RecordKind) => string,
): string {
  const places = new Map<string, string[]>()
  for (const {id, flags, after = {}} of tree) {
    const words = flags
      .filter(({takesValue}) => takesValue)
      .map(({name, values, known}) => [name, known ? recorded(known) : action(values)] as const)
    const others = Object.entries(after).map(([word, values]) => [word, action(values)] as const)
    for (const [word, does] of [...words, ...others])
      places.set(does, [...(places.get(does) ?? []), quote(`${id} ${word}`)])
  }
  return [...places].map(([does, at]) => `    ${at.join('|')}) ${does}; return ;;`).join('\n')
}

function bash(tree: readonly Typed[]): string {
  const words = tree.map(({id, flags, values, known: kind = ''}) => {
    const names = [...below(tree, id).map((one) => lastWord(one.id)), ...values]
    const options = flags.map(({name}) => name)
    return `    ${quote(id)}) words=${quote(names.join(' '))} flags=${quote(options.join(' '))} known=${quote(kind)} ;;`
  })
  return `# Completion of scent for bash. In ~/.bashrc:  source <(scent autocomplete bash)
_scent_known() {
  local value
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    [[ $value == *[!a-zA-Z0-9_.,:/@%+=-]* ]] && printf -v value %q "$value"
    COMPREPLY+=("$value")
  done < <(scent complete "$1" "$command" -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$cur" 2>/dev/null)
}
_scent() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" command="" words="" flags="" known="" next i
  if [[ $cur == "=" ]]; then cur=""; elif [[ $prev == "=" ]]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${command:+$command }\${COMP_WORDS[i]}"
    case "$next" in
      ${known(tree).map(quote).join('|')}) command="$next" ;;
    esac
  done
  COMPREPLY=()
  case "$command $prev" in
${valueBranches(
  tree,
  (values) => `COMPREPLY=($(compgen -W ${quote(values.join(' '))} -- "$cur"))`,
  (kind) => `_scent_known ${kind}`,
)}
  esac
  case "$command" in
${words.join('\n')}
  esac
  if [[ -n $known && $cur != -* ]]; then
    _scent_known "$known"
    ((\${#COMPREPLY[@]})) && return
  fi
  [[ $cur == -* || -z $words ]] && words="$words $flags"
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _scent scent
`
}

function zsh(tree: readonly Typed[]): string {
  const described = (entries: {name: string; summary: string}[]) =>
    entries.map(({name, summary}) => quote(`${name.replaceAll(':', '\\:')}:${summary}`)).join(' ')
  const words = tree.map(({id, flags, values, known: kind = ''}) => {
    const names = below(tree, id).map((one) => ({name: lastWord(one.id), summary: one.summary}))
    const all = [...names, ...values.map((name) => ({name, summary: ''}))]
    return `    ${quote(id)}) names=(${described(all)}); flags=(${described(flags)}); known=${quote(kind)} ;;`
  })
  return `#compdef scent
# Completion of scent for zsh. In ~/.zshrc, after compinit:  source <(scent autocomplete zsh)
_scent_known() {
  local text
  local -a found
  text="$(scent complete "$1" "$command" -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"
  [[ -n $text ]] || return 1
  found=("\${(@f)text}")
  found=("\${(@)found//:/\\\\:}")
  found=("\${(@)found/$'\\t'/:}")
  _describe value found
}
_scent() {
  local command="" known="" next word
  local -a names flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="\${command:+$command }$word"
    case "$next" in
      ${known(tree).map(quote).join('|')}) command="$next" ;;
    esac
  done
  case "$command \${words[CURRENT-1]}" in
${valueBranches(
  tree,
  (values) =>
    values.length > 0 ? `names=(${values.map(quote).join(' ')}); _describe value names` : '_files',
  (kind) => `_scent_known ${kind}`,
)}
  esac
  case "$command" in
${words.join('\n')}
  esac
  [[ -n $known && "\${words[CURRENT]}" != -* ]] && _scent_known "$known" && return
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
    const given = one.known ? `(__scent_known ${one.known})` : one.values.join(' ')
    const values = given === '' ? [] : [`${at} -fa ${quote(given)}`]
    const after = Object.entries(one.after ?? {}).map(
      ([word, known]) =>
        `complete -c scent -n ${quote(`__scent_at ${quote(one.id)} ${word}`)} -fa ${quote(known.join(' '))}`,
    )
    const flags = one.flags.map((flag) => {
      const known = flag.known ? `(__scent_known ${flag.known})` : flag.values.join(' ')
      const value = known === '' ? (flag.takesValue ? ' -r' : ' -f') : ` -xa ${quote(known)}`
      return `${at} -l ${flag.name.slice(2)}${value} -d ${quote(flag.summary)}`
    })
    return [...names, ...values, ...after, ...flags]
  })
  return `# Completion of scent for fish:  scent autocomplete fish > ~/.config/fish/completions/scent.fish
function __scent_command
  set -l command
  for word in (commandline -opc)[2..-1]
    set -l next (string trim -- "$command $word")
    contains -- $next ${known(tree).map(quote).join(' ')}; and set command $next
  end
  echo $command
end
function __scent_known
  scent complete $argv[1] (__scent_command) -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null
end
function __scent_at
  test (__scent_command) = "$argv[1]"; or return
  set -l last (commandline -opc)[-1]
  test (count $argv) -eq 1; or test "$argv[2]" = "$last"
end
${lines.join('\n')}
`
}
