import * as Args from '@oclif/core/args'
import {ScentCommand} from '../../command.ts'
import type {DiscountBody, DiscountCode} from '../../contract/discounts.ts'
import {createDiscount} from '../../flows/discounts.ts'
import {discountChanges, discountFlags} from '../../terminal/discount-flags.ts'
import {apiFlags, needed} from '../../terminal/flags.ts'
import {card} from '../../terminal/table.ts'
import {discountColumns} from '../../terminal/views/discounts.ts'

export default class DiscountsCreate extends ScentCommand {
  static override summary = 'Create a discount code.'
  static override description =
    'A discount is for display and reporting: it never changes what an order is charged. Needs --type, --value, --valid-from and --valid-to, and asks for those that are missing; the code is active, for all products and without caps where no flag says otherwise. Sent once; after a lost answer it is looked for in the list, where only one that was made since is taken for it.'
  static override examples = [
    '<%= config.bin %> discounts create RAMADAN15 --type Percent --value 15 --valid-from 2026-02-18 --valid-to 2026-03-20',
  ]
  static override args = {
    code: Args.string({description: "The code; it can't be changed later.", required: true}),
  }
  static override flags = {
    ...apiFlags,
    ...discountFlags,
    type: needed(discountFlags.type),
    value: needed(discountFlags.value),
    'valid-from': needed(discountFlags['valid-from']),
    'valid-to': needed(discountFlags['valid-to']),
  }

  async run(): Promise<DiscountCode> {
    const {args, flags} = await this.parse(DiscountsCreate)
    const {client, time, variants, lastNow} = await this.session(flags)
    const given = discountChanges(flags, lastNow())
    const scopedVariantIds = await variants(flags.variant ?? [])
    const body = {code: args.code, ...unsaid, ...given, scopedVariantIds} as {code: string} & DiscountBody
    const created = await createDiscount(client, body, time.ticks)
    await this.showAnswer(created, (one) => [card(one, discountColumns)])
    return created
  }
}

/** A new code as it is if no flag says otherwise. */
const unsaid = {
  isActive: true,
  totalUsageCap: null,
  perCustomerCap: null,
  productScope: 'All',
  minOrderValue: null,
}
