import type {NoticeChoice} from '../../contract/notices.ts'
import type {Cost} from '../notices/cost.ts'

const said: Record<NoticeChoice, string> = {
  CancelWhole: 'cancels the whole line and refunds it',
  ShipAvailable: 'ships what is available, and cancels and refunds the rest',
}

/** What a choice does, in one clause: `ships 1, cancels 2, refunds about 66.70 SAR`. */
export function consequence(choice: NoticeChoice, costs: readonly Cost[] | undefined): string {
  const cost = costs?.find((one) => one.choice === choice)
  if (cost === undefined) return said[choice]
  const {ships, cancels, refund, isDefault} = cost
  const about = refund === null ? '' : `, refunds about ${refund} SAR`
  return `ships ${ships}, cancels ${cancels}${about}${isDefault ? '; this happens if nobody answers' : ''}`
}
