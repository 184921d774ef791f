import {Failure, isFailure} from '../../contract/failure.ts'
import type {CartLine} from '../../flows/cart/lines.ts'
import {shippingFees} from '../../flows/order/fees.ts'
import {factsOf, readNamedOrder} from '../../flows/order/read.ts'
import type {Session} from '../../session.ts'
import type {OrderEntry, Outcome} from '../../store/orders.ts'
import {type JobFile, openJobs} from '../journal.ts'
import {ifOpen, type RuledOut} from '../offers.ts'
import {basketOf, type FileOrder} from './file.ts'

type Place = Pick<FileOrder['address'], 'city' | 'countryCode'>

/** An order that stands by the records of this machine. */
export interface Standing {
  /** The job that placed it; null for an order by itself. */
  job: string | null
  outcome: Outcome
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

interface Recorded extends Standing {
  /** What it orders; null if its record does not say. */
  content: string | null
}

/**
 * Reads the records of this machine once, and keeps of them what concerns these references, and the fees. A record
 * is believed if the service still knows the newest of the orders that came with it: one of each job is read.
 */
export async function readEarlier(
  session: Pick<Session, 'client' | 'orders' | 'folders' | 'identity'>,
  references: ReadonlySet<string>,
): Promise<Earlier> {
  const found = new Map<string, Recorded>()
  const newest = new Map<string | null, Standing>()
  const entries = await (await session.orders()).all()
  const jobs = openJobs(session.folders, session.identity).list().reverse()
  const fees = shippingFees(
    (function* () {
      for (const order of recordedOrders(entries, jobs)) {
        const {reference, outcome} = order.outcome
        // A later job that found the order has only the word of the service for it.
        if (references.has(reference) && (outcome === 'placed' || !found.has(reference))) {
          found.set(reference, {job: order.job, outcome: order.outcome, content: order.content()})
          if (order.outcome.orderId !== null) newest.set(order.job, order)
        }
        yield order
      }
    })(),
  )
  const known = new Set<string | null>()
  for (const [job, standing] of newest) if (await isKnown(session, standing)) known.add(job)
  const recordOf = ({reference}: FileOrder) => {
    const record = found.get(reference)
    return record && known.has(record.job) ? record : undefined
  }
  const isSame = (order: FileOrder, {content}: Recorded) =>
    content === null || content === contentOf(order.customerRef, order.lines)
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

/** The fees that all orders of this machine show, those of jobs among them. */
export async function readFees(session: Pick<Session, 'orders' | 'folders' | 'identity'>) {
  const jobs = openJobs(session.folders, session.identity).list().reverse()
  return shippingFees(recordedOrders(await (await session.orders()).all(), jobs))
}

/** After a test environment was set up anew, its records here are of orders that are gone. */
async function isKnown({client}: Pick<Session, 'client'>, {outcome}: Standing): Promise<boolean> {
  const read = await ifOpen(readNamedOrder(client, outcome.orderId ?? ''))
  const reference = read && factsOf(read).reference
  return read !== undefined && (reference === null || reference === outcome.reference)
}

/** An order that stands, with what its fee is worked out from. */
interface StandingOrder extends Standing {
  address: Place
  locks: Pick<OrderEntry['locks'][number], 'total' | 'shipping'>[]
  updatedAt: string
  content(): string | null
}

function* recordedOrders(entries: OrderEntry[], jobs: JobFile[]): Generator<StandingOrder> {
  for (const {customerRef, address, lines, locks, outcome, updatedAt} of entries) {
    if (!stands(outcome)) continue
    const held = lines ?? locks.at(-1)?.lines
    const content = () => (held ? contentOf(customerRef, held) : null)
    yield {job: null, outcome, address, locks, updatedAt, content}
  }
  for (const job of jobs) yield* ordersOfJob(job)
}

/** What is kept of an order's plan until its outcome: a job may have a hundred thousand of them. */
type Plan = Pick<StandingOrder, 'address' | 'locks'> & {place: number}

function* ordersOfJob(job: JobFile): Generator<StandingOrder> {
  if (job.head.kind !== 'orders') return
  const plans = new Map<string, Plan>()
  const places = new Map<string, Place>()
  try {
    for (const {record, place} of job.entries()) {
      if (record.step === 'PLANNED') {
        const {city, countryCode} = record.address
        const key = JSON.stringify([city, countryCode])
        const address = places.get(key) ?? {city, countryCode}
        places.set(key, address)
        plans.set(record.reference, {address, locks: [], place})
      }
      const plan = 'reference' in record ? plans.get(record.reference) : undefined
      if (record.step === 'LOCKED' && plan) plan.locks = [{total: record.total, shipping: record.shipping}]
      if (record.step !== 'OUTCOME' || !plan || !stands(record)) continue
      const content = () => plannedContent(job, plan.place)
      yield {...plan, job: job.head.id, outcome: record, updatedAt: record.at, content}
    }
  } catch (error) {
    // The records of a damaged job tell nothing; the service still knows its orders.
    if (!isFailure(error, 'CORRUPT_FILE')) throw error
  }
}

function plannedContent(job: JobFile, place: number): string {
  const plan = job.at(place)
  if (plan.step !== 'PLANNED') throw new Failure('CORRUPT_FILE')
  return contentOf(plan.customerRef, plan.lines)
}

const contentOf = (customerRef: string | null, lines: readonly CartLine[] | FileOrder['lines']) =>
  `${basketOf(lines)} ${customerRef}`

function stands(outcome: Outcome | undefined): outcome is Outcome {
  return outcome?.outcome === 'placed' || outcome?.outcome === 'already-placed'
}
