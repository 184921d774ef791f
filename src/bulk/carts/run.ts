import type {Client} from '../../client/client.ts'
import {type Failure, isFailure} from '../../contract/failure.ts'
import {bringToTarget, type CartTools, type CartWork, sureAt} from '../../flows/cart/goal.ts'
import type {ImportMode} from '../../flows/cart/steps.ts'
import {type Patience, patiently} from '../../flows/outage.ts'
import type {JobFile} from '../journal.ts'
import {leavable} from '../leave.ts'
import {pool} from '../pool.ts'
import type {CartOutcome} from '../records.ts'
import type {JobCarts} from './fold.ts'

export type CartImportEvent =
  | {kind: 'asking-again'; customerRef: string; code: string; inMs: number}
  | {kind: 'waiting'; carts: number; inMs: number}
  | {kind: 'cart-done'; cart: number; customerRef: string; outcome: CartOutcome['outcome']}
  | {kind: 'cart-left'; customerRef: string; failure: Failure}

interface CartImportRun {
  job: JobFile
  carts: JobCarts
  tools: Omit<Patience, 'stop'> & {
    client: Client
    /** ISO time of the wall clock, for the records. */
    clock(): string
  }
  /** Aborted by the first Ctrl-C: the request under way is the last one. */
  stop: AbortSignal
  /** Runs work while nobody else on this machine changes or orders that cart. Fails with BUSY. */
  alone<T>(customerRef: string, work: () => Promise<T>): Promise<T>
  tell(event: CartImportEvent): void
}

type NumberedWork = CartWork & {cart: number}

/** Carts under way at a time: enough to use the quota in full if answers take their time. */
const AT_A_TIME = 4
/** Stands for a whole cart, as a variant stands for its line. */
const CART = null

/**
 * Brings every cart of an import that is not settled to its target. Carts with a change that was lost are looked at
 * once more when all others are done. What is not begun when the job stops is left for a resume. Throws the Failure
 * that the service would answer for every other cart as well, once those under way ended.
 */
export async function runCartImport(run: CartImportRun): Promise<void> {
  const again: NumberedWork[] = []
  const workOnce = async (at: number) => {
    const work = workOf(run, at)
    if (await workOn(run, work)) again.push(work)
  }
  await pool(AT_A_TIME, unsettled(run.carts), workOnce, run.stop)
  await lookAgain(run, again)
  run.carts.readOn()
}

function* unsettled(carts: JobCarts): Generator<number> {
  for (let at = 0; at < carts.size; at++) if (['todo', 'unknown'].includes(carts.state(at))) yield at
}

/** Takes the carts in which something was lost up again, each when it has had its time to arrive. */
async function lookAgain(run: CartImportRun, again: NumberedWork[]): Promise<void> {
  const {now, sleep} = run.tools
  for (;;) {
    const work = again.sort((a, b) => sureAt(a) - sureAt(b)).shift()
    if (work === undefined || run.stop.aborted) return
    const inMs = sureAt(work) - now()
    if (inMs > 0) {
      run.tell({kind: 'waiting', carts: again.length + 1, inMs})
      await sleep(inMs, run.stop)
    }
    if (!run.stop.aborted && (await workOn(run, work))) again.push(work)
  }
}

function workOf({job, carts, tools}: CartImportRun, at: number): NumberedWork {
  const {customerRef, lines} = carts.planned(at)
  const lost: CartWork['lost'] = new Map()
  for (const sent of carts.sent(at)) {
    const age = Math.max(0, Date.parse(tools.clock()) - Date.parse(sent.at))
    const key = sent.variantId ?? ''
    lost.set(key, {at: tools.now() - age, sends: 1, provable: !lost.has(key)})
  }
  return {
    cart: at,
    customerRef,
    mode: job.head.options.mode as ImportMode,
    wanted: lines,
    targets: carts.target(at)?.lines,
    lost,
    tries: new Map(),
    failures: new Map(),
  }
}

/** Works on a cart as far as that goes now. True if it must be looked at again later. */
async function workOn(run: CartImportRun, work: NumberedWork): Promise<boolean> {
  const {customerRef} = work
  const tools = cartTools(run)
  const tell = (code: string, inMs: number) => run.tell({kind: 'asking-again', customerRef, code, inMs})
  const bring = () => run.alone(customerRef, () => bringToTarget(tools, work))
  try {
    const {reach} = await patiently({...run.tools, stop: run.stop}, tell, bring)
    if (reach === 'reached') await settle(run, work, failuresOf(work))
    return reach === 'later' || reach === 'look'
  } catch (error) {
    if (!isFailure(error)) throw error
    // Interrupted in an outage, or somebody else works on it: a resume does the cart.
    if (error.code === 'BUSY' || (run.stop.aborted && wasLeft(error))) {
      run.tell({kind: 'cart-left', customerRef, failure: error})
      return false
    }
    if (error.entry.scope !== 'row') throw error
    await settle(run, work, [[CART, error]])
    return false
  }
}

/** An order or a cart that was left as it is, in a wait: a resume goes on with it. */
const wasLeft = ({code, entry}: Failure) => code === 'INTERRUPTED' || entry.scope === 'wait'

function cartTools({job, tools, stop}: CartImportRun): CartTools {
  const {clock} = tools
  return {
    client: leavable(tools.client, stop),
    now: tools.now,
    stop,
    lostAdds: 'wait',
    fixTargets: ({customerRef}, targets) =>
      job.append({step: 'TARGET', at: clock(), customerRef, lines: targets}),
    noteSending: ({customerRef}, variantId) =>
      job.append({step: 'SENDING', at: clock(), customerRef, variantId}),
  }
}

type LineFailure = [variantId: string | null, failure: Failure]

/** An emptying that failed was made up for line by line. */
const failuresOf = ({failures}: CartWork): LineFailure[] => [...failures].filter(([key]) => key !== '')

/** Puts what became of a cart on disk. */
async function settle(
  run: CartImportRun,
  {cart, customerRef}: NumberedWork,
  failed: LineFailure[],
): Promise<void> {
  const failures = failed.map(([variantId, {code, message, facts}]) => ({
    variantId,
    outcome: code === 'OUTCOME_UNKNOWN' ? ('unknown' as const) : ('refused' as const),
    state: code,
    http: facts.httpStatus ?? null,
    message,
  }))
  const isUnknown = failures.some(({outcome}) => outcome === 'unknown')
  const outcome = isUnknown ? 'unknown' : failures.length > 0 ? 'refused' : 'done'
  await run.job.append({step: 'CART', at: run.tools.clock(), customerRef, outcome, failures})
  run.tell({kind: 'cart-done', cart, customerRef, outcome})
}
