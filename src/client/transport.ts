import {Failure} from '../contract/failure.ts'
import type {HttpRequest} from '../contract/wire.ts'

/** The largest answer that is read; a page of 100 variants has about 0.1 MiB. */
export const LARGEST_BODY = 32 * 1024 * 1024
/** The largest head of an answer, in bytes. */
export const LARGEST_HEAD = 16 * 1024
/** A service may close an idle connection after 5 s; one reused at that moment loses its request. */
export const KEEP_ALIVE_MS = 4_000

export type Env = Readonly<Record<string, string | undefined>>

/**
 * Where a token may go: https anywhere, plain http to this machine only, and no switched-off certificate check but
 * for this machine. Fails with INSECURE_URL.
 */
export function requireSafe(url: URL, env: Env): void {
  if (isLoopback(url)) return
  if (url.protocol !== 'https:') {
    throw new Failure('INSECURE_URL', {
      effect: 'none',
      message: `${url.origin} is no https URL; nothing was sent.`,
    })
  }
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    const message = 'NODE_TLS_REJECT_UNAUTHORIZED=0 switches certificate checks off; nothing was sent.'
    const hint = 'Unset it; a company CA is added with NODE_EXTRA_CA_CERTS.'
    throw new Failure('INSECURE_URL', {effect: 'none', message, hint})
  }
}

export function isLoopback({hostname}: URL): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])\.?$/.test(hostname)
}

/** What was going on when something broke. */
export interface Stage {
  /** The request, or a part of it, may have left. */
  left: boolean
}

const UNTRUSTED =
  /^(?:CERT_|SELF_SIGNED_CERT|DEPTH_ZERO|UNABLE_TO_|ERR_TLS_CERT_ALTNAME|HOSTNAME_MISMATCH|INVALID_CA)/

/** An error of a socket as a Failure that says what is certain. */
export function lost(error: unknown, {left}: Stage, request: HttpRequest): Failure {
  if (error instanceof Failure) return error
  const code = codeOf(error)
  const host = new URL(request.url).host
  const cause = {cause: error}
  if (left)
    return new Failure(
      'NO_ANSWER',
      {effect: 'unknown', message: `No whole answer came from ${host} (${code}).`},
      cause,
    )
  if (UNTRUSTED.test(code)) {
    const message = `The certificate of ${host} is not trusted (${code}). Nothing was sent.`
    return new Failure('TLS_UNTRUSTED', {effect: 'none', message}, cause)
  }
  return new Failure(
    'NO_CONNECTION',
    {effect: 'none', message: `No connection to ${host} (${code}). Nothing was sent.`},
    cause,
  )
}

export function tooLate({left}: Stage, {url, timeoutMs}: HttpRequest): Failure {
  const within = `${new URL(url).host} within ${(timeoutMs ?? 0) / 1000} s`
  if (left)
    return new Failure('NO_ANSWER', {effect: 'unknown', message: `No whole answer came from ${within}.`})
  return new Failure('NO_CONNECTION', {
    effect: 'none',
    message: `No connection to ${within}. Nothing was sent.`,
  })
}

export function interrupted({left}: Stage): Failure {
  return new Failure('INTERRUPTED', {effect: left ? 'unknown' : 'none'})
}

export function tooLarge(): Failure {
  const message = `The answer was larger than ${LARGEST_BODY / 1024 / 1024} MiB and was cut off.`
  return new Failure('NO_ANSWER', {effect: 'unknown', message})
}

/** The bytes of a body as text. Fails with NO_ANSWER where they are no UTF-8. */
export function textOf(chunks: readonly Uint8Array[]): string {
  try {
    return new TextDecoder('utf-8', {fatal: true}).decode(Buffer.concat(chunks))
  } catch (error) {
    const message = 'The answer is not UTF-8 text.'
    throw new Failure('NO_ANSWER', {effect: 'unknown', message}, {cause: error})
  }
}

function codeOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | null)?.code
  return typeof code === 'string' ? code : 'connection closed'
}
