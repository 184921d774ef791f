import type {Digits} from '../../contract/money.ts'
import {badge, money, time} from '../cells.ts'
import type {Card} from '../output.ts'
import type {Column, Table} from '../table.ts'

export interface SandboxCredential {
  clientId: string
  clientSecret: string
  partnerId: string
  name: string
}

export const credentialColumns: Column<SandboxCredential>[] = [
  {key: 'name', header: 'Partner', get: ({name}) => name},
  {key: 'clientId', header: 'Client id', get: ({clientId}) => clientId, whole: true},
  {key: 'clientSecret', header: 'Client secret', get: ({clientSecret}) => clientSecret, whole: true},
]

export interface SandboxPartner {
  partnerId: string
  name: string
  clientId: string
  active: boolean
  productAccess: boolean
  marketing: boolean
  notifyEnabled: boolean
  environment: string
  wallet: Digits | null
}

export const partnerColumns: Column<SandboxPartner>[] = [
  {key: 'partnerId', header: 'Partner', get: ({partnerId}) => partnerId, shown: 'plain'},
  {key: 'name', header: 'Name', get: ({name}) => name},
  {key: 'clientId', header: 'Client id', get: ({clientId}) => clientId},
  {key: 'wallet', header: 'Wallet', get: ({wallet}) => money(wallet, 'SAR')},
  {key: 'active', header: 'Active', get: ({active}) => active},
  {key: 'access', header: 'Access', get: ({productAccess}) => productAccess},
  {key: 'marketing', header: 'Marketing', get: ({marketing}) => marketing},
  {key: 'notify', header: 'Notify', get: ({notifyEnabled}) => notifyEnabled},
]

export interface SandboxClock {
  now: string
  frozen: boolean
  fired?: {job: string; at: string; id: string}[]
}

export function clockCard(clock: SandboxClock): Card<SandboxClock> {
  const fired = clock.fired?.map(({job, at}) => `${job} at ${at}`).join(', ')
  return {
    rows: [clock],
    upright: true,
    columns: [
      {key: 'now', header: 'Now', get: ({now}) => time(now)},
      {key: 'clock', header: 'Clock', get: ({frozen}) => (frozen ? 'frozen' : 'running')},
      {key: 'fired', header: 'Fell due', get: () => fired || null},
    ],
  }
}

export interface SandboxVariant {
  variantId: string
  sku: string
  price: Digits
  floor: Digits
  stock: number
  active: boolean
  availability: string
  terms: {partnerId: string; pricingMode: string; price: Digits | null}[]
}

export function sandboxVariantCard(variant: SandboxVariant): Card<SandboxVariant> {
  return {
    rows: [variant],
    upright: true,
    columns: [
      {key: 'variantId', header: 'Variant', get: ({variantId}) => variantId},
      {key: 'sku', header: 'SKU', get: ({sku}) => sku},
      {key: 'price', header: 'Catalogue price', get: ({price}) => money(price, 'SAR')},
      {key: 'floor', header: 'Floor', get: ({floor}) => money(floor, 'SAR')},
      {key: 'stock', header: 'Stock', get: ({stock}) => stock},
      {key: 'availability', header: 'Availability', get: ({availability}) => availability},
      {key: 'active', header: 'Active', get: ({active}) => active},
    ],
  }
}

export function termsTable(variant: SandboxVariant): Table<SandboxVariant['terms'][number]> {
  return {
    rows: variant.terms,
    columns: [
      {key: 'partner', header: 'Partner', get: ({partnerId}) => partnerId, whole: true},
      {key: 'mode', header: 'Mode', get: ({pricingMode}) => pricingMode},
      {key: 'price', header: 'Price', get: ({price}) => money(price, 'SAR')},
    ],
    empty: 'It belongs to no assortment.',
  }
}

export interface SandboxFault {
  id: number
  match?: {operation?: string; method?: string; path?: string}
  effect: string
  when?: string
  times?: number
  probability?: number
  status?: number
  state?: string
  delayMs?: number
  met: number
}

export const faultColumns: Column<SandboxFault>[] = [
  {key: 'id', header: 'Fault', get: ({id}) => id},
  {
    key: 'match',
    header: 'Meets',
    get: ({match}) =>
      [match?.operation, match?.method, match?.path].filter(Boolean).join(' ') || 'every request',
  },
  {
    key: 'effect',
    header: 'Effect',
    get: ({effect, status, state}) => [effect, status, state].filter(Boolean).join(' '),
  },
  {key: 'when', header: 'When', get: ({when}) => when},
  {key: 'times', header: 'Times', get: ({times}) => times},
  {key: 'met', header: 'Met', get: ({met}) => met},
]

export interface SandboxRequest {
  n: number
  at: string
  method: string
  target: string
  operation: string | null
  partnerId: string | null
  status: number
  state: string
  durationMs: Digits
  fault: string | null
}

export const requestColumns: Column<SandboxRequest>[] = [
  {key: 'n', header: 'No', get: ({n}) => n},
  {key: 'at', header: 'At', get: ({at}) => time(at)},
  {key: 'method', header: 'Method', get: ({method}) => method},
  {key: 'target', header: 'Path', get: ({target}) => target},
  {key: 'status', header: 'Status', get: ({status}) => status},
  {key: 'state', header: 'State', get: ({state}) => badge(state, {SUCCESS: 'good', CREATED: 'good'})},
  {key: 'ms', header: 'ms', get: ({durationMs}) => durationMs},
  {key: 'fault', header: 'Fault', get: ({fault}) => fault},
]

export interface SandboxInfo {
  baseUrl: string
  pid: number
  environment: string
  seed: string
  limits: boolean
  assumptions: string[]
  clock: SandboxClock
}

export function sandboxCard(info: SandboxInfo): Card<SandboxInfo> {
  return {
    rows: [info],
    upright: true,
    columns: [
      {key: 'baseUrl', header: 'Base URL', get: ({baseUrl}) => baseUrl},
      {key: 'pid', header: 'Process', get: ({pid}) => pid},
      {key: 'environment', header: 'Environment', get: ({environment}) => environment},
      {key: 'seed', header: 'Data', get: ({seed}) => seed},
      {key: 'now', header: 'Its time', get: ({clock}) => time(clock.now)},
      {key: 'clock', header: 'Clock', get: ({clock}) => (clock.frozen ? 'frozen' : 'running')},
      {key: 'limits', header: 'Rate limits', get: ({limits}) => (limits ? 'on' : 'off')},
      {
        key: 'assumptions',
        header: 'Assumptions',
        get: ({assumptions}) => assumptions.join(' ') || 'as registered',
      },
    ],
  }
}

export interface MovedOrder {
  orderId: string
  orderGlobalId: string
  groups: {id: string; status: string; deliveredAt: string | null}[]
}

export function movedOrderTable(order: MovedOrder): Table<MovedOrder['groups'][number]> {
  return {
    title: `Order ${order.orderGlobalId}`,
    rows: order.groups,
    columns: [
      {key: 'group', header: 'Group', get: ({id}) => id},
      {key: 'status', header: 'Status', get: ({status}) => status},
      {key: 'delivered', header: 'Delivered', get: ({deliveredAt}) => time(deliveredAt)},
    ],
    empty: 'A failed order has nothing to deliver.',
  }
}
