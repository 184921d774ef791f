import {find, findAll} from '../core/rows.ts'
import {type Partner, partners} from '../core/schema.ts'
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
