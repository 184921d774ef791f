import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import * as z from 'zod/mini'
import type {RawRequest} from '../client/client.ts'
import {ScentCommand} from '../command.ts'
import {api, methods, operationsAt, wholePath} from '../contract/api.ts'
import {Failure, isFailure} from '../contract/failure.ts'
import type {Operation} from '../contract/operation.ts'
import {pageQuery} from '../contract/paging.ts'
import {listOperation, operationNames} from '../flows/operations.ts'
import {readJson} from '../store/input.ts'
import {bodyOf, queryOf} from '../terminal/fields.ts'
import {apiFlags, type OutputFlags, type SessionFlags} from '../terminal/flags.ts'
import type {Listing} from '../terminal/output.ts'
import {listed} from '../terminal/parsing.ts'
import {operationTable} from '../terminal/views/explain.ts'

export default class Api extends ScentCommand {
  static override summary = 'Send one request, and print the payload of its answer as JSON.'
  static override description =
    `Without METHOD it lists the operations of the API; \`scent explain OPERATION\` tells what each one takes.

With a GET the fields go into the query, with any other method into a JSON body. A GET is repeated after a lost answer, anything else is sent once.

-F turns true, false, null and numbers into JSON, digit for digit; -f takes everything as text. a[b]=1 nests, a[]=1 adds to an array; a dot in a name is just a dot. PATH is a path of this service, with or without /api/v1, already percent-encoded; the token goes nowhere else.`
  static override examples = [
    '<%= config.bin %> api',
    '<%= config.bin %> api GET scent/variants -F pageSize=5',
    '<%= config.bin %> api POST scent/cart/items -f variantId=d2d38be7-ed73-4a47-bba0-44575c832aa4 -F quantity=2',
    '<%= config.bin %> api GET wallet/transactions --paginate --output ndjson',
    '<%= config.bin %> api POST scent/orders --input order.json',
    '<%= config.bin %> api --openapi > openapi.json',
  ]
  static override args = {
    method: Args.string({
      description: 'HTTP method: GET, POST, PUT, PATCH or DELETE.',
    }),
    path: Args.string({description: 'Path below the base URL, such as scent/variants.'}),
  }
  static override flags = {
    ...apiFlags,
    field: Flags.string({
      char: 'F',
      summary: 'Field of the query or the body, typed; repeatable.',
      helpValue: 'K=V',
      multiple: true,
      multipleNonGreedy: true,
    }),
    'raw-field': Flags.string({
      char: 'f',
      summary: 'Field of the query or the body, as text; repeatable.',
      helpValue: 'K=V',
      multiple: true,
      multipleNonGreedy: true,
    }),
    input: Flags.string({
      summary: 'File with the JSON body; - reads it from stdin.',
      helpValue: 'FILE|-',
      exclusive: ['field', 'raw-field'],
    }),
    header: Flags.string({
      char: 'H',
      summary: 'Header of the request; repeatable.',
      helpValue: 'K=V',
      multiple: true,
      multipleNonGreedy: true,
    }),
    paginate: Flags.boolean({summary: 'Follow the pages of a list, and print all items.'}),
    openapi: Flags.boolean({
      summary: 'Print the whole API as an OpenAPI 3.1 document, for other tools; nothing is sent.',
      exclusive: ['field', 'raw-field', 'input', 'header', 'paginate'],
    }),
  }

  async run(): Promise<unknown> {
    const {args, flags, raw} = await this.parse(Api)
    if (flags.openapi && args.method !== undefined)
      throw refused(
        '--openapi goes without METHOD: it prints the whole API, and sends nothing.',
        'Leave out METHOD and PATH; `scent explain OPERATION` tells of one operation.',
      )
    if (flags.openapi)
      requireJson(flags, raw, {
        with: '--openapi',
        because: 'an OpenAPI document is one document of JSON',
        hint: '--query EXPR chooses a part of the document.',
      })
    if (flags.openapi) return this.openApi(flags)
    if (args.method === undefined) return this.listOperations()
    const method = methodOf(args.method)
    if (!flags.paginate || flags.output !== 'ndjson')
      requireJson(flags, raw, {
        with: 'a request',
        because: 'the payload of its answer is printed as JSON',
        hint: '--query EXPR chooses a part of it, and --paginate --output ndjson prints the items of a list, one a line.',
      })
    if (args.path === undefined)
      throw new Failure('MISSING_INPUT', {message: 'PATH is missing.', hint: LISTED})
    const fields = [
      ...(flags.field ?? []).map((text) => ({text, raw: false})),
      ...(flags['raw-field'] ?? []).map((text) => ({text, raw: true})),
    ]
    const input = flags.input === undefined ? undefined : await readJson(flags.input)
    const headers = Object.fromEntries((flags.header ?? []).map(headerOf))
    const {client, settings} = await this.session(flags)
    const {path, query} = targetOf(args.path, settings.baseUrl.value)
    if (method === 'GET') query.push(...queryOf(fields))
    if (flags.paginate) {
      if (method !== 'GET') throw refused('Only a GET has pages.')
      const rows = ofList(client.pages(listAt(path, query), {query: grouped(query)}))
      if (flags.output === 'ndjson') this.show({rows, columns: []})
      return {items: rows}
    }
    const body = input ?? (method === 'GET' || fields.length === 0 ? undefined : bodyOf(fields))
    const request = {method, path, query, headers, ...(body === undefined ? {} : {body})}
    const answer = await client.raw(request).catch((error: unknown) => {
      throw withMethods(error, path)
    })
    return answer.payload
  }

