import {createHmac} from 'node:crypto'
import {find, findAll} from '../core/rows.ts'
import {type Partner, partners} from '../core/schema.ts'
import type {State} from '../core/state.ts'
import type {World} from '../core/world.ts'

export function partnerById(world: World, id: string): Partner | undefined {
  return find(world, partners, {id})
}

export function partnerByClientId(world: World, clientId: string): Partner | undefined {
  return find(world, partners, {client_id: clientId})
}

export function allPartners(world: World): Partner[] {
  return findAll(world, partners, {}, 'global_id')
}

/** The ids of the partners of which `where`, which is SQL, holds: without reading them whole, as every tick asks. */
export function partnerIds(world: World, where = 'true'): string[] {
  return world
    .all<{id: string}>(`SELECT id FROM partners WHERE ${where} ORDER BY global_id`)
    .map(({id}) => id)
}

export type Credential = {
  clientId: string
  clientSecret: string
  partnerId: string
  name: string
}

/** G01: the secret of a credential, the same for all databases of one installation and for no other. */
export function secretOf({secret}: Pick<State, 'secret'>, clientId: string): string {
  return createHmac('sha256', secret).update(`client ${clientId}`).digest('hex').slice(0, 40)
}

/** G01: one for each partner. The start, the locator file and the controls tell them, secrets and all. */
export function credentialsOf(state: Pick<State, 'world' | 'secret'>): Credential[] {
  return allPartners(state.world).map(({client_id, id, name}) => ({
    clientId: client_id,
    clientSecret: secretOf(state, client_id),
    partnerId: id,
    name,
  }))
}
