import {isFailure} from '../../contract/failure.ts'
import {lackedBy} from '../deliveries/replay.ts'
import type {Desk} from '../desk.ts'
import type {Received} from '../receipts/records.ts'
import {nameOf, referenceOf} from '../receipts/reference.ts'
import {receiptsFile} from '../receipts/segment.ts'
import type {Placed} from './rows.ts'
import type {EventFacts} from './shapes.ts'

/** The receipt that a row stands for; undefined if its file was removed since. */
export function receiptOf({identity}: Pick<Desk, 'identity'>, {path, place}: Placed): Received | undefined {
  try {
    const record = receiptsFile(path, identity).at(place)
    return record.kind === 'received' ? record : undefined
  } catch (error) {
    if (isFailure(error, 'CORRUPT_FILE', 'FOREIGN_FILE', 'FILE_FAILED')) return undefined
    throw error
  }
}

/** What is shown of an event: all its copies, and one of them whole but for its body. `forwardTo`: the receiver of the listener. */
export function eventFacts(
  copies: readonly Placed[],
  chosen: Placed,
  receipt: Received,
  forwardTo: string | undefined,
): EventFacts {
  const {id, eventId, eventType, orderId, notices} = chosen
  const {remote, path, sha256, headers, bytes} = receipt
  return {
    ...{id, eventId, eventType, orderId, notices},
    copies: copies.map(({path: _, place: __, ...row}) => row),
    copy: {no: chosen.no, remote, path, sha256, headers, bytes},
    hidden: lackedBy(receipt),
    command: commandOf(chosen, receipt, forwardTo),
  }
}

function commandOf({trust, forward}: Placed, receipt: Received, forwardTo = 'URL'): string {
  const name = nameOf({eventId: receipt.eventId, receipt: referenceOf(receipt)})
  if (trust === 'refused' || trust === 'stale') return `scent webhooks verify --stored ${name}`
  const to = forward?.to ?? forwardTo
  return /^[\w:/.[\]-]+$/.test(to)
    ? `scent webhooks replay ${name} --to ${to}`
    : `scent webhooks events ${name}`
}
