import {Failure} from '../../contract/failure.ts'
import {isLoopback} from '../../store/profiles.ts'
import {findSandbox} from '../../store/sandbox.ts'
import type {Desk} from '../desk.ts'

// What a listener can ask the service to deliver, and where to.

/** All types of the sandbox: of the service no list is shown. */
export function sandboxTypes({folders, settings}: Desk): string[] {
  const sandbox = findSandbox(folders)
  // Whatever port leads to it: its credentials are its own.
  const isThere = settings && isLoopback(new URL(settings.baseUrl.value).hostname)
  const isIts = sandbox?.credentials.some(({clientId}) => clientId === settings?.clientId.value)
  if (sandbox?.eventTypes && isThere && isIts) return sandbox.eventTypes
  throw new Failure('MISSING_INPUT', {
    message: 'Which events?',
    hint: 'Give --event, such as --event order.completed.',
  })
}

/** The sandbox delivers to this machine; the service to public https URLs only. */
export function localUrl({settings}: Desk, port: number): URL {
  if (settings && isLoopback(new URL(settings.baseUrl.value).hostname))
    return new URL(`http://127.0.0.1:${port}/`)
  throw new Failure('MISSING_INPUT', {
    message: 'The service delivers to public https URLs only.',
    hint: 'Put a tunnel or proxy before the port, and give its URL with --public-url.',
  })
}

export function publicOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  // Not quoted: it may hold a secret.
  if (url?.username || url?.password)
    throw new Failure('INVALID_INPUT', {
      message: '--public-url must not hold a user name or a password: the service delivers to no such URL.',
      hint: 'Leave out what stands before the @. An unguessable path keeps others away.',
    })
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))) return url
  throw new Failure('INVALID_INPUT', {
    message: `--public-url "${text}" is not a valid https URL.`,
    hint: 'The service delivers to public https URLs only, such as https://hooks.example.com/scent.',
  })
}
