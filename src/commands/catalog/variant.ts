import {ScentCommand} from '../../command.ts'
import {readVariant, type Variant} from '../../contract/variants.ts'
import {openNames} from '../../flows/names.ts'
import {apiFlags, variantArg} from '../../terminal/flags.ts'
import {card} from '../../terminal/table.ts'
import {variantColumns} from '../../terminal/views/variants.ts'
import {include, tokens} from './variants.ts'

export default class CatalogVariant extends ScentCommand {
  static override summary = 'Show one variant of your assortment.'
  static override description =
    'Prices are those of this account. --include names what is read with it; an empty value reads the bare variant.'
  static override examples = ['<%= config.bin %> catalog variant RML-SAF-050']
  static override args = {variant: variantArg}
  static override flags = {...apiFlags, include}

  async run(): Promise<Variant> {
    const {args, flags} = await this.parse(CatalogVariant)
    const session = await this.session(flags)
    const variantId = await session.variant(args.variant)
    const variant = await session.client.call(readVariant, {
      params: {variantId},
      query: {include: tokens(flags.include)},
    })
    const names = openNames(await session.catalogTools())
    if (this.mode !== 'json') await names.learn([variantId])
    await this.showAnswer(variant, (one) => [card(one, variantColumns(false, names))])
    return variant
  }
}
