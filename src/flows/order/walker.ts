import type {Preview} from '../../contract/checkout.ts'
import type {Digits} from '../../contract/money.ts'
import type {ShippingAddress} from '../../contract/orders.ts'
import type {OrderEntry} from '../../store/orders.ts'
import type {CartLine, CartRef} from '../cart/lines.ts'
import type {CheckedCode} from './code.ts'
import type {ShippingFee, shippingFees} from './fees.ts'
import type {LineIssue, Locked} from './lock.ts'
import type {PlacedOrder} from './machine.ts'
import type {Difference, Price} from './price.ts'
import type {OrderTools} from './records.ts'

export interface WalkRequest {
  customerRef: CartRef
  /** Made up if none is given. */
  reference?: string | undefined
  address?: ShippingAddress | undefined
  discountCode?: string | undefined
  /** The most that may be charged without asking again. */
  maxTotal?: string | undefined
  /** Whether somebody is there to mend the cart and to look at prices that moved. */
  interactive: boolean
  /** Whether the charge was agreed to beforehand, by --yes: nobody is asked about it. */
  yes?: boolean | undefined
}

/** What is to be decided: charge this, with the wallet before and after if they are known. */
export interface Offer {
  reference: string
  address: ShippingAddress
  code: CheckedCode | undefined
  /** Set if the city decides the shipping fee when the order is made; with its fee of an earlier order, if one is known. */
  far: {city: string; fee: ShippingFee | undefined; expected: Digits | null} | undefined
  locked: Locked
  price: Price
  balance: Digits | null
  balanceAfter: Digits | null
}

export type WalkEvent =
  | {kind: 'taking-up'; entry: OrderEntry}
  | {kind: 'taken-up'; entry: OrderEntry; charged: boolean}
  /** An earlier order stands, and the cart holds what is not ordered. */
  | {kind: 'left'; left: Left}
  | {kind: 'cart'; preview: Preview}
  | {kind: 'cart-busy'; reference: string | null; forMs: number}
  /** Nobody can be asked about a code that the service will refuse. */
  | {kind: 'code'; code: CheckedCode}
  | {kind: 'repriced'; differences: Difference[]}
  /** The prices were locked again after the charge was agreed to, and are lower. */
  | {kind: 'cheaper'; agreed: Digits; now: Digits | string; currency: string}

/** The person, or the script, at the other end. */
export interface Walker {
  tell(event: WalkEvent): Promise<void>
  /** Whether an earlier order that was sent may be asked for again, though this run wants something else: `why`. */
  settle(entry: OrderEntry, why: string): Promise<boolean>
  /** An earlier order stands now, and the cart holds `left`, which is not ordered: whether to order that as well. */
  goOn(earlier: Walked, left: Left): Promise<boolean>
  mend(issue: LineIssue): Promise<'take' | 'remove' | 'cancel'>
  /**
   * In whose cart the partner-level one is to be built again, without its issues; undefined: in none. `taken` is the
   * customer that was named before, whose cart is not empty.
   */
  buildAgain(issues: LineIssue[], taken: string | undefined): Promise<string | undefined>
  /** Asks for an address; `before` is the one of an earlier, unfinished run. */
  address(saved: ShippingAddress[], before: ShippingAddress | undefined): Promise<ShippingAddress>
  /** What to do about a code that the service will refuse: another one, none, or the same, which is sent all the same. */
  mendCode(code: CheckedCode): Promise<string | undefined>
  charge(offer: Offer): Promise<'yes' | 'no' | 'expired' | Change>
}

/** What is to be another than offered: an address is then asked for, and a quantity of 0 removes its line. */
export type Change =
  | {change: 'address'}
  | {change: 'code'; code: string | undefined}
  | {change: 'line'; line: CartLine}

export interface WalkTools extends OrderTools {
  savedAddresses(): Promise<ShippingAddress[]>
  newReference(): string
  /** The shipping fees that the orders of this machine show. */
  fees(): Promise<ReturnType<typeof shippingFees>>
  /** Runs `work` while no other process orders from the cart. */
  alone<T>(customerRef: CartRef, work: () => Promise<T>): Promise<T>
}

export interface Walked {
  reference: string
  order: PlacedOrder
  /** Its city, if that lies outside the near zone: then its shipping fee may be more than the lock said. */
  far?: string | undefined
  /** It is the order of an earlier run. */
  earlier?: true
}

/** What a cart holds that is not ordered. */
export interface Left extends Pick<Price, 'charged' | 'currency'> {
  customerRef: CartRef
  units: number
}
