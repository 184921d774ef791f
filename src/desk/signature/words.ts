import {commandText, flagWords} from '../../terminal/next.ts'
import type {judge} from './judge.ts'
import type {Listened, Why} from './reasons.ts'

type Word = Why['reason'] | NonNullable<ReturnType<typeof judge>['why']>

const bodies: Record<string, string> = {
  ...{newline: 'line break at its end', crlf: 'line ends', bom: 'byte order mark', latin1: 'Latin-1'},
  ...{percent: 'percent-encoded', encoded: 'compressed', length: 'cut'},
}

const secrets: Record<string, string> = {
  ...{text: 'as text', trimmed: 'blanks around it', bare: 'without whsec_', prefixed: 'with whsec_'},
}

const forms: Record<string, string> = {
  ...{two: 'two of them', upper: 'in capitals', cut: 'cut', long: 'too long'},
  ...{sha1: 'SHA-1', sha384: 'SHA-384', sha512: 'SHA-512'},
}

const words: Record<Word, (change: string | undefined) => string> = {
  stale: () => 'too old or ahead',
  'no-signature': () => 'no signature',
  'no-timestamp': () => 'no timestamp',
  'no-secret': () => 'no secret',
  form: (change = '') => `not a valid signature${inBrackets(forms[change])}`,
  // Whatever else it was, the JSON was written anew.
  body: (change = '') => `body changed (${bodies[change] ?? 're-encoded'})`,
  secret: (change = '') => `secret read another way${inBrackets(secrets[change] ?? change)}`,
  timestamp: (change) => `not a valid timestamp${inBrackets(change)}`,
  scheme: (change = '') => `another scheme${inBrackets(forms[change])}`,
  mismatch: () => 'does not fit',
  nothing: () => 'does not fit',
}

const inBrackets = (text: string | undefined) => (text ? ` (${text})` : '')

/** Why a receipt is not verified, in a few words. */
export function wordsOf({reason, change}: {reason: Word; change?: string | undefined}): string {
  return words[reason](change)
}

/** The same of a record, which holds the reason alone. */
export function wordsOfRecord(why: string | null): string {
  return why !== null && Object.hasOwn(words, why) ? wordsOf({reason: why as Word}) : (why ?? '')
}

/** The same as a clause of its own. */
export const becauseText = (why: string | null): string =>
  wordsOfRecord(why).replace(/^does not fit$/, 'its signature does not fit')

/** Who listened; `known`: the subscriptions of this machine. */
export function listenedBy(
  {port, subscription}: Pick<Listened, 'port' | 'subscription'>,
  known: readonly {id: string; own?: boolean | undefined}[],
): Listened {
  return {port, subscription, isOwn: known.some(({id, own}) => own === true && id === subscription)}
}

/** How a listener gets another secret, in a sentence with the command for it. */
export function newSecretText({port, subscription, isOwn}: Listened): string {
  const listen = (...words: string[]) => commandText('webhooks', 'listen', ...words)
  const forOne = flagWords('--subscription', subscription)
  const keep = subscription === null ? [] : ['--save-secret']
  if (isOwn)
    return `Keep the one that is in force now: ${listen(...forOne, '--secret-stdin', ...keep, '--for', '1s')}. Then start ${listen('--subscribe')} again.`
  return `Start the listener again with the one that is in force now: ${listen(...forOne, '--port', String(port), '--secret-stdin', ...keep)}.`
}
