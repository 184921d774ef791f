import {randomBytes} from 'node:crypto'
import {readFileSync} from 'node:fs'
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http'
import {join} from 'node:path'
import {lackedBy, replay} from '../deliveries/replay.ts'
import type {Desk} from '../desk.ts'
import {listenOn, refuseBroken} from '../listener/door.ts'
import type {ListenerEvent} from '../listener/told.ts'
import {bytesOf} from '../receipts/body.ts'
import {isTaken} from '../receipts/records.ts'
import {openReplays} from '../receipts/segment.ts'
import {refusalText} from '../screens/handed.ts'
import {openFeed} from './feed.ts'
import {GUARD, hasToken, type Refusal, refusalOf} from './guard.ts'
import {eventFacts, receiptOf} from './one.ts'
import {faultIn, filterIn, numberIn} from './query.ts'
import {openRows, type Placed} from './rows.ts'
import {MOST_ROWS, type Replayed} from './shapes.ts'
import {openState} from './state.ts'

interface PageOptions {
  desk: Desk
  ports: readonly number[]
  forwardTo: URL | undefined
  /** The folder with the files that the browser loads. */
  files: string
}

interface Page {
  port: number
  /** With the token, in the part of an address that a browser never sends. */
  url: string
  tell(event: ListenerEvent): void
  close(): Promise<void>
}

const LARGEST_HEAD = 16 * 1024
const LARGEST_BODY = 1024
const PATIENCE_MS = 10_000

const loaded: {[path: string]: [file: string, type: string]} = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
}

/**
 * Serves the page of a listener on 127.0.0.1, at a port of its own: a tunnel to the listener's port never shows it. Fails
 * with INVALID_INPUT if no port is free.
 */
export async function openPage(options: PageOptions): Promise<Page> {
  const token = randomBytes(32).toString('base64url')
  const server = createServer({
    ...{maxHeaderSize: LARGEST_HEAD, requestTimeout: PATIENCE_MS, headersTimeout: PATIENCE_MS},
    ...{connectionsCheckingInterval: 1_000, requireHostHeader: false},
  })
  server.maxConnections = 64
  server.on('clientError', refuseBroken)
  server.on('connect', (_, socket) => socket.destroy())
  const port = await listenOn(server, options.ports, '--ui-port')
  const rows = openRows(options.desk)
  const feed = openFeed(rows)
  const state = openState(options)
  const shell = new Map(
    Object.entries(loaded).map(([path, [file, type]]) => [
      path,
      {type, bytes: readFileSync(join(options.files, file))},
    ]),
  )
  const serving: Serving = {
    ...options,
    port,
    token,
    rows,
    feed,
    state,
    shell,
    replays: openReplays(options.desk),
    isReplaying: false,
  }
  server.on('request', (request, response) => void serve(serving, request, response))
  return {
    port,
    url: `http://127.0.0.1:${port}/#t=${token}`,
    tell(event) {
      if (event.event === 'delivery' || event.event === 'forward') return feed.wake()
      state.tell(event)
      feed.stateChanged()
      // Nobody waits yet: who opens the page finds it read.
      if (event.event === 'ready') rows.catchUp().catch(() => {})
    },
    close: () =>
      new Promise((resolve) => {
        feed.close()
        serving.replays.close()
        server.close(() => resolve())
        server.closeIdleConnections()
        setTimeout(() => server.closeAllConnections(), 500).unref()
      }),
  }
}

interface Serving extends PageOptions {
  port: number
  token: string
  rows: ReturnType<typeof openRows>
  feed: ReturnType<typeof openFeed>
  state: ReturnType<typeof openState>
  shell: Map<string, {type: string; bytes: Buffer}>
  replays: ReturnType<typeof openReplays>
  isReplaying: boolean
}

async function serve(serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  for (const [name, value] of Object.entries(GUARD)) response.setHeader(name, value ?? '')
  try {
    const refusal = refusalOf(request, serving.port)
    if (refusal) return end(response, refusal)
    const [path = '', query] = (request.url ?? '').split('?')
    const file = serving.shell.get(path)
    if (file && isMethod(request, READ)) {
      response.setHeader('Content-Type', file.type)
      response.end(file.bytes)
    } else if (file) end(response, onlyBy(READ))
    else if (!path.startsWith('/api/')) end(response, {status: 404, says: 'not here'})
    else if (!hasToken(request, serving.token)) end(response, {status: 401, says: 'the token is needed'})
    else await answer(serving, request, response, path.slice(5), new URLSearchParams(query))
  } catch {
    // Whatever it was, it must not end the listener, and its words are not for a browser.
    if (response.headersSent) response.destroy()
    else end(response, {status: 500, says: 'the record could not be read'})
  }
}

