import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http'
import type {AddressInfo, Socket} from 'node:net'
import {Failure} from '../../contract/failure.ts'
import {openCrowd} from './crowd.ts'

// The way in for deliveries, open to whatever a tunnel or a web page on this machine sends. Plain node:http: headers as they
// came, limits on everything, and no framework that would read a body before it is wanted.

/** One request that got this far: a POST of at most 1 MiB to an address of ours. */
export interface Arrival {
  remote: string
  path: string
  headers: [name: string, value: string][]
  body: Buffer
}

/** Says what becomes of a delivery, once it is on disk if that is a 200. Never fails. */
type Take = (arrival: Arrival) => Promise<{status: number; says: string}>

interface DoorOptions {
  /** Where the world reaches this door, if somebody has put a tunnel before it. Its path is then the only one. */
  publicUrl: URL | undefined
  take: Take
  /** Whether a nonce is that of the last probe through the tunnel. */
  isProbe(nonce: string): boolean
}

const LARGEST_BODY = 1024 * 1024
const LARGEST_HEAD = 16 * 1024
const MOST_HEADERS = 200
const PATIENCE_MS = 10_000
const CONNECTIONS = 32

/** Marks what a listener hands on, so that it never takes in its own deliveries. */
export const FORWARDED = 'X-Scent-Forwarded'
/** Marks stored deliveries that are sent again, so that a receiver can tell them from those of the service. */
export const REPLAY = 'X-Scent-Replay'
export const PROBE = 'X-Scent-Probe'

interface Door {
  port: number
  close(): Promise<void>
}

/** Opens the first of these ports that is free, on 127.0.0.1. Fails with INVALID_INPUT if none is. */
export async function openDoor(ports: readonly number[], options: DoorOptions): Promise<Door> {
  const server = createServer({
    maxHeaderSize: LARGEST_HEAD,
    requestTimeout: PATIENCE_MS,
    headersTimeout: PATIENCE_MS,
    keepAliveTimeout: PATIENCE_MS,
    connectionsCheckingInterval: 1_000,
    insecureHTTPParser: false,
    requireHostHeader: true,
  })
  // More are refused below: Node would drop them silently, and with them what makes a request suspect.
  server.maxHeadersCount = 0
  const crowd = openCrowd(CONNECTIONS)
  // A connection that never says anything would keep others out. One that is slow gets its 408 first.
  server.on('connection', (socket: Socket) => {
    crowd.came(socket)
    socket.setTimeout(PATIENCE_MS + 2_000, () => socket.destroy())
  })
  server.on('clientError', refuseBroken)
  server.on('connect', (_, socket) => socket.destroy())
  const port = await listenOn(server, ports)
  const hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`])
  if (options.publicUrl) hosts.add(options.publicUrl.host.toLowerCase())
  server.on(
    'request',
    (request, response) => void receive(request, response, hosts, options, crowd.asked(request, response)),
  )
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
        setTimeout(() => server.closeAllConnections(), 1_000).unref()
      }),
  }
}

/** Opens the first of these ports that is free. Fails with INVALID_INPUT, which names the flag, if none is. */
export async function listenOn(server: Server, ports: readonly number[], flag = '--port'): Promise<number> {
  let code = ''
  for (const port of ports) {
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen({port, host: '127.0.0.1', exclusive: true}, () => {
          server.off('error', reject)
          resolve()
        })
      })
      return (server.address() as AddressInfo).port
    } catch (error) {
      code = (error as NodeJS.ErrnoException).code ?? 'unknown reason'
    }
  }
  throw new Failure('INVALID_INPUT', {
    message: `Port ${ports[0]} ${code === 'EADDRINUSE' ? 'is taken' : `can't be opened (${code})`}.`,
    hint: `Give another ${flag}, or 0 for a free one.`,
  })
}

/** What is no HTTP request of ours gets one line, and its connection ends. */
export function refuseBroken(
  error: NodeJS.ErrnoException,
  socket: {writable: boolean; end(text: string): void},
): void {
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad Request'
  if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  hosts: ReadonlySet<string>,
  {publicUrl, take, isProbe}: DoorOptions,
  isWhole: () => void,
): Promise<void> {
  const headers = pairsOf(request.rawHeaders)
  const refusal = refusalOf(request, headers, hosts, publicUrl)
  if (refusal) return end(response, refusal, {close: true})
  const nonce = headers.find(([name]) => isName(name, PROBE))?.[1]
  if (nonce !== undefined)
    return end(response, isProbe(nonce) ? {status: 204, says: ''} : {status: 401, says: 'no probe'})
  const body = await bodyOf(request)
  if (body === 'gone') return
  if (body === 'large') return end(response, {status: 413, says: 'at most 1 MiB'}, {close: true})
  isWhole()
  const remote = request.socket.remoteAddress ?? ''
  end(response, await take({remote, path: request.url ?? '/', headers, body}))
}

const isName = (name: string, wanted: string) => name.toLowerCase() === wanted.toLowerCase()

function pairsOf(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as [string, string]] : []))
}

interface Refusal {
  status: number
  says: string
}

/** Why a request is not read at all. A browser marks its requests; a service's deliveries have none of these marks. */
function refusalOf(
  {url = '', method}: IncomingMessage,
  headers: readonly [string, string][],
  hosts: ReadonlySet<string>,
  publicUrl: URL | undefined,
): Refusal | undefined {
  const all = (wanted: string) => headers.filter(([name]) => isName(name, wanted)).map(([, value]) => value)
  if (headers.length > MOST_HEADERS) return {status: 431, says: 'too many headers'}
  const named = all('host')
  if (named.length !== 1) return {status: 400, says: 'one Host is needed'}
  if (!url.startsWith('/')) return {status: 400, says: 'a path is needed'}
  if (!hosts.has((named[0] ?? '').toLowerCase())) return {status: 421, says: 'this is not that host'}
  if (all('origin').length > 0 || all('sec-fetch-site').length > 0)
    return {status: 403, says: 'no web page may send this'}
  if (all(FORWARDED).length > 0) return {status: 508, says: 'this was forwarded from here'}
  // A copy that the service did not send would stand in the record as one that it did.
  if (all(REPLAY).length > 0) return {status: 508, says: 'this was sent again from here'}
  if (method !== 'POST') return {status: 405, says: 'only POST'}
  const path = url.split('?')[0]
  if (publicUrl && publicUrl.pathname !== '/' && path !== publicUrl.pathname)
    return {status: 404, says: 'another path'}
  if (Number(all('content-length')[0] ?? 0) > LARGEST_BODY) return {status: 413, says: 'at most 1 MiB'}
  return undefined
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | 'large' | 'gone'> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request) {
      size += chunk.length
      if (size > LARGEST_BODY) return 'large'
      chunks.push(chunk)
    }
  } catch {
    // Its sender has broken off, or was too slow: there is nobody to answer.
    return 'gone'
  }
  return request.complete ? Buffer.concat(chunks) : 'gone'
}

function end(response: ServerResponse, {status, says}: Refusal, {close = false} = {}): void {
  if (status === 405) response.setHeader('Allow', 'POST')
  if (status === 503) response.setHeader('Retry-After', '30')
  if (close) response.setHeader('Connection', 'close')
  response.statusCode = status
  response.end(says === '' ? undefined : `${says}\n`)
}
