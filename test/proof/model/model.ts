import type {Answer} from '../../../src/flows/order/machine.ts'
import {answers, hear, lockOf, planned, recovered, refusal, stepOf} from './client.ts'
import {
  added,
  changed,
  committed,
  delayed,
  elsewhere,
  ends,
  failedBy,
  type Go,
  locked,
  lockedByOthers,
  refusedWith,
  type Variant,
} from './shop.ts'
import {at, bit, but, type Client, has, LOCKS, orders, type State, verdicts} from './state.ts'

/** All that may happen next. */
export function step(v: Variant, c: Client, s: State, go: Go): void {
  // An order that stands and was told of: nothing that may still happen changes either.
  if (s.verdict === verdicts.charged && s.order !== orders.none) return
  elsewhere(v, s, go)
  if (s.running > 0) attemptEnds(v, c, s, go)
  if (s.at === at.off) {
    begin(v, c, s, go)
    return
  }
  if (s.at === at.fill) fill(v, c, s, go)
  if (s.at === at.add) add(v, s, go)
  if (s.at === at.lock) lock(v, c, s, go)
  if (s.at === at.write) write(c, s, go)
  if (s.at === at.sent) answered(v, c, s, go)
  if (s.at === at.made) lost(c, s, 'waited long enough', go)
  if (s.at === at.look) told(c, s, answers.looked[s.running > 0 ? 0 : 1] as Answer, 'looks', go)
  crash(s, go)
}

/** What the machine makes of an answer: where the client acts next, or what it reports. */
function told(c: Client, s: State, answer: Answer, name: string, go: Go): void {
  const {state, action, number} = hear(c, s.step, answer)
  if (action.kind === 'submit') go(name, but(s, {at: at.write, step: number}))
  else if (action.kind === 'lock') go(name, but(s, {at: at.fill, step: number}))
  else if (action.kind === 'look') go(name, but(s, {at: at.look, step: number}))
  else if (action.kind === 'pause') {
    const asked = but(s, {step: number})
    told(c, asked, answers.waited, name, go)
    told(c, asked, answers.ended, `${name}, patience ends`, go)
  } else if (action.kind === 'see-whose') {
    const ours = s.running > 0 && s.reference === 0
    told(c, but(s, {step: number}), answers.inFlight[ours ? 1 : 0] as Answer, name, go)
  } else if (action.kind === 'read') read(c, but(s, {step: number}), action.failure.code, name, go)
  else if (state.at === 'OUTCOME') {
    const {outcome} = state
    const open = outcome.kind === 'relock' ? outcome.open : []
    if ('order' in outcome) go(name, end(s, verdicts.charged))
    else if (outcome.kind === 'unknown' || open.length > 0) go(name, end(s, verdicts.unknown))
    else go(name, end(s, verdicts.notCharged))
    if (outcome.kind !== 'relock') return
    const pending = open.length > 0 ? s.pending : 0
    go(`${name}, a new lock`, but(s, {at: at.fill, step: number, pending}))
  }
}

/** An order stands under our reference or our lock. */
function read(c: Client, s: State, code: string, name: string, go: Go): void {
  const lock = lockOf(s)
  const byLock = code === 'CONFLICT_PRICE_LOCK_ALREADY_USED'
  const order = s.reference > 0 ? orders.ours : s.order
  told(c, s, answers.unread, `${name}, can't be read`, go)
  if (byLock && has(s.failed, lock)) told(c, s, answers.failed, `${name}, failed`, go)
  else if (byLock && (s.second === lock + 1 ? 1 : 0) !== s.reference)
    told(c, s, answers.lockLost, `${name}, by another reference`, go)
  else if (order === orders.ours || order === orders.same)
    for (const same of answers.exists) told(c, s, same, `${name}, the same`, go)
  else if (order !== orders.stuck) told(c, s, answers.taken, `${name}, another`, go)
}

function attemptEnds(v: Variant, c: Client, s: State, go: Go): void {
  const ended = ends(v, s)
  if (s.at === at.made) {
    made(c, ended.made, go)
    lost(c, ended.rolledBack, 'rolled back, 5xx', go)
    lost(c, ended.stuck, 'stuck, 5xx', go)
    if (ended.failed) madeFailed(c, ended.failed, go)
  } else {
    go('the attempt ends: ordered', ended.made)
    go('the attempt ends: rolled back', ended.rolledBack)
    go('the attempt ends: stuck', ended.stuck)
    if (ended.failed) go('the attempt ends: failed', ended.failed)
  }
}

/** The run ends, and what is in memory is gone. The verdict, if there is one, is on disk. */
function end(s: State, verdict = s.verdict): State {
  const settled = verdict === verdicts.charged || verdict === verdicts.notCharged
  return but(s, {verdict, pending: settled ? 0 : s.pending, at: at.off, step: 0})
}

function crash(s: State, go: Go): void {
  go('crash', end(s))
  const late = s.at === at.sent && s.reference === 0 ? delayed(end(s), lockOf(s)) : undefined
  if (late) go('crash, the request is on its way', late)
}

