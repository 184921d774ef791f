import {span} from '../../terminal/cells.ts'
import {localColumns} from '../../terminal/columns.ts'
import {type Card, card, type Table} from '../../terminal/table.ts'
import {counted, safe, wrap} from '../../terminal/text.ts'
import type {Why} from '../signature/reasons.ts'
import {parseScheme, writtenForm} from '../signature/schemes.ts'
import type {Discovery} from '../signature/search.ts'
import {newSecretText} from '../signature/words.ts'

/** With which change of the body the signature fits. */
const bodies: Record<string, string> = {
  newline: 'with a line break more or less at its end',
  crlf: 'with other line ends: LF for CRLF, or CRLF for LF',
  bom: 'with or without a byte order mark at its start',
  latin1: 'with its letters in UTF-8 for Latin-1, or in Latin-1 for UTF-8',
  percent: 'when it is percent-decoded',
  compact: 'when its JSON is written without spaces, as JSON.stringify does',
  spaced: 'when its JSON has a space behind each comma and colon, as json.dumps writes',
  indent2: 'when its JSON is indented by 2',
  indent4: 'when its JSON is indented by 4',
  sorted: 'when the keys of its JSON are in order',
  escapes: 'when letters are escaped with \\u in its JSON, or are not',
  slashes: 'when slashes are escaped as \\/ in its JSON, or are not',
  numbers: 'when the numbers of its JSON are rounded as doubles',
  decimals: 'when the amounts of its JSON have two decimals',
}

const secrets: Record<string, string> = {
  text: 'is taken as the text that it is',
  trimmed: 'is taken without the blanks or quotes around it',
  bare: 'is taken without its prefix whsec_',
  prefixed: 'gets the prefix whsec_',
  base64: 'is decoded from base64',
  hex: 'is decoded from hex',
}

const stamps: Record<string, string> = {
  ms: 'in milliseconds, where Unix seconds are expected',
  iso: 'an ISO time, where Unix seconds are expected',
  seconds: 'in Unix seconds, and was signed in another form',
}

interface Told {
  /** What is wrong, in one sentence. */
  says: string
  /** What follows from it. */
  so: string
  /** What to do. */
  next: string
}

const give = (scheme = '') => `Give --scheme ${/\s/.test(scheme) ? `'${scheme}'` : scheme}`

const tellings: Record<Why['reason'], (why: Why) => Told> = {
  stale: ({ageSeconds = 0, change}) => ({
    says: `The signature fits, and is ${span(Math.abs(ageSeconds) * 1000)} ${ageSeconds < 0 ? 'ahead of its arrival' : 'old'}.`,
    so:
      change === 'clock'
        ? 'Other receipts are off by the same time, so the clock of this machine is wrong.'
        : 'Either it was kept and sent again, or one of the two clocks is wrong.',
    next:
      change === 'clock'
        ? 'Set the clock of this machine; until then, give --tolerance none.'
        : 'If you kept it yourself, say when it arrived with --at, or give --tolerance none; otherwise check the clock of this machine.',
  }),
  'no-signature': () => ({
    says: 'The delivery has no signature: X-Service-Signature is missing or empty.',
    so: 'It does not come from the service, or something on the way drops headers.',
    next: 'Keep the headers with the body, or give --signature and --timestamp.',
  }),
  'no-timestamp': () => ({
    says: 'The delivery has no timestamp: X-Service-Timestamp is missing or empty.',
    so: 'The time is part of what is signed, and something on the way drops headers.',
    next: 'Keep the headers with the body, or give --timestamp.',
  }),
  'no-secret': ({subscription}) => ({
    says: `There is no secret to check the signature with${subscription === undefined ? '' : `, and none is kept for subscription ${subscription}`}.`,
    so: '',
    next: 'Pipe it into --secret-stdin, or set SCENT_WEBHOOK_SECRET.',
  }),
  form: formOf,
  body: bodyOf,
  secret: ({change = '', pin}) => ({
    says: `The signature does not fit, and fits if the secret ${secrets[change]}.`,
    so: 'So it is the right secret, and the body came as it was sent.',
    next: `${give(pin)}; or keep the secret so that it needs no change.`,
  }),
  timestamp: ({change, pin}) => ({
    says: `X-Service-Timestamp is ${stamps[change ?? ''] ?? 'not a time in Unix seconds'}.`,
    so: change === undefined ? '' : 'The secret is right, and the body came as it was sent.',
    next: pin
      ? `${give(pin)}.`
      : 'Look at what the sender wrote into that header, and what changed it on the way.',
  }),
  scheme: ({pin, change}) => ({
    says: change
      ? `The signature is made with ${hashName(change)}, where SHA-256 is expected, and fits the scheme ${pin}.`
      : `The signature fits another scheme: ${pin}.`,
    so: 'So the secret is right, and the body came as it was sent.',
    next: `${give(pin)}.`,
  }),
  nothing: ({fingerprints = [], fitted, listener, change}) => ({
    says: `The signature does not fit in any reading${change === 'upper' ? ', and is written in capitals besides' : ''}.`,
    so: `Most likely it was signed with another secret than ${fingerprints.length > 1 ? 'those' : 'the one'} given (fingerprint ${fingerprints.join(', ')})${lastFitted(fingerprints, fitted)}; or the body is not the one that was sent.`,
    next: `${secretToGive(fingerprints, fitted)}${listener ? ` ${newSecretText(listener)}` : ''} --discover tries other schemes.`,
  }),
}

