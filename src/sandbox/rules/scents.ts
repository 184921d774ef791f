import type {CallOf, Rules} from '../core/call.ts'
import type {Scent} from '../core/schema.ts'
import {pageOfRows} from '../door/page.ts'
import {invalid, refuse} from '../door/reply.ts'

// K10. not shown: the codes of the two lookups.
const lookups = {
  concentration: ['EDP', 'EDT', 'PARFUM', 'OIL'],
  audience: ['MEN', 'WOMEN', 'UNISEX'],
} as const

/** K11: a scent belongs to a partner's catalogue if one of its variants does. */
const own = `FROM scents s WHERE EXISTS (
  SELECT 1 FROM variants v JOIN assortment a ON a.variant_id = v.id WHERE v.scent_id = s.id AND a.partner_id = ?1)`

/** K08: GET /scent/scents, by name. */
function listScents(call: CallOf<'listScents'>): unknown {
  const {partner, query} = call
  refuseUnknownCodes(query)
  // K04: AND between filters, OR within a repeated one.
  const from = `${own} AND (?2 IS NULL OR s.brand_id IN (SELECT value FROM json_each(?2)))
    AND (?3 IS NULL OR s.concentration = ?3) AND (?4 IS NULL OR s.audience = ?4)`
  const brands = query.brandId === undefined ? null : JSON.stringify(query.brandId)
  const values = [partner.id, brands, query.concentration ?? null, query.audience ?? null]
  return pageOfRows(call, {columns: 's.*', from, values, order: 's.name, s.id'}, scentPayload)
}

/** G18: an id that is not a UUID is unknown. */
function readScent({world, partner, params}: CallOf<'readScent'>): unknown {
  const row = world.get<Scent>(`SELECT s.* ${own} AND s.id = ?2`, partner.id, params.scentId.toLowerCase())
  return scentPayload(row ?? refuse('NOT_FOUND_SCENT'))
}

/** Every unknown code is named; `list` and `value` are those of the first. */
function refuseUnknownCodes(query: CallOf<'listScents'>['query']): void {
  const unknown = (['concentration', 'audience'] as const).flatMap((list) => {
    const known: readonly string[] = lookups[list]
    const value = query[list]
    return value === undefined || known.includes(value) ? [] : [{list, value}]
  })
  const [first] = unknown
  if (first === undefined) return
  const errors = Object.fromEntries(unknown.map(({list}) => [list, ['is not a known code']]))
  invalid(errors, 'VALIDATION_UNKNOWN_LOOKUP_CODE', first)
}

// K09. not shown: the fields of a scent.
function scentPayload(row: Scent): object {
  return {
    id: row.id,
    brandId: row.brand_id,
    name: row.name,
    concentration: row.concentration,
    audience: row.audience,
    notes: JSON.parse(row.notes),
    accords: JSON.parse(row.accords),
    imageUrl: row.image_url,
    isActive: row.active === 1,
  }
}

export const rules = {listScents, readScent} satisfies Rules
