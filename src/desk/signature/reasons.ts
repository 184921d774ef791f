import {
  type Arrived,
  type Judging,
  judge,
  presented,
  type Signature,
  secondsBetween,
  signatureIn,
  stampOf,
} from './judge.ts'
import {fingerprintOf, type KeyReading} from './keys.ts'
import {
  encodings,
  hashes,
  isTimed,
  PAIRS,
  type Scheme,
  type StampForm,
  schemes,
  sizeOf,
  stampForms,
  writtenForm,
} from './schemes.ts'
import {type Digits, keysByReading, keysOf, openTrial, type Trial} from './search.ts'

/** Where a listener listened, and for which subscription; `isOwn`: for that of this machine, by --subscribe. */
export interface Listened {
  port: number
  subscription: string | null
  isOwn: boolean
}

/** Why a delivery does not fit, and the one change with which it does. */
export interface Why {
  reason:
    | 'stale'
    | 'no-signature'
    | 'no-timestamp'
    | 'no-secret'
    | 'form'
    | 'body'
    | 'secret'
    | 'timestamp'
    | 'scheme'
    | 'nothing'
  /**
   * Of a `body`, a `secret`, a `timestamp` or a `form`: what undoes it, or what is wrong with it. Of a `scheme` the hash, if
   * that is another one; of a `stale` one `clock`; of `nothing` `upper`, if it is written in capitals besides.
   */
  change?: string | undefined
  /** The scheme that fits; of a `stale` one and of `nothing` the one that was asked for. */
  scheme?: string
  /** Seconds between the signing and the arrival; below zero if the signing is ahead. */
  ageSeconds?: number
  /** The first byte in which what was signed and what is here differ, and the text around it. */
  at?: number
  signed?: string
  here?: string
  /** Of `no-secret`: the subscription for which none is kept. */
  subscription?: string
  /** Digits of a signature or bytes of a body that is cut, and of a whole one. */
  digits?: number
  of?: number
  /** How many readings were tried. */
  tried?: number
  /** The --scheme that takes it just as it is. */
  pin?: string
  /** Tells the secrets apart that were tried. */
  fingerprints?: string[]
  /** Of the secrets of the last receipt whose signature fitted. */
  fitted?: string[]
  /** Of `nothing`: the listener that received it. */
  listener?: Listened
}

/**
 * Finds out why a delivery is not verified. Takes some milliseconds for 1 KiB, and two seconds at most, unless fewer bytes
 * may be hashed.
 */
export function explain(arrived: Arrived, judging: Judging, mostBytes?: number): Why {
  const {secrets, scheme, now} = judging
  const verdict = judge(arrived, judging)
  if (verdict.trust === 'unchecked') return {reason: 'no-secret'}
  if (verdict.trust !== 'refused')
    return {reason: 'stale', scheme: verdict.scheme.name, ageSeconds: verdict.ageSeconds ?? 0}
  const seen = signatureIn(arrived)
  if ('why' in seen) return seen.why === 'form' ? {reason: 'form', change: 'two'} : {reason: seen.why}
  const trial = openTrial(arrived, seen, mostBytes)
  const probe = {arrived, seen, secrets, now, trial}
  const why = inOneOf(probe, scheme) ??
    wrongForm(seen, scheme ?? likely(seen)[0]) ??
    lacking(arrived, verdict.why) ?? {
      reason: 'nothing',
      ...(isUpper(seen) && {change: 'upper'}),
      fingerprints: secrets.map(fingerprintOf),
    }
  return {...why, tried: trial.tried()}
}

/** The one change with which it fits the scheme that is asked for, or the scheme that fits instead. */
function inOneOf(probe: Probe, asked: Scheme | undefined): Why | undefined {
  const all = likely(probe.seen)
  for (const scheme of asked ? all.filter((one) => one !== asked) : []) {
    const why = asItIs(probe, scheme, asked)
    if (why) return why
  }
  for (const scheme of asked ? [asked] : all) {
    const why = asItIs(probe, scheme, scheme) ?? oneChange(probe, scheme)
    if (why) return why
  }
  for (const scheme of new Set(asked ? [asked, ...all] : all)) {
    const why = byOtherHash(probe, scheme)
    if (why) return why
  }
  return undefined
}

/** The hash with which all that this scheme signs fits, if it is another one. */
function byOtherHash(probe: Probe, scheme: Scheme): Why | undefined {
  const {timestamp} = presented(probe.seen, scheme)
  for (const hash of hashes) {
    if (hash === scheme.hash || !probe.trial.sizes.has(sizeOf[hash])) continue
    const fitting = probe.trial.fits(readingOf(probe, {...scheme, hash}, timestamp))
    if (fitting)
      return {reason: 'scheme', change: hash, scheme: scheme.name, ...pinOf({...scheme, hash}, fitting, {})}
  }
  return undefined
}

interface Probe {
  arrived: Arrived
  seen: Signature
  secrets: readonly string[]
  now: number
  trial: Trial
}

/** The schemes in whose form the signature is; all, if it is in the form of none. */
function likely(seen: Signature): readonly Scheme[] {
  const some = schemes.filter((one) => presented(seen, one).digits.length > 0)
  return some.length > 0 ? some : schemes
}

/** A delivery as a scheme reads it. */
function readingOf({arrived, secrets}: Probe, {input, hash, secret}: Scheme, timestamp: string | undefined) {
  return {input, hash, keys: keysOf(secrets, secret), timestamp, body: arrived.body}
}

