import * as http from 'node:http'
import * as https from 'node:https'
import type {Socket} from 'node:net'
import type {State} from '../core/state.ts'
import {maxBodyBytes} from './body.ts'
import {type Door, outgoingOf} from './door.ts'
import {type Outgoing, type Reply, refusal} from './reply.ts'
import type {Incoming} from './visit.ts'

/** Serves a door over HTTP, or over https with a certificate. Whatever arrives, the answer has the envelope. */
export function createServer(door: Door, state: State, tls?: {cert: string; key: string}): http.Server {
  const answering = new WeakMap<Socket, http.IncomingMessage>()
  const take: http.RequestListener = async (request, response) => {
    const {socket} = request
    answering.set(socket, request)
    response.on('close', () => answering.delete(socket))
    const stranger = strangerIn(request)
    write(stranger ? outgoingOf(state, stranger) : await door(incomingOf(request)), response)
  }
  // Node's own refusal of a request without a Host has no envelope; here it has no name of this machine.
  const options = {requireHostHeader: false}
  const server = tls ? https.createServer({...options, ...tls}, take) : http.createServer(options, take)
  // Node would refuse an expectation that it does not know; none is necessary to answer.
  server.on('checkExpectation', take)
  server.on('connect', (_, socket: Socket) => writeRaw(socket, outgoingOf(state, refusal('NOT_FOUND_ROUTE'))))
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // What follows a whole request must not be taken for the answer to it.
    if (answering.get(socket)?.complete) socket.destroy()
    else if (socket.writable)
      writeRaw(socket, outgoingOf(state, refusal('VALIDATION_ERRORS', {errors: faultOf(error)})))
  })
  return server
}

/** E12. not shown: how long a head may be, and what is answered to what is no request at all. */
function faultOf({code}: NodeJS.ErrnoException): Record<string, string[]> {
  if (code === 'HPE_HEADER_OVERFLOW') return {head: [`must not exceed ${http.maxHeaderSize / 1024} KiB`]}
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return {request: ['did not arrive in time']}
  return {request: ['is not valid HTTP']}
}

const ownName = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::(\d{1,5}))?$/i

/**
 * The refusal of a web page: it names its origin, or the name under which it asks is its own. Such a name can lead to
 * this machine (DNS rebinding), and the page would then speak to the sandbox as if it had come from there (E07).
 */
function strangerIn({headers, socket}: http.IncomingMessage): Reply | undefined {
  const [name, port = 'encrypted' in socket ? 443 : 80] = ownName.exec(headers.host ?? '') ?? []
  if (name === undefined || Number(port) !== socket.localPort) {
    const message = `The sandbox answers to localhost:${socket.localPort} and 127.0.0.1:${socket.localPort} only.`
    return refusal('FORBIDDEN', {message})
  }
  if (headers.origin === undefined) return undefined
  return refusal('FORBIDDEN', {message: 'The sandbox does not answer to web pages: leave out Origin.'})
}

function incomingOf(request: http.IncomingMessage): Incoming {
  const {headers, socket} = request
  return {
    method: request.method ?? 'GET',
    target: request.url ?? '/',
    origin: `${'encrypted' in socket ? 'https' : 'http'}://${headers.host}`,
    ip: socket.remoteAddress ?? '',
    header: (name) => {
      const value = headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    body: async () => (Number(headers['content-length'] ?? 0) > maxBodyBytes ? null : textOf(request)),
  }
}

/** Resolves to null as soon as the limit is passed; what follows is dropped as it arrives. */
function textOf(request: http.IncomingMessage): Promise<string | null> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const keep = (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size <= maxBodyBytes) return
      request.off('data', keep)
      chunks.length = 0
      resolve(null)
    }
    request.on('data', keep)
    request.on('end', () => resolve(new TextDecoder().decode(Buffer.concat(chunks))))
    // A caller who left in the middle of its body: nobody will read the answer.
    request.on('close', () => resolve(''))
  })
}

/** Writes an answer, or loses it: cuts the connection before its first byte, never sends it, or cuts it in its middle. */
function write({status, headers, body, broken}: Outgoing, response: http.ServerResponse): void {
  if (broken === 'hang') return
  if (broken === 'reset') {
    response.req.socket.resetAndDestroy()
    return
  }
  response.writeHead(status, {...headers, 'content-length': Buffer.byteLength(body)})
  if (broken === undefined && !response.req.complete) endAfterRest(body, response)
  else if (broken === undefined) response.end(body)
  else response.write(body.slice(0, Math.floor(body.length / 2)), () => response.req.socket.destroySoon())
}

/**
 * Answers before the whole body has arrived, and drops the rest as it arrives. A connection that is closed on bytes nobody
 * read is reset, and a caller who is still sending would lose the answer: the end waits until a second brings nothing.
 */
function endAfterRest(body: string, response: http.ServerResponse): void {
  const end = () => response.end()
  response.write(body)
  response.req.once('end', end).resume()
  response.setTimeout(1_000, end)
}

/** Writes an answer where there is no request that Node could read, and ends the connection. */
function writeRaw(socket: Socket, {status, headers, body}: Outgoing): void {
  const fields = Object.entries({...headers, 'content-length': Buffer.byteLength(body), connection: 'close'})
  const head = [`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`, ...fields.map((field) => field.join(': '))]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // As in endAfterRest: what is still arriving must not reset the answer.
  socket.setTimeout(1_000, () => socket.destroy())
}
