import type {Row} from './shapes.ts'

// All requests of the page. The token goes into a header, and never into an address.

const KEY = 'scent desk token'
const PAUSE_MS = 1_000
/** The server says something every 2 seconds: one that was stopped, or hangs, says nothing. */
const SILENT_MS = 7_000

/** `anew`: the listener that knew this token has ended. `lost`: nobody answers now. */
export type Link = 'open' | 'lost' | 'anew'

/** The server refused: the status, and what it said. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    text: string,
  ) {
    super(text)
  }
}

let token = ''

/** Takes the token out of the address at once, else the one that this tab had before. False if there is none. */
export function takeToken(): boolean {
  const [, given] = /^#t=([\w-]{20,100})$/.exec(location.hash) ?? []
  if (location.hash !== '') history.replaceState(null, '', '/')
  try {
    if (given) sessionStorage.setItem(KEY, given)
    token = given ?? sessionStorage.getItem(KEY) ?? ''
  } catch {
    // A browser that keeps nothing asks for the address again after each reload.
    token = given ?? token
  }
  return token !== ''
}

/** Fails with Refused, or with the browser's own error if nobody answers. */
export async function send(path: string, more: RequestInit = {}): Promise<Response> {
  const headers = {...more.headers, Authorization: `Bearer ${token}`}
  const response = await fetch(path, {
    ...more,
    headers,
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'error',
  })
  if (!response.ok) throw new Refused(response.status, (await response.text()).trim())
  return response
}

export async function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await send(path, signal ? {signal} : {})).json()
}

/** Why a request came to nothing, for the whole page. */
export const linkOf = (error: unknown): Link =>
  error instanceof Refused && error.status === 401 ? 'anew' : 'lost'

interface Hears {
  rows(rows: Row[]): void
  state(): void
  /** More was missed than is known: the list must be read again. */
  missed(): void
  link(link: Link): void
  /** How many changes were heard of: where to go on. */
  reached(after: number): void
}

/** Hears what is new behind the first `after` changes, also over broken connections, until the signal is aborted. */
export async function follow(after: number, hears: Hears, signal: AbortSignal): Promise<void> {
  let from = after
  while (!signal.aborted) {
    try {
      for await (const {event, id, data} of messages(`/api/stream?after=${from}`, signal)) {
        if (event === 'open') hears.link('open')
        if (event === 'end') break
        if (event === 'rows') hears.rows(JSON.parse(data) as Row[])
        if (id !== undefined) {
          from = id
          hears.reached(id)
        }
        if (event === 'state') hears.state()
        if (event === 'lost') hears.missed()
      }
      if (!signal.aborted) hears.link('lost')
    } catch (error) {
      if (signal.aborted) return
      const link = linkOf(error)
      hears.link(link)
      if (link === 'anew') return
    }
    await new Promise((wake) => setTimeout(wake, PAUSE_MS))
  }
}

interface Message {
  event: string
  id: number | undefined
  data: string
}

/** Messages of server-sent events: EventSource itself can't send a header. */
async function* messages(path: string, signal: AbortSignal): AsyncGenerator<Message> {
  const stop = new AbortController()
  const end = () => stop.abort()
  signal.addEventListener('abort', end)
  let timer = setTimeout(end, SILENT_MS)
  try {
    const {body} = await send(path, {signal: stop.signal})
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
    yield {event: 'open', id: undefined, data: ''}
    let rest = ''
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      clearTimeout(timer)
      timer = setTimeout(end, SILENT_MS)
      const blocks = (rest + part.value).split('\n\n')
      rest = blocks.pop() ?? ''
      yield* blocks.map(messageOf)
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
    stop.abort()
  }
}

function messageOf(block: string): Message {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
  const id = field('id')
  return {
    event: field('event') ?? '',
    id: id === undefined ? undefined : Number(id),
    data: field('data') ?? '',
  }
}
