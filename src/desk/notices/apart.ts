import {isFailure} from '../../contract/failure.ts'
import {printJson} from '../../contract/money.ts'
import type {Folders, Identity} from '../../store/paths.ts'
import {counted} from '../../terminal/text.ts'
import {type Desk, withoutLogin} from '../desk.ts'
import {recordedEvents} from '../receipts/recorded.ts'
import {wholeEvents} from '../receipts/whole.ts'
import {type Blindness, iso} from './blindness.ts'
import {readEvidence} from './evidence.ts'
import {type InboxItem, inbox, isOpen, serviceClock} from './inbox.ts'
import {inboxJournal} from './records.ts'

// What was received here without a login lies apart from what any login has: nothing that comes to a listener may reach the
// inbox of somebody else. So the inbox only says that it is there, and a person brings it over.

/** Takes it into the inbox of the login that is in use. */
export const BRING_OVER = 'scent notices import --without-login'

/** The notices that were received here without a login, are open, and are not among those of this desk. `since`: milliseconds. */
function lyingApart(
  {folders, identity}: Pick<Desk, 'folders' | 'identity'>,
  every: readonly InboxItem[],
  since: number,
): InboxItem[] {
  if (identity.origin === withoutLogin.origin) return []
  const {told, answers, offsetMs} = readEvidence(folders, withoutLogin, since)
  const here = new Set(every.map(({id}) => id))
  const items = inbox({told, answers}, serviceClock(told, Date.now(), offsetMs))
  return items.filter((item) => isOpen(item) && !here.has(item.id))
}

// A record that is damaged there must not take the inbox of a login with it.
const isDamage = (error: unknown) => isFailure(error, 'CORRUPT_FILE', 'FOREIGN_FILE', 'FILE_FAILED')

/** Whether this notice is one of them, as far as they can be read. */
export function liesApart(desk: Pick<Desk, 'folders' | 'identity'>, id: string): boolean {
  try {
    return lyingApart(desk, [], 0).some((item) => item.id === id)
  } catch (error) {
    if (!isDamage(error)) throw error
    return false
  }
}

/** That they lie there, as a reason why the list may lack a notice. */
export function apart(...[desk, every, since]: Parameters<typeof lyingApart>): Blindness[] {
  try {
    const items = lyingApart(desk, every, since)
    if (items.length === 0) return []
    const [were, are] = items.length === 1 ? ['was', 'is'] : ['were', 'are']
    return [
      {
        code: 'without-login',
        since: iso(Math.min(...items.map((item) => Date.parse(item.desk.seenAt)))),
        until: iso(Date.now() + Math.max(...items.map((item) => item.desk.leftMs ?? 0))),
        says: `${counted(items.length, 'notice')} ${were} received here without a login, ${are} open, and ${are} not in this inbox until you take ${items.length === 1 ? 'it' : 'them'} in.`,
        next: BRING_OVER,
      },
    ]
  } catch (error) {
    if (!isDamage(error)) throw error
    const says = `What was received here without a login can't be read: ${error.message}`
    return [{code: 'store', since: null, until: null, says, next: 'scent doctor'}]
  }
}

/** All that tells of notices and was received or imported without a login, a line each, as an import takes it; what was refused stays there. */
export function textsApart(folders: Folders): string {
  const identity: Identity = withoutLogin
  const {items} = recordedEvents(folders, identity, {since: 0, until: Number.POSITIVE_INFINITY})
  const telling = items.filter(({notices, trust}) => notices.length > 0 && trust !== 'refused')
  const received = [...wholeEvents(folders, identity, telling)].map((event) => printJson(event, 0))
  const imported = [...inboxJournal(folders, identity).records()].flatMap((record) =>
    record.kind === 'imported' ? [record.raw] : [],
  )
  return [...received, ...imported].join('\n')
}
