import {isFailure} from '../../contract/failure.ts'
import {placeKey, shippingFees} from '../../flows/order/fees.ts'
import {factsOf, readNamedOrder} from '../../flows/order/read.ts'
import type {Session} from '../../session.ts'
import type {OrderEntry, Outcome} from '../../store/orders.ts'
import {type JobFile, openJobs} from '../journal.ts'
import {ifOpen, type RuledOut} from '../offers.ts'
import {basketOf, type FileOrder} from './file.ts'

/** An order that stands by the records of this machine. */
export interface Standing {
  /** The job that placed it; null for an order by itself. */
  job: string | null
  outcome: Outcome
  /** What it orders, and for whom; null if its record does not say. */
  content: string | null
}

/** What the records of this machine tell of the orders of a file. */
export interface Earlier {
  /** The order that stands already. */
  standing(order: FileOrder): Standing | undefined
  /** Why an order can't be made: another one stands under its reference. */
  taken(order: FileOrder): RuledOut | undefined
  /** The fee of the newest order to a place, if any tells it. */
  fees: ReturnType<typeof shippingFees>
}

/** What a file orders. */
interface Named {
  references: ReadonlySet<string>
  /** The keys of its cities; see placeKey(). */
  places: ReadonlySet<string>
}

/**
 * Looks through the records of this machine for the references of a file, and for the fees of its cities. A record is
 * believed if the service still knows the newest of the orders that came with it: one of each job is read.
 */
export async function readEarlier(
  session: Pick<Session, 'client' | 'orders' | 'folders' | 'identity'>,
  named: Named,
): Promise<Earlier> {
  const found = new Map<string, Standing>()
  const samples = new Map<string | null, Outcome>()
  const entries = await (await session.orders()).all()
  const jobs = openJobs(session.folders, session.identity).list()
  const fees = shippingFees(
    (function* () {
      for (const order of standingOrders(entries, jobs, named)) {
        const {job, outcome, content} = order
        const {reference} = outcome
        const before = found.get(reference)?.outcome.outcome
        // A job that only found an order has but the word of the service for it.
        if (named.references.has(reference) && (before === undefined || before === 'already-placed')) {
          found.set(reference, {job, outcome, content})
          if (outcome.orderId !== null) samples.set(job, outcome)
        }
        yield order
      }
    })(),
  )
  const known = new Set<string | null>()
  for (const [job, outcome] of samples) if (await isKnown(session, outcome)) known.add(job)
  const recordOf = ({reference}: FileOrder) => {
    const record = found.get(reference)
    return record && known.has(record.job) ? record : undefined
  }
  const isSame = ({customerRef, lines}: FileOrder, {content}: Standing) =>
    content === null || content === contentOf(customerRef, lines)
  return {
    standing(order) {
      const record = recordOf(order)
      return record && isSame(order, record) ? record : undefined
    },
    taken(order) {
      const record = recordOf(order)
      if (record === undefined || isSame(order, record)) return undefined
      const message = `The reference is taken: order ${record.outcome.orderId} holds other goods, or is of another cart.`
      return {state: 'ORDER_MISMATCH', message}
    },
    fees,
  }
}

/** The fees that the orders of this machine show, those of jobs among them; each is looked for when it is asked for. */
export async function readFees(
  session: Pick<Session, 'orders' | 'folders' | 'identity'>,
): Promise<Earlier['fees']> {
  const entries = await (await session.orders()).all()
  const jobs = openJobs(session.folders, session.identity).list()
  return (place) => {
    const named = {references: new Set<string>(), places: new Set([placeKey(place)])}
    return shippingFees(standingOrders(entries, jobs, named))(place)
  }
}

/** After a test environment was set up anew, its records here are of orders that are gone. */
async function isKnown({client}: Pick<Session, 'client'>, {orderId, reference}: Outcome): Promise<boolean> {
  const read = await ifOpen(readNamedOrder(client, orderId ?? ''))
  const named = read && factsOf(read).reference
  return read !== undefined && (named === null || named === reference)
}

type Place = Pick<FileOrder['address'], 'city' | 'countryCode'>

/** An order that stands, with what its fee is worked out from. */
interface StandingOrder extends Standing {
  address: Place
  locks: Pick<OrderEntry['locks'][number], 'total' | 'shipping'>[]
  updatedAt: string
}

/** Those of the records that are named, and enough others to tell the fees; the newest job first. */
function* standingOrders(entries: OrderEntry[], jobs: JobFile[], named: Named): Generator<StandingOrder> {
  for (const {customerRef, address, lines, locks, outcome, updatedAt} of entries) {
    const held = lines ?? locks.at(-1)?.lines
    const content = held ? contentOf(customerRef, held) : null
    if (stands(outcome)) yield {job: null, outcome, address, locks, updatedAt, content}
  }
  const open = new Set(named.places)
  for (const job of jobs.filter(({head}) => head.kind === 'orders')) {
    for (const order of ordersOfJob(job, {...named, places: new Set(open)})) {
      if (order.locks.some(({shipping = 0}) => Number(shipping) > 0)) open.delete(placeKey(order.address))
      yield order
    }
  }
}

/** Orders of a job that may tell the fee of a city: some are refused, and some are shipped free. */
const TELL_A_FEE = 20

/** Reads a job no further than it takes: it may have a hundred thousand orders. */
function* ordersOfJob(job: JobFile, {references, places}: Named): Generator<StandingOrder> {
  const plans = new Map<string, Pick<StandingOrder, 'address' | 'locks' | 'content'>>()
  const samples = new Map<string, number>()
  try {
    for (const {record} of job.entries()) {
      if (record.step === 'PLANNED') {
        const {reference, customerRef, lines} = record
        const {city, countryCode} = record.address
        const key = placeKey({city, countryCode})
        const count = samples.get(key) ?? 0
        const isSample = places.has(key) && count < TELL_A_FEE
        if (isSample) samples.set(key, count + 1)
        const isNamed = references.has(reference)
        const content = isNamed ? contentOf(customerRef, lines) : null
        if (isNamed || isSample) plans.set(reference, {address: {city, countryCode}, locks: [], content})
        continue
      }
      // Beside plans it holds the outcomes of orders that stood already.
      if (plans.size === 0 && record.step !== 'JOB' && record.step !== 'OUTCOME') return
      const plan = 'reference' in record ? plans.get(record.reference) : undefined
      if (record.step === 'LOCKED' && plan) plan.locks = [{total: record.total, shipping: record.shipping}]
      if (record.step !== 'OUTCOME' || !plan || !stands(record)) continue
      plans.delete(record.reference)
      yield {...plan, job: job.head.id, outcome: record, updatedAt: record.at}
    }
  } catch (error) {
    // The records of a damaged job tell nothing more; the service still knows its orders.
    if (!isFailure(error, 'CORRUPT_FILE')) throw error
  }
}

const contentOf = (customerRef: string | null, lines: Parameters<typeof basketOf>[0]) =>
  `${basketOf(lines)} ${customerRef}`

function stands(outcome: Outcome | undefined): outcome is Outcome {
  return outcome?.outcome === 'placed' || outcome?.outcome === 'already-placed'
}
