import * as Flags from '@oclif/core/flags'
import {apiFlags, listFlags, ScentCommand} from '../../command.ts'
import {listScents} from '../../contract/scents.ts'
import {scentColumns} from '../../terminal/catalog.ts'
import type {Listing} from '../../terminal/output.ts'

export default class CatalogScents extends ScentCommand {
  static override summary = 'List the scents of the catalog.'
  static override description =
    'A scent is what its variants, the bottles of one size each, have in common: name, brand, notes, accords.'
  static override examples = [
    '<%= config.bin %> catalog scents',
    '<%= config.bin %> catalog scents --audience UNISEX --columns name,top,heart,base',
  ]
  static override flags = {
    ...apiFlags,
    ...listFlags,
    brand: Flags.string({summary: 'Brand id.', multiple: true, helpValue: 'UUID', multipleNonGreedy: true}),
    concentration: Flags.string({summary: 'Concentration code, such as EDP.', helpValue: 'CODE'}),
    audience: Flags.string({summary: 'Audience code, such as UNISEX.', helpValue: 'CODE'}),
  }

  async run(): Promise<Listing> {
    const {flags} = await this.parse(CatalogScents)
    const {client} = await this.session(flags)
    const query = {brandId: flags.brand, concentration: flags.concentration, audience: flags.audience}
    return this.list(client, listScents, {query}, flags, {columns: scentColumns, empty: 'No scent matches.'})
  }
}
