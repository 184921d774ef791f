import {type Before, bodiesBefore} from './changes.ts'
import {type Arrived, digestOf, messageOf, type Signature, secondsBetween, stampOf} from './judge.ts'
import {type KeyReading, keyOf, keyReadings} from './keys.ts'
import {
  type Encoding,
  encodings,
  hashes,
  isTimed,
  PAIRS,
  type Scheme,
  sizeOf,
  stampForms,
  writtenForm,
} from './schemes.ts'

/** Digits that a signature holds, however they are written. */
export interface Digits {
  digest: Buffer
  encoding: Encoding
  prefix: string
}

/** One way to read a delivery. */
interface Reading extends Pick<Scheme, 'input' | 'hash'> {
  keys: readonly Buffer[]
  /** As it would have been signed. */
  timestamp: string | undefined
  body: Buffer
}

/** Tries readings, and counts them. */
export interface Trial {
  /** The digits that fit a reading. */
  fits(reading: Reading): Digits | undefined
  /** How many were tried. */
  tried(): number
  /** The body as it may have been, one after another, as long as there is time to try them. */
  bodies(): Iterable<Before>
  /** Bytes of the digests that the signature may hold. */
  sizes: ReadonlySet<number>
}

/** Bytes that are hashed at most, so that nobody waits. A body that is written anew costs as much as some hashes. */
const MOST_BYTES = 256 * 1024 * 1024
const HASHES_A_BODY = 16

export function openTrial(arrived: Arrived, {signature}: Signature, most = MOST_BYTES): Trial {
  const presented = digitsIn(signature)
  let tried = 0
  let bytes = 0
  return {
    sizes: new Set(presented.map(({digest}) => digest.length)),
    tried: () => tried,
    *bodies() {
      for (const before of bodiesBefore(arrived.body)) {
        if (bytes > most) return
        bytes += before.body.length * HASHES_A_BODY
        yield before
      }
    },
    fits({input, hash, keys, timestamp, body}) {
      const message = messageOf(input, arrived, {timestamp, body})
      for (const key of message && bytes < most ? keys : []) {
        tried += 1
        bytes += body.length
        const digest = digestOf(hash, key, message ?? [])
        const found = presented.find((one) => one.digest.equals(digest))
        if (found) return found
      }
      return undefined
    },
  }
}

/** All that may be digits in a signature. Hex may be base64 as well. */
function digitsIn(signature: string): Digits[] {
  // A prefix is shown as a part of a command to type: nothing that a shell acts on may be in it.
  const ends = [/^([\w=,:.-]{0,32}?)([\dA-Fa-f]{40,128})$/, /^([\w=,:.-]{0,32}?)([\w+/-]{27,88}={0,2})$/]
  const isPairs = signature.startsWith('t=')
  return signature.split(isPairs ? ',' : ' ').flatMap((word) =>
    ends.flatMap((end) => {
      const [, before = '', text = ''] = end.exec(word) ?? []
      const prefix = isPairs && before === 'v1=' ? PAIRS : before
      return (Object.keys(encodings) as Encoding[]).flatMap((encoding) => {
        const digest = Buffer.from(text, /hex/i.test(encoding) ? 'hex' : 'base64')
        return text !== '' && encodings[encoding](digest) === text ? [{digest, encoding, prefix}] : []
      })
    }),
  )
}

/** The keys that the secrets are in one reading. */
export const keysOf = (secrets: readonly string[], reading: KeyReading): Buffer[] =>
  secrets.flatMap((secret) => keyOf(secret, reading) ?? [])

/** The keys of each reading that no reading before it gives, `first` before all others. */
export function keysByReading(
  secrets: readonly string[],
  first: KeyReading,
): {reading: KeyReading; keys: Buffer[]}[] {
  const known = new Set<string>()
  return [first, ...keyReadings.filter((one) => one !== first)].map((reading) => ({
    reading,
    keys: keysOf(secrets, reading).filter((key) => {
      const text = key.toString('latin1')
      return known.has(text) ? false : known.add(text)
    }),
  }))
}

/** What services sign. The timestamp stands before the body nearly everywhere. */
const inputs = [
  '{timestamp}.{body}',
  '{body}',
  '{id}.{timestamp}.{body}',
  'v0:{timestamp}:{body}',
  '{timestamp}{body}',
  '{timestamp}:{body}',
  '{timestamp}\n{body}',
  '{body}{timestamp}',
  '{body}.{timestamp}',
  '{timestamp}.{bodyhash}',
  '{method}\n{path}\n{timestamp}\n{body}',
  '{timestamp}{method}{path}{body}',
  '{url}{timestamp}{body}',
]

/** A reading that fits. */
export interface Discovery {
  /** In the form that --scheme takes. */
  scheme: string
  /** What must be undone in the body first. */
  change: string | null
  ageSeconds: number | null
}

/** Searches all schemes that can be written for those that fit, and says how many readings it tried. */
export function discover(
  arrived: Arrived,
  seen: Signature,
  secrets: readonly string[],
  now: number,
): {items: Discovery[]; tried: number} {
  const trial = openTrial(arrived, seen)
  const timestamp = /^t=(\d+),/.exec(seen.signature)?.[1] ?? seen.timestamp
  const form = stampForms.find((one) => stampOf(timestamp ?? '', one) !== undefined) ?? 'seconds'
  const at = stampOf(timestamp ?? '', form)
  const items: Discovery[] = []
  const readings = keysByReading(secrets, 'text')
  for (const {change, body} of trial.bodies())
    for (const {reading: secret, keys} of readings)
      for (const hash of hashes.filter((one) => trial.sizes.has(sizeOf[one])))
        for (const input of inputs) {
          const digits = trial.fits({input, hash, keys, timestamp, body})
          if (digits === undefined) continue
          const {encoding, prefix} = digits
          const scheme = {input, hash, encoding, prefixes: [prefix], secret, timestamp: form, name: ''}
          const ageSeconds = isTimed(scheme) && at !== undefined ? secondsBetween(at, now) : null
          items.push({scheme: writtenForm(scheme), change: change || null, ageSeconds})
        }
  return {items, tried: trial.tried()}
}
