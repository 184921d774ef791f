import {useEffect, useRef, useState} from 'preact/hooks'
import {writtenOut} from '../../contract/forms.ts'
import {Moment, typeOf, Words} from './list.tsx'
import type {EventFacts, Row} from './shapes.ts'
import {read, send} from './stream.ts'

/** A body is drawn as far as this, and the rest is a download. */
const DRAWN = 256 * 1024
/** What is nested more deeply is not indented. */
const DEEPEST = 60

const views = ['Timeline', 'Body', 'Headers'] as const

interface PaneProps {
  row: Pick<Row, 'id' | 'no' | 'eventType'>
  /** Changes whenever there is news of the event. */
  news: number
  forwardTo: string | null
  sent: string
  replay: () => void
  say: (text: string) => void
  choose: (row: Row) => void
  close: () => void
}

/** One event: what became of it, its bytes, its headers. */
export function Pane({row, news, forwardTo, sent, replay, say, choose, close}: PaneProps) {
  const [view, setView] = useState<(typeof views)[number]>('Timeline')
  const [facts, setFacts] = useState<EventFacts | null>(null)
  const [trouble, setTrouble] = useState('')
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [row.no])
  useEffect(() => {
    const stop = new AbortController()
    read<EventFacts>(`/api/events/${row.id}?copy=${row.no}`, stop.signal).then(
      (found) => {
        setFacts(found)
        setTrouble('')
      },
      (error: Error) => stop.signal.aborted || setTrouble(`It can't be shown: ${error.message}.`),
    )
    return () => stop.abort()
  }, [row.id, row.no, news])
  const known = facts?.copy.no === row.no ? facts : null
  const copyCommand = async (command: string) => {
    const isCopied = await navigator.clipboard.writeText(command).then(
      () => true,
      () => false,
    )
    say(isCopied ? 'The command is copied.' : 'The browser does not let it be copied: select it.')
  }
  return (
    <section class="pane" aria-labelledby="event-name">
      <header>
        <h2 id="event-name" tabIndex={-1} ref={heading}>
          {typeOf(row)}
        </h2>
        <button type="button" class="plain close" onClick={close}>
          Close
        </button>
      </header>
      {trouble && <p class="bad">{writtenOut(trouble)}</p>}
      {known && <Names names={namesOf(known)} />}
      <div class="views">
        {views.map((name) => (
          <button key={name} type="button" aria-pressed={view === name} onClick={() => setView(name)}>
            {name}
          </button>
        ))}
      </div>
      <div class="view">
        {known && view === 'Timeline' && <Timeline facts={known} choose={choose} />}
        {known && view === 'Body' && <Body key={row.no} id={row.id} no={row.no} bytes={known.copy.bytes} />}
        {known && view === 'Headers' && <Headers facts={known} />}
      </div>
      <footer>
        {forwardTo !== null && (
          <button type="button" class="main" onClick={replay}>
            Replay
          </button>
        )}
        {known && (
          <button type="button" onClick={() => void copyCommand(known.command)}>
            Copy command
          </button>
        )}
        {sent && <p class="sent">{writtenOut(sent)}</p>}
        {known && <code class="command">{known.command}</code>}
      </footer>
    </section>
  )
}

