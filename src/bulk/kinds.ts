import {cartKind} from './carts/kind.ts'
import type {Kind} from './kind.ts'
import {orderKind} from './orders/kind.ts'
import type {JobKind} from './records.ts'

/** Every kind of job; nothing else asks which one a job is of. */
export const kinds: Record<JobKind, Kind> = {orders: orderKind, cart: cartKind}
