import type {PreviewLine} from '../../contract/checkout.ts'
import {digits} from '../../contract/money.ts'
import type {ShippingAddress} from '../../contract/orders.ts'
import type {CheckedCode} from '../../flows/order/code.ts'
import type {LineIssue} from '../../flows/order/lock.ts'
import type {Change, Left, Offer, WalkEvent, Walked, Walker} from '../../flows/order/walker.ts'
import {askAddress, type Part} from '../address.ts'
import type {Ask} from '../ask.ts'
import {localTime, moneyText, span} from '../cells.ts'
import type {View} from '../table.ts'
import {counted} from '../text.ts'
import {previewTable} from './cart.ts'
import {createdCard, differenceTable, offerCard} from './checkout.ts'
import {openStory} from './story.ts'

type Earlier = Parameters<Walker['settle']>[0]

const reasons: Record<string, string> = {
  UNAVAILABLE: 'is unavailable',
  INSUFFICIENT_STOCK: 'has too little stock',
  PRICE_BELOW_FLOOR: 'is priced below its floor; the service does not sell it so',
  NOT_PRICED: 'has no price for this account',
}

/** The person of a walk: shows what happens on stderr, asks, and can tell at any moment what has been sent. */
export function openWalker(
  ask: Ask,
  options: {
    yes: boolean
    /** The fields of an address that are given: the others are asked for. */
    part?: Part | undefined
    write(view: View): Promise<void>
    note(text: string): void
    now(): number
  },
) {
  const {note, write} = options
  let {part} = options
  const {settled, ...told} = openStory(
    note,
    'Run `scent checkout` again with the same cart; it settles this order first and never orders it twice.',
  )
  return {
    ...told,

    async tell(event: WalkEvent): Promise<void> {
      if (event.kind === 'taking-up') note(takingUp(event.entry))
      if (event.kind === 'taken-up') settled('nothing')
      if (event.kind === 'taken-up' && !event.charged)
        note(`Order ${event.entry.reference} was not made, and nothing was charged for it.`)
      if (event.kind === 'left') note(leftText(event.left))
      // That it is empty, the failure says which comes next.
      if (event.kind === 'cart' && ask.interactive && event.preview.lines.length > 0) {
        const {customerRef} = event.preview
        const title = customerRef ? `Cart of ${customerRef}` : "The partner's own cart"
        await write({...previewTable(event.preview), title})
      }
      if (event.kind === 'cart-busy')
        note(
          `Order ${event.reference ?? ''} is in flight on this cart. Looking again in ${span(event.forMs)}.`,
        )
      if (event.kind === 'code')
        note(
          `Discount code ${event.code.text} ${event.code.problem}: the service will probably refuse the order.`,
        )
      if (event.kind === 'cheaper') {
        const {agreed, now, currency} = event
        const [less, more] = [digits(String(now)), agreed].map((amount) => moneyText(amount, currency))
        note(`The prices were locked again on the way, and are lower: ${less} instead of ${more}.`)
      }
      if (event.kind === 'repriced') {
        settled('locked')
        if (event.differences.length > 0) await write(differenceTable(event.differences))
        else note('The lock ran out; the prices are locked again, and are the same.')
      }
    },

    async settle(entry: Earlier, why: string): Promise<boolean> {
      note(
        `Order ${entry.reference} of this cart, begun ${localTime(entry.startedAt)}, has no answer yet, and ${why}.`,
      )
      const choices = [
        {name: 'Ask for it again: it is charged once or not at all', value: true},
        {name: 'Leave it, and stop here', value: false},
      ]
      return ask.choose({message: 'What about it?', flag: `--reference ${entry.reference}`, choices})
    },

    async goOn({order, reference}: Walked, left: Left): Promise<boolean> {
      note(`Order ${reference} stands, and was charged once. It is an earlier order of this cart.`)
      note(leftText(left))
      const choices = [
        {name: 'Order what the cart holds now', value: true},
        {name: 'Leave it in the cart', value: false},
      ]
      const goesOn = await ask.choose({message: 'What about the cart?', flag: '--yes', choices})
      if (goesOn) await write(createdCard(order.document, 'The earlier order'))
      return goesOn
    },

    async mend({line, issue, take}: LineIssue): Promise<'take' | 'remove' | 'cancel'> {
      return ask.choose<'take' | 'remove' | 'cancel'>({
        message: issueText({line, issue}),
        flag: '--customer, after mending the cart',
        choices: [
          ...(take === undefined
            ? []
            : [{name: `Take the ${take} that are available`, value: 'take' as const}]),
          {name: 'Remove the line', value: 'remove'},
          {name: 'Cancel', value: 'cancel'},
        ],
      })
    },

    async buildAgain(issues: LineIssue[], taken: string | undefined): Promise<string | undefined> {
      if (taken !== undefined) note(`The cart of ${taken} is not empty. Name another customer.`)
      else {
        for (const one of issues) note(issueText(one))
        note(
          "The API has no route that changes the partner's own cart: it can be built again for a customer.",
        )
      }
      const customer = await ask.text({
        message: 'Customer whose cart gets what can be ordered (empty to leave)',
        flag: '--customer REF',
      })
      return customer || undefined
    },

    address(saved: ShippingAddress[], before: ShippingAddress | undefined): Promise<ShippingAddress> {
      // Of another address nothing is given.
      const given = part
      part = undefined
      return askAddress(ask, saved, before, given)
    },

    async mendCode(code: CheckedCode): Promise<string | undefined> {
      const {text, problem, meant} = code
      const to = await ask.choose<'another' | {code: string | undefined}>({
        message: `Discount code ${text} ${problem}.`,
        flag: '--discount-code C',
        choices: [
          ...(meant === undefined ? [] : [{name: `Use ${meant}`, value: {code: meant}}]),
          {name: 'Use another code', value: 'another'},
          {name: 'Order without a code', value: {code: undefined}},
          {name: 'Send it all the same: the service decides', value: {code: text}},
        ],
      })
      return to === 'another' ? askCode(ask) : to.code
    },

    async charge(offer: Offer): Promise<'yes' | 'no' | 'expired' | Change> {
      settled('locked', offer.reference)
      const {price, balanceAfter, locked} = offer
      if (ask.interactive) await write(offerCard(offer))
      if (balanceAfter !== null && String(balanceAfter).startsWith('-'))
        note('The wallet holds less than this order costs: the service may fail it.')
      if (offer.far) note(feeText(offer.far, price.currency))
      if (options.yes) return 'yes'
      const left = () => (locked.endsAt === null ? null : locked.endsAt - options.now())
      const amount = moneyText(locked.lock.total, price.currency)
      for (;;) {
        const decision = await ask.decide(
          `Charge ${amount} to the wallet and order as ${offer.reference}?`,
          left,
        )
        const then = decision === 'change' ? await askChange(ask, offer) : decision
        if (then !== 'back') return then
      }
    },
  }
}

