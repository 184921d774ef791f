import type {Client} from '../client/client.ts'
import {entryOf} from '../contract/errors.ts'
import {isFailure} from '../contract/failure.ts'
import {type Offer, offersOf} from '../flows/offers.ts'

/** By the ids of variants, in lower case. Empty if this credential may not read the catalog. */
export type Offers = ReadonlyMap<string, Offer>

/** What a plan can do without: undefined if this credential may not read it, or the service has none of it. */
export async function ifOpen<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (error) {
    const {httpStatus = 0} = isFailure(error) ? error.facts : {}
    if (httpStatus === 403 || httpStatus === 404) return undefined
    throw error
  }
}

/** What the catalog says of the variants of a file now. */
export async function readOffers(client: Client, variantIds: Iterable<string>): Promise<Offers> {
  return (await ifOpen(offersOf(client, variantIds))) ?? new Map()
}

/** A row of a file that can't be done, and why. */
export interface RuledOut {
  /** The code of the error that the service would answer with. */
  state: string
  message: string
}

/** Why a variant can't be put into a cart, by what the catalog says of it; undefined if nothing speaks against it. */
export function ruledOut(variantId: string, offers: Offers): RuledOut | undefined {
  const {problem, sku} = offers.get(variantId.toLowerCase()) ?? {}
  if (!problem) return undefined
  return {state: problem, message: `${sku ?? variantId}: ${entryOf(problem).says}`}
}
