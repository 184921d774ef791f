import {
  createPrompt,
  isEnterKey,
  type KeypressEvent,
  useEffect,
  useKeypress,
  useRef,
  useState,
} from '@inquirer/core'
import {Failure} from '../../contract/failure.ts'
import type {NoticeChoice} from '../../contract/notices.ts'
import type {OrderRead} from '../../contract/orders.ts'
import {factsOf} from '../../flows/order/read.ts'
import {askLine, askNumber, sayLines} from '../../terminal/questions/lines.ts'
import {roomOf} from '../../terminal/text.ts'
import {type Cost, costsOf} from '../notices/cost.ts'
import type {InboxItem} from '../notices/inbox.ts'
import {consequence} from './choice.ts'
import {keys, leftText, offersOf, plainLines, type Sheet, sheetLines, standingText} from './sheet.ts'

/** What a person wants next: an answer, or to go elsewhere. */
type Move = NoticeChoice | 'next' | 'back' | 'order' | 'stop'

/** A notice of the worklist, which may change while somebody looks at it. */
interface Question extends Pick<Sheet, 'at' | 'of'> {
  /** What is known of it now. */
  look(): InboxItem
  /** The order that amounts are read from, if it can be read. */
  order: Promise<OrderRead | undefined>
  /** Whether a key alone sends. */
  isAgreed: boolean
}

const moves: {[key: string]: Move} = {n: 'next', b: 'back', o: 'order', q: 'stop'}
const EVERY_MS = 1_000
const CLEAR = '\u001b[2J\u001b[H'

const sheetOf = ({at, of}: Question, item: InboxItem, read: OrderRead | undefined): Sheet => ({
  ...{at, of, item, costs: costsOf(item, read)},
  reference: read ? factsOf(read).reference : null,
})

/** What a person would notice if it were another. */
const seen = (item: InboxItem) => `${leftText(item)} ${standingText(item)}`

const sheetPrompt = createPrompt<Move, Question>((question, done) => {
  const [item, setItem] = useState(question.look())
  const [read, setRead] = useState<OrderRead | undefined>(undefined)
  const [picked, setPicked] = useState<NoticeChoice | undefined>(undefined)
  const [more, setMore] = useState(false)
  const [, setSize] = useState(0)
  const latest = useRef(item)
  useEffect(() => {
    let isOpen = true
    const timer = setInterval(() => {
      const now = question.look()
      if (seen(now) === seen(latest.current)) return
      latest.current = now
      setItem(now)
    }, EVERY_MS)
    void question.order.then((order) => isOpen && setRead(order))
    // Lines of another width were broken by the terminal: what stands there can't be drawn over.
    const resized = () => {
      process.stderr.write(CLEAR)
      setSize(Date.now())
    }
    process.stderr.on('resize', resized)
    return () => {
      isOpen = false
      clearInterval(timer)
      process.stderr.off('resize', resized)
    }
  }, [])
  const offers = offersOf(item)
  const chosen = picked && offers.includes(picked) ? picked : undefined
  useKeypress((key, line) => {
    line.clearLine(0)
    if (picked !== undefined) {
      if (isEnterKey(key) && chosen) return done(chosen)
      return setPicked(undefined)
    }
    const name = nameOf(key)
    const choice = offers.find((one) => keys[one] === name)
    if (choice && question.isAgreed) done(choice)
    else if (choice) setPicked(choice)
    else if (name === '?') setMore(!more)
    else if (Object.hasOwn(moves, name)) done(moves[name] as Move)
  })
  return sheetLines(sheetOf(question, item, read), {room: roomOf(process.stderr), chosen, more}).join('\n')
})

const nameOf = (key: KeypressEvent & {sequence?: string}): string =>
  key.ctrl ? '' : (key.name ?? key.sequence ?? '')

/** Shows a notice until one key says what to do. Nothing stays of it on the screen. */
export async function askByKey(question: Question): Promise<Move> {
  try {
    return await sheetPrompt(question, {output: process.stderr, clearPromptOnDone: true})
  } catch (error) {
    // In raw mode Ctrl-C sends no signal: the prompt ends instead.
    if (error instanceof Error && error.name === 'ExitPromptError') throw new Failure('INTERRUPTED')
    throw error
  }
}

/** The same by lines and numbers, where the cursor must not move: news are told below. */
export async function askByNumber(question: Question): Promise<Move> {
  const read = await question.order
  let item = question.look()
  sayLines('', ...plainLines(sheetOf(question, item, read)))
  for (;;) {
    const move = await moveByNumber(question, item, costsOf(item, read))
    if (move !== undefined) return move
    const now = question.look()
    if (standingOf(now) !== standingOf(item)) sayLines(`News: ${standingOf(now)}`)
    item = now
  }
}

const standingOf = (item: InboxItem) => standingText(item) ?? 'It waits for an answer.'

/** Undefined if a choice was taken back, or if the notice can't be answered any more as it could before. */
async function moveByNumber(
  {look, isAgreed}: Question,
  item: InboxItem,
  costs: Cost[] | undefined,
): Promise<Move | undefined> {
  // Time alone is not news.
  const isOver = () => standingText(look()) !== standingText(item)
  const offers = offersOf(item).map((value) => ({
    ...{name: `${value}: ${consequence(value, costs)}`, value},
    key: keys[value],
  }))
  const move = await askNumber<Move>('What next?', [...offers, ...others], {isOver})
  const choice = offers.find(({value}) => value === move)
  if (choice === undefined || isAgreed) return move
  const words = `${choice.name}. Press Enter to send it, or type anything else to take it back.`
  return (await askLine(words, isOver)) === '' ? choice.value : undefined
}

const names: [key: string, name: string][] = [
  ['n', 'Next notice'],
  ['b', 'Notice before'],
  ['o', 'Show the order'],
  ['q', 'Stop'],
]
// The keys of the other screen work here as well, each with Enter.
const others = names.map(([key, name]) => ({key, name: `${name} (${key})`, value: moves[key] as Move}))
