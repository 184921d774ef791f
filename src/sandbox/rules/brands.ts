import type {CallOf, Rules} from '../core/call.ts'
import {pageOf} from '../door/page.ts'
import {refuse} from '../door/reply.ts'

interface BrandRow {
  id: string
  name: string
  image_url: string
}

/** K11: a brand belongs to a partner's catalogue when one of its variants does. */
const own = `FROM brands b WHERE EXISTS (
  SELECT 1 FROM scents s JOIN variants v ON v.scent_id = s.id JOIN assortment a ON a.variant_id = v.id
  WHERE s.brand_id = b.id AND a.partner_id = ?1)`

/** K08: GET /scent/brands, by name. */
function listBrands({world, partner, query}: CallOf<'listBrands'>): unknown {
  const total = world.get<{n: number}>(`SELECT count(*) AS n ${own}`, partner.id)?.n ?? 0
  const sql = `SELECT b.* ${own} ORDER BY b.name, b.id LIMIT ?2 OFFSET ?3`
  return pageOf(query, total, {ends: false}, (limit, offset) =>
    world.all<BrandRow>(sql, partner.id, limit, offset).map(brandPayload),
  )
}

function readBrand({world, partner, params}: CallOf<'readBrand'>): unknown {
  const row = world.get<BrandRow>(`SELECT b.* ${own} AND b.id = ?2`, partner.id, params.brandId.toLowerCase())
  return brandPayload(row ?? refuse('NOT_FOUND_BRAND'))
}

// K09. not shown: the fields of a brand.
const brandPayload = ({id, name, image_url}: BrandRow) => ({id, name, imageUrl: image_url})

export const rules = {listBrands, readBrand} satisfies Rules
