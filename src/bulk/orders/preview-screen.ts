import type {Session} from '../../session.ts'
import {span} from '../../terminal/cells.ts'
import {openBoard} from '../board.ts'
import {follow} from '../run.ts'
import type {FileOrder} from './file.ts'
import {type OrderPreviews, previewOrders} from './preview.ts'

interface PreviewJob {
  orders: AsyncGenerator<FileOrder>
  /** How many they are. */
  total: number
  /** Names the carts of its own that the baskets of this very file are priced in. */
  fileHash: string
  /** Baskets that are priced at a time. */
  concurrency: number
  stderr: NodeJS.WriteStream
  /** Ends it with the baskets under way. */
  stop: AbortSignal
}

/** A basket takes at least an add, its preview, and a request that empties the cart. */
const REQUESTS = 3

/** Prices the orders of a file by live previews, and shows how far that is. */
export async function runPreviews(session: Session, job: PreviewJob): Promise<OrderPreviews> {
  const {orders, total, fileHash, concurrency, stderr, stop} = job
  const board = openBoard(stderr, 'Previews')
  session.showOn(board)
  const counts = {done: 0, total, refused: 0, unknown: 0, charged: null, currency: null}
  const ticker = follow(session, {requestsEach: () => REQUESTS, counts: () => counts}, board, stop)
  const {client, ...time} = session.jobTools(() => {})
  try {
    return await previewOrders({
      client,
      patience: {...time, stop},
      orders,
      // The same names each time: a run takes out what one that was killed has left there.
      carts: Array.from({length: concurrency}, (_, at) => `scent-dry-run-${fileHash.slice(0, 16)}-${at + 1}`),
      tell(event) {
        if (event.kind === 'asking-again')
          return board.say(`No usable answer (${event.code}); asking again in ${span(event.inMs)}.`)
        counts.done += 1
        if (event.refused) counts.refused += 1
        ticker.show()
      },
    })
  } finally {
    ticker.end()
  }
}
