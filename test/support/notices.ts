import {expect} from 'vitest'
import {callerOf, control} from '../sandbox/caller.ts'
import type {Shop} from './served-shop.ts'

/** A notice that was raised, and the event that told of it. */
export interface Raised {
  id: string
  order: string
  event: object
}

const SKU = 'RML-SAF-050'

/** Orders two units each and raises a notice for each of these orders: one of the two is available. */
export async function raise(
  shop: Pick<Shop, 'sandbox' | 'variant'>,
  count: number,
  from = 0,
): Promise<Raised[]> {
  const caller = callerOf(shop.sandbox)
  const raised: Raised[] = []
  for (let at = from; at < from + count; at += 1) {
    const reference = `PO-SHORT-${at}`
    const {payload: preview} = await caller.filled(reference, {[shop.variant(SKU)]: 2})
    await caller.order(reference, preview.lockId, reference)
    const body = {lineId: SKU, availableQuantity: 1}
    const {payload} = await control(shop.sandbox, 'POST', `orders/${reference}/notices`, body)
    raised.push({id: payload.notice.id, order: payload.notice.scentOrderId, event: payload.event})
  }
  return raised
}

/** Raises notices, and takes their events into the inbox of the shop's user. */
export async function inInbox(shop: Shop, count: number): Promise<Raised[]> {
  const raised = await raise(shop, count)
  await bringIn(shop, raised)
  return raised
}

export async function bringIn(shop: Shop, raised: readonly Raised[]): Promise<void> {
  const input = raised.map(({event}) => JSON.stringify(event)).join('\n')
  const {code, stderr} = await shop.scent(['notices', 'import', '-'], {input})
  expect(code, stderr).toBe(0)
}

/** Resolves once a request has met the fault that was ordered. */
export async function struck({sandbox}: Pick<Shop, 'sandbox'>): Promise<void> {
  while (!sandbox.state.faults.list().some(({met}) => met > 0))
    await new Promise((turn) => setTimeout(turn, 20))
}

/** How the service has closed these notices; null if it has not. */
export const choicesAt = ({sandbox}: Pick<Shop, 'sandbox'>, raised: readonly Raised[]) =>
  raised.map(
    ({id}) =>
      sandbox.state.world.get<{choice: string | null}>('SELECT choice FROM notices WHERE id = ?', id)?.choice,
  )
