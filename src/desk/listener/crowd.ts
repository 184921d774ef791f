import type {IncomingMessage, ServerResponse} from 'node:http'
import type {Socket} from 'node:net'

/** How far a connection is. */
interface Visitor {
  /** Since when it has brought nothing whole: from its beginning, its last whole head, or its last answer. */
  since: number
  /** Requests whose heads are here and that have no answer yet, and of these the ones whose bodies are here too. */
  asked: number
  whole: number
}

/** A body gets this long undisturbed, however many others wait. */
const BODY_MS = 1_000

/**
 * Keeps a number of connections. One more takes the place of the one that has sent nothing whole for longest, so that
 * idle or slow ones hold nobody up; a request that is here whole is never broken off.
 */
export function openCrowd(most: number) {
  const visitors = new Map<Socket, Visitor>()
  const slowest = () => {
    const latest = performance.now() - BODY_MS
    const [first] = [...visitors]
      .filter(([, {asked, whole, since}]) => asked === 0 || (whole === 0 && since < latest))
      .sort(([, a], [, b]) => Math.min(a.asked, 1) - Math.min(b.asked, 1) || a.since - b.since)
    return first?.[0]
  }
  const leave = (socket: Socket) => {
    visitors.delete(socket)
    socket.destroy()
  }
  return {
    came(socket: Socket): void {
      visitors.set(socket, {since: performance.now(), asked: 0, whole: 0})
      socket.on('close', () => visitors.delete(socket))
      if (visitors.size > most) leave(slowest() ?? socket)
    },
    /** A request's head is here. Returns what to call once its body is here too. */
    asked({socket}: IncomingMessage, response: ServerResponse): () => void {
      const visitor = visitors.get(socket)
      if (visitor === undefined) return () => {}
      Object.assign(visitor, {since: performance.now(), asked: visitor.asked + 1})
      let isWhole = false
      response.on('close', () => {
        visitor.asked -= 1
        if (isWhole) visitor.whole -= 1
        visitor.since = performance.now()
      })
      return () => {
        isWhole = true
        visitor.whole += 1
      }
    },
  }
}
