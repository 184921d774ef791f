import {openSync, writeSync} from 'node:fs'
import {Failure} from '../../contract/failure.ts'
import {encodeBody, keptHeaders} from '../receipts/body.ts'
import type {Delivered, Whole} from './told.ts'

interface Wanted {
  event: string[] | undefined
  notices: boolean
  order: string | undefined
  problems: boolean
}

/** Whether a delivery is to be shown and forwarded. */
export function isWanted({event, notices, order, problems}: Wanted, one: Whole): boolean {
  if (event && !event.includes(one.eventType ?? '')) return false
  if (notices && one.notices.length === 0) return false
  if (order !== undefined && !one.body.includes(order)) return false
  return !problems || one.copy > 1 || one.answered >= 300
}

/** Appends to a file of the user's, which nobody else may read. */
function openToAppend(path: string): number {
  try {
    return openSync(path, 'a', 0o600)
  } catch (error) {
    throw new Failure('INVALID_INPUT', {
      message: `--save ${JSON.stringify(path)} can't be written (${(error as NodeJS.ErrnoException).code}).`,
      hint: 'Give a file in a folder that can be written to.',
    })
  }
}

/** Returns what writes a delivery to a file, and says so if the disk refuses: what is kept here is not lost with it. */
export function openSave(path: string): (line: Delivered, whole: Whole) => string | undefined {
  const fd = openToAppend(path)
  return (line, {headers, body}) => {
    const text = {event: 'delivery', ...line, headers: keptHeaders(headers), ...encodeBody(body)}
    try {
      writeSync(fd, `${JSON.stringify(text)}\n`)
      return undefined
    } catch (error) {
      return `--save ${JSON.stringify(path)} could not be written (${(error as NodeJS.ErrnoException).code}): event ${line.eventId} is not in it.`
    }
  }
}
