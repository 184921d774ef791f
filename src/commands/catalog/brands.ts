import * as Args from '@oclif/core/args'
import {ScentCommand} from '../../command.ts'
import {type Brand, listBrands, readBrand} from '../../contract/brands.ts'
import {apiFlags, listFlags} from '../../terminal/flags.ts'
import type {Listing} from '../../terminal/output.ts'
import {card} from '../../terminal/table.ts'
import {brandColumns} from '../../terminal/views/catalog.ts'

export default class CatalogBrands extends ScentCommand {
  static override summary = 'List the brands of the catalog, or show one.'
  static override description = 'Which fields a brand has is not documented: --json prints them as they came.'
  static override examples = [
    '<%= config.bin %> catalog brands',
    '<%= config.bin %> catalog brands bf15d3f8-9ad1-4163-8c1f-fa32dee11101',
    '<%= config.bin %> catalog brands --all --output csv',
  ]
  static override args = {
    brand: Args.string({
      description: 'Brand id, a UUID: shows this one, whatever the flags of the list say.',
    }),
  }
  static override flags = {...apiFlags, ...listFlags}

  async run(): Promise<Listing | Brand> {
    const {args, flags} = await this.parse(CatalogBrands)
    const {client} = await this.session(flags)
    if (args.brand !== undefined) {
      const one = await client.call(readBrand, {params: {brandId: args.brand}})
      await this.showAnswer(one, (brand) => [card(brand, brandColumns)])
      return one
    }
    return this.list(client, listBrands, {}, flags, {columns: brandColumns, empty: 'There is no brand.'})
  }
}
