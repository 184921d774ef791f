import {Failure} from '../../contract/failure.ts'
import {type Arrived, digestOf, messageOf, NAMES, signatureIn} from './judge.ts'
import {keyOf} from './keys.ts'
import {encodings, PAIRS, type Scheme, type StampForm} from './schemes.ts'

const stamps: Record<StampForm, (at: number) => string> = {
  seconds: (at) => String(Math.floor(at / 1000)),
  ms: (at) => String(at),
  iso: (at) => new Date(at).toISOString(),
}

/**
 * The headers of a delivery with a signature of this moment (`now` in milliseconds) in the place of its own. Fails with
 * INVALID_INPUT if the secret can't be read as the scheme says, or the delivery lacks something that is signed.
 */
export function signedAnew(
  arrived: Arrived,
  {scheme, secret, now}: {scheme: Scheme; secret: string; now: number},
): [name: string, value: string][] {
  const {input, hash, encoding, prefixes} = scheme
  const timestamp = stamps[scheme.timestamp](now)
  const key = keyOf(secret, scheme.secret)
  const message = messageOf(input, arrived, {timestamp, body: arrived.body})
  if (key === undefined || message === undefined)
    throw new Failure('INVALID_INPUT', {
      message: key
        ? `The delivery lacks something that the scheme "${scheme.name}" signs.`
        : `The secret can't be read as the scheme "${scheme.name}" says: ${scheme.secret}.`,
      hint: 'Give another --scheme.',
    })
  const digits = encodings[encoding](digestOf(hash, key, message))
  const before = signatureIn(arrived)
  // As it stood before the signature that came; of several that fit, the longest.
  const fitting = prefixes.filter((one) => 'signature' in before && before.signature.startsWith(one))
  const prefix = fitting.sort((a, b) => b.length - a.length)[0] ?? prefixes[0] ?? ''
  const signature = prefix === PAIRS ? `t=${timestamp},v1=${digits}` : prefix + digits
  const others = arrived.headers.filter(([name]) => !Object.values(NAMES).includes(name.toLowerCase())) as [
    string,
    string,
  ][]
  return [...others, ['X-Service-Timestamp', timestamp], ['X-Service-Signature', signature]]
}
