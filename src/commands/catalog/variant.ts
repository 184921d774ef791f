import * as Args from '@oclif/core/args'
import {ScentCommand} from '../../command.ts'
import {readVariant, type Variant} from '../../contract/variants.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {card} from '../../terminal/table.ts'
import {variantColumns} from '../../terminal/views/variants.ts'
import {include, tokens} from './variants.ts'

export default class CatalogVariant extends ScentCommand {
  static override summary = 'Show one variant of your assortment.'
  static override description =
    'Prices are those of this account. --include names what is read with it; an empty value reads the bare variant.'
  static override examples = ['<%= config.bin %> catalog variant d2d38be7-ed73-4a47-bba0-44575c832aa4']
  static override args = {
    variant: Args.string({description: 'Variant id, a UUID.', required: true}),
  }
  static override flags = {...apiFlags, include}

  async run(): Promise<Variant> {
    const {args, flags} = await this.parse(CatalogVariant)
    const {client} = await this.session(flags)
    const variant = await client.call(readVariant, {
      params: {variantId: args.variant},
      query: {include: tokens(flags.include)},
    })
    await this.showMentioned(readVariant, variant, (one) => [card(one, variantColumns(false))])
    return variant
  }
}
