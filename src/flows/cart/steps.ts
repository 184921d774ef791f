import type {Cart} from '../../contract/cart.ts'
import type {Preview} from '../../contract/checkout.ts'
import type {CartView} from './lines.ts'

/** `merge` puts a file's quantities on top of what a cart holds; with `replace` it ends up holding exactly the file. */
export const importModes = ['merge', 'replace'] as const
export type ImportMode = (typeof importModes)[number]

/** A line as a cart holds it. */
interface HeldLine {
  sku: string | null
  quantity: number
  /** Whether the cart itself says that it could be added again; false if it does not say. */
  sellable: boolean
}
/** By variant id, in lower case. */
export type Held = ReadonlyMap<string, HeldLine>

/** What a line is to hold in the end; 0 if it is to go. */
export interface TargetLine {
  variantId: string
  sku: string | null
  before: number
  target: number
}

/** One request. All but `add` and `clear` may arrive twice, or late, and do no harm. */
export type Step =
  | {do: 'clear'}
  | {do: 'add' | 'set'; variantId: string; quantity: number}
  | {do: 'remove'; variantId: string}

/** not shown: the longest SKU. */
export const LONGEST_SKU = 200

export function heldIn(view: CartView): Held {
  const held = new Map<string, HeldLine>()
  for (const {variantId, sku, quantity, sellable} of 'lines' in view
    ? previewed(view as Preview)
    : listed(view as Cart)) {
    const key = variantId.toLowerCase()
    const before = held.get(key)?.quantity ?? 0
    if (quantity > 0) held.set(key, {sku: nameOf(sku), quantity: before + quantity, sellable})
  }
  return held
}

/** It goes into the journal, whose lines have their length. */
const nameOf = (sku: unknown) => (typeof sku === 'string' && sku.length <= LONGEST_SKU ? sku : null)

const previewed = ({lines}: Preview) => lines.map((line) => ({...line, sellable: line.ok === true}))

const listed = ({items}: Cart) =>
  items.map((item) => {
    const isAvailable = ['Available', 'Limited'].includes(item.availability?.state ?? '')
    return {...item, sellable: isAvailable && item.pricing?.unitPrice != null}
  })

/** What the lines of a cart are to hold: first those of the file in its order, then those that are to go. */
export function targetsOf(
  mode: ImportMode,
  wanted: readonly {variantId: string; sku: string | null; quantity: number}[],
  held: Held,
): TargetLine[] {
  const ours = wanted.map(({variantId, sku, quantity}) => {
    const line = held.get(variantId)
    const before = line?.quantity ?? 0
    const target = mode === 'merge' ? before + quantity : quantity
    return {variantId, sku: sku ?? line?.sku ?? null, before, target}
  })
  if (mode === 'merge') return ours
  const named = new Set(wanted.map(({variantId}) => variantId))
  const others = [...held].filter(([variantId]) => !named.has(variantId))
  return [
    ...ours,
    ...others.map(([variantId, {sku, quantity}]) => ({variantId, sku, before: quantity, target: 0})),
  ]
}

/**
 * The fewest changes from what a cart holds to what it is to hold. Lines that are `left` stay as they are. Removals
 * come last: a job that is stopped before them has taken nothing away. Without `mayClear` no step empties the cart.
 */
export function stepsTo(
  mode: ImportMode,
  targets: readonly TargetLine[],
  held: Held,
  left: ReadonlySet<string> = new Set(),
  mayClear = true,
): Step[] {
  const goal = new Map(targets.filter(({target}) => target > 0).map((line) => [line.variantId, line.target]))
  const moves: Step[] = []
  for (const [variantId, quantity] of goal) {
    const now = held.get(variantId)?.quantity ?? 0
    if (now === quantity || left.has(variantId)) continue
    moves.push({do: now === 0 ? 'add' : 'set', variantId, quantity})
  }
  if (mode === 'merge') return moves
  for (const variantId of held.keys())
    if (!goal.has(variantId) && !left.has(variantId)) moves.push({do: 'remove', variantId})
  const adds: Step[] = [...goal].map(([variantId, quantity]) => ({do: 'add', variantId, quantity}))
  // Emptying takes lines away that are to stay, so each of them must be one that can be added again.
  const clearable =
    mayClear && left.size === 0 && [...goal.keys()].every((id) => held.get(id)?.sellable !== false)
  return clearable && 1 + adds.length < moves.length ? [{do: 'clear'}, ...adds] : moves
}
