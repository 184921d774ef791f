import {BlockList, isIPv4, isIPv6} from 'node:net'
import {Failure} from '../contract/failure.ts'

export type Env = Readonly<Record<string, string | undefined>>

/**
 * Requires a URL that a token may go to: https anywhere, plain http to this machine only, and only this machine while
 * the check of certificates is switched off. Fails with INSECURE_URL.
 */
export function requireSafe(url: URL, env: Env): void {
  if (isLoopback(url)) return
  if (url.protocol !== 'https:') {
    const message = `${url.origin} is not an https URL. Nothing was sent.`
    throw new Failure('INSECURE_URL', {effect: 'none', message})
  }
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    const message = 'NODE_TLS_REJECT_UNAUTHORIZED=0 switches the check of certificates off. Nothing was sent.'
    const hint = 'Unset it; a company CA is added with NODE_EXTRA_CA_CERTS.'
    throw new Failure('INSECURE_URL', {effect: 'none', message, hint})
  }
}

/** The parser has written every form of 127.0.0.0/8 as four numbers by now. */
export function isLoopback({hostname}: URL): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

/**
 * The proxy for a URL by HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in capitals or not; loopback has none. Fails with
 * INVALID_INPUT if the variable is not an http or https URL.
 */
export function proxyFor(url: URL, env: Env): string | undefined {
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const proxy = env[name.toLowerCase()] || env[name]
  if (!proxy || isLoopback(url) || isExempt(url, env.no_proxy ?? env.NO_PROXY ?? '')) return undefined
  const whole = proxy.includes('://') ? proxy : `http://${proxy}`
  if (!URL.canParse(whole) || !/^https?:$/.test(new URL(whole).protocol)) {
    // Its value may hold a password.
    const message = `${name} is not an http or https URL of a proxy.`
    throw new Failure('INVALID_INPUT', {effect: 'none', message})
  }
  return whole
}

/** As curl reads NO_PROXY: names with all below them, addresses, networks, a port behind a colon, `*` for all. */
function isExempt(url: URL, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === '' || entry === '*') return entry === '*'
      const [, name = entry, only] = /^(\[.+\]|[^:]+)(?::(\d+))?$/.exec(entry) ?? []
      if (only !== undefined && only !== port) return false
      const bare = name.replace(/^\[|\]$/g, '').replace(/^\*?\./, '')
      return host === bare || host.endsWith(`.${bare}`) || isWithin(host, bare)
    })
}

/** Whether an address lies in a network such as 10.0.0.0/8. */
function isWithin(host: string, network: string): boolean {
  const [address = '', bits = ''] = network.split('/')
  const family =
    isIPv4(host) && isIPv4(address) ? 'ipv4' : isIPv6(host) && isIPv6(address) ? 'ipv6' : undefined
  if (family === undefined || !/^\d+$/.test(bits) || Number(bits) > (family === 'ipv4' ? 32 : 128))
    return false
  const list = new BlockList()
  list.addSubnet(address, Number(bits), family)
  return list.check(host, family)
}
