import {type ComponentChildren, render} from 'preact'
import {useCallback, useEffect, useLayoutEffect, useRef, useState} from 'preact/hooks'
import {writtenOut} from '../../contract/forms.ts'
import {Pane} from './event.tsx'
import {Filters, List, Moment} from './list.tsx'
import {type Filter, fits, type Replayed, type Row, type Rows, type State} from './shapes.ts'
import {follow, type Link, linkOf, Refused, read, send, takeToken} from './stream.ts'

const everything: Filter = {q: '', trust: '', problems: false}
const RETRY_MS = 1_000
const STATE_MS = 60_000

/** Which rows are looked at; `turn` makes the same ones be read again. */
interface Look {
  filter: Filter
  before: number | null
  turn: number
}

function addressOf({filter: {q, trust, problems}, before}: Look): string {
  const query = new URLSearchParams({limit: '100', q, trust, problems: problems ? '1' : ''})
  if (before !== null) query.set('before', String(before))
  return `/api/events?${query}`
}

/** The rows that are looked at, kept up to date; those that are newer are counted, so that nothing jumps. */
function useRows(look: Look, setLook: (change: (look: Look) => Look) => void, setLink: (link: Link) => void) {
  const [rows, setRows] = useState<Rows | null>(null)
  const [fresh, setFresh] = useState(0)
  const [from, setFrom] = useState<object | null>(null)
  const [isVisible, setVisible] = useState(!document.hidden)
  /** The last rows that came in, for who shows one of them. */
  const [news, setNews] = useState<Row[]>([])
  const newest = useRef(0)
  const place = useRef(0)
  /** The newest look: what a stream of an earlier one still says is said again. */
  const current = useRef<object | null>(null)
  const now = useRef(look)
  now.current = look
  const again = useCallback(() => setLook((last) => ({...last, turn: last.turn + 1})), [setLook])

  // They are asked for before an empty page is painted, not after.
  useLayoutEffect(() => {
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    read<Rows>(addressOf(look), stop.signal).then(
      (found) => {
        setRows(found)
        setLink('open')
        if (look.before !== null) return
        newest.current = found.newest
        place.current = found.after
        setFresh(0)
        current.current = {}
        setFrom(current.current)
      },
      (error: unknown) => {
        if (stop.signal.aborted) return
        setLink(linkOf(error))
        if (linkOf(error) === 'lost') timer = setTimeout(again, RETRY_MS)
      },
    )
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [look, setLink, again])

  const take = useCallback((came: Row[]) => {
    const added = came.filter(({no}) => no > newest.current)
    const last = added.at(-1)
    if (last) newest.current = last.no
    const wanted = added.filter((row) => fits(row, now.current.filter))
    setFresh((count) => count + wanted.length)
    const changed = new Map(came.map((row) => [row.no, row]))
    setRows((shown) => shown && {...shown, items: shown.items.map((row) => changed.get(row.no) ?? row)})
    setNews(came)
  }, [])

  // A tab that nobody sees holds no connection: a browser has few for all tabs.
  useEffect(() => {
    const look = () => setVisible(!document.hidden)
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  useEffect(() => {
    if (from === null || !isVisible) return
    const stop = new AbortController()
    const isLate = () => current.current !== from
    const hears = {
      rows: (came: Row[]) => isLate() || take(came),
      state: () => dispatchEvent(new Event('scent:state')),
      missed: again,
      link: setLink,
      reached(after: number) {
        if (!isLate()) place.current = after
      },
    }
    void follow(place.current, hears, stop.signal)
    return () => stop.abort()
  }, [from, isVisible, take, again, setLink])

  // Nothing jumps where nothing is.
  useEffect(() => {
    if (fresh > 0 && rows?.items.length === 0 && look.before === null) again()
  }, [fresh, rows, look, again])
  return {rows, fresh, news}
}

function useListener(isReady: boolean): State | null {
  const [state, setState] = useState<State | null>(null)
  useEffect(() => {
    if (!isReady) return
    const look = () => void read<State>('/api/state').then(setState, () => {})
    look()
    const timer = setInterval(look, STATE_MS)
    addEventListener('scent:state', look)
    return () => {
      clearInterval(timer)
      removeEventListener('scent:state', look)
    }
  }, [isReady])
  return state
}

/** What a key does while nothing is being typed. */
function useKeys(keys: {[key: string]: () => void}) {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.matches('input, select, textarea')
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
      if (document.querySelector('dialog[open]') || (isTyping && event.key !== 'Escape')) return
      const work = Object.hasOwn(latest.current, event.key) ? latest.current[event.key] : undefined
      if (!work) return
      event.preventDefault()
      work()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

/** Moves to the next or the previous row. */
function step(by: 1 | -1, chosen: number | null): void {
  const buttons = [...document.querySelectorAll<HTMLButtonElement>('button.row')]
  const focused = buttons.indexOf(document.activeElement as HTMLButtonElement)
  const at = focused >= 0 ? focused : buttons.findIndex(({dataset}) => Number(dataset.no) === chosen)
  const next = buttons[at < 0 ? 0 : at + by]
  next?.focus()
}

const focusRow = (no: number) =>
  document.querySelector<HTMLButtonElement>(`button.row[data-no="${no}"]`)?.focus()

const plural = (count: number, noun: string) =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`

function Desk() {
  const [link, setLink] = useState<Link>('open')
  const [look, setLook] = useState<Look>({filter: everything, before: null, turn: 0})
  const [chosen, setChosen] = useState<Row | null>(null)
  const [sent, setSent] = useState<{no: number; text: string} | null>(null)
  const [said, setSaid] = useState('')
  const [newsOf, setNewsOf] = useState(0)
  const help = useRef<HTMLDialogElement>(null)
  const question = useRef<HTMLDialogElement>(null)
  const {rows, fresh, news} = useRows(look, setLook, setLink)
  const state = useListener(link === 'open' && rows !== null)
  const isSending = useRef(false)
  const isFiltered = look.filter.q !== '' || look.filter.trust !== '' || look.filter.problems

  useEffect(() => {
    document.title = fresh > 0 ? `(${fresh}) scent desk` : 'scent desk'
    if (fresh > 0) setSaid('New events have come.')
  }, [fresh])
  useEffect(() => {
    const isOfChosen = ({no, eventId}: Row) =>
      no === chosen?.no || (eventId !== null && eventId === chosen?.eventId)
    if (chosen && news.some(isOfChosen)) setNewsOf((count) => count + 1)
  }, [news, chosen])
  useEffect(() => {
    if (link === 'lost') setSaid('Not connected to the listener.')
  }, [link])

  const show = () => setLook(({filter, turn}) => ({filter, before: null, turn: turn + 1}))
  const close = () => {
    setChosen(null)
    const no = chosen?.no
    if (no !== undefined) requestAnimationFrame(() => focusRow(no))
  }
  const replay = async () => {
    if (!chosen || !state?.forwardTo || isSending.current) return
    isSending.current = true
    const say = (text: string) => {
      setSent({no: chosen.no, text})
      setSaid(text)
    }
    say('Sending it again …')
    await send(`/api/events/${chosen.id}/replay`, {
      method: 'POST',
      headers: {'Content-Type': 'application/json'},
      body: JSON.stringify({copy: chosen.no}),
    })
      .then(async (response) => say(replayText(await response.json())))
      .catch((error: Error) =>
        say(`Not sent: ${error instanceof Refused ? error.message : 'the listener does not answer'}.`),
      )
    isSending.current = false
  }
  // What was refused is sent only by who has read why.
  const ask = () => {
    if (!chosen || !state?.forwardTo) return
    if (isRefused(chosen)) question.current?.showModal()
    else void replay()
  }
  useKeys({
    j: () => step(1, chosen?.no ?? null),
    k: () => step(-1, chosen?.no ?? null),
    '/': () => document.getElementById('filter')?.focus(),
    r: ask,
    '?': () => help.current?.showModal(),
    Escape: () => (document.activeElement?.id === 'filter' ? leaveFilter() : close()),
  })

  if (link === 'anew')
    return (
      <Alone>
        The listener that this page belonged to has ended. Start <code>scent webhooks listen --ui</code> again
        if it does not run, and open the address that it prints.
      </Alone>
    )
  return (
    <>
      <header class="top">
        <h1>scent desk</h1>
        <Health state={state} link={link} />
        <button type="button" class={fresh > 0 ? 'fresh' : 'fresh none'} onClick={show}>
          {fresh.toLocaleString('en')} new: show
        </button>
        <button type="button" class="plain" onClick={() => help.current?.showModal()}>
          Keys
        </button>
      </header>
      <p role="status" class="hidden">
        {said}
      </p>
      <main class={chosen ? 'two' : ''}>
        <section class="list" aria-label="Deliveries">
          <Filters
            filter={look.filter}
            change={(filter) => setLook(({turn}) => ({filter, before: null, turn}))}
          />
          {rows && (
            <div class="rows">
              <List rows={rows} chosen={chosen?.no ?? null} isFiltered={isFiltered} choose={setChosen} />
              <Pages rows={rows} look={look} setLook={setLook} />
            </div>
          )}
        </section>
        {chosen && (
          <Pane
            row={chosen}
            news={newsOf}
            forwardTo={state?.forwardTo ?? null}
            sent={sent?.no === chosen.no ? sent.text : ''}
            replay={ask}
            say={(text) => {
              setSent({no: chosen.no, text})
              setSaid(text)
            }}
            choose={setChosen}
            close={close}
          />
        )}
      </main>
      <Keys dialog={help} />
      {chosen && (
        <Question dialog={question} row={chosen} to={state?.forwardTo ?? ''} send={() => void replay()} />
      )}
    </>
  )
}

function leaveFilter(): void {
  document.getElementById('filter')?.blur()
  document.querySelector<HTMLButtonElement>('button.row')?.focus()
}

function replayText({status, ms, why, lacks}: Replayed): string {
  const without = lacks.length > 0 ? ` Without ${lacks.join(', ')}, whose values are not kept.` : ''
  const answered = status === null ? '.' : `: answered ${status} in ${ms} ms.`
  return `Sent again${answered}${why ? ` ${why}` : ''}${without}`
}

function Pages({rows, look, setLook}: {rows: Rows; look: Look; setLook: (look: Look) => void}) {
  const to = (before: number | null) => () => {
    setLook({...look, before, turn: look.turn + 1})
    document.querySelector('.rows')?.scrollTo(0, 0)
  }
  return (
    <nav class="pages" aria-label="Pages">
      {look.before !== null && (
        <button type="button" onClick={to(null)}>
          Newest
        </button>
      )}
      {rows.before !== null && (
        <button type="button" onClick={to(rows.before)}>
          Older
        </button>
      )}
      {rows.before === null && !rows.isWhole && (
        <p class="dim">
          Older events are in the record, and not on this page: <code>scent webhooks events</code>
        </p>
      )}
    </nav>
  )
}

/** In a few words: how the listener is, what its word is worth, and what it can't see. */
function Health({state, link}: {state: State | null; link: Link}) {
  if (link === 'lost')
    return <p class="health bad">Not connected: the listener does not answer. Trying again …</p>
  if (state === null) return <p class="health dim">Connecting …</p>
  const {trouble, isFailed, checked, blind} = state
  return (
    <div class="health">
      <span class={trouble === null ? 'good' : isFailed ? 'bad' : 'warn'}>
        {trouble === null ? 'ready' : writtenOut(trouble)}
      </span>
      <span class={checked ? 'good' : 'warn'}>
        {checked ? 'signatures checked' : 'signatures not checked'}
      </span>
      {blind.length === 0 ? (
        <span class="good">sees all</span>
      ) : (
        <details>
          <summary class="warn">may miss events: {plural(blind.length, 'reason')}</summary>
          <ul>
            {blind.map(({says, since, next}) => (
              <li key={says}>
                {writtenOut(says)}{' '}
                {since && (
                  <>
                    Since <Moment at={since} />.
                  </>
                )}
                <code>{writtenOut(next)}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
      {state.forwardTo && <span class="dim">forwards to {writtenOut(state.forwardTo)}</span>}
    </div>
  )
}

const keys = [
  ['j, k', 'next and previous event'],
  ['Enter', 'show it'],
  ['Esc', 'close it'],
  ['/', 'filter'],
  ['r', 'send the shown event to the receiver again'],
  ['?', 'these keys'],
] as const

function Keys({dialog}: {dialog: {current: HTMLDialogElement | null}}) {
  return (
    <dialog ref={dialog} aria-labelledby="keys">
      <h2 id="keys">Keys</h2>
      <dl class="keys">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  )
}

const isRefused = ({trust}: Row) => trust === 'refused' || trust === 'stale'

interface QuestionProps {
  dialog: {current: HTMLDialogElement | null}
  row: Row
  to: string
  send: () => void
}

/** Asks whether a delivery that was refused here is to be sent on all the same. */
function Question({dialog, row: {trust, signed}, to, send}: QuestionProps) {
  const means =
    trust === 'stale'
      ? 'It may be an old one that somebody sends again.'
      : 'Nothing proves that the service sent it.'
  return (
    <dialog ref={dialog} aria-labelledby="question">
      <h2 id="question">Send a refused delivery?</h2>
      <p>
        It was refused here ({writtenOut(signed.text.replace(/^WRONG: /, ''))}). {means}
      </p>
      <p>
        <code>{writtenOut(to)}</code> gets it as it came.
      </p>
      <div class="answers">
        <button type="button" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <button
          type="button"
          class="main"
          onClick={() => {
            dialog.current?.close()
            send()
          }}
        >
          Send it
        </button>
      </div>
    </dialog>
  )
}

function Alone({children}: {children: ComponentChildren}) {
  return (
    <main class="alone">
      <h1>scent desk</h1>
      <p role="status">{children}</p>
    </main>
  )
}

function begin(): void {
  const place = document.getElementById('desk')
  if (!place) return
  const isKnown = takeToken()
  // Another address of the same page does not load it anew.
  const desk = isKnown ? (
    <Desk key={Date.now()} />
  ) : (
    <Alone>
      This page shows events only at the address that <code>scent webhooks listen --ui</code> prints. Open
      that one.
    </Alone>
  )
  render(desk, place)
}

addEventListener('hashchange', () => location.hash !== '' && begin())
begin()
