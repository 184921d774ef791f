import type {CallOf, Rules} from '../core/call.ts'
import type {Brand} from '../core/schema.ts'
import {pageOfRows} from '../door/page.ts'
import {refuse} from '../door/reply.ts'

/** K11: a brand belongs to a partner's catalogue if one of its variants does. */
const own = `FROM brands b WHERE EXISTS (
  SELECT 1 FROM scents s JOIN variants v ON v.scent_id = s.id JOIN assortment a ON a.variant_id = v.id
  WHERE s.brand_id = b.id AND a.partner_id = ?1)`

/** K08: GET /scent/brands, by name. */
function listBrands(call: CallOf<'listBrands'>): unknown {
  return pageOfRows(
    call,
    {columns: 'b.*', from: own, values: [call.partner.id], order: 'b.name, b.id'},
    brandPayload,
  )
}

function readBrand({world, partner, params}: CallOf<'readBrand'>): unknown {
  const row = world.get<Brand>(`SELECT b.* ${own} AND b.id = ?2`, partner.id, params.brandId.toLowerCase())
  return brandPayload(row ?? refuse('NOT_FOUND_BRAND'))
}

// K09. not shown: the fields of a brand.
const brandPayload = ({id, name, image_url}: Brand) => ({id, name, imageUrl: image_url})

export const rules = {listBrands, readBrand} satisfies Rules
