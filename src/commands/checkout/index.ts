import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import type {CreatedOrder} from '../../contract/orders.ts'
import {walk} from '../../flows/order/walk.ts'
import {readJson} from '../../store/input.ts'
import {addressFlags, addressOf, doubtOf, partOf} from '../../terminal/address.ts'
import {amountFlag} from '../../terminal/amounts.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {nextText} from '../../terminal/next.ts'
import {chargedText, createdCard} from '../../terminal/views/checkout.ts'
import {openWalker} from '../../terminal/views/walk.ts'

export default class Checkout extends ScentCommand {
  static override summary = 'Walk a cart through preview, lock and order.'
  static override description =
    `Shows the cart, offers to mend each issue, asks for what is missing, locks the prices, shows lines, address, discount code and total, asks once for the amount to be charged, and orders. At the question \`c\` changes the address, the discount code or a quantity first.

An earlier run that was cut off on this cart is taken up first: an order whose answer was lost is asked for again with its own reference, never with a new one. If that order stands and the cart was filled again since, this is said and the cart offered for an order of its own; with --yes or without a terminal it ends with EARLIER_ORDER, and nothing else is ordered.

Without a terminal it needs --address and --yes. It then charges at most --max-total, or without it the total of the first lock; a reference is made, written down and printed when none is given.`
  static override examples = [
    '<%= config.bin %> checkout --customer C-1042',
    '<%= config.bin %> checkout --customer C-1042 --address riyadh.json --reference PO-119 --max-total 310 --yes --json',
  ]
  static override flags = {
    ...apiFlags,
    customer: Flags.string({summary: "The customer's cart instead of the partner's.", helpValue: 'REF'}),
    reference: Flags.string({summary: 'Your key for this order.', helpValue: 'EXTREF'}),
    'discount-code': Flags.string({summary: 'Discount code, for reporting only.', helpValue: 'C'}),
    'max-total': Flags.string({summary: 'The most that may be charged, with VAT.', helpValue: 'D'}),
    ...addressFlags,
  }

  async run(): Promise<CreatedOrder> {
    const {flags} = await this.parse(Checkout)
    const maxTotal = amountFlag('--max-total', flags['max-total'])
    const ask = await this.ask()
    const part = ask.interactive ? partOf(flags) : undefined
    const address = part ? undefined : await addressOf(flags, readJson)
    if (!ask.interactive && !(address && flags.yes)) throw needed(address ? '--yes' : '--address')
    const doubt = doubtOf(address)
    if (doubt) this.note(doubt)
    const session = await this.session(flags)
    const walker = openWalker(ask, {
      yes: flags.yes,
      part,
      write: (view) => this.screen(view),
      note: (text) => this.note(text),
      now: session.time.ticks,
    })
    const signal = this.interrupts.during(walker)
    const request = {
      customerRef: flags.customer ?? null,
      reference: flags.reference,
      address,
      discountCode: flags['discount-code'],
      maxTotal,
      interactive: ask.interactive,
      yes: flags.yes,
    }
    const fees = async () => (await import('../../bulk/orders/earlier.ts')).readFees(session)
    const tools = {...(await session.orderTools(walker.progress, signal)), fees}
    const walked = await walk(tools, request, walker)
    const charged = chargedText(walked)
    if (charged) this.note(charged)
    const {document} = walked.order
    this.show(createdCard(document, walked.earlier && 'An earlier order of this cart'))
    this.aside(nextText('orders', 'track', document.id))
    return document
  }
}

function needed(flag: string): Failure {
  return new Failure('MISSING_INPUT', {
    message: `Without a terminal, checkout needs ${flag}.`,
    hint: 'Give --address FILE and --yes; --max-total D bounds what may be charged.',
  })
}
