import {createHash} from 'node:crypto'
import {stringify} from 'lossless-json'
import {parseJson} from '../../contract/money.ts'

/** A body as it may have been before something on the way changed it. */
export interface Before {
  /** What undoes the change, such as `compact`; several are joined by `+`. */
  change: string
  body: Buffer
}

/** How JSON can be written. What is left out stays as it came. */
interface Writing {
  layout?: 'compact' | 'spaced' | 2 | 4
  /** Of each text and each number, between its punctuation. */
  text?: (token: string) => string
  number?: (token: string) => string
}

type Named<T> = readonly (readonly [name: string, value: T])[]

const layouts: Named<NonNullable<Writing['layout']>> = [
  ['compact', 'compact'],
  ['spaced', 'spaced'],
  ['indent2', 2],
  ['indent4', 4],
]

const unescaped = (token: string) => JSON.stringify(JSON.parse(token))
const escapedBy = (pattern: RegExp, upper: boolean) => (token: string) =>
  unescaped(token).replace(pattern, (char) => {
    const digits = char.charCodeAt(0).toString(16).padStart(4, '0')
    return `\\u${upper ? digits.toUpperCase() : digits}`
  })
const beyondAscii = /[^\0-\x7e]/g
const slashed = (token: string) => token.replaceAll('/', '\\/')

/** Python and PHP write beyond ASCII in small letters, .NET in capitals; Go and .NET hide what is of HTML. */
const texts: Named<(token: string) => string> = [
  ['escapes', unescaped],
  ['escapes', escapedBy(beyondAscii, false)],
  ['escapes', escapedBy(beyondAscii, true)],
  ['escapes', escapedBy(/[<>&\u2028\u2029]/g, false)],
  ['escapes', escapedBy(/[^\0-\x7e]|[<>&'+]/g, true)],
  ['slashes', (token) => slashed(unescaped(token))],
  ['slashes+escapes', (token) => slashed(escapedBy(beyondAscii, false)(token))],
]

const numbers: Named<(token: string) => string> = [
  ['numbers', (token) => JSON.stringify(Number(token))],
  // A double drops the zeros at the end of an amount.
  ['decimals', (token) => (/^-?\d+\.\d$/.test(token) ? `${token}0` : token)],
  ['decimals', (token) => (/^-?\d+(\.\d)?$/.test(token) ? Number(token).toFixed(2) : token)],
]

/**
 * What a body may have been before it was changed, each once: the body itself first, then what one change undoes, then
 * what two changes of JSON undo.
 */
export function* bodiesBefore(body: Buffer): Generator<Before> {
  const known = new Set<string>()
  for (const [change, before] of candidates(body)) {
    if (before === undefined) continue
    const print = createHash('sha1').update(before).digest('base64')
    if (known.has(print)) continue
    known.add(print)
    yield {change, body: typeof before === 'string' ? Buffer.from(before) : before}
  }
}

type Candidate = [change: string, body: Buffer | string | undefined]

function* candidates(body: Buffer): Generator<Candidate> {
  yield ['', body]
  const latin1 = body.toString('latin1')
  const shorter = latin1.replace(/\r?\n$/, '')
  yield ['newline', Buffer.from(shorter === latin1 ? `${latin1}\n` : shorter, 'latin1')]
  yield ['crlf', Buffer.from(swapLineEnds(latin1), 'latin1')]
  const text = utf8(body)
  yield ['latin1', text === undefined ? latin1 : fromLatin1(text)]
  yield ['latin1', text === undefined ? undefined : latin1]
  if (text === undefined) return
  yield ['bom', text.startsWith('\ufeff') ? text.slice(1) : `\ufeff${text}`]
  yield ['percent', fromPercent(text)]
  yield ['percent', fromPercent(text.replaceAll('+', ' '))]
  yield* jsonCandidates(text.replace(/^\ufeff/, ''))
}

/** The bytes as text; undefined if they are not UTF-8. A byte order mark stays. */
function utf8(body: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(body)
  } catch {
    return undefined
  }
}

const swapLineEnds = (text: string) =>
  text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text.replaceAll('\n', '\r\n')

/** Text whose letters all have one byte in Latin-1, as those bytes. */
const fromLatin1 = (text: string) => (/^[\0-\xff]*$/.test(text) ? Buffer.from(text, 'latin1') : undefined)

function fromPercent(text: string): string | undefined {
  try {
    return text.includes('%') ? decodeURIComponent(text) : undefined
  } catch {
    return undefined
  }
}

function* jsonCandidates(text: string): Generator<Candidate> {
  const tokens = tokensOf(text)
  if (tokens === undefined) return
  for (const [name, layout] of layouts) yield [name, written(tokens, {layout})]
  for (const [name, text] of texts) yield [nameOf(name, text, tokens), written(tokens, {text})]
  for (const [name, number] of numbers) yield [name, written(tokens, {number})]
  const sorted = sortedTokens(text)
  if (sorted) yield ['sorted', written(sorted, {layout: 'compact'})]
  for (const [name, layout] of layouts) {
    const compact = written(tokens, {layout})
    yield [`${name}+newline`, compact && `${compact}\n`]
    for (const [other, text] of texts)
      yield [`${name}+${nameOf(other, text, tokens)}`, written(tokens, {layout, text})]
    for (const [other, number] of numbers) yield [`${name}+${other}`, written(tokens, {layout, number})]
    if (sorted) yield [`${name}+sorted`, written(sorted, {layout})]
  }
}

/** What writes texts plainly undoes escapes of either kind. */
const nameOf = (name: string, text: unknown, tokens: readonly string[]) =>
  text === unescaped && tokens.some((token) => token.includes('\\/')) ? 'slashes' : name

const TOKENS = /"(?:[^"\\]|\\.)*"|[\s]+|[{}[\],:]|[^\s{}[\],:"]+/g
/** Deeper than any event is, and an indent that deep would take more room than the body. */
const DEEPEST = 100

