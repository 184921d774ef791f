import type {Column} from '../columns.ts'
import {noColumn} from '../usage.ts'

/** What a column is called, in --columns and in its heading. */
export type Known = Pick<Column<unknown>, 'key' | 'header'>

// Views that are made for an answer are made for an empty one here.
const none = {items: [], lines: [], terms: []} as never
const cart = async () => (await import('./cart.ts')).cartTable(none).columns
const preview = async () => (await import('./cart.ts')).previewTable(none).columns
const lock = async () => (await import('./checkout.ts')).lockCard(none).columns
const created = async () => (await import('./checkout.ts')).createdCard(none).columns
const order = async () => (await import('./orders.ts')).orderCard(none).columns
const groups = async () => (await import('./orders.ts')).groupColumns
const returned = async () => (await import('./returns.ts')).returnColumns
const codes = async () => (await import('./discounts.ts')).discountColumns
const periods = async () => (await import('./commissions.ts')).commissionColumns
const wishes = async () => (await import('./wishlist.ts')).itemColumns
const variants = async () => (await import('./variants.ts')).variantColumns(false, {of: () => none} as never)
const subscribed = async () => (await import('./webhooks.ts')).subscriptionCard(none).columns
const deliveries = async () => (await import('./webhooks.ts')).deliveryColumns
const profiles = async () => (await import('./auth.ts')).profileTable([]).columns
const settings = async () => (await import('./config.ts')).keptSettings([]).columns
const sandbox = () => import('./sandbox.ts')
const all = async (...some: (() => Promise<readonly Known[]>)[]) =>
  (await Promise.all(some.map((one) => one()))).flat()

type Places = {[command: string]: () => Promise<readonly Known[]>}

/** A field that only the service knows can be asked for here: whether it is there, its rows tell. */
const reads: Places = {
  'cart show': cart,
  'catalog brands': async () => (await import('./catalog.ts')).brandColumns,
  'catalog scents': async () => (await import('./catalog.ts')).scentColumns,
  'catalog variant': variants,
  'catalog variants': variants,
  'commissions list': periods,
  'discounts list': codes,
  'orders get': order,
  'orders list': async () => (await import('./orders.ts')).recordedOrderColumns,
  'orders track': groups,
  'returns list': returned,
  'wallet transactions': async () => (await import('./wallet.ts')).transactionColumns(false),
  'webhooks deliveries': deliveries,
  'webhooks list': async () => (await import('./webhooks.ts')).seenColumns,
  'wishlist show': wishes,
}

/** Those that change something: what they show is known before. The commands of a wing say so themselves. */
const changes: Places = {
  'auth login': profiles,
  'auth logout': async () => (await import('./auth.ts')).loggedOutTable([]).columns,
  'auth use': profiles,
  'cart add': () => all(cart, preview),
  'cart clear': cart,
  'cart notify': async () => (await import('./cart.ts')).registrationCard(none).columns,
  'cart remove': cart,
  'cart set': cart,
  'catalog sync': async () => (await import('./catalog.ts')).syncCard(none).columns,
  checkout: created,
  'checkout lock': lock,
  // With --lock it takes one.
  'checkout preview': () => all(preview, lock),
  'commissions object': periods,
  'config set': settings,
  'config unset': settings,
  'discounts create': codes,
  'discounts update': codes,
  'orders create': created,
  'returns create': returned,
  'returns withdraw': returned,
  'sandbox clock': async () => (await sandbox()).clockCard(none).columns,
  'sandbox deliver': groups,
  'sandbox event': async () => (await sandbox()).unsent.columns,
  'sandbox fault': async () => (await sandbox()).faultColumns,
  'sandbox notice': async () => (await import('./notices.ts')).noticeCard(none).columns,
  'sandbox partner': async () => (await sandbox()).partnerColumns,
  'sandbox requests': async () => (await sandbox()).requestColumns,
  'sandbox reset': async () => (await sandbox()).resetColumns,
  'sandbox return': returned,
  'sandbox start': async () => (await sandbox()).credentialColumns,
  'sandbox stop': async () => (await sandbox()).stoppedTable(none).columns,
  'sandbox variant': async () => (await sandbox()).sandboxVariantCard(none).columns,
  'sandbox webhook': async () => [...(await sandbox()).rotatedCard(none).columns, ...(await deliveries())],
  'webhooks create': () => all(subscribed, async () => [{key: 'signingSecret', header: 'Signing secret'}]),
  'webhooks disable': subscribed,
  'webhooks enable': subscribed,
  'webhooks update': subscribed,
  'wishlist add': wishes,
  'wishlist remove': wishes,
}

const at = (places: Places, command: string) =>
  Object.hasOwn(places, command) ? places[command]?.() : undefined

/** The columns that a command knows, for completion; none of a command that is not listed here. */
export const columnsOf = async (command: string): Promise<readonly Known[]> =>
  (await (at(reads, command) ?? at(changes, command))) ?? []

/**
 * Fails with INVALID_INPUT if --columns names what a command that changes something does not show: it must be known
 * before anything is sent. `own` are the columns of a command that says so itself. Returns whether it could be told.
 */
export async function requireColumns(
  command: string,
  names: string,
  own?: Promise<readonly Known[]>,
): Promise<boolean> {
  const known = await (own ?? at(changes, command))
  const isIn = (name: string) =>
    known === undefined ||
    // What a field holds can be asked for by itself, and a field as it came.
    known.some(({key}) => key === name || key.startsWith(`${name}.`) || name.startsWith(`${key}.`))
  const bad = names.split(',').find((name) => name.trim() === '' || !isIn(name.trim()))
  if (bad !== undefined) throw noColumn(bad.trim(), known ?? [])
  return known !== undefined
}
