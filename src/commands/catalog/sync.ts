import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {type CatalogEvent, type CatalogSync, syncCatalog} from '../../flows/catalog.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {syncCard} from '../../terminal/views/catalog.ts'

export default class SyncCatalog extends ScentCommand {
  static override summary = 'Bring the local catalog up to date.'
  static override description =
    `The local catalog knows SKU, name, brand and notes of each variant, so that commands and files may name SKUs, and \`catalog variants --search\` finds names. Prices and stock are not kept: they are always asked for.

Reads what has changed since the last sync; the first one reads everything. A command or import that names a SKU that is not known syncs by itself.

What has left the assortment only a sync with --full can tell.`
  static override examples = [
    '<%= config.bin %> catalog sync',
    '<%= config.bin %> catalog sync --full --json',
  ]
  static override flags = {
    ...apiFlags,
    full: Flags.boolean({summary: 'Read everything again, and forget what has left the assortment.'}),
  }

  async run(): Promise<CatalogSync> {
    const {flags} = await this.parse(SyncCatalog)
    const {catalogTools, progress} = await this.session(flags, {job: true})
    const tell = ({count, of}: CatalogEvent) => {
      if (process.stderr.isTTY) progress.say(`${count}${of === undefined ? '' : ` of ${of}`} variants read`)
    }
    const sync = await syncCatalog({...(await catalogTools()), tell}, flags)
    this.show(syncCard(sync))
    return sync
  }
}
