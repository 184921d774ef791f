import type {Folders, Identity} from '../../store/paths.ts'
import {readSegments, segmentsOf} from './read.ts'
import type {RecordedEvent} from './recorded.ts'
import type {Received} from './records.ts'

/** An event with what arrived: what `notices import` and `webhooks verify` take. */
type WholeEvent = RecordedEvent & Pick<Received, 'headers' | 'encoding' | 'body'>

/** As many bytes of bodies are in memory at a time. */
const MOST_BYTES = 16 * 1024 * 1024

type Place = Pick<RecordedEvent, 'at' | 'trust' | 'eventId' | 'bytes'>
const placeOf = ({at, trust, eventId, bytes}: Place) => JSON.stringify([at, trust, eventId, bytes])

/** The same events with headers and bodies of the copies that count. */
export function* wholeEvents(
  folders: Folders,
  identity: Identity,
  events: readonly RecordedEvent[],
): Generator<WholeEvent> {
  for (const some of parts(events)) {
    const since = Math.min(...some.map(({at}) => Date.parse(at)))
    const wanted = new Map(some.map((event) => [placeOf(event), event]))
    const found = new Map<RecordedEvent, WholeEvent>()
    for (const {record} of readSegments(segmentsOf(folders, identity, since), identity)) {
      const event = record.kind === 'received' ? wanted.get(placeOf(record)) : undefined
      if (record.kind !== 'received' || event === undefined) continue
      const {headers, encoding, body} = record
      found.set(event, {...event, headers, encoding, body})
    }
    // What was removed meanwhile is left out.
    for (const event of some) yield* [found.get(event)].filter((one) => one !== undefined)
  }
}

/** Events in their order, as many at a time as there is room for. */
function* parts(events: readonly RecordedEvent[]): Generator<RecordedEvent[]> {
  let part: RecordedEvent[] = []
  let bytes = 0
  for (const event of events) {
    if (part.length > 0 && bytes + event.bytes > MOST_BYTES) {
      yield part
      part = []
      bytes = 0
    }
    part.push(event)
    bytes += event.bytes
  }
  if (part.length > 0) yield part
}
