import {openSync, writeSync} from 'node:fs'
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
export function openSave(path: string): (line: Delivered, whole: Whole) => void {
  const fd = openSync(path, 'a', 0o600)
  return (line, {headers, body}) => {
    const text = {event: 'delivery', ...line, headers: keptHeaders(headers), ...encodeBody(body)}
    writeSync(fd, `${JSON.stringify(text)}\n`)
  }
}
