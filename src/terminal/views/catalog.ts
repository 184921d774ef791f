import {brand} from '../../contract/brands.ts'
import {scent} from '../../contract/scents.ts'
import type {CatalogSync} from '../../flows/catalog.ts'
import {columns, localColumns} from '../columns.ts'
import {type Card, card} from '../table.ts'

export const scentColumns = columns(
  scent,
  `id Scent; name; concentration-; audience-; accords-; brandId? Brand; notes.top? Top notes;
    notes.heart? Heart notes; notes.base? Base notes; isActive? Active`,
)

export const brandColumns = columns(brand, 'id Brand; name; imageUrl? Image')

/** The result of a sync of the local catalog. */
export function syncCard(sync: CatalogSync): Card<CatalogSync> {
  const lines = `variants Variants known; read Read; changed New or changed; gone Gone; full Everything read;
    syncedAt Synced`
  return card(sync, localColumns<CatalogSync>(lines))
}
