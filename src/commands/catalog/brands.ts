import {apiFlags, listFlags, ScentCommand} from '../../command.ts'
import {listBrands} from '../../contract/brands.ts'
import {brandColumns} from '../../terminal/catalog.ts'
import type {Listing} from '../../terminal/output.ts'

export default class CatalogBrands extends ScentCommand {
  static override summary = 'List the brands of the catalog.'
  static override description = 'Which fields a brand has is not documented: --json prints them as they came.'
  static override examples = [
    '<%= config.bin %> catalog brands',
    '<%= config.bin %> catalog brands --all --output csv',
  ]
  static override flags = {...apiFlags, ...listFlags}

  async run(): Promise<Listing> {
    const {flags} = await this.parse(CatalogBrands)
    const {client} = await this.session(flags)
    return this.list(client, listBrands, {}, flags, {columns: brandColumns, empty: 'There is no brand.'})
  }
}
