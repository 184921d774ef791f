import type {Column} from '../columns.ts'

/** What a column is called, in --columns and in its heading. */
type Known = Pick<Column<unknown>, 'key' | 'header'>

// Views that are made for an answer are made for an empty one here.
const none = {items: [], lines: []} as never
const cart = async () => (await import('./cart.ts')).cartTable(none).columns
const preview = async () => (await import('./cart.ts')).previewTable(none).columns
const order = async () => (await import('./orders.ts')).orderCard(none).columns
const tracking = async () => (await import('./orders.ts')).groupColumns
const returned = async () => (await import('./returns.ts')).returnColumns
const codes = async () => (await import('./discounts.ts')).discountColumns
const wishes = async () => (await import('./wishlist.ts')).itemColumns
const variants = async () => (await import('./variants.ts')).variantColumns(false, {of: () => none} as never)

const places: {[command: string]: () => Promise<readonly Known[]>} = {
  'cart add': cart,
  'cart clear': cart,
  'cart remove': cart,
  'cart set': cart,
  'cart show': cart,
  'catalog brands': async () => (await import('./catalog.ts')).brandColumns,
  'catalog scents': async () => (await import('./catalog.ts')).scentColumns,
  'catalog variant': variants,
  'catalog variants': variants,
  'checkout preview': preview,
  'commissions list': async () => (await import('./commissions.ts')).commissionColumns,
  'discounts create': codes,
  'discounts list': codes,
  'discounts update': codes,
  'orders get': order,
  'orders list': async () => (await import('./orders.ts')).recordedOrderColumns,
  'orders track': tracking,
  'returns create': returned,
  'returns list': returned,
  'wallet transactions': async () => (await import('./wallet.ts')).transactionColumns(false),
  'webhooks deliveries': async () => (await import('./webhooks.ts')).deliveryColumns,
  'webhooks list': async () => (await import('./webhooks.ts')).seenColumns,
  'wishlist add': wishes,
  'wishlist remove': wishes,
  'wishlist show': wishes,
}

/** The columns that a command knows, for completion; none of a command that is not listed here. */
export const columnsOf = async (command: string): Promise<readonly Known[]> =>
  Object.hasOwn(places, command) ? ((await places[command]?.()) ?? []) : []
