import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {listScents, readScent, type Scent} from '../../contract/scents.ts'
import {apiFlags, listFlags} from '../../terminal/flags.ts'
import type {Listing} from '../../terminal/output.ts'
import {card} from '../../terminal/table.ts'
import {scentColumns} from '../../terminal/views/catalog.ts'

export default class CatalogScents extends ScentCommand {
  static override summary = 'List the scents of the catalog, or show one.'
  static override description =
    'A scent is what its variants, the bottles of one size each, have in common: name, brand, notes, accords.'
  static override examples = [
    '<%= config.bin %> catalog scents',
    '<%= config.bin %> catalog scents 8f4ef755-2bb4-4fd2-9a67-94dd1f96fd81',
    '<%= config.bin %> catalog scents --audience UNISEX --columns name,notes.top,notes.heart,notes.base',
  ]
  static override args = {
    scent: Args.string({
      description: 'Scent id, a UUID: shows this one, whatever the flags of the list say.',
    }),
  }
  static override flags = {
    ...apiFlags,
    ...listFlags,
    brand: Flags.string({
      summary: 'Brand id; repeatable.',
      multiple: true,
      helpValue: 'UUID',
      multipleNonGreedy: true,
    }),
    concentration: Flags.string({summary: 'Concentration code, such as EDP.', helpValue: 'CODE'}),
    audience: Flags.string({summary: 'Audience code, such as UNISEX.', helpValue: 'CODE'}),
  }

  async run(): Promise<Listing | Scent> {
    const {args, flags} = await this.parse(CatalogScents)
    const {client} = await this.session(flags)
    if (args.scent !== undefined) {
      const one = await client.call(readScent, {params: {scentId: args.scent}})
      await this.showAnswer(one, (scent) => [card(scent, scentColumns)])
      return one
    }
    const query = {brandId: flags.brand, concentration: flags.concentration, audience: flags.audience}
    return this.list(client, listScents, {query}, flags, {columns: scentColumns, empty: 'No scent matches.'})
  }
}