/** What is read can be asked for without its body. */
const READ = 'GET, HEAD'

const isMethod = ({method}: IncomingMessage, allow: string) => allow.split(', ').includes(method ?? '')

const onlyBy = (allow: string): Refusal => ({
  status: 405,
  says: `only ${allow.replace(', ', ' and ')}`,
  allow,
})

function end(response: ServerResponse, {status, says, allow}: Refusal): void {
  response.statusCode = status
  if (allow !== undefined) response.setHeader('Allow', allow)
  response.setHeader('Content-Type', 'text/plain; charset=utf-8')
  response.setHeader('Connection', 'close')
  response.end(`${says}\n`)
}

function json(response: ServerResponse, document: object): void {
  response.setHeader('Content-Type', 'application/json')
  response.end(JSON.stringify(document))
}

/** Answers one who has the token. */
async function answer(
  serving: Serving,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: URLSearchParams,
): Promise<void> {
  const {rows, feed, state} = serving
  const [, id, part] = /^events\/([\w.~-]+)(?:\/(body|replay))?$/.exec(path) ?? []
  const isKnown = id !== undefined || ['state', 'events', 'stream'].includes(path)
  if (!isKnown) return end(response, {status: 404, says: 'not here'})
  const allow = part === 'replay' ? 'POST' : path === 'stream' ? 'GET' : READ
  if (!isMethod(request, allow)) return end(response, onlyBy(allow))
  const wrong = faultIn(query)
  if (wrong) return end(response, {status: 400, says: wrong})
  if (path === 'state') return json(response, await state.read())
  if (path === 'stream') {
    response.setHeader('Content-Type', 'text/event-stream')
    return feed.follow(response, numberIn(query, 'after', rows.length()))
  }
  await rows.catchUp()
  if (id === undefined) {
    const limit = Math.min(Math.max(numberIn(query, 'limit', MOST_ROWS), 1), MOST_ROWS)
    return json(
      response,
      rows.page(filterIn(query), numberIn(query, 'before', Number.POSITIVE_INFINITY), limit),
    )
  }
  const wanted = part === 'replay' ? await copyIn(request) : numberIn(query, 'copy', Number.NaN)
  if (typeof wanted === 'object') return end(response, wanted)
  const copies = rows.copies(id)
  const chosen = copies.find(({no}) => no === wanted) ?? (Number.isNaN(wanted) ? copies.at(-1) : undefined)
  if (chosen === undefined)
    return end(response, {
      status: 404,
      says: copies.length > 0 ? 'it has no such copy' : 'no such event was received here',
    })
  return one(serving, response, part, copies, chosen)
}

async function one(
  serving: Serving,
  response: ServerResponse,
  part: string | undefined,
  copies: readonly Placed[],
  chosen: Placed,
): Promise<void> {
  const receipt = receiptOf(serving.desk, chosen)
  if (receipt === undefined) return end(response, {status: 410, says: 'its file was removed'})
  if (part === undefined) return json(response, eventFacts(copies, chosen, receipt, serving.forwardTo?.href))
  if (part === 'body') {
    response.setHeader('Content-Type', 'text/plain; charset=utf-8')
    response.setHeader('Content-Disposition', `attachment; filename="body-${chosen.no}.txt"`)
    response.end(bytesOf(receipt))
    return
  }
  const {forwardTo} = serving
  if (forwardTo === undefined) return end(response, {status: 409, says: 'the listener forwards to nobody'})
  if (serving.isReplaying) return end(response, {status: 409, says: 'another one is being sent'})
  serving.isReplaying = true
  try {
    const {note} = serving.replays
    const sending = {
      to: forwardTo,
      rate: undefined,
      sign: undefined,
      stop: new AbortController().signal,
      note,
    }
    for await (const {status, ms, error} of replay([receipt], sending)) {
      const why = isTaken({status}) ? null : refusalText({status, error})
      json(response, {status, ms, error, why, lacks: lackedBy(receipt)} satisfies Replayed)
    }
    serving.feed.wake()
  } finally {
    serving.isReplaying = false
  }
}

/** Which copy is to be sent again, as JSON: no form of a web page can send that. */
async function copyIn(request: IncomingMessage): Promise<number | Refusal> {
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? ''))
    return {status: 415, says: 'only application/json'}
  let text = ''
  for await (const chunk of request) {
    text += chunk
    if (text.length > LARGEST_BODY) return {status: 413, says: 'at most 1 KiB'}
  }
  try {
    const {copy = Number.NaN} = JSON.parse(text) as {copy?: unknown}
    return typeof copy === 'number' ? copy : {status: 400, says: 'copy is a number'}
  } catch {
    return {status: 400, says: 'not valid JSON'}
  }
}
