// What the pictures of README show: the walk and the inbox, as the built program draws them in a real terminal.
import {callerOf, control, variantOf} from '../sandbox/caller.ts'
import {openBare} from '../terminal/stage.ts'
import {frozenMachine} from './frozen.ts'
import {type Answer, inTerminal} from './pty.ts'
import {type Running, scent, start} from './scent.ts'

export interface Scene {
  title: string
  /** For people who can't see it. */
  says: string
  /** As it is typed. */
  line: string
  columns: number
  /** What the terminal got, with its escape sequences. */
  text: string
}

/** Not a fixed time, since files that are written meanwhile have the machine's. Of the clock that stands still all spans are whole. */
const NOW = Date.now()
const HOUR = 3_600_000

/** A sandbox and a user who has logged in to it; their clocks stand still, until they are moved. */
async function openStill(at: number) {
  const {sandbox, env, close} = await openBare()
  const machine = frozenMachine(at)
  Object.assign(env, machine.env)
  const {clock} = sandbox.state
  const to = (moment: number) => {
    clock.moveTo(moment)
    clock.freeze()
    machine.to(moment)
  }
  to(at)
  const run = async (line: string, input = '') => {
    const ended = await scent(env, line.split(' '), input)
    if (ended.code !== 0) throw new Error(`${line}: ${ended.stderr}${ended.stdout}`)
  }
  await run('auth login --sandbox --storage file')
  return {sandbox, env, to, run, close}
}

const typed: Answer[] = [
  ['Recipient', 'Noura Al-Harbi\r'],
  ['Street and building', 'King Fahd Road 12\r'],
  ['More of the street', '\r'],
  ['City', 'Riyadh\r'],
  ['National short address', 'RRRD2929\r'],
  ['Region', '\r'],
  ['Postal code', '\r'],
  ['Country', '\r'],
  ['Phone', '+966501234567\r'],
  ['prices held for', 'y\r'],
]

export async function walkScene(): Promise<Scene> {
  const {env, run, close} = await openStill(NOW)
  try {
    await run('cart add NJD-INC-002=2 RML-SAF-050 --customer C-1042')
    const [line, columns] = ['scent checkout --customer C-1042 --reference PO-118', 100]
    const {code, text} = await inTerminal(env, line.split(' ').slice(1), {columns, rows: 60, answers: typed})
    if (code !== 0) throw new Error(text)
    const title = 'The walk of scent checkout'
    const says =
      'A terminal: the cart of customer C-1042, the address as it is asked for, what will be charged to the wallet, one question, and the order that was made.'
    return {title, says, line, columns, text}
  } finally {
    await close()
  }
}

/** Who ran short of what, how many hours ago. */
const shortages: [hours: number, sku: string, ordered: number, available: number][] = [
  [70, 'RML-SAF-050', 3, 1],
  [41, 'NJD-INC-002', 6, 4],
  [2, 'NJD-LEA-050', 1, 0],
]

/** The moments that it names are those of each run: here they are those of one weekend. */
function onThatMonday(text: string): string {
  const moments = ['Fri 20 Nov 08:40', 'Mon 23 Nov 08:40']
  return text.replace(
    /\b[A-Z][a-z]{2} \d{1,2} [A-Z][a-z]{2} \d\d:\d\d/g,
    (moment) => moments.shift() ?? moment,
  )
}

/** What a colleague has received is taken in, and then this machine listens itself. */
export async function inboxScene(): Promise<Scene> {
  const {sandbox, env, to, run, close} = await openStill(NOW - 72 * HOUR)
  let listener: Running | undefined
  try {
    const received: string[] = []
    for (const [at, [hours, sku, ordered, availableQuantity]] of shortages.entries()) {
      to(NOW - hours * HOUR)
      const caller = callerOf(sandbox)
      const reference = `PO-${at + 1}`
      const {payload} = await caller.filled(reference, {[variantOf(sandbox, sku)]: ordered})
      await caller.order(reference, payload.lockId, reference)
      const body = {lineId: sku, availableQuantity}
      const {event} = (await control(sandbox, 'POST', `orders/${reference}/notices`, body)).payload
      received.push(JSON.stringify(event))
    }
    to(NOW)
    const line = 'webhooks listen --subscribe --event notice.raised --port 0 --output ndjson'
    listener = start(env, line.split(' '))
    const unready = listener.ended.then(({stderr}) => Promise.reject(new Error(stderr)))
    await Promise.race([listener.said('"ready"'), unready])
    unready.catch(() => {})
    await run('notices import -', received.join('\n'))
    const columns = 100
    const {code, text} = await inTerminal(env, ['notices', 'inbox'], {columns})
    if (code !== 0) throw new Error(text)
    const title = 'The inbox of scent notices'
    const says =
      'A terminal: three notices that wait for an answer, the most urgent first, with the time that is left, the variant, how many units are short, and what the service does if nobody answers. Below them a warning: nothing listened at the weekend, so something may be missing.'
    return {title, says, line: 'scent notices inbox', columns, text: onThatMonday(text)}
  } finally {
    listener?.child.kill('SIGKILL')
    await listener?.ended
    await close()
  }
}
