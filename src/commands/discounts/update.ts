import * as Args from '@oclif/core/args'
import {ScentCommand} from '../../command.ts'
import type {DiscountCode} from '../../contract/discounts.ts'
import {Failure} from '../../contract/failure.ts'
import {changesBetween, merged, readDiscount, replaceDiscount} from '../../flows/discounts.ts'
import {discountChanges, discountFlags} from '../../terminal/discount-flags.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {card} from '../../terminal/table.ts'
import {changeTable, discountColumns} from '../../terminal/views/discounts.ts'

export default class DiscountsUpdate extends ScentCommand {
  static override summary = 'Change a discount code.'
  static override description =
    'The API replaces every field at once. So the code is read from the list, the given fields are merged in, the difference is shown, and all fields are sent; one that somebody else changed in between is noticed, and then nothing is sent.'
  static override examples = [
    '<%= config.bin %> discounts update SAFFRON25 --no-active',
    '<%= config.bin %> discounts update fc661550-2633-4d85-afec-3267e51bbbb4 --value 20 --total-cap none',
  ]
  static override args = {id: Args.string({description: 'The code, or its id.', required: true})}
  static override flags = {...apiFlags, ...discountFlags}

  async run(): Promise<DiscountCode> {
    const {args, flags} = await this.parse(DiscountsUpdate)
    const {client, variants, lastNow} = await this.session(flags)
    const changes = discountChanges(flags, lastNow())
    if (Object.keys(changes).length === 0)
      throw new Failure('MISSING_INPUT', {
        message: 'Nothing to change was given.',
        hint: 'Such as --no-active.',
      })
    if (flags.variant) changes.scopedVariantIds = await variants(flags.variant)
    const seen = await readDiscount(client, args.id)
    const after = merged(seen, changes)
    const difference = changesBetween(seen, after)
    if (difference.length === 0) {
      this.note(`${seen.code} is that already. Nothing was sent.`)
      this.show(card(seen, discountColumns))
      return seen
    }
    await this.screen(changeTable(difference, {before: seen, after}))
    const updated = await replaceDiscount(client, seen, changes)
    this.show(card(updated, discountColumns))
    return updated
  }
}