/** What keeps a delivery from being verified though all that this scheme signs fits. */
function asItIs(probe: Probe, scheme: Scheme, asked: Scheme | undefined): Why | undefined {
  const {timestamp} = presented(probe.seen, scheme)
  const fitting = probe.trial.fits(readingOf(probe, scheme, timestamp))
  if (fitting === undefined) return undefined
  const {name} = scheme
  const form = formOf(timestamp)
  if (scheme === asked && isTimed(scheme) && form !== scheme.timestamp)
    return {
      reason: 'timestamp',
      change: form,
      scheme: name,
      ...(form && pinOf(scheme, fitting, {timestamp: form})),
    }
  if (scheme === asked && fitting.encoding === 'HEX') return {reason: 'form', change: 'upper', scheme: name}
  const isIn = presented(probe.seen, scheme).digits.length > 0
  return {reason: 'scheme', scheme: name, ...(isIn ? {pin: name} : pinOf(scheme, fitting, {}))}
}

/** The scheme that takes the delivery as it is, in its written form. */
function pinOf(
  scheme: Scheme,
  {encoding, prefix}: Digits,
  other: {timestamp?: StampForm; secret?: KeyReading},
) {
  const {timestamp = scheme.timestamp, secret = scheme.secret} = other
  return {pin: writtenForm({...scheme, encoding, prefixes: [prefix], timestamp, secret})}
}

/** The one change of its timestamp, secret or body with which a delivery fits this scheme. */
function oneChange(probe: Probe, scheme: Scheme): Why | undefined {
  const {arrived, seen, secrets, now, trial} = probe
  const {timestamp} = presented(seen, scheme)
  const whole = readingOf(probe, scheme, timestamp)
  const at = isTimed(scheme) ? stampOf(timestamp ?? '', scheme.timestamp) : undefined
  const ageSeconds = at === undefined ? undefined : secondsBetween(at, now)
  const facts = {scheme: scheme.name, ...(ageSeconds !== undefined && {ageSeconds})}
  for (const other of isTimed(scheme) ? otherStamps(timestamp) : [])
    if (trial.fits({...whole, timestamp: other}))
      return {reason: 'timestamp', change: formOf(timestamp), scheme: scheme.name}
  for (const {reading, keys} of keysByReading(secrets, scheme.secret).slice(1)) {
    const fitting = trial.fits({...whole, keys})
    if (fitting)
      return {reason: 'secret', change: reading, ...facts, ...pinOf(scheme, fitting, {secret: reading})}
  }
  for (const {change, body} of trial.bodies())
    if (change !== '' && trial.fits({...whole, body}))
      return {reason: 'body', change, ...differenceOf(body, arrived.body), ...facts}
  return undefined
}

const formOf = (timestamp = ''): StampForm | undefined =>
  stampForms.find((form) => stampOf(timestamp, form) !== undefined)

/** A timestamp in the other forms in which it may have been signed. */
function otherStamps(timestamp = ''): string[] {
  const form = formOf(timestamp)
  const at = form && stampOf(timestamp, form)
  if (at === undefined) return []
  const iso = new Date(at).toISOString()
  const all = [String(Math.floor(at / 1000)), String(at), iso, iso.replace(/\.\d+Z$/, 'Z')]
  return all.filter((one) => one !== timestamp)
}

/** Where what was signed and what is here differ first, and a few letters around. */
function differenceOf(signed: Buffer, here: Buffer): Pick<Why, 'at' | 'signed' | 'here'> {
  const first = signed.findIndex((byte, at) => byte !== here[at])
  const at = first < 0 ? signed.length : first
  const from = Math.max(0, at - 12)
  const around = (body: Buffer) => body.subarray(from, from + 20).toString()
  return {at, signed: around(signed), here: around(here)}
}

/** What is wrong with a signature that is not in the form of its scheme. */
function wrongForm(seen: Signature, scheme: Scheme | undefined): Why | undefined {
  if (scheme === undefined || presented(seen, scheme).digits.length > 0) return undefined
  const {prefixes, encoding, hash} = scheme
  const prefix = prefixes.findLast((one) => seen.signature.startsWith(one)) ?? ''
  const text = prefixes.includes(PAIRS)
    ? (/v1=([^,]*)/.exec(seen.signature)?.[1] ?? '')
    : seen.signature.slice(prefix.length)
  const values = text.split(/[,; ]+/).filter((word) => /[\w+/-]{27,}={0,2}$/.test(word))
  if (values.length > 1) return {reason: 'form', change: 'two'}
  const of = encodings[encoding](Buffer.alloc(sizeOf[hash])).length
  const isWritten = (/hex/i.test(encoding) ? /^[\da-f]+$/i : /^[\w+/-]+={0,2}$/).test(text)
  // Digits in capitals were read as well: they fit nothing either.
  if (encoding === 'hex' && text.length === of && isUpper(seen)) return undefined
  const other = hashes.find((one) => encodings[encoding](Buffer.alloc(sizeOf[one])).length === text.length)
  if (isWritten && other && other !== hash) return {reason: 'form', change: other, digits: text.length, of}
  if (!isWritten || text.length === of) return {reason: 'form', change: 'letters'}
  return {reason: 'form', change: text.length < of ? 'cut' : 'long', digits: text.length, of}
}

const isUpper = ({signature}: Signature): boolean =>
  /(^|[^\da-f])(?=[^A-F]*[A-F])[\dA-F]{64}$/.test(signature)

/** What a delivery lacks to be judged, or lacks visibly. */
function lacking({headers, body}: Arrived, why: string): Why | undefined {
  if (why === 'no-timestamp') return {reason: 'no-timestamp'}
  if (why === 'timestamp') return {reason: 'timestamp'}
  const header = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1]
  const coding = header('content-encoding')
  if (coding !== undefined && coding !== 'identity') return {reason: 'body', change: 'encoded'}
  const length = header('content-length')
  if (length === undefined || Number(length) === body.length) return undefined
  return {reason: 'body', change: 'length', digits: body.length, of: Number(length)}
}