function Names({names}: {names: readonly (readonly [name: string, value: string | null])[]}) {
  return (
    <dl class="names">
      {names.map(
        ([name, value]) =>
          value !== null && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{writtenOut(value)}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

const namesOf = ({eventId, orderId, notices}: EventFacts) =>
  [
    ['Event', eventId],
    ['Order', orderId],
    ['Notice', notices.join(', ') || null],
  ] as const

/** What happened to all its copies, in order of time. */
function Timeline({facts: {copies, copy}, choose}: {facts: EventFacts; choose: (row: Row) => void}) {
  const steps = copies.flatMap((row) => [
    {
      at: row.at,
      row,
      step: row.signed.text.startsWith('again') ? '' : 'received, ',
      said: row.signed,
      to: '',
    },
    ...(row.forward
      ? [{at: row.forward.at, row, step: 'forwarded ', said: row.forward, to: row.forward.to}]
      : []),
  ])
  return (
    <ol class="timeline">
      {steps
        .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
        .map(({at, row, step, said, to}) => (
          <li
            key={`${row.no} ${to}`}
            class={row.no === copy.no && copies.length > 1 ? 'step chosen' : 'step'}
          >
            <Moment at={at} />
            <span>
              {step}
              <Words said={said} />
              {to && <span class="dim"> to {writtenOut(to)}</span>}
              {to === '' && copies.length > 1 && row.no !== copy.no && (
                <button type="button" class="plain" onClick={() => choose(row)}>
                  Show this copy
                </button>
              )}
            </span>
          </li>
        ))}
    </ol>
  )
}

function Headers({facts: {copy, hidden}}: {facts: EventFacts}) {
  return (
    <>
      <Names
        names={[
          ['From', `${copy.remote} ${copy.path}`],
          ['SHA-256', copy.sha256],
        ]}
      />
      <table class="headers">
        <caption class="hidden">Headers as they came</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {copy.headers.map(([name, value], at) => (
            <tr key={at}>
              <td>{writtenOut(name)}</td>
              <td>
                {writtenOut(value)}
                {hidden.includes(name) && <span class="dim"> (fingerprint: the value is not kept)</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {copy.headers.length === 0 && <p class="dim">It came without headers.</p>}
    </>
  )
}

/** The bytes as text; what a page would act on is written out. */
function Body({id, no, bytes}: {id: string; no: number; bytes: number}) {
  const [content, setContent] = useState<Uint8Array<ArrayBuffer> | null>(null)
  const [trouble, setTrouble] = useState('')
  const [isIndented, setIndented] = useState(true)
  useEffect(() => {
    const stop = new AbortController()
    send(`/api/events/${id}/body?copy=${no}`, {signal: stop.signal})
      .then(async (response) => setContent(new Uint8Array(await response.arrayBuffer())))
      .catch((error: Error) => stop.signal.aborted || setTrouble(`It can't be shown: ${error.message}.`))
    return () => stop.abort()
  }, [id, no])
  if (content === null) return <p class="dim">{writtenOut(trouble)}</p>
  const text = new TextDecoder().decode(content.subarray(0, DRAWN), {stream: true})
  const isCut = content.length > DRAWN
  const neat = isCut ? undefined : indented(text)
  return (
    <>
      <div class="bar">
        <span class="dim">{isCut ? `The first 256 KiB of ${sizeOf(bytes)}` : sizeOf(bytes)}</span>
        {neat !== undefined && (
          <label class="check">
            <input type="checkbox" checked={isIndented} onChange={() => setIndented(!isIndented)} />
            Indented
          </label>
        )}
        <button type="button" class="plain" onClick={() => keep(content, `event-${no}.txt`)}>
          Download
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys must reach it */}
      <pre tabIndex={0}>{content.length === 0 ? '(empty)' : shown((isIndented && neat) || text)}</pre>
    </>
  )
}

const shown = (text: string) => text.split('\n').map(writtenOut).join('\n')

const sizeOf = (bytes: number) => (bytes < 1024 ? `${bytes} bytes` : `${(bytes / 1024).toFixed(1)} KiB`)

function keep(content: Uint8Array<ArrayBuffer>, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([content], {type: 'application/octet-stream'}))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** The same JSON with line breaks and blanks between its words, none of which changes; undefined if it is not JSON. */
function indented(text: string): string | undefined {
  try {
    if (typeof JSON.parse(text) !== 'object') return undefined
  } catch {
    return undefined
  }
  let depth = 0
  let out = ''
  const line = () => `\n${'  '.repeat(depth)}`
  for (const [word] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[[\]{}:,]|[^\s"[\]{}:,]+/g)) {
    if (/^[[{]$/.test(word)) depth += 1
    if (depth > DEEPEST) return undefined
    if (/^[\]}]$/.test(word)) depth -= 1
    const [before, after] = [
      /^[\]}]$/.test(word) ? line() : '',
      /^[[{,]$/.test(word) ? line() : word === ':' ? ' ' : '',
    ]
    out += before + word + after
  }
  return out
}
