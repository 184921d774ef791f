import type {Command, Interfaces} from '@oclif/core'
import * as Args from '@oclif/core/args'
import {ScentCommand} from '../command.ts'
import {api, methods} from '../contract/api.ts'
import {catalogue} from '../contract/errors.ts'
import {
  completionScript,
  type RecordKind,
  type Shell,
  shells,
  type Typed,
  type TypedFlag,
} from '../terminal/completion.ts'
import {guideNames} from '../terminal/guide.ts'

export default class Autocomplete extends ScentCommand {
  static override summary = 'Print a script that completes commands, flags and their values.'
  static override description =
    `It completes references, customers, SKUs, jobs, profiles and columns too, from what this machine knows: nothing is asked of the service.

bash: add this line to ~/.bashrc
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
    this.put(completionScript(args.shell as Shell, typed(this.config, guideNames(this.config.root))))
  }
}

/** Everything that can be typed, out of oclif's manifest: the root, topics and commands. */
function typed(config: Interfaces.Config, guides: string[]): Typed[] {
  const topics = config.topics.map(({name, description = ''}) => ({id: name, summary: description}))
  const shown = config.commands.filter(({hidden}) => !hidden)
  const names = [...topics, ...shown]
    .map(({id = ''}) => id)
    .filter((id) => id !== 'help' && !id.includes(':'))
  const alone = topics.filter(({id}) => shown.every((command) => command.id !== id))
  return [
    {id: '', summary: '', flags: [flagOf({name: 'version', type: 'boolean'})], values: []},
    ...alone.map((topic) => ({...topic, flags: [], values: []})),
    ...shown.map((command) => ({
      id: command.id.replaceAll(':', ' '),
      summary: command.summary ?? '',
      flags: Object.values(command.flags).flatMap((flag) => flagsOf(flag, command.id)),
      values: command.id === 'help' ? [...new Set([...guides, ...names])].sort() : valuesOf(command),
      known: argumentKinds[command.id],
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

/** What the local records know the arguments of a command by. */
const argumentKinds: {[id: string]: RecordKind} = {
  ...of('variants', 'cart:add', 'cart:set', 'cart:remove', 'cart:notify', 'catalog:variant'),
  ...of('variants', 'wishlist:add', 'wishlist:remove', 'sandbox:variant'),
  ...of('orders', 'orders:get', 'orders:track', 'returns:create', 'sandbox:deliver', 'sandbox:notice'),
  ...of('jobs', 'jobs:show', 'jobs:resume'),
  ...of('webhooks', 'webhooks:update', 'webhooks:enable', 'webhooks:disable'),
  ...of('webhooks', 'webhooks:deliveries', 'webhooks:test', 'webhooks:timeline'),
  ...of('profiles', 'auth:use', 'auth:logout'),
}

/** What they know a flag by: of one command, or of all. */
const flagKinds: {[flag: string]: RecordKind} = {
  ...of('variants', 'variant', 'catalog:variants id'),
  ...of('orders', 'order', 'orders:list reference'),
  ...of('customers', 'customer'),
  ...of('profiles', 'profile'),
  ...of('columns', 'columns'),
}

function of(kind: RecordKind, ...places: string[]): {[place: string]: RecordKind} {
  return Object.fromEntries(places.map((place) => [place, kind]))
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

function flagsOf(flag: Flag, command: string): TypedFlag[] {
  if (flag.hidden) return []
  if (flag.allowNo) return [flagOf(flag), flagOf({...flag, name: `no-${flag.name}`})]
  const known = flagKinds[`${command} ${flag.name}`] ?? flagKinds[flag.name]
  return [{...flagOf(flag), ...(known && {known})}]
}

function flagOf({name, type, summary = '', options}: Flag): TypedFlag {
  const values = Array.isArray(options) ? options.map(String) : []
  return {name: `--${name}`, summary, takesValue: type === 'option', values}
}
