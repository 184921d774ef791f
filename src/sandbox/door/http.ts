import type {HttpBindings} from '@hono/node-server'
import {RESPONSE_ALREADY_SENT} from '@hono/node-server/utils/response'
import type {Context} from 'hono'
import {maxBodyBytes} from './body.ts'
import type {Door} from './door.ts'
import type {Outgoing} from './reply.ts'
import type {Incoming} from './visit.ts'

type HttpContext = Context<{Bindings: HttpBindings}>

/** Takes a request from the network through the door. */
export async function overHttp(door: Door, context: HttpContext): Promise<Response> {
  const sent = await door(incomingOf(context))
  if (sent.broken !== undefined) return breakOff(context, sent)
  return new Response(sent.body, {status: sent.status, headers: sent.headers})
}

function incomingOf(context: HttpContext): Incoming {
  const {incoming} = context.env
  return {
    method: incoming.method ?? 'GET',
    target: incoming.url ?? '/',
    origin: `${'encrypted' in incoming.socket ? 'https' : 'http'}://${incoming.headers.host ?? 'localhost'}`,
    ip: incoming.socket.remoteAddress ?? '',
    header: (name) => {
      const value = incoming.headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    body: async () => {
      if (Number(incoming.headers['content-length'] ?? 0) > maxBodyBytes) return null
      // A caller who left in the middle of its body sent half a body; nobody will read the answer.
      const text = await context.req.text().catch(() => '')
      return Buffer.byteLength(text) > maxBodyBytes ? null : text
    },
  }
}

/** Loses an answer: cuts the connection before its first byte, never sends it, or cuts it in its middle. */
function breakOff(context: HttpContext, sent: Outgoing): Response {
  const {incoming, outgoing} = context.env
  if (sent.broken === 'reset') incoming.socket.resetAndDestroy()
  if (sent.broken === 'truncate') {
    const length = Buffer.byteLength(sent.body)
    outgoing.writeHead(sent.status, {...sent.headers, 'content-length': length})
    const half = sent.body.slice(0, Math.floor(sent.body.length / 2))
    outgoing.write(half, () => incoming.socket.destroySoon())
  }
  return RESPONSE_ALREADY_SENT
}