/** The tokens of JSON, blanks among them; undefined if it is not JSON, or is nested deeper than can be written. */
function tokensOf(text: string): string[] | undefined {
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  const tokens = text.match(TOKENS) ?? []
  let depth = 0
  for (const token of tokens) {
    depth += opens(token) - closes(token)
    if (depth > DEEPEST) return undefined
  }
  return tokens
}

const opens = (token: string) => Number(token === '{' || token === '[')
const closes = (token: string) => Number(token === '}' || token === ']')

/** JSON written anew. Digits and the order of keys stay, which a parser and its printer would not keep. */
function written(tokens: readonly string[], {layout, text, number}: Writing): string {
  const kept = layout === undefined ? tokens : tokens.filter((token) => !/^\s/.test(token))
  const indent = typeof layout === 'number' ? layout : 0
  const gap = layout === 'compact' || layout === undefined ? '' : ' '
  let depth = 0
  let out = ''
  for (const [at, token] of kept.entries()) {
    const isEmpty = opens(token) && closes(kept[at + 1] ?? '')
    const endsEmpty = closes(token) && opens(kept[at - 1] ?? '')
    depth += opens(token) - closes(token)
    const line = indent > 0 ? `\n${' '.repeat(indent * depth)}` : ''
    if (closes(token) && !endsEmpty) out += line
    out +=
      token.startsWith('"') && text ? text(token) : /^[-\d]/.test(token) && number ? number(token) : token
    if (opens(token) && !isEmpty) out += line
    if (token === ',') out += line || gap
    if (token === ':') out += gap
  }
  return out
}

/** The tokens with the keys of each object in order. */
function sortedTokens(text: string): string[] | undefined {
  try {
    return tokensOf(stringify(inOrder(parseJson(text))) ?? '')
  } catch {
    return undefined
  }
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  // Numbers with more digits than a double are objects with a class.
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, inOrder(inner)]))
}