function secretToGive(given: readonly string[], fitted: readonly string[] = []): string {
  if (fitted.length === 0)
    return 'Compare the secret with the one that the subscription was created with: it may have been changed since.'
  return fitted.some((one) => given.includes(one))
    ? 'Give the secret that is in force now. The service shows one only once: if nobody has it, make a new subscription with `scent webhooks create --save-secret`.'
    : `Give the secret that was in force then: the one with the fingerprint ${fitted.join(' or ')}, or a newer one if that does not fit either.`
}

function lastFitted(given: readonly string[], fitted: readonly string[] = []): string {
  if (fitted.length === 0) return ''
  return fitted.some((one) => given.includes(one))
    ? ', which fitted the last delivery that was verified here: it may have been changed since at the service'
    : `, and the one that fitted last has the fingerprint ${fitted.join(' or ')}`
}

/** `SHA-512`. */
const hashName = (hash: string) => hash.replace('sha', 'SHA-')

function formOf({change = '', digits, of}: Why): Told {
  const isHash = /^sha\d/.test(change)
  const kinds: Record<string, string> = {
    [isHash ? change : '']:
      `The signature has ${digits} digits, as one that is made with ${hashName(change)}, and one of its scheme has ${of}.`,
    two: 'There are two signatures or two timestamps, and it would be a guess which of them counts.',
    upper: 'The signature is written in capitals, and fits in small letters.',
    letters: 'The signature is not digits of its scheme: it holds other letters, or another prefix.',
    cut: `The signature is cut: ${digits} of its ${of} digits are here.`,
    long: `The signature has ${digits} digits, and one of its scheme has ${of}.`,
  }
  return {
    says: kinds[change] ?? '',
    so: isHash
      ? 'It does not fit with that hash either: the secret is another one, or the body is not the one that was sent; or it is cut.'
      : 'It was not written like this by its sender, or it is of another scheme.',
    next: 'Look at the header as it was sent; --discover searches other schemes.',
  }
}

function bodyOf({change = '', digits, of}: Why): Told {
  if (change === 'encoded')
    return {
      says: 'The signature does not fit, and the body is compressed (Content-Encoding).',
      so: 'Bodies are judged as they arrive, and never unpacked.',
      next: 'Let the proxy pass bodies on as they are.',
    }
  if (change === 'length')
    return {
      says: `The signature does not fit, and the body has ${digits} bytes where Content-Length says ${of}.`,
      so: 'It was cut, or changed on the way.',
      next: 'Keep the whole body, byte for byte.',
    }
  const words = change.split('+').map((one) => bodies[one])
  return {
    says: `The signature does not fit this body, and fits it ${words.join(', and ')}.`,
    so: 'So the secret and the scheme are right, and something between the service and this machine rewrites bodies: a proxy, a gateway, or a relay that parses JSON.',
    next: 'Judge the bytes as they arrive, before anything parses them; or let the proxy pass them on as they are.',
  }
}

/** In one sentence what is wrong, and what to do about it. */
export function tellWhy(why: Why): Told {
  return tellings[why.reason](why)
}

const WIDE = 60

/** Why a signature does not fit, in lines of at most `room` cells. */
export function whyLines(why: Why, room: number): string[] {
  const {says, so} = tellWhy(why)
  const lines = [wrap(safe(says), room)]
  if (why.at !== undefined) {
    const signed = `signed  ${safe(why.signed)}…`
    const here = `here    ${safe(why.here)}…`
    const place = `first other byte: ${why.at}`
    const texts = room < WIDE ? [place, signed, here] : [signed, `${here}   at byte ${why.at}`]
    lines.push(...texts.map((text) => wrap(`  ${text}`, room, 10)))
  }
  if (so) lines.push(wrap(safe(so), room))
  const facts = [
    why.scheme && why.reason !== 'scheme' && `Scheme ${writtenForm(parseScheme(why.scheme))}`,
    why.ageSeconds !== undefined && why.reason !== 'stale' && ageText(why.ageSeconds),
    why.tried && `${counted(why.tried, 'reading')} tried`,
  ]
  const told = facts.filter(Boolean).join(', ')
  return told ? [...lines, wrap(`${safe(told)}.`, room)] : lines
}

const ageText = (seconds: number) =>
  `signed ${span(seconds * 1000)} ${seconds < 0 ? 'after' : 'before'} it arrived`

/** A delivery whose signature fits. */
export interface Fits {
  fits: true
  scheme: string
  ageSeconds: number | null
}

export function fitsCard(fits: Fits): Card<Fits> {
  const people = {
    ageSeconds: ({ageSeconds}: Fits) => (ageSeconds === null ? 'not signed' : ageText(ageSeconds)),
  }
  return card(fits, localColumns<Fits>('fits; scheme; ageSeconds Age', people))
}

export function discoveryTable(items: Discovery[]): Table<Discovery> {
  const people = {change: ({change}: Discovery) => change ?? 'as it came'}
  return {
    rows: items,
    columns: localColumns<Discovery>('scheme!~; change Body; ageSeconds- Age in s', people),
  }
}
