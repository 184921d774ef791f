import {isIP} from 'node:net'
import {Failure} from '../../contract/failure.ts'
import {readConfig} from '../../store/profiles.ts'
import {findSandbox} from '../../store/sandbox.ts'
import type {Desk} from '../desk.ts'

// Where deliveries may be sent on to.

/**
 * Where deliveries may be sent to: this machine, unless `allowRemote`. Never to link-local addresses, at which clouds serve
 * their secrets, and never to the service. Fails with INVALID_INPUT.
 */
export function receiverUrl(desk: Desk, flag: string, text: string, allowRemote: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const refuse = (why: string, hint: string) =>
    new Failure('INVALID_INPUT', {message: `${flag} "${text}" ${why}.`, hint})
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw refuse('is not a valid http URL', 'Give one such as http://127.0.0.1:3000/hook.')
  // Not quoted: it may hold a secret.
  if (url.username || url.password)
    throw new Failure('INVALID_INPUT', {
      message: `${flag} must not hold a user name or a password: other users can read them in the list of processes, and records keep them.`,
      hint: 'Leave out what stands before the @. A receiver of yours can ask for the signature instead, which every delivery carries.',
    })
  const host = nameOf(url)
  if (/^169\.254\.|^fe[89ab]|^::ffff:a9fe/.test(host) || /^metadata\b/.test(host))
    throw refuse('is a link-local address', 'Give the address of a receiver of yours.')
  if (servicesOf(desk).some((service) => isSameServer(url, service)))
    throw refuse('is the service that sent the events', 'Give the address of a receiver of yours.')
  if (!allowRemote && !isLoopback(host))
    throw refuse(
      'is not on this machine',
      'Deliveries hold orders: --allow-remote sends them there all the same.',
    )
  return url
}

/** The service of this command, those of all profiles, and the sandbox. */
function servicesOf({folders, settings}: Desk): string[] {
  const profiles = Object.values(readConfig(folders).profiles)
  const known = [settings?.baseUrl.value, findSandbox(folders)?.baseUrl]
  return [...known, ...profiles.map(({baseUrl}) => baseUrl)].filter((one) => one !== undefined)
}

/** Whether two URLs lead to one server: this machine has many names, and a site of the web two ports. */
export const isSameServer = (url: URL, other: string) =>
  URL.canParse(other) && serverOf(url) === serverOf(new URL(other))

function serverOf(url: URL): string {
  const host = nameOf(url)
  const port = ['', '80', '443'].includes(url.port) ? 'web' : url.port
  return `${leadsHere(host) ? 'here' : host} ${port}`
}

/** A host without brackets and without the dots at its end. A URL has it in lower case, and addresses in their short form. */
const nameOf = ({hostname}: URL) => hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '')

const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/** What systems take for this machine besides. */
const leadsHere = (host: string) =>
  isLoopback(host) || host.endsWith('.localhost') || /^(0\.0\.0\.0|::|::ffff:(7f..:.*|0:0))$/.test(host)
