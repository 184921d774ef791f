import {writtenOut} from '../../contract/forms.ts'
import type {Filter, Row, Rows, Said} from './shapes.ts'

/** A moment of this machine's clock; the day too if it is not today. */
export function Moment({at}: {at: string}) {
  const moment = new Date(at)
  const time = moment.toTimeString().slice(0, 8)
  const isToday = moment.toDateString() === new Date().toDateString()
  const day = isToday ? '' : `${moment.toLocaleDateString('en-GB', {day: 'numeric', month: 'short'})} `
  return (
    <time dateTime={at} title={at}>
      {day}
      {time}
    </time>
  )
}

/** How the receiver answered; how long it took, where there is room for it. */
function Answer({forward}: {forward: Row['forward']}) {
  if (forward === null) return <span class="dim">–</span>
  const [answer = '', took = ''] = forward.text.split('  ')
  return (
    <span class={took ? 'answer' : ''}>
      <span class={forward.tone}>{writtenOut(answer)}</span> <span class="dim wide">{took}</span>
    </span>
  )
}

export const Words = ({said}: {said: Said}) => <span class={said.tone}>{writtenOut(said.text)}</span>

/** More of a type leaves no room for the other columns. */
const LONGEST_TYPE = 80

const shortType = (type: string) =>
  type.length > LONGEST_TYPE ? `${[...type].slice(0, LONGEST_TYPE - 1).join('')}…` : type

export const typeOf = ({eventType}: Pick<Row, 'eventType'>) => writtenOut(eventType ?? '(no type)')

const trusts = [
  ['', 'any'],
  ['verified', 'signature fits'],
  ['unchecked', 'not checked'],
  ['stale', 'too old or ahead'],
  ['refused', 'wrong signature'],
] as const

export function Filters({filter, change}: {filter: Filter; change: (filter: Filter) => void}) {
  return (
    <search class="filters">
      <label>
        Filter
        <input
          id="filter"
          type="search"
          placeholder="event, order or notice"
          autocomplete="off"
          spellcheck={false}
          value={filter.q}
          onInput={({currentTarget}) => change({...filter, q: currentTarget.value})}
        />
      </label>
      <label>
        Signature
        <select
          value={filter.trust}
          onChange={({currentTarget}) => change({...filter, trust: currentTarget.value as Filter['trust']})}
        >
          {trusts.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={filter.problems}
          onChange={({currentTarget}) => change({...filter, problems: currentTarget.checked})}
        />
        Only problems
      </label>
    </search>
  )
}

/** A type may break behind its dots. */
const partsOf = (type: string) =>
  type.split(/(?<=\.)/).flatMap((part, at) => (at === 0 ? [part] : [<wbr key={at} />, part]))

interface ListProps {
  rows: Rows
  chosen: number | null
  isFiltered: boolean
  choose: (row: Row) => void
}

export function List({rows, chosen, isFiltered, choose}: ListProps) {
  if (rows.items.length === 0)
    return (
      <p class="empty">
        {isFiltered
          ? 'No event that is kept here fits the filter.'
          : 'No event has come yet. The first one appears here.'}
      </p>
    )
  return (
    <table>
      <caption class="hidden">Deliveries, the newest first</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Event</th>
          <th scope="col">Signature</th>
          <th scope="col">Forwarded</th>
          <th scope="col" class="wider">
            Event id
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.items.map((row) => (
          <tr key={row.no} class={row.no === chosen ? 'chosen' : ''}>
            <td>
              <Moment at={row.at} />
            </td>
            <td>
              <button
                type="button"
                class="row"
                data-no={row.no}
                aria-current={row.no === chosen ? 'true' : undefined}
                onClick={() => choose(row)}
              >
                {partsOf(shortType(typeOf(row)))}
              </button>
            </td>
            <td>
              <Words said={row.signed} />
            </td>
            <td>
              <Answer forward={row.forward} />
            </td>
            <td class="wider id">{writtenOut(row.eventId ?? '–')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
