import type {Digits} from '../../contract/money.ts'
import {badge, type Cell, money} from '../cells.ts'
import {localColumns} from '../columns.ts'
import {type Card, card, type Table} from '../table.ts'
import {groupColumns} from './orders.ts'

// The answers of the sandbox's controls, as far as code draws them: the rest is shown as it comes.

export const credentialColumns = localColumns<object>(
  'name! Partner; clientId! Client id; clientSecret! Client secret',
)

export const partnerColumns = localColumns<{wallet: Digits | null}>(
  `partnerId+ Partner; name!; clientId Client id; wallet!; active; productAccess Access; marketing;
  notifyEnabled Notify`,
  {wallet: ({wallet}) => money(wallet, 'SAR')},
)

export interface SandboxClock {
  now: string
  frozen: boolean
  fired?: {job: string; at: string; id: string}[]
}

const clockText = (clock: SandboxClock): Cell => (clock.frozen ? 'frozen' : 'running')

const clockColumns = localColumns<SandboxClock>('now; frozen Clock; fired Fell due', {
  frozen: clockText,
  fired: ({fired}) => fired?.map(({job, at}) => `${job} at ${at}`).join(', '),
})

export const clockCard = (clock: SandboxClock): Card<SandboxClock> => card(clock, clockColumns)

export interface SandboxVariant {
  price: Digits
  floor: Digits
  terms: {price: Digits | null}[]
}

const variantColumns = localColumns<SandboxVariant>(
  'variantId Variant; sku SKU; price Catalogue price; floor; stock; availability; active',
  {price: ({price}) => money(price, 'SAR'), floor: ({floor}) => money(floor, 'SAR')},
)

export const sandboxVariantCard = (one: SandboxVariant): Card<SandboxVariant> => card(one, variantColumns)

export const termsTable = ({terms}: SandboxVariant): Table<SandboxVariant['terms'][number]> => ({
  rows: terms,
  columns: localColumns('partnerId! Partner; pricingMode Mode; price', {
    price: ({price}) => money(price, 'SAR'),
  }),
  empty: 'It belongs to no assortment.',
})

interface SandboxFault {
  match?: {operation?: string; method?: string; path?: string}
  effect: string
  delivery?: string
  status?: number
  state?: string
}

const texts = (...parts: unknown[]) => parts.filter(Boolean).join(' ')

export const faultColumns = localColumns<SandboxFault>(
  'id Fault; match Meets; effect!; delivery+; status+; state+; when; times; met',
  {
    match: ({match, delivery}) =>
      delivery ? 'every delivery' : texts(match?.operation, match?.method, match?.path) || 'every request',
    effect: ({effect, delivery, status, state}) => texts(effect, delivery, status, state),
  },
)

export const requestColumns = localColumns<{state: string}>(
  'n No; at; method; target Path; status!; state; durationMs- ms; fault',
  {state: ({state}) => badge(state, {SUCCESS: 'good', CREATED: 'good'})},
)

export interface SandboxInfo {
  baseUrl: string
  limits: boolean
  assumptions: string[]
  clock: SandboxClock
}

const infoColumns = localColumns<SandboxInfo>(
  `baseUrl Base URL; pid Process; environment; seed Data; clock.now Its time; clock.frozen Clock;
  limits Rate limits; assumptions`,
  {
    'clock.frozen': ({clock}) => clockText(clock),
    limits: ({limits}) => (limits ? 'on' : 'off'),
    assumptions: ({assumptions}) => assumptions.join(' ') || 'as registered',
  },
)

const snapshotColumns = localColumns<{name: string}>('name Snapshot')

/** A snapshot that was saved. */
export const snapshotTable = (saved: {name: string}): Table<{name: string}> => ({
  rows: [saved],
  columns: snapshotColumns,
})

/** What a reset may show. */
export const resetColumns = [...snapshotColumns, ...infoColumns, ...clockColumns]

/** A sandbox that was stopped, by its process. */
export const stoppedTable = (one: {stopped: number}): Table<{stopped: number}> => ({
  rows: [one],
  columns: localColumns('stopped Stopped process'),
})

export const sandboxCard = (info: SandboxInfo): Card<SandboxInfo> => card(info, infoColumns)

export interface MovedOrder {
  orderGlobalId: string
  groups: {id: string; status: string; deliveredAt: string | null}[]
}

export const movedOrderTable = (order: MovedOrder): Table<MovedOrder['groups'][number]> => ({
  title: `Order ${order.orderGlobalId}`,
  rows: order.groups,
  columns: groupColumns,
  empty: 'A failed order has nothing to deliver.',
})

interface SentEvent {
  event: {eventId: string} | null
  deliveries: number
}

const sentColumns = localColumns<SentEvent>(
  'event.eventType Event; event.eventId Event id; event.occurredAt At; deliveries',
)

/** An event that was sent, and how many subscriptions get it. */
export const sentCard = (sent: SentEvent): Card<SentEvent> => card(sent, sentColumns)

/** An event that nobody gets: a row of it would be empty fields. */
export const unsent: Table<SentEvent> = {rows: [], columns: sentColumns}

export interface Rotated {
  id: string
  signingSecret: string
}

export const rotatedCard = (rotated: Rotated): Card<Rotated> =>
  card(rotated, localColumns<Rotated>('id Webhook; signingSecret Signing secret'))
