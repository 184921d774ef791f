import {entryOf} from '../../../src/contract/errors.ts'
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
  refusal,
  type Variant,
} from './shop.ts'
import {at, bit, but, type Client, has, LOCKS, modes, orders, rounds, type State, verdicts} from './state.ts'

/** All that may happen next. */
export function step(v: Variant, c: Client, s: State, go: Go): void {
  // An order that stands and was told of: nothing that may still happen changes either.
  if (s.verdict === verdicts.charged && s.order !== orders.none) return
  elsewhere(v, s, go)
  if (s.running > 0) attemptEnds(v, c, s, go)
  switch (s.at) {
    case at.off:
      begin(v, c, s, go)
      return
    case at.fill:
      fill(v, s, go)
      break
    case at.add:
      add(v, s, go)
      break
    case at.lock:
      lock(v, c, s, go)
      break
    case at.write:
      write(c, s, go)
      break
    case at.sent:
      answer(v, c, s, go)
      break
    case at.made:
      lost(c, s, 'waited long enough', go)
      break
    case at.look:
      look(s, go)
  }
  crash(s, go)
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

/** What is in memory is gone. */
const stopped = (s: State, verdict = s.verdict, pending = s.pending) =>
  but(s, {verdict, pending, at: at.off, mode: 0, lock: 0, open: 0, round: 0})

function crash(s: State, go: Go): void {
  const off = stopped(s)
  go('crash', off)
  const late = s.at === at.sent && s.reference === 0 ? delayed(off, s.lock) : undefined
  if (late) go('crash, the request is on its way', late)
}

/** The verdict is on disk, and the run ends. */
const end = (s: State, verdict: number) => stopped(s, verdict, verdict === verdicts.unknown ? s.pending : 0)

const notCharged = (s: State) => end(s, verdicts.notCharged)
const unknown = (s: State) => end(s, verdicts.unknown)

/** Money keeps the state it had. */
const asBefore = (s: State) => (s.open ? unknown(s) : notCharged(s))

const newest = (set: number) => 31 - Math.clz32(set)

const renamed = (s: State) => but(stopped(s, s.verdict, 0), {at: at.fill, reference: 1})

/** A first run, or a resume from what is on disk. Not charged is no end: the same reference may be tried again. */
function begin(v: Variant, c: Client, s: State, go: Go): void {
  if (s.verdict === verdicts.charged) return
  if (s.verdict !== verdicts.none && s.cart > 0) go('the cart is cleared', changed(v, s, 0))
  if (s.verdict === verdicts.unknown && c === 'given up without asking') go('gives up', notCharged(s))
  const fresh = but(s, {verdict: verdicts.none})
  if (s.pending === 0) go('starts', but(fresh, {at: at.fill}))
  else if (c === 'a new reference after a crash' && s.reference === 0)
    go('starts under a new reference', renamed(fresh))
  else {
    const open = c === 'a crash after SUBMITTING taken for nothing sent' ? 0 : 1
    go('takes up', but(fresh, {at: at.write, mode: modes.each, open, lock: newest(s.pending)}))
  }
}

function fill(v: Variant, s: State, go: Go): void {
  if (s.cart === 1) go('the cart is right', but(s, {at: at.lock}))
  if (s.cart === 0) go('the cart is empty', but(s, {at: at.add}))
  if (s.cart < 2) return
  go('the cart is set right', but(changed(v, s, 1), {at: at.lock}))
  go('the cart holds other lines', asBefore(s))
}

/** Whatever the answer, the cart is read before anything else is done to it. */
function add(v: Variant, s: State, go: Go): void {
  go('added', but(added(v, s), {at: at.fill}))
  go('the add is lost', but(s, {at: at.fill}))
  if (s.lateAdd === 0) go('the add is on its way', but(s, {at: at.fill, lateAdd: 1}))
}

function lock(v: Variant, c: Client, s: State, go: Go): void {
  if (s.running > 0) go('an order is pending', asBefore(s))
  else if (s.cart === 0) go('the cart is gone', but(s, {at: at.fill}))
  else if (s.cart === 2 && c !== 'lines of the lock not compared') {
    go('locked, lines differ', but(lockedByOthers(v, s), {at: at.fill}))
    go('locked, lines differ, stops', asBefore(lockedByOthers(v, s)))
  } else if (s.locks === LOCKS) go('no more locks', asBefore(s))
  else {
    go(`lock ${s.locks} taken`, but(locked(v, s), {at: at.write, lock: s.locks}))
    go('locked, the answer is lost', lockedByOthers(v, s))
  }
}

function write(c: Client, s: State, go: Go): void {
  go('interrupted', asBefore(s))
  const kept = c === 'earlier locks forgotten' ? 0 : s.pending
  const pending = c === 'SUBMITTING written after the answer' ? s.pending : kept | bit(s.lock)
  go(`SUBMITTING and create with lock ${s.lock}`, but(s, {at: at.sent, pending}))
}

/** Every lock has expired: nothing can begin any more. Whether something is being made still, the preview says. */
function look(s: State, go: Go): void {
  if (s.running > 0) go('looks: an order is pending', unknown(s))
  else go('looks: none is pending', but(s, {at: at.write, round: rounds.second, lock: newest(s.pending)}))
}

/** Nothing is known of the last attempt: ask again, or stop. */
function lost(c: Client, s: State, name: string, go: Go): void {
  if (c === 'a new reference after a lost answer' && s.reference === 0) go(name, renamed(s))
  else {
    go(name, but(s, {open: 1, at: at.write}))
    go(`${name}, patience ends`, unknown(s))
  }
}

function answer(v: Variant, c: Client, before: State, go: Go): void {
  const late = before.reference === 0 ? delayed(before, before.lock) : undefined
  lost(c, before, 'the request is lost', go)
  if (late) lost(c, late, 'the request is on its way', go)
  const s = but(before, {pending: before.pending | bit(before.lock)})
  decide(c, s, 'FORBIDDEN', go)
  decide(c, s, 'BUSINESS_PRICE_NOT_AVAILABLE', go)
  const code = refusal(v, s, s.reference, s.lock)
  if (code !== undefined) {
    decide(c, s, code, go)
    lost(c, s, `${code}, the answer is lost`, go)
  } else if (v.making !== 'at once' && s.reference === 0) {
    go('the attempt begins', but(before, {running: s.lock + 1, at: at.made}))
  } else {
    made(c, committed(v, s, s.reference, s.lock), go)
    if (v.also === 'orders fail' && s.reference === 0) madeFailed(c, failedBy(s, s.lock), go)
  }
}

function made(c: Client, s: State, go: Go): void {
  go('201', end(s, verdicts.charged))
  lost(c, s, 'ordered, the answer is lost', go)
}

function madeFailed(c: Client, s: State, go: Go): void {
  orderFailed(c, s, '201 Failed', go)
  lost(c, s, 'failed, the answer is lost', go)
}

/** What the real client does with each answer; the table is its own. */
export function decide(c: Client, s: State, code: string, go: Go): void {
  const means = entryOf(code).order ?? 'no'
  if (means === 'exists' || means === 'lock-used') existing(c, s, code, go)
  else if (means === 'lock-gone') gone(c, s, code, go)
  else if (means === 'for-a-person')
    go(code, c === 'REQUIRES_INTERVENTION taken for not charged' ? notCharged(s) : unknown(s))
  else if (means === 'no')
    go(code, c === 'a later refusal taken for not charged' ? notCharged(s) : asBefore(s))
  else if (means === 'in-progress') {
    if (c === 'IN_PROGRESS taken for not charged') go(code, notCharged(s))
    else lost('right', s, code, go)
  } else {
    go(code, but(s, {at: at.write}))
    go(`${code}, patience ends`, asBefore(s))
  }
}

/** An order stands under our reference or our lock: it is read. */
function existing(c: Client, s: State, code: string, go: Go): void {
  const byLock = entryOf(code).order === 'lock-used'
  const order = s.reference > 0 ? orders.ours : s.order
  go(`${code}, can not be read`, unknown(s))
  if (byLock && has(s.failed, s.lock)) orderFailed(c, s, `${code}, failed`, go)
  else if (byLock && (s.second === s.lock + 1 ? 1 : 0) !== s.reference) gone(c, s, code, go)
  else if (c === 'DUPLICATE_REFERENCE not read') go(`${code}, not read`, end(s, verdicts.charged))
  else if (order === orders.ours || order === orders.same) go(`${code}, the same`, end(s, verdicts.charged))
  else if (order !== orders.stuck) go(`${code}, another`, notCharged(s))
}

/** That lock is used up, which says nothing of other locks. */
function orderFailed(c: Client, s: State, name: string, go: Go): void {
  const ends = c === 'a failed order taken for the end of all attempts' || s.mode === modes.order
  if (ends) go(name, notCharged(s))
  else if (s.mode === modes.settle) go(name, unknown(s))
  else spent(c, s, name, go)
}

/** The lock can't be used: only of locks that have expired it is certain that they never will be. */
function gone(c: Client, s: State, code: string, go: Go): void {
  const invalid = code === 'VALIDATION_PRICE_LOCK_INVALID'
  const expired = code === 'VALIDATION_PRICE_LOCK_EXPIRED' || (c === 'INVALID taken for EXPIRED' && invalid)
  const believed = expired && c === 'EXPIRED believed without asking the other locks'
  if (c === 'a new reference after an invalid lock' && invalid && s.reference === 0) go(code, renamed(s))
  else if (!s.open || believed) go(code, notCharged(s))
  else if (expired && s.mode !== modes.settle)
    spent(c, but(s, {round: Math.max(s.round, rounds.expired)}), code, go)
  else {
    go(`${code}, stops`, unknown(s))
    if (s.mode !== modes.order)
      go(`${code}, a new lock`, but(s, {at: at.fill, mode: modes.settle, lock: 0, round: 0}))
  }
}

/** The lock is spent: the one before it, all of them again, or the end. */
function spent(c: Client, s: State, name: string, go: Go): void {
  const older = s.pending & (bit(s.lock) - 1)
  const again = s.round === rounds.expired && c !== 'EXPIRED believed without asking again'
  if (older > 0) go(name, but(s, {at: at.write, lock: newest(older)}))
  else if (again) go(name, but(s, {at: at.look}))
  else go(name, notCharged(s))
}
