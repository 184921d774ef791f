import {Failure} from '../contract/failure.ts'
import type {HttpRequest} from '../contract/wire.ts'
import {isLoopback} from './reach.ts'

/** Where a sandbox listens that is told nothing else. */
const SANDBOX_PORT = '4747'
/** The largest answer that is read; a page of 100 variants has about 0.1 MiB. */
export const LARGEST_BODY = 32 * 1024 * 1024
/** The largest head of an answer, in bytes. */
export const LARGEST_HEAD = 16 * 1024
/** A service may close an idle connection after 5 s; one reused at that moment loses its request. */
export const KEEP_ALIVE_MS = 4_000

/** How far a request was when something broke. */
export interface Stage {
  /** The request, or a part of it, may have left. */
  left: boolean
}

const UNTRUSTED =
  /^(?:CERT_|SELF_SIGNED_CERT|DEPTH_ZERO|UNABLE_TO_|ERR_TLS_CERT_ALTNAME|HOSTNAME_MISMATCH|INVALID_CA)/

/** Makes a Failure of an error of a socket; its effect says what is certain. */
export function lost(error: unknown, {left}: Stage, request: HttpRequest): Failure {
  if (error instanceof Failure) return error
  const code = codeOf(error)
  const {host} = new URL(request.url)
  if (left) return failure('NO_ANSWER', `No whole answer came from ${host} (${code}).`, error)
  if (UNTRUSTED.test(code)) {
    return failure(
      'TLS_UNTRUSTED',
      `The certificate of ${host} is not trusted (${code}). Nothing was sent.`,
      error,
    )
  }
  return noConnection(request, `${host} (${code})`, error)
}

/** On this machine nothing but a sandbox is likely to be missing. */
function noConnection({url}: HttpRequest, to: string, cause?: unknown): Failure {
  const {port} = new URL(url)
  const start = `scent sandbox start --detach${port === SANDBOX_PORT ? '' : ` --port ${port}`}`
  const hint = `Nothing answers there. If it is your sandbox, start it again: \`${start}\`.`
  const message = `No connection to ${to}. Nothing was sent.`
  const facts = {effect: 'none', message, ...(isLoopback(new URL(url)) && {hint})} as const
  return new Failure('NO_CONNECTION', facts, {cause})
}

/** Fails with INTERRUPTED if a request is aborted before it is sent. */
export function requireGoing({signal}: HttpRequest): void {
  if (signal?.aborted) throw new Failure('INTERRUPTED', {effect: 'none'})
}

/** Stops a request at its deadline, or when it is aborted. Returns a function that ends the watch. */
export function watch(request: HttpRequest, stage: Stage, stop: (failure: Failure) => void): () => void {
  const {signal, timeoutMs} = request
  const onAbort = () => stop(new Failure('INTERRUPTED', {effect: stage.left ? 'unknown' : 'none'}))
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(() => stop(tooLate(request, stage)), timeoutMs)
  signal?.addEventListener('abort', onAbort, {once: true})
  return () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

function tooLate(request: HttpRequest, {left}: Stage): Failure {
  const {url, timeoutMs = 0} = request
  const within = `${new URL(url).host} within ${timeoutMs / 1000} s`
  if (left) return failure('NO_ANSWER', `No whole answer came from ${within}.`)
  return noConnection(request, within)
}

export function tooLarge(): Failure {
  return failure('NO_ANSWER', `The answer was larger than ${LARGEST_BODY / 1024 / 1024} MiB and was cut off.`)
}

/** The bytes of a body as text. Fails with NO_ANSWER if they are not UTF-8. */
export function textOf(chunks: readonly Uint8Array[]): string {
  try {
    return new TextDecoder('utf-8', {fatal: true}).decode(Buffer.concat(chunks))
  } catch (error) {
    throw failure('NO_ANSWER', 'The answer is not UTF-8 text.', error)
  }
}

function failure(code: 'NO_ANSWER' | 'TLS_UNTRUSTED', message: string, cause?: unknown): Failure {
  return new Failure(code, {effect: code === 'NO_ANSWER' ? 'unknown' : 'none', message}, {cause})
}

function codeOf(error: unknown): string {
  const {code, message = ''} = (error ?? {}) as NodeJS.ErrnoException
  const refused = /^Proxy response \((\d+)\)/.exec(message)?.[1]
  if (refused !== undefined) return `the proxy answered ${refused}`
  return typeof code === 'string' ? code : 'connection closed'
}

/** Headers with one text a name. */
export function joined(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const all: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) all[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return all
}
