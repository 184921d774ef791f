import {type Failure, isFailure} from '../contract/failure.ts'
import {reworded} from './lost.ts'

/** Finds the addresses of a host. */
export type Lookup = (host: string) => Promise<string[]>

const isAddress = (host: string) => /^[\d.]+$|:/.test(host)

interface Words {
  message: string
  hint: string
}

/** Says in words why the service delivers to no such URL; throws any other error as it is. */
export async function explainUrl(
  error: unknown,
  url: string | undefined,
  addressesOf: Lookup = async () => [],
): Promise<never> {
  if (url === undefined || !isFailure(error, 'VALIDATION_WEBHOOK_URL_UNSAFE')) throw error
  const words = await wordsOf(reasonIn(error), url, addressesOf)
  throw words ? reworded(error, words) : error
}

function reasonIn({facts: {details}}: Failure): string {
  const {reason} = (typeof details === 'object' && details !== null ? details : {}) as {reason?: unknown}
  return typeof reason === 'string' ? reason : ''
}

/** not shown: the values of details.reason. They are read by the words in them; without one the URL itself is looked at. */
async function wordsOf(reason: string, text: string, addressesOf: Lookup): Promise<Words | undefined> {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isAbout = (words: RegExp) => words.test(reason)
  if (isAbout(/user|credential|password/i) || (url && (url.username || url.password)))
    return {
      message: 'The webhook URL holds a user name or a password, and deliveries carry none.',
      hint: 'Leave out what stands before the @; a secret of your own may go into a header: --header NAME=VALUE.',
    }
  const isPrivate = isAbout(/private|routable|public|local|internal|reserved/i)
  const isUnknown = isAbout(/resol|dns|unknown|found/i)
  const isForm = isAbout(/https|absolute|scheme/i)
  // A sandbox takes http as well: what the service itself finds wrong goes before.
  if (url === undefined || isForm || (url.protocol !== 'https:' && !isPrivate && !isUnknown))
    return formWords(text, url)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = isAddress(host) ? [host] : await addressesOf(host)
  const here = addresses.length > 0 ? ` From here it resolves to ${addresses.join(', ')}.` : ''
  if (isPrivate) return privateWords(host, addresses)
  if (isUnknown || (reason === '' && addresses.length === 0 && !isAddress(host)))
    return {
      message: `The host "${host}" of the webhook URL does not resolve: the service finds no address for it.${here}`,
      hint: 'Check its spelling; a name that was made just now may take some minutes to be known everywhere.',
    }
  return undefined
}

const SUCH = 'Give one such as https://hooks.example.com/scent.'

/** What is wrong with the form of a URL. What stands before an @ may be a secret. */
function formWords(text: string, url: URL | undefined): Words {
  const named = `The webhook URL${text.includes('@') ? '' : ` "${text}"`}`
  const [, scheme = ''] = /^([a-z][a-z\d+.-]*):\/\//i.exec(text) ?? []
  if (/[\s\\]/.test(text))
    return {
      message: `${named} holds a space or a backslash.`,
      hint: `${SUCH} A space in a path is written %20.`,
    }
  if (/^http$/i.test(scheme))
    return {
      message: `${named} begins with http://, and the service delivers over https only.`,
      hint: 'Give the URL at which the receiver is reached over https. Where it speaks http only, put a tunnel or a proxy of yours before it: `scent webhooks listen --public-url URL` receives behind one.',
    }
  if (scheme !== '' && !/^https$/i.test(scheme))
    return {
      message: `${named} begins with ${scheme}://, and the service delivers over https only.`,
      hint: SUCH,
    }
  if (scheme === '') {
    const whole = `https://${text.replace(/^\/+/, '')}`
    const isHost = !text.includes('@') && /^[\w-]+(\.[\w-]+)+(:\d+)?(\/|$)/.test(text) && URL.canParse(whole)
    return {
      message: `${named} is not absolute: it does not begin with https:// and a host.`,
      hint: isHost ? `Give it whole, such as ${whole}.` : SUCH,
    }
  }
  return {message: `${named} is not ${url ? 'an absolute https' : 'a valid'} URL.`, hint: SUCH}
}

/** Addresses that lead each machine to itself. */
const isLoopback = (address: string) => /^127\.|^::1$|^0\.0\.0\.0$|^::$/.test(address)

function privateWords(host: string, addresses: readonly string[]): Words {
  const isOwn = addresses.length > 0 && addresses.every(isLoopback)
  const what = isOwn ? 'an address at which each machine reaches itself' : 'a private address'
  const where = isAddress(host)
    ? `The webhook URL leads to ${host}, ${what}`
    : addresses.length > 0
      ? `The host "${host}" of the webhook URL resolves to ${what} (${addresses.join(', ')})`
      : `The host "${host}" of the webhook URL resolves to a private address`
  return {
    message: `${where}: the service delivers over the internet only.`,
    hint: 'Put a tunnel or a proxy of yours before the receiver, and give its public https URL; `scent webhooks listen --public-url URL` receives behind one.',
  }
}

/** What is to be known of a URL that is taken; undefined if there is nothing. */
export const urlNote = (url: string | undefined): string | undefined =>
  url?.includes('#')
    ? `What stands behind the # of ${url} is never sent: a receiver does not see it.`
    : undefined
