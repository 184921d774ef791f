import type {ServerResponse} from 'node:http'
import type {PageRows} from './rows.ts'

/** The page takes silence for a listener that does not answer. */
const COMMENT_MS = 2_000
/** News of this listener are gathered for so long, and those of others looked for as often. */
const GATHER_MS = 100
const LOOK_MS = 2_000

/** Tells those who look on what is new: never more than they take, and from wherever they were cut off. */

export function openFeed(rows: PageRows) {
  const readers = new Set<{pump(): void; send(text: string): void; end(): void}>()
  let gathering: NodeJS.Timeout | undefined

  const look = () => {
    gathering = undefined
    if (readers.size === 0) return
    rows.catchUp().then(
      () => {
        for (const one of readers) one.pump()
      },
      // The disk refuses: the next look tries again, and the state tells of it.
      () => {},
    )
  }
  const timer = setInterval(look, LOOK_MS)
  timer.unref()

  return {
    /** Something was written. */
    wake() {
      gathering ??= setTimeout(look, GATHER_MS)
      gathering.unref()
    },
    /** How the listener is has changed. */
    stateChanged() {
      for (const one of readers) one.send('event: state\ndata: {}\n\n')
    },
    /** Tells a reader what changed after the first `after` changes, and goes on until it goes away. */
    follow(response: ServerResponse, after: number) {
      let [sent, isFull] = [after, false]
      const send = (text: string) => {
        isFull = !response.write(text) || isFull
      }
      const reader = {
        send,
        pump() {
          while (!isFull && sent !== rows.length()) {
            const news = rows.since(sent)
            sent = news?.after ?? rows.length()
            const data = JSON.stringify(news?.rows ?? [])
            send(`id: ${sent}\nevent: ${news ? 'rows' : 'lost'}\ndata: ${data}\n\n`)
          }
        },
        end: () => response.end('event: end\ndata: {}\n\n'),
      }
      const comments = setInterval(() => send(': still here\n\n'), COMMENT_MS)
      readers.add(reader)
      response.on('drain', () => {
        isFull = false
        reader.pump()
      })
      response.on('close', () => {
        clearInterval(comments)
        readers.delete(reader)
      })
      send(': here\n\n')
      look()
    },
    close() {
      clearInterval(timer)
      clearTimeout(gathering)
      for (const one of readers) one.end()
    },
  }
}