  /** For the service that the flags or the profile name, if they name one. */
  private async openApi(flags: SessionFlags): Promise<object> {
    const {openApi} = await import('../contract/openapi/document.ts')
    const {openDesk} = await import('../desk/desk.ts')
    const {baseUrlOf} = await import('../store/profiles.ts')
    const given = flags['base-url']
    return openApi(given === undefined ? openDesk(flags).settings?.baseUrl.value : baseUrlOf(given))
  }

  private listOperations(): Listing {
    const items = operationNames.map(listOperation)
    this.show(operationTable(items))
    return {items}
  }
}

const LISTED = '`scent api` lists the operations and their paths.'

function methodOf(text: string): RawRequest['method'] {
  const method = methods.find((one) => one === text.toUpperCase())
  if (method) return method
  throw refused(`"${text}" is not a valid method; use ${methods.join(', ')}.`)
}

/** A path of the service and its query, out of a path or an URL on its origin. */
function targetOf(given: string, baseUrl: string): {path: string; query: [string, string][]} {
  let rest = given
  if (/^[a-z][a-z\d+.-]*:/i.test(given) || given.startsWith('//')) {
    const url = URL.canParse(given) ? new URL(given) : undefined
    const {origin} = new URL(baseUrl)
    if (url?.origin !== origin) throw refused(`The token of ${origin} goes nowhere else; nothing was sent.`)
    rest = given.slice(given.indexOf(url.host) + url.host.length)
  }
  const [path = '', search = ''] = rest.split(/\?(.*)/s)
  const [name] = /\{\w+\}/.exec(path) ?? []
  if (name !== undefined) throw refused(`Put a value in the place of ${name} in the path.`)
  return {path: wholePath(path), query: [...new URLSearchParams(search)]}
}

function headerOf(text: string): [string, string] {
  const at = text.search(/[=:]/)
  if (at < 1) throw refused('A header is written as Name=value.')
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}

function refused(message: string, hint?: string): Failure {
  return new Failure('INVALID_INPUT', {message, effect: 'none', ...(hint !== undefined && {hint})})
}

/**
 * Fails with INVALID_INPUT if another form than JSON was typed: there are no rows. What is set for all commands gives way.
 */
function requireJson(
  {output, columns}: Partial<OutputFlags>,
  raw: readonly {type: string; flag?: string}[],
  {with: what, because, hint}: {with: string; because: string; hint: string},
): void {
  const isTyped = (name: string) => raw.some((token) => token.type === 'flag' && token.flag === name)
  const columned = isTyped('columns') && columns !== undefined ? '--columns' : undefined
  const given = columned ?? (isTyped('output') && output !== 'json' ? `--output ${output}` : undefined)
  if (given !== undefined)
    throw refused(`${given} does not go with ${what}: ${because}.`, `Leave it out; ${hint}`)
}

/** A list outside the contract: its parameters are taken as they are. */
function listAt(path: string, query: [string, string][]): Operation {
  const names = [...new Set(query.map(([name]) => name))]
  const rules = names.map((name) => [name, {kind: 'text', many: true}] as const)
  return {
    summary: 'A list.',
    method: 'GET',
    path,
    auth: 'bearer',
    repeat: 'freely',
    query: {...Object.fromEntries(rules), ...pageQuery},
    payload: z.unknown(),
    fails: [],
  }
}

/** Adds a hint to the refusal of a page: a route that is not a list takes none. */
async function* ofList(rows: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  try {
    yield* rows
  } catch (error) {
    if (!isFailure(error) || error.code !== 'VALIDATION_UNKNOWN_QUERY_PARAMETER') throw error
    const hint = `If it is not a list, ask without --paginate. ${error.hint}`
    throw new Failure(error.code, {...error.facts, hint}, {cause: error.cause})
  }
}

/** Names the methods that the path takes, if the service refused the one that it was asked by. */
function withMethods(error: unknown, path: string): unknown {
  const known = [...new Set(operationsAt(path).map((name) => api[name].method))]
  if (!isFailure(error, 'METHOD_NOT_ALLOWED') || known.length === 0) return error
  const hint = `${path} takes ${listed(known)}: \`scent explain ${path}\` tells what is sent.`
  return new Failure(error.code, {...error.facts, hint}, {cause: error.cause})
}

function grouped(query: [string, string][]): Record<string, string[] | number> {
  const groups: Record<string, string[] | number> = {}
  for (const [name, value] of query) {
    if (name === 'page' || name === 'pageSize') groups[name] = Number(value)
    else groups[name] = [...((groups[name] as string[] | undefined) ?? []), value]
  }
  return groups
}
