import type {Command, Interfaces} from '@oclif/core'
import * as Args from '@oclif/core/args'
import {ScentCommand} from '../command.ts'
import {api, methods} from '../contract/api.ts'
import {catalogue} from '../contract/errors.ts'
import {completionScript, type Shell, shells, type Typed, type TypedFlag} from '../terminal/completion.ts'

export default class Autocomplete extends ScentCommand {
  static override summary = 'Print a script that completes commands, flags and their values.'
  static override description = `bash: add this line to ~/.bashrc
  source <(scent autocomplete bash)

zsh: add this line to ~/.zshrc, below compinit
  source <(scent autocomplete zsh)

fish: run this once, and again after an update
  scent autocomplete fish > ~/.config/fish/completions/scent.fish`
  static override examples = ['source <(<%= config.bin %> autocomplete bash)']
  static override args = {
    shell: Args.string({description: 'Which shell the script is for.', options: [...shells], required: true}),
  }
  static override flags = {}

  async run(): Promise<void> {
    const {args} = await this.parse(Autocomplete)
    process.stdout.write(completionScript(args.shell as Shell, typed(this.config)))
  }
}

/** Everything that can be typed, out of oclif's manifest: the root, topics and commands. */
function typed(config: Interfaces.Config): Typed[] {
  const topics = config.topics.map(({name, description = ''}) => ({id: name, summary: description}))
  const shown = config.commands.filter(({hidden}) => !hidden)
  const alone = topics.filter(({id}) => shown.every((command) => command.id !== id))
  return [
    {id: '', summary: '', flags: [flagOf({name: 'version', type: 'boolean'})], values: []},
    ...alone.map((topic) => ({...topic, flags: [], values: []})),
    ...shown.map((command) => ({
      id: command.id.replaceAll(':', ' '),
      summary: command.summary ?? '',
      flags: Object.values(command.flags).flatMap(flagsOf),
      values: valuesOf(command),
      ...(command.id === 'api' && {after: pathsByMethod()}),
    })),
  ].map((one) => ({...one, flags: [...one.flags, flagOf({name: 'help', type: 'boolean'})]}))
}

/** Known values of the first argument. */
function valuesOf({id, args}: Command.Loadable): readonly string[] {
  if (id === 'api') return methods
  if (id === 'explain') return [...Object.keys(catalogue), ...Object.keys(api)]
  return Object.values(args)[0]?.options ?? []
}

/** The paths of the API by their methods, as people write them. */
function pathsByMethod(): Record<string, string[]> {
  const paths = (method: string) =>
    Object.values(api)
      .filter((operation) => operation.method === method)
      .map(({path}) => path.replace(/^\/api\/v1\//, ''))
  return Object.fromEntries(methods.map((method) => [method, [...new Set(paths(method))]]))
}

type Flag = Pick<Command.Flag.Cached, 'name' | 'type' | 'summary' | 'hidden'> & {
  allowNo?: boolean
  options?: unknown
}

function flagsOf(flag: Flag): TypedFlag[] {
  if (flag.hidden) return []
  return flag.allowNo ? [flagOf(flag), flagOf({...flag, name: `no-${flag.name}`})] : [flagOf(flag)]
}

function flagOf({name, type, summary = '', options}: Flag): TypedFlag {
  const values = Array.isArray(options) ? options.map(String) : []
  return {name: `--${name}`, summary, takesValue: type === 'option', values}
}