const renamed = (s: State) => but(end(s), {pending: 0, at: at.fill, step: planned, reference: 1})

/** A first run, or a resume from what is on disk. Not charged is not an end: the same reference may be tried again. */
function begin(v: Variant, c: Client, s: State, go: Go): void {
  if (s.verdict === verdicts.charged) return
  if (s.verdict !== verdicts.none && s.cart > 0) go('the cart is cleared', changed(v, s, 0))
  if (s.verdict === verdicts.unknown && c === 'given up without asking')
    go('gives up', end(s, verdicts.notCharged))
  const fresh = but(s, {verdict: verdicts.none, step: recovered(c, s)})
  if (stepOf(fresh).action.kind === 'lock') go('starts', but(fresh, {at: at.fill}))
  else if (c === 'a new reference after a crash' && s.reference === 0)
    go('starts under a new reference', renamed(fresh))
  else go('takes up', but(fresh, {at: at.write}))
}

function fill(v: Variant, c: Client, s: State, go: Go): void {
  if (s.cart === 1) go('the cart is right', but(s, {at: at.lock}))
  if (s.cart === 0) go('the cart is empty', but(s, {at: at.add}))
  if (s.cart < 2) return
  go('the cart is set right', but(changed(v, s, 1), {at: at.lock}))
  told(c, s, answers.ended, 'the cart holds other lines', go)
}

/** Whatever the answer, the cart is read before anything else is done to it. */
function add(v: Variant, s: State, go: Go): void {
  go('added', but(added(v, s), {at: at.fill}))
  go('the add is lost', but(s, {at: at.fill}))
  if (s.lateAdd === 0) go('the add is on its way', but(s, {at: at.fill, lateAdd: 1}))
}

function lock(v: Variant, c: Client, s: State, go: Go): void {
  if (s.running > 0) {
    told(c, s, answers.ended, 'an order is pending', go)
    told(c, s, answers.anotherRun, 'an order is pending, and waited for', go)
  } else if (s.cart === 0) go('the cart is gone', but(s, {at: at.fill}))
  else if (s.cart === 2 && c !== 'lines of the lock not compared') {
    go('locked, lines differ', but(lockedByOthers(v, s), {at: at.fill}))
    told(c, lockedByOthers(v, s), answers.ended, 'locked, lines differ, stops', go)
  } else if (s.locks === LOCKS) told(c, s, answers.ended, 'no more locks', go)
  else {
    told(c, locked(v, s), answers.locked[s.locks] as Answer, `lock ${s.locks} taken`, go)
    go('locked, the answer is lost', lockedByOthers(v, s))
  }
}

function write(c: Client, s: State, go: Go): void {
  told(c, s, answers.ended, 'interrupted', go)
  const lock = lockOf(s)
  const kept = c === 'earlier locks forgotten' ? 0 : s.pending
  const pending = c === 'SUBMITTING written after the answer' ? s.pending : kept | bit(lock)
  const {number} = hear(c, s.step, answers.leaving)
  go(`SUBMITTING and create with lock ${lock}`, but(s, {at: at.sent, pending, step: number}))
}

/** Nothing is known of the last attempt. */
function lost(c: Client, s: State, name: string, go: Go): void {
  if (c === 'a new reference after a lost answer' && s.reference === 0) go(name, renamed(s))
  else told(c, s, answers.lost, name, go)
}

function answered(v: Variant, c: Client, before: State, go: Go): void {
  const lock = lockOf(before)
  const late = before.reference === 0 ? delayed(before, lock) : undefined
  lost(c, before, 'the request is lost', go)
  if (late) lost(c, late, 'the request is on its way', go)
  const s = but(before, {pending: before.pending | bit(lock)})
  for (const code of ['FORBIDDEN', 'BUSINESS_PRICE_NOT_AVAILABLE']) told(c, s, refusal(code), code, go)
  const code = refusedWith(v, s, s.reference, lock)
  if (code !== undefined) {
    if (c === 'a new reference after an invalid lock' && /INVALID$/.test(code) && s.reference === 0)
      go(code, renamed(s))
    else told(c, s, refusal(code), code, go)
    lost(c, s, `${code}, the answer is lost`, go)
  } else if (v.making !== 'at once' && s.reference === 0) {
    go('the attempt begins', but(before, {running: lock + 1, at: at.made}))
  } else {
    made(c, committed(v, s, s.reference, lock), go)
    if (v.also === 'orders fail' && s.reference === 0) madeFailed(c, failedBy(s, lock), go)
  }
}

function made(c: Client, s: State, go: Go): void {
  told(c, s, answers.made, '201', go)
  lost(c, s, 'ordered, the answer is lost', go)
}

function madeFailed(c: Client, s: State, go: Go): void {
  told(c, s, answers.failed, '201 Failed', go)
  lost(c, s, 'failed, the answer is lost', go)
}
