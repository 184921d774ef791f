import {statSync} from 'node:fs'
import {serviceOffset} from '../../store/clock.ts'
import type {Desk} from '../desk.ts'
import {segmentsOf} from '../receipts/read.ts'
import {type InboxItem, inbox, serviceNow} from './inbox.ts'
import {knownNotices} from './known.ts'
import {inboxJournal} from './records.ts'

/** Somebody who is asked again and again what is known: files are read again only if one of them has changed. */
export interface Lookout {
  /** All notices, the soonest deadline first. */
  every(): InboxItem[]
  one(id: string): InboxItem | undefined
}

export function openLookout(desk: Pick<Desk, 'folders' | 'identity'>): Lookout {
  const {folders, identity} = desk
  const offset = serviceOffset(folders, identity)
  let stamp = ''
  let evidence = knownNotices(folders, identity).evidence
  const at = (of: (id: string) => boolean) => {
    const latest = stampOf(desk)
    if (latest !== stamp) evidence = knownNotices(folders, identity).evidence
    stamp = latest
    const {told, answers} = evidence
    const now = serviceNow(told, Date.now(), offset.read())
    return inbox({told: told.filter(({id}) => of(id)), answers: answers.filter(({id}) => of(id))}, now)
  }
  return {every: () => at(() => true), one: (id) => at((other) => other === id)[0]}
}

/** Differs as soon as anything was written, or a listener came or went. */
function stampOf({folders, identity}: Pick<Desk, 'folders' | 'identity'>): string {
  const files = segmentsOf(folders, identity).map(({path, touched, held}) => `${path} ${touched} ${held}`)
  const answers = statSync(inboxJournal(folders, identity).path, {throwIfNoEntry: false})
  return [...files, answers?.mtimeMs, answers?.size].join('\n')
}
