import {chosen} from '../../terminal/columns.ts'
import {tableText} from '../../terminal/table.ts'
import {paintFor, roomOf, safe, wrap} from '../../terminal/text.ts'
import type {Look} from '../notices/known.ts'
import {belowLines, blindLines, emptyText, inboxBlock, inboxColumns, summaryOf} from './inbox.ts'

type Screen = NodeJS.WriteStream

const ENTER = '\u001b[?1049h\u001b[?25l'
const LEAVE = '\u001b[?25h\u001b[?1049l'

/**
 * A picture that is drawn over itself, on a page of its own: what stood in the terminal is there again when it is closed,
 * however the program ends.
 */
export function openPicture(stream: Screen) {
  let last: Look | undefined
  const leave = () => void stream.write(LEAVE)
  process.once('exit', leave)
  stream.write(ENTER)
  const draw = async (look: Look) => {
    last = look
    const lines = await pictureOf(look, stream)
    // Another look may have come meanwhile, or the end.
    if (last === look) stream.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join('\n')}\u001b[J`)
  }
  const again = () => void (last && draw(last))
  stream.on('resize', again)
  return {
    draw,
    close() {
      last = undefined
      stream.off('resize', again)
      process.off('exit', leave)
      leave()
    },
  }
}

/** As many lines as there is room for: those that are due first, and what can't be known. */
async function pictureOf({items, every, blind, now}: Look, stream: Screen): Promise<string[]> {
  const [room, rows] = [roomOf(stream), stream.rows || 24]
  const text = (line: string) => wrap(safe(line), room, /^[!]/.test(line) ? 2 : 0).split('\n')
  const clock = new Date().toTimeString().slice(0, 5)
  const head = text(summaryOf({items, every}))
  const below = [
    ...belowLines({items, every, now}, false),
    ...blindLines(blind),
    `At ${clock}. Ctrl-C ends.`,
  ].flatMap(text)
  // The last reasons give way to at least one notice, which takes a few lines where it is narrow.
  const left = rows - head.length - Math.min(below.length, Math.ceil(rows / 2))
  for (let count = Math.min(items.length, left); ; count -= 1) {
    const more = items.length - count
    const list = await listOf(items.slice(0, count), stream)
    const said =
      more > 0 ? text(`${more} more ${more === 1 ? 'is' : 'are'} due later: \`scent notices inbox\``) : []
    const lines = [...head, ...(items.length > 0 ? list : text(emptyText({every}))), ...said]
    if (count <= 1 || lines.length <= left) return [...lines, ...below].slice(0, rows)
  }
}

async function listOf(items: Look['items'], stream: Screen): Promise<string[]> {
  const screen = {terminalWidth: roomOf(stream), paint: paintFor(stream)}
  const {text} = await tableText(chosen(inboxColumns, undefined, 'terminal'), items, screen, inboxBlock)
  return text.trimEnd().split('\n')
}
