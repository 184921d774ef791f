import * as Args from '@oclif/core/args'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {openDesk} from '../../desk/desk.ts'
import {BRING_OVER, liesApart} from '../../desk/notices/apart.ts'
import type {Evidence} from '../../desk/notices/evidence.ts'
import type {InboxItem} from '../../desk/notices/inbox.ts'
import {knownNotices, noticeNamed} from '../../desk/notices/known.ts'
import {type Happening, storyOf} from '../../desk/notices/story.ts'
import type {Glance} from '../../desk/receipts/glances.ts'
import {referenceOf, takeInLine} from '../../desk/receipts/reference.ts'
import {clocksText, inboxCard, nextOf, storyColumns} from '../../desk/screens/inbox.ts'
import {localTime} from '../../terminal/cells.ts'
import {apiFlags} from '../../terminal/flags.ts'

export default class NoticesShow extends ScentCommand {
  static override summary = 'Show a notice, and everything that is recorded of it.'
  static override description =
    'From the local record: the copies that arrived, imports, and what was answered from here. Sends nothing, and needs no credential.'
  static override examples = [
    '<%= config.bin %> notices show c6c0dd6c-5d76-4b5d-9eff-250400d2b556',
    '<%= config.bin %> notices show c6c0dd6c-5d76-4b5d-9eff-250400d2b556 --json',
  ]
  static override args = {
    id: Args.string({
      description: 'Notice id, or at least 6 characters of its beginning.',
      required: true,
    }),
  }
  static override flags = {...apiFlags}

  async run(): Promise<InboxItem & {history: Happening[]}> {
    const {args, flags} = await this.parse(NoticesShow)
    const desk = openDesk(flags)
    const {folders, identity} = desk
    const id = noticeNamed(desk, args.id)
    const {every, evidence} = knownNotices(folders, identity, {all: true})
    const item = every.find((one) => one.id === id)
    if (item === undefined) throw unknown(id, evidence, liesApart(desk, id))
    const history = storyOf(evidence, id)
    this.show(inboxCard({...item, history}), {
      rows: history,
      columns: storyColumns,
      title: 'What is recorded of it',
    })
    const next = nextOf(item)
    if (next) this.aside(next)
    const clocks = clocksText(evidence.offsetMs)
    if (clocks) this.aside(clocks)
    const refused = lastRefused(evidence, id)
    if (refused)
      this.aside(
        `A delivery of ${localTime(refused.at)} tells of it as well, and was refused for its signature. ${takeInText(refused)}`,
      )
    return {...item, history}
  }
}

/** What was refused tells nothing, but somebody who has its id wants to know why, and how it would count. */
function unknown(id: string, evidence: Evidence, isApart: boolean): Failure {
  if (isApart)
    return new Failure('NOT_FOUND_UNFULFILLABLE_NOTICE', {
      message: `Notice ${id} was received here without a login, and is not in this inbox until you take it in.`,
      hint: `Take it in: \`${BRING_OVER}\`.`,
    })
  const refused = lastRefused(evidence, id)
  return new Failure('NOT_FOUND_UNFULFILLABLE_NOTICE', {
    message: refused
      ? `Only a delivery that was refused here tells of notice ${id}.`
      : `Nothing here tells of notice ${id}.`,
    hint: refused
      ? takeInText(refused)
      : 'The API shows no notice twice: bring its event in with `scent notices import FILE`.',
  })
}

/** The last delivery that tells of a notice and was refused, of which nothing that counts has come since. */
function lastRefused({receipts, importedEvents}: Evidence, id: string): Glance | undefined {
  const telling = receipts.filter(({notices}) => notices.includes(id))
  const good = new Set([
    ...importedEvents,
    ...telling.filter(({trust}) => trust === 'verified').map(({eventId}) => eventId),
  ])
  return telling.findLast(({trust, eventId}) => trust === 'refused' && !(eventId && good.has(eventId)))
}

const takeInText = (refused: Glance): string =>
  `See why it was refused, and take it in if it fits the secret that is in force now: \`${takeInLine(referenceOf(refused))}\`.`
