import type {LookupAddress} from 'node:dns'
import {lookup} from 'node:dns/promises'
import {BlockList, isIP} from 'node:net'
import {invalid} from '../door/reply.ts'

/** not shown: the values of details.reason. (H23) */
type UnsafeReason = 'NOT_ABSOLUTE_HTTPS' | 'USERINFO_NOT_ALLOWED' | 'UNRESOLVABLE' | 'PRIVATE_ADDRESS'

/** The addresses that were checked; a delivery may connect to no other. */
interface SafeTarget {
  url: URL
  addresses: LookupAddress[]
}

type Verdict = SafeTarget | {reason: UnsafeReason}

/** Not routable on the internet (IANA special-purpose registries). */
const special4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4'

/** Inside the global unicast range, and yet not plainly routable: protocol assignments, documentation, tunnels. */
const special6 = '2001::/23 2001:db8::/32 2002::/16 3fff::/20'

// Two lists: in one of both families an IPv4-mapped rule would match every IPv4 address.
const private4 = blocked(special4, 'ipv4')
const private6 = blocked(special6, 'ipv6')
const global6 = blocked('2000::/3', 'ipv6')

function blocked(ranges: string, family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const range of ranges.split(' ')) {
    const [net = '', prefix] = range.split('/')
    list.addSubnet(net, Number(prefix), family)
  }
  return list
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

/** Refuses a URL that deliveries may not go to. */
export async function refuseUnsafeUrl(text: string, options: {strict: boolean}): Promise<void> {
  const verdict = await judgeUrl(text, options)
  if (!('reason' in verdict)) return
  const {reason} = verdict
  invalid({url: ['must not be delivered to']}, 'VALIDATION_WEBHOOK_URL_UNSAFE', {reason})
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

/** Whether an address is one of the open internet. An IPv6 form of an IPv4 address is not: nobody needs it. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !private4.check(address, 'ipv4')
  return isIP(address) === 6 && global6.check(address, 'ipv6') && !private6.check(address, 'ipv6')
}

const isLoopback = (address: string) =>
  address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))