const askCode = async (ask: Ask) =>
  (await ask.text({message: 'Discount code (empty for none)', flag: '--discount-code C'})) || undefined

/** What is to be changed before the order is made: nothing leads back to the question. */
async function askChange(ask: Ask, {locked}: Offer): Promise<Change | 'back' | 'no'> {
  const {customerRef, lines} = locked.preview
  const change = await ask.choose<'address' | 'code' | PreviewLine | 'back' | 'no'>({
    message: 'What is to be changed?',
    flag: '--address and --discount-code',
    choices: [
      {name: 'The address', value: 'address'},
      {name: 'The discount code', value: 'code'},
      // The API has routes that change the lines of a customer's cart only.
      ...(customerRef ? lines : []).map((line) => ({
        name: `The quantity of ${line.sku ?? line.variantId}, now ${line.quantity}`,
        value: line,
      })),
      {name: 'Nothing: back to the question', value: 'back'},
      {name: 'Leave, and order nothing', value: 'no'},
    ],
  })
  if (change === 'address') return {change}
  if (change === 'code') return {change, code: await askCode(ask)}
  if (change === 'back' || change === 'no') return change
  const quantity = await ask.text({
    message: `Units of ${change.sku ?? change.variantId} (0 removes the line)`,
    flag: '`scent cart set`',
    initial: String(change.quantity),
    check: (text) => (/^(0|[1-9]\d{0,8})$/.test(text) ? undefined : 'Give a whole number.'),
  })
  return {change: 'line', line: {variantId: change.variantId, quantity: Number(quantity)}}
}

function issueText({line, issue}: LineIssue): string {
  const reason = reasons[issue] ?? `can't be ordered (${issue})`
  return `${line.sku ?? line.variantId} × ${line.quantity} ${reason}.`
}

/** What the cart holds beside an earlier order that was settled. */
function leftText({customerRef, units, charged, currency}: Left): string {
  const cart = customerRef === null ? "The partner's own cart" : `The cart of ${customerRef}`
  const price = charged === null ? '' : ` for ${moneyText(charged, currency)}`
  return `${cart} still holds ${counted(units, 'unit')}${price}, and that is not ordered.`
}

/** What the city may add to the total, which no lock can know. */
function feeText({city, fee, expected}: NonNullable<Offer['far']>, currency: string): string {
  if (!fee || expected === null)
    return `The fee for ${city} is set when the order is made: outside Riyadh shipping may cost more than this.`
  const [was, all] = [moneyText(fee.fee, currency), moneyText(expected, currency)]
  return `The fee for ${city} is set when the order is made. For your last order there, ${localTime(fee.at)}, it was ${was}: expect ${all} in all.`
}

function takingUp({reference, startedAt, pending}: Earlier): string {
  return pending.length > 0
    ? `Order ${reference}, begun ${localTime(startedAt)}, was sent and has no answer yet. Asking for it again: it is charged once or not at all.`
    : `Order ${reference}, begun ${localTime(startedAt)}, was never sent. Taking it up again.`
}
