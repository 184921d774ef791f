import {type CatalogueEntry, classOf} from '../contract/errors.ts'
import {type Failure, isFailure} from '../contract/failure.ts'
import {isSuccess} from './answer.ts'

/** How a failure of one attempt is treated (spec, Errors): its catalogue entry, and what is known besides. */
export function treatmentOf(failure: Failure): Pick<CatalogueEntry, 'ran' | 'cure' | 'sends'> {
  const {entry, facts} = failure
  const ran = facts.effect === 'none' ? 'no' : entry.ran
  // An error page with a 404 is meant as it is; a success, or a status of a service that failed, may be better next time.
  if (isFailure(failure, 'ODD_ANSWER') && !isSuccess(facts.httpStatus))
    return {ran, cure: classOf(facts.httpStatus).cure}
  return {...entry, ran}
}

/** The attempts of one call so far. */
export interface Tries {
  sends: number
  waitedMs: number
  renewed: boolean
  /** An attempt may have taken effect. */
  ambiguous: boolean
}

type Decision = {do: 'fail'} | {do: 'renew'} | {do: 'repeat'; afterMs: number}

interface Bounds {
  repeat: 'freely' | 'by-key' | 'never'
  /** The longest a call may wait in all, in ms. */
  maxWaitMs: number
  budget: Budget
  random(): number
}

const SENDS = 5

/** Whether a failed attempt is sent again, and when. The one place where this is decided. */
export function decide(failure: Failure, tries: Tries, bounds: Bounds): Decision {
  const {ran, cure, sends = SENDS} = treatmentOf(failure)
  if (ran === 'refused' || (ran === 'maybe' && bounds.repeat !== 'freely')) return {do: 'fail'}
  if (cure === 'none') return {do: 'fail'}
  if (cure === 'renew') return tries.renewed ? {do: 'fail'} : {do: 'renew'}
  const asked = (failure.facts.retryAfter ?? 0) * 1000
  const room = bounds.maxWaitMs - tries.waitedMs
  if (room <= 0 || asked > room) return {do: 'fail'}
  // Everybody refused at once is told the same moment: spread it, and only upwards.
  const spread = backoffMs(asked === 0 ? tries.sends : 1, bounds.random)
  const afterMs = Math.min(asked + spread, room)
  if (cure === 'obey') return {do: 'repeat', afterMs}
  return tries.sends < sends && bounds.budget.take() ? {do: 'repeat', afterMs} : {do: 'fail'}
}

const FIRST_MS = 250
const LONGEST_MS = 8_000

/** Full jitter: anything up to 250 ms, doubled with each send, at most 8 s. */
function backoffMs(sends: number, random: () => number): number {
  return Math.floor(random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** (sends - 1)))
}

/** Repeats that a process may still make; an outage must not eat the quota. */
interface Budget {
  /** False when nothing is left. */
  take(): boolean
  /** A call that went well pays back a tenth of a repeat. */
  earn(): void
}

export function openBudget(size = 20): Budget {
  let left = size
  return {
    take() {
      if (left < 1) return false
      left -= 1
      return true
    },
    earn() {
      left = Math.min(size, left + 0.1)
    },
  }
}
