import type {Blindness} from './blindness.ts'
import type {InboxItem} from './inbox.ts'
import type {Look} from './known.ts'

/** One piece of news: a notice that came, that changed its state, or that is due soon; or something that can't be known. */
export type Change = {event: 'notice'} & (
  | {change: 'raised' | 'state' | 'due'; item: InboxItem}
  /** `ended`: it is not so any more. */
  | {change: 'blind'; item: Blindness & {ended?: true}}
)

/** What is news after a look, given the look before: at first everything that is there. `dueMs`: what is due soon. */
export function changesOf(before: Look | undefined, now: Look, dueMs: number): Change[] {
  const mark = {event: 'notice'} as const
  const known = new Map(before?.every.map((item) => [item.id, item]))
  const wanted = new Set([...now.items, ...(before?.items ?? [])].map(({id}) => id))
  const isDue = ({desk: {leftMs}}: InboxItem) => leftMs !== null && leftMs < dueMs
  const items = now.every.flatMap((item): Change[] => {
    const last = known.get(item.id)
    if (!wanted.has(item.id)) return []
    if (last === undefined) return [{...mark, change: 'raised', item}]
    if (last.desk.state !== item.desk.state) return [{...mark, change: 'state', item}]
    return isDue(item) && !isDue(last) ? [{...mark, change: 'due', item}] : []
  })
  const blind = now.blind
    .filter(({code, says}) => !before?.blind.some((last) => last.code === code && last.says === says))
    .map((item): Change => ({...mark, change: 'blind', item}))
  const seeing = (before?.blind ?? [])
    .filter(({code}) => !now.blind.some((one) => one.code === code))
    .map((item): Change => ({...mark, change: 'blind', item: {...item, ended: true}}))
  return [...items, ...blind, ...seeing]
}
