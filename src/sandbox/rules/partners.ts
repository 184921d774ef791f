import type {World} from '../core/world.ts'
import type {Environment} from '../door/auth.ts'
import type {Halalas} from './money.ts'

export interface Partner {
  id: string
  global_id: string
  name: string
  parent_id: string | null
  /** Ids from the root down to this partner, joined by slashes. */
  path: string
  environment: Environment
  client_id: string
  client_secret: string
  active: number
  product_access: number
  marketing: number
  notify_enabled: number
  /** null for a partner that is not VAT-registered. */
  vat_number: string | null
  /** The partner's own display currency; SAR for none. */
  currency: string
  return_window_days: number
  /** null when no wallet is provisioned. */
  wallet: Halalas | null
}

export function partnerById(world: World, id: string): Partner | undefined {
  return world.get<Partner>('SELECT * FROM partners WHERE id = ?', id)
}

export function partnerByClientId(world: World, clientId: string): Partner | undefined {
  return world.get<Partner>('SELECT * FROM partners WHERE client_id = ?', clientId)
}

export function allPartners(world: World): Partner[] {
  return world.all<Partner>('SELECT * FROM partners ORDER BY global_id')
}

export type Credential = {
  clientId: string
  clientSecret: string
  partnerId: string
  name: string
}

/** G01: one for each partner. The start, the locator file and the controls tell them, secrets and all. */
export function credentialsOf(world: World): Credential[] {
  return allPartners(world).map(({client_id, client_secret, id, name}) => ({
    clientId: client_id,
    clientSecret: client_secret,
    partnerId: id,
    name,
  }))
}
