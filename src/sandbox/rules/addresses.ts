import {BlockList, isIP} from 'node:net'

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

/** Whether an address is one of the open internet. An IPv6 form of an IPv4 address is not: nobody needs it. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !private4.check(address, 'ipv4')
  return isIP(address) === 6 && global6.check(address, 'ipv6') && !private6.check(address, 'ipv6')
}

export const isLoopback = (address: string) =>
  address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))
