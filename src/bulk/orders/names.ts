import type {OrderNames} from '../../flows/order/named.ts'
import type {Session} from '../../session.ts'

/** The local record as withOrder() looks names up in it. Loaded only if a name has to be looked up. */
export const orderNames = (session: Session, say: (text: string) => void): OrderNames => ({
  recorded: async () => (await import('./recorded.ts')).recordedOrders(session),
  say,
})
