import {type Variant, variant} from '../../contract/variants.ts'
import type {VariantNames} from '../../flows/names.ts'
import {type Column, columns} from '../columns.ts'

/**
 * Columns of catalog variants; `display` adds those of the display currency. The service shows no names in a variant:
 * they come from the local catalog.
 */
export function variantColumns(display: boolean, names: VariantNames): Column<Variant>[] {
  const lines = `id Variant; sku! SKU; name- Name; sizeMl- ml; pricing.unitPrice- Price; pricing.totalWithVat Incl. VAT;
      pricing.currency+; pricing.display.unitPriceDisplay${display ? '' : '?'} Price, about;
      availability.state- Stock; availability.availableQuantity? Available; pricing.rrp? RRP;
      barcode? Barcode; brand? Brand; scentId? Scent; isSample? Sample`
  const name = (variant: Variant) => names.of(variant).name
  const brand = (variant: Variant) => names.of(variant).brand
  return columns(variant, lines, {name, brand})
}
