import {Failure} from '../../contract/failure.ts'
import {millis} from '../../contract/forms.ts'
import type {Arrived} from './judge.ts'

/** A delivery that somebody kept. */
export interface Captured extends Arrived {
  /** When it arrived, in milliseconds, if that was kept. */
  at?: number | undefined
}

type Fields = {[name: string]: unknown}

/**
 * The delivery in a file: a line of `listen --save`, or what another tool kept as JSON with `headers` and `body`;
 * otherwise the bytes are the body itself. Fails with INVALID_INPUT if the exact body is not there.
 */
export function capturedIn(bytes: Buffer, name: string): Captured {
  const text = bytes.toString().trim()
  const [line = '', ...others] = text.split('\n')
  const kept = fieldsOf(text) ?? fieldsOf(line)
  if (kept === undefined) return {headers: [], body: bytes}
  if (fieldsOf(text) === undefined && others.length > 0)
    throw unusable(
      name,
      `holds ${others.length + 1} lines`,
      `Give one of them: \`sed -n 1p FILE | scent webhooks verify -\`.`,
    )
  const {headers, body, eventId, at, method, path} = kept
  if (typeof body !== 'string')
    throw unusable(
      name,
      'holds the body as parsed JSON',
      'A signature covers exact bytes: keep the body as text.',
    )
  const isBase64 = kept.encoding === 'base64' || kept.isBase64Encoded === true
  const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)
  return {
    headers: pairsOf(headers),
    body: Buffer.from(body, isBase64 ? 'base64' : 'utf8'),
    ...{id: textOf(eventId), method: textOf(method), path: textOf(path)},
    at: typeof at === 'string' && !Number.isNaN(millis(at)) ? millis(at) : undefined,
  }
}

/** A JSON object with headers and a body. */
function fieldsOf(text: string): Fields | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const fields = JSON.parse(text) as Fields
    return typeof fields.headers === 'object' && fields.headers !== null && 'body' in fields
      ? fields
      : undefined
  } catch {
    return undefined
  }
}

/** Headers as pairs, or as an object in which a name may have several values. */
function pairsOf(headers: unknown): [string, string][] {
  const pairs: [unknown, unknown][] = Array.isArray(headers)
    ? headers.filter(Array.isArray).map(([name, value]) => [name, value])
    : Object.entries(headers as Fields)
  return pairs.flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [String(name), String(value)]),
  )
}

function unusable(name: string, why: string, hint: string): Failure {
  return new Failure('INVALID_INPUT', {message: `${name} ${why}, and one delivery is needed.`, hint})
}
