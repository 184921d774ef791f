import type {Evidence} from './evidence.ts'

/** Something that is recorded of a notice. */
export interface Happening {
  at: string
  what: 'told' | 'answering'
  trust: string | null
  says: string
}

/** Everything that is recorded of a notice, the oldest first. */
export function storyOf({told, answers}: Evidence, id: string): Happening[] {
  const tales = told
    .filter((one) => one.id === id)
    .map(({at, trust, saysEnd, fields: {status, responseChoice}}) => ({
      at,
      what: 'told' as const,
      trust,
      says: [status ?? (saysEnd ? `${saysEnd}, no status` : 'no status'), responseChoice]
        .filter(Boolean)
        .join(', '),
    }))
  const ours = answers
    .filter((one) => one.id === id)
    .map(({at, choice, outcome}) => ({
      at,
      what: 'answering' as const,
      trust: null,
      says: `${choice}: ${outcome ?? 'no outcome is recorded'}`,
    }))
  return [...tales, ...ours]
    .sort((a, b) => a.at - b.at)
    .map((one) => ({...one, at: new Date(one.at).toISOString()}))
}
