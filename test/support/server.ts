import {createServer, type IncomingMessage, type ServerResponse} from 'node:http'
import {type AddressInfo, createServer as createSocketServer, type Server, type Socket} from 'node:net'

/** A service of a test: where it listens, and how it ends. */
export interface TestServer {
  url: string
  port: number
  /** How many connections it has accepted. */
  connections(): number
  close(): Promise<void>
}

export interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  /** Names and values by turns, as they came. */
  rawHeaders: string[]
  body: string
}

/** A real HTTP server on a free port of loopback. `seen` holds the requests in the order they came. */
export async function serve(
  handle: (request: Seen, response: ServerResponse, count: number) => void,
): Promise<TestServer & {seen: Seen[]}> {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const {method = '', url = '', headers, rawHeaders} = request
    const one = {method, url, headers, rawHeaders, body}
    seen.push(one)
    handle(one, response, seen.length)
  })
  return {...(await listening(server)), seen}
}

/** A bare TCP server: the test writes the bytes itself. */
export function serveSocket(handle: (socket: Socket) => void): Promise<TestServer> {
  return listening(createSocketServer(handle))
}

/** Answers with an envelope. */
export function answer(
  response: ServerResponse,
  status: number,
  state: string,
  payload: unknown = null,
  {details = null, headers = {}}: {details?: unknown; headers?: Record<string, string>} = {},
): void {
  response.writeHead(status, {'content-type': 'application/json', ...headers})
  response.end(JSON.stringify({state, payload, details}))
}

export async function listening(server: Server, scheme = 'http'): Promise<TestServer> {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const {port} = server.address() as AddressInfo
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    port,
    connections: () => connections,
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((closed) => server.close(() => closed()))
    },
  }
}
