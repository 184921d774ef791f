import type {Brand} from '../../contract/brands.ts'
import type {Scent} from '../../contract/scents.ts'
import {joined, time} from '../cells.ts'
import type {Card} from '../output.ts'
import type {Column} from '../table.ts'

/** Columns of scents. */
export const scentColumns: Column<Scent>[] = [
  {key: 'id', header: 'Scent', whole: true, get: ({id}) => id},
  {key: 'name', header: 'Name', get: ({name}) => name},
  {key: 'concentration', header: 'Concentration', yields: true, get: ({concentration}) => concentration},
  {key: 'audience', header: 'Audience', yields: true, get: ({audience}) => audience},
  {key: 'accords', header: 'Accords', yields: true, get: ({accords}) => joined(accords)},
  {key: 'brand', header: 'Brand', shown: 'asked', whole: true, get: ({brandId}) => brandId},
  {key: 'top', header: 'Top notes', shown: 'asked', get: ({notes}) => joined(notes?.top)},
  {key: 'heart', header: 'Heart notes', shown: 'asked', get: ({notes}) => joined(notes?.heart)},
  {key: 'base', header: 'Base notes', shown: 'asked', get: ({notes}) => joined(notes?.base)},
  {key: 'active', header: 'Active', shown: 'asked', get: ({isActive}) => isActive},
]

/** Columns of brands. */
export const brandColumns: Column<Brand>[] = [
  {key: 'id', header: 'Brand', whole: true, get: ({id}) => id},
  {key: 'name', header: 'Name', get: ({name}) => name},
  {key: 'image', header: 'Image', shown: 'asked', get: ({imageUrl}) => imageUrl},
]

/** Everything of one scent. */
export const scentCard = (one: Scent): Card<Scent> => cardOf(one, scentColumns)

/** Everything of one brand. */
export const brandCard = (one: Brand): Card<Brand> => cardOf(one, brandColumns)

function cardOf<Row>(one: Row, columns: Column<Row>[]): Card<Row> {
  return {rows: [one], upright: true, columns: columns.map(({shown, ...column}) => column)}
}

/** What a sync of the local catalog has done. */
interface Sync {
  variants: number
  read: number
  changed: number
  gone: number | null
  full: boolean
  syncedAt: string
}

export function syncCard(sync: Sync): Card<Sync> {
  return {
    rows: [sync],
    upright: true,
    columns: [
      {key: 'variants', header: 'Variants known', get: ({variants}) => variants},
      {key: 'read', header: 'Read', get: ({read}) => read},
      {key: 'changed', header: 'New or changed', get: ({changed}) => changed},
      {key: 'gone', header: 'Gone', get: ({gone}) => gone},
      {key: 'full', header: 'Everything read', get: ({full}) => full},
      {key: 'synced', header: 'Synced', get: ({syncedAt}) => time(syncedAt)},
    ],
  }
}
