import {Failure} from '../../contract/failure.ts'
import {type KeyReading, keyReadings} from './keys.ts'

export const hashes = ['sha256', 'sha512', 'sha1', 'sha384'] as const
type Hash = (typeof hashes)[number]

/** Bytes of a digest. */
export const sizeOf: Record<Hash, number> = {sha256: 32, sha512: 64, sha1: 20, sha384: 48}

/** How the bytes of a digest are written. Case and padding count: what is written otherwise does not fit. */
export const encodings = {
  hex: (digest: Buffer) => digest.toString('hex'),
  HEX: (digest: Buffer) => digest.toString('hex').toUpperCase(),
  base64: (digest: Buffer) => digest.toString('base64'),
  base64url: (digest: Buffer) => digest.toString('base64url'),
  unpadded: (digest: Buffer) => digest.toString('base64').replace(/=+$/, ''),
} as const
export type Encoding = keyof typeof encodings

export const stampForms = ['seconds', 'ms', 'iso'] as const
export type StampForm = (typeof stampForms)[number]

/** How a delivery is signed. The API's description leaves open what, in which form and with which key: so it is data. */
export interface Scheme {
  /** One of the five, or the written form. */
  name: string
  /** What is signed: a text in which {timestamp}, {body} and the other parts of a delivery stand for themselves. */
  input: string
  hash: Hash
  encoding: Encoding
  /** What may stand before the digits, or PAIRS. */
  prefixes: readonly string[]
  secret: KeyReading
  timestamp: StampForm
}

/** The prefix of a signature that carries its own timestamp: `t=1614265330,v1=…`. */
export const PAIRS = 't=,v1='

/** The parts of a delivery that can be signed. */
const parts = ['timestamp', 'body', 'id', 'method', 'path', 'url', 'bodyhash']

const usual = {hash: 'sha256', encoding: 'hex', secret: 'text', timestamp: 'seconds'} as const

// not shown: which of them the service uses, if any.
export const schemes: readonly Scheme[] = [
  {...usual, name: 'default', input: '{timestamp}.{body}', prefixes: ['', 'v1=', 'v1,', 'sha256=']},
  {
    ...{...usual, name: 'standard', input: '{id}.{timestamp}.{body}', prefixes: ['v1,']},
    ...{encoding: 'base64', secret: 'base64'},
  },
  {...usual, name: 'stripe', input: '{timestamp}.{body}', prefixes: [PAIRS]},
  {...usual, name: 'slack', input: 'v0:{timestamp}:{body}', prefixes: ['v0=']},
  {...usual, name: 'github', input: '{body}', prefixes: ['sha256=']},
]

/** Whether what is signed tells when: without that, an old delivery can be sent again for ever. */
export const isTimed = ({input}: Scheme) => input.includes('{timestamp}')

/** Those that are tried if none is named. One without a timestamp must be named. */
export const timedSchemes = schemes.filter(isTimed)

/** A scheme in one line, as --scheme takes it. */
export function writtenForm({
  input,
  hash,
  encoding,
  prefixes: [prefix = ''],
  secret,
  timestamp,
}: Scheme): string {
  const words = [input.replaceAll('\n', '\\n'), hash, encoding, prefix]
  if (secret !== 'text') words.push(`secret=${secret}`)
  if (timestamp !== 'seconds') words.push(`timestamp=${timestamp}`)
  return words.filter(Boolean).join(' ')
}

/** Reads the name of a scheme or its written form: input, hash, encoding and prefix. Fails with INVALID_INPUT. */
export function parseScheme(text: string): Scheme {
  const named = schemes.find(({name}) => name === text)
  if (named) return named
  const [input = '', hash = '', encoding = '', ...others] = text.trim().split(/\s+/)
  const option = (name: string) =>
    others.findLast((word) => word.startsWith(`${name}=`))?.slice(name.length + 1)
  const prefixes = others.filter((word) => !/^(secret|timestamp)=/.test(word))
  const secret = oneOf(keyReadings, option('secret') ?? 'text')
  const timestamp = oneOf(stampForms, option('timestamp') ?? 'seconds')
  const words = {hash: oneOf(hashes, hash), encoding: oneOf(Object.keys(encodings) as Encoding[], encoding)}
  const signed = [...input.matchAll(/\{(\w*)\}/g)].map(([, part = '']) => part)
  const isKnown = signed.every((part) => parts.includes(part)) && signed.some((part) => /^body/.test(part))
  if (!isKnown || !words.hash || !words.encoding || !secret || !timestamp || prefixes.length > 1)
    throw unknown(text)
  const scheme: Scheme = {
    ...{name: '', input: input.replaceAll('\\n', '\n'), hash: words.hash, encoding: words.encoding},
    ...{prefixes: [prefixes[0] ?? ''], secret, timestamp},
  }
  return {...scheme, name: writtenForm(scheme)}
}

const oneOf = <T extends string>(all: readonly T[], text: string) => all.find((one) => one === text)

function unknown(text: string): Failure {
  return new Failure('INVALID_INPUT', {
    message: `"${text}" is not a valid scheme.`,
    hint: `Give one of ${schemes.map(({name}) => name).join(', ')}, or write it: input, hash, encoding and prefix, such as '{timestamp}.{body} sha256 hex v1='. The input may hold ${parts.map((part) => `{${part}}`).join(', ')}, and must hold the body.`,
  })
}
