import {createHash, timingSafeEqual} from 'node:crypto'
import type {IncomingMessage, OutgoingHttpHeaders} from 'node:http'

// Who may see the page: a browser of this machine that was told the token, and no web page of somebody else.

/** What every answer says: nothing but this page's own files runs, is framed, or is kept. */
export const GUARD: OutgoingHttpHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

export interface Refusal {
  status: number
  says: string
  /** Methods that are taken there. */
  allow?: string
}

/** Why a request is not looked at: it comes through a tunnel, or from a page of somebody else. */
export function refusalOf(
  {headers, rawHeaders, url = ''}: IncomingMessage,
  port: number,
): Refusal | undefined {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
  if (hosts.length !== 1) return {status: 400, says: 'one Host is needed'}
  if (!url.startsWith('/')) return {status: 400, says: 'a path is needed'}
  const host = headers.host?.toLowerCase() ?? ''
  const ours = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]
  if (!ours.includes(host)) return {status: 421, says: 'this is not that host'}
  const {origin} = headers
  if (origin !== undefined && origin !== `http://${host}`) return {status: 403, says: 'another origin'}
  const site = headers['sec-fetch-site']
  // "none" is an address that a person opened; another port of this machine is "same-site", and foreign.
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return {status: 403, says: 'another site'}
  return undefined
}

const hashOf = (text: string) => createHash('sha256').update(text).digest()

/** Whether a request has the token. It takes as long for one that is nearly right. */
export function hasToken({headers}: IncomingMessage, token: string): boolean {
  return timingSafeEqual(hashOf(headers.authorization ?? ''), hashOf(`Bearer ${token}`))
}
