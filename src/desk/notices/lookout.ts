import type {Desk} from '../desk.ts'
import {type InboxItem, inbox, serviceClock} from './inbox.ts'
import {knownNotices} from './known.ts'
import {stampOf} from './watch.ts'

/** Somebody who is asked again and again what is known: files are read again only if one of them has changed. */
export interface Lookout {
  /** All notices, the soonest deadline first. */
  every(): InboxItem[]
  one(id: string): InboxItem | undefined
  /** Differs as soon as anything was written. */
  stamp(): string
}

export function openLookout(desk: Pick<Desk, 'folders' | 'identity'>): Lookout {
  const {folders, identity} = desk
  let stamp = ''
  let evidence = knownNotices(folders, identity).evidence
  const at = (of: (id: string) => boolean) => {
    const latest = stampOf(desk)
    if (latest !== stamp) evidence = knownNotices(folders, identity).evidence
    stamp = latest
    const {told, answers, offsetMs} = evidence
    const clock = serviceClock(told, Date.now(), offsetMs)
    return inbox({told: told.filter(({id}) => of(id)), answers: answers.filter(({id}) => of(id))}, clock)
  }
  return {
    every: () => at(() => true),
    one: (id) => at((other) => other === id)[0],
    stamp: () => stampOf(desk),
  }
}
