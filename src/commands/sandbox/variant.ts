import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {foldersOf} from '../../store/paths.ts'
import {requireSandbox} from '../../store/sandbox.ts'
import {outputFlags} from '../../terminal/flags.ts'
import {type SandboxVariant, sandboxVariantCard, termsTable} from '../../terminal/views/sandbox.ts'
import {amountOf} from './partner.ts'

const switches = ['on', 'off'] as const

export default class SandboxVariantCommand extends ScentCommand {
  static override summary = 'Show a variant of the sandbox, or change it.'
  static override description =
    'Price, assortment and mode are changed for every partner, or for the one of --partner. A new price applies to carts at once, and to nothing that is locked.'
  static override examples = [
    '<%= config.bin %> sandbox variant RML-SAF-050 --stock 1',
    '<%= config.bin %> sandbox variant RML-SAF-050 --price none',
    '<%= config.bin %> sandbox variant RML-SAF-050 --availability Unavailable',
  ]
  static override args = {variant: Args.string({description: 'Variant id or SKU.', required: true})}
  static override flags = {
    ...outputFlags,
    partner: Flags.string({summary: 'Only for this partner.', helpValue: 'PARTNER_ID'}),
    price: Flags.string({summary: 'Net price in SAR; none withdraws it.', helpValue: 'AMOUNT|none'}),
    floor: Flags.string({summary: 'Lowest net price in SAR that may be ordered.', helpValue: 'AMOUNT'}),
    stock: Flags.integer({summary: 'Units in stock.', helpValue: 'N', min: 0}),
    availability: Flags.option({options: ['Available', 'Limited', 'Unavailable'] as const})({
      summary: 'Withhold it from sale, or bring its stock into range.',
    }),
    assortment: Flags.option({options: switches})({summary: 'Whether it belongs to the assortment.'}),
    active: Flags.option({options: switches})({summary: 'Whether the catalog has it.'}),
    mode: Flags.option({options: ['Wholesale', 'Retail'] as const})({summary: 'Pricing mode.'}),
  }

  async run(): Promise<SandboxVariant> {
    const {args, flags} = await this.parse(SandboxVariantCommand)
    const change = {
      ...(flags.partner === undefined ? {} : {partnerId: flags.partner}),
      ...(flags.price === undefined ? {} : {price: flags.price === 'none' ? null : amountOf(flags.price)}),
      ...(flags.floor === undefined ? {} : {floor: amountOf(flags.floor)}),
      ...(flags.stock === undefined ? {} : {stock: flags.stock}),
      ...(flags.availability === undefined ? {} : {availability: flags.availability}),
      ...(flags.assortment === undefined ? {} : {assortment: flags.assortment === 'on'}),
      ...(flags.active === undefined ? {} : {active: flags.active === 'on'}),
      ...(flags.mode === undefined ? {} : {pricingMode: flags.mode}),
    }
    const {callAdmin} = await import('../../sandbox/controls/remote.ts')
    const path = `variants/${encodeURIComponent(args.variant)}`
    const running = requireSandbox(foldersOf())
    const asked = Object.keys(change).length === 0
    const variant = await callAdmin<SandboxVariant>(
      running,
      asked ? 'GET' : 'PATCH',
      path,
      asked ? undefined : change,
    )
    this.show(sandboxVariantCard(variant), termsTable(variant))
    return variant
  }
}
