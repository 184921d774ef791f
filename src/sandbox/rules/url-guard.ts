import type {LookupAddress} from 'node:dns'
import {lookup} from 'node:dns/promises'
import {isIP} from 'node:net'
import type {FieldFault} from '../door/body.ts'
import {isLoopback, isPublic} from './addresses.ts'

/** not shown: the values of details.reason. (H23) */
type UnsafeReason = 'NOT_ABSOLUTE_HTTPS' | 'USERINFO_NOT_ALLOWED' | 'UNRESOLVABLE' | 'PRIVATE_ADDRESS'

/** The addresses that were checked; a delivery may connect to no other. */
interface SafeTarget {
  url: URL
  addresses: LookupAddress[]
}

type Verdict = SafeTarget | {reason: UnsafeReason}

const messages: {[R in UnsafeReason]: string} = {
  NOT_ABSOLUTE_HTTPS: 'must be an absolute https URL',
  USERINFO_NOT_ALLOWED: 'must not hold a user name or a password',
  UNRESOLVABLE: 'must have a host that resolves',
  PRIVATE_ADDRESS: 'must not lead to a private address',
}

const absolute = /^https?:\/\/[^\s\\]+$/i

/**
 * Judges the URL of a subscription (spec, Events): absolute https, no userinfo, and every address that its host
 * resolves to public. H24: http and plain loopback addresses are allowed here, unless `strict`. Names that are
 * addresses in disguise (0x7f.1, 2130706433, full-width digits) are read as the URL standard reads them, and so are
 * what a connection would reach.
 */
export async function judgeUrl(text: string, {strict}: {strict: boolean}): Promise<Verdict> {
  const url = absolute.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (strict && url.protocol !== 'https:')) return {reason: 'NOT_ABSOLUTE_HTTPS'}
  if (url.username !== '' || url.password !== '') return {reason: 'USERINFO_NOT_ALLOWED'}
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = await addressesOf(host)
  if (addresses.length === 0) return {reason: 'UNRESOLVABLE'}
  const isAllowed = (address: string) => isPublic(address) || (!strict && isLoopback(address))
  if (!addresses.every(({address}) => isAllowed(address))) return {reason: 'PRIVATE_ADDRESS'}
  return {url, addresses}
}

/** The fault of a URL that deliveries may not go to. */
export async function faultsOfUrl(text: string, options: {strict: boolean}): Promise<FieldFault[]> {
  const verdict = await judgeUrl(text, options)
  if (!('reason' in verdict)) return []
  const {reason} = verdict
  return [{name: 'url', message: messages[reason], code: 'VALIDATION_WEBHOOK_URL_UNSAFE', more: {reason}}]
}

const patienceMs = 10_000

async function addressesOf(host: string): Promise<LookupAddress[]> {
  if (isIP(host) !== 0) return [{address: host, family: isIP(host)}]
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<never[]>((resolve) => {
    timer = setTimeout(resolve, patienceMs, [])
  })
  // A name that does not resolve has no addresses; why it does not is of no use to the partner.
  const found = lookup(host, {all: true}).catch(() => [])
  const addresses = await Promise.race([found, tooLong])
  clearTimeout(timer)
  return addresses
}
