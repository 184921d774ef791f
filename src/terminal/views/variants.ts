import {type Variant, variant} from '../../contract/variants.ts'
import {type Column, columns} from '../columns.ts'

/** Columns of catalog variants; `display` adds those of the display currency. */
export const variantColumns = (display: boolean): Column<Variant>[] =>
  columns(
    variant,
    `id Variant; sku! SKU; sizeMl- ml; pricing.unitPrice- Price; pricing.totalWithVat Incl. VAT;
      pricing.currency+; pricing.display.unitPriceDisplay${display ? '' : '?'} Price, about;
      availability.state- Stock; availability.availableQuantity? Available; pricing.rrp? RRP;
      barcode? Barcode; scentId? Scent; isSample? Sample`,
  )
