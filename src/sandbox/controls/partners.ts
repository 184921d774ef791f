import * as z from 'zod/mini'
import {update} from '../core/rows.ts'
import {type Partner, partners} from '../core/schema.ts'
import type {State} from '../core/state.ts'
import type {World} from '../core/world.ts'
import {refuse} from '../door/reply.ts'
import {type Halalas, sarOrNull} from '../rules/money.ts'
import {partnerByClientId, partnerById} from '../rules/partners.ts'
import {moveWallet} from '../rules/wallet.ts'

/** An amount in SAR with at most two decimals, as the admin routes take it. */
export const amount = z.number().check(
  z.gte(0),
  z.lte(1_000_000_000),
  z.refine((value) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-6, 'at most two decimals'),
)

export const toHalalas = (value: number): Halalas => Math.round(value * 100)

export const partnerChange = z.strictObject({
  active: z.optional(z.boolean()),
  productAccess: z.optional(z.boolean()),
  marketing: z.optional(z.boolean()),
  notifyEnabled: z.optional(z.boolean()),
  /** The balance to reach, by a ledger entry; null takes the wallet away. */
  wallet: z.optional(z.nullable(amount)),
  currency: z.optional(z.string().check(z.regex(/^[A-Z]{3}$/))),
  returnWindowDays: z.optional(z.int().check(z.gte(0), z.lte(3_650))),
  environment: z.optional(z.enum(['staging', 'production'])),
})

/** A partner by its id, its client id or its name. */
export function findPartner(world: World, key: string): Partner | undefined {
  return (
    partnerById(world, key.toLowerCase()) ??
    partnerByClientId(world, key) ??
    world.get<Partner>('SELECT * FROM partners WHERE name = ? COLLATE NOCASE', key)
  )
}

export function changePartner(state: State, key: string, change: z.output<typeof partnerChange>): object {
  const {world, clock} = state
  const partner = findPartner(world, key) ?? refuse('NOT_FOUND_PARTNER')
  update(
    world,
    partners,
    {id: partner.id},
    {
      active: change.active,
      product_access: change.productAccess,
      marketing: change.marketing,
      notify_enabled: change.notifyEnabled,
      currency: change.currency,
      return_window_days: change.returnWindowDays,
      environment: change.environment,
    },
  )
  if (change.wallet !== undefined) setWallet(world, partner, change.wallet, clock.now())
  return partnerView(partnerById(world, partner.id) ?? partner)
}

/** A wallet reaches its new balance by an entry of its ledger, so that the chain of balances stays whole. */
function setWallet(world: World, partner: Partner, wallet: number | null, now: number): void {
  const target = wallet === null ? 0 : toHalalas(wallet)
  if (partner.wallet === null) world.run('UPDATE partners SET wallet = 0 WHERE id = ?', partner.id)
  const move = target - (partner.wallet ?? 0)
  if (move !== 0)
    moveWallet(world, partner.id, move, {type: 'TopUp', id: `TOPUP-${world.next('top-up')}`}, now)
  if (wallet === null) world.run('UPDATE partners SET wallet = NULL WHERE id = ?', partner.id)
}

export function partnerView(partner: Partner): object {
  return {
    partnerId: partner.id,
    name: partner.name,
    clientId: partner.client_id,
    parentId: partner.parent_id,
    environment: partner.environment,
    active: partner.active === 1,
    productAccess: partner.product_access === 1,
    marketing: partner.marketing === 1,
    notifyEnabled: partner.notify_enabled === 1,
    isVatRegistered: partner.vat_number !== null,
    currency: partner.currency,
    returnWindowDays: partner.return_window_days,
    wallet: sarOrNull(partner.wallet),
  }
}
