import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {listVariants} from '../../contract/variants.ts'
import {apiFlags, listFlags} from '../../terminal/flags.ts'
import type {Listing} from '../../terminal/output.ts'
import {oneOf} from '../../terminal/parsing.ts'
import {variantColumns} from '../../terminal/views/variants.ts'

export const include = Flags.string({
  summary: 'Parts to read with it, by comma: pricing, availability, tax. VAT comes with pricing.',
  default: 'pricing,availability',
  helpValue: 'A,B',
})

export default class CatalogVariants extends ScentCommand {
  static override summary = 'List the variants of your assortment.'
  static override description =
    'Repeatable filters match any of their values. Times without an offset are UTC; a date alone means its first moment. --min-price and --max-price are inclusive, and look at the current catalog price, not at the price this account pays.'
  static override examples = [
    '<%= config.bin %> catalog variants --note oud --note rose --max-price 500',
    '<%= config.bin %> catalog variants --all --output csv > variants.csv',
    '<%= config.bin %> catalog variants --changed-since 2026-01-31 --all --output ndjson',
  ]
  static override flags = {
    ...apiFlags,
    ...listFlags,
    id: Flags.string({
      summary: 'Variant id; repeatable.',
      multiple: true,
      helpValue: 'UUID',
      multipleNonGreedy: true,
    }),
    scent: Flags.string({
      summary: 'Scent id; repeatable.',
      multiple: true,
      helpValue: 'UUID',
      multipleNonGreedy: true,
    }),
    note: Flags.string({
      summary: 'Fragrance note; repeatable.',
      multiple: true,
      helpValue: 'N',
      multipleNonGreedy: true,
    }),
    accord: Flags.string({
      summary: 'Accord; repeatable.',
      multiple: true,
      helpValue: 'A',
      multipleNonGreedy: true,
    }),
    'min-price': Flags.string({summary: 'Lowest current price.', helpValue: 'D'}),
    'max-price': Flags.string({summary: 'Highest current price.', helpValue: 'D'}),
    'changed-since': Flags.string({
      summary: 'Only what changed after this time, oldest change first.',
      helpValue: 'TIME',
    }),
    include,
    inactive: Flags.boolean({summary: 'Inactive ones too.'}),
  }

  async run(): Promise<Listing> {
    const {flags} = await this.parse(CatalogVariants)
    const {client} = await this.session(flags)
    const query = {
      id: flags.id,
      scentId: flags.scent,
      note: flags.note,
      accord: flags.accord,
      minPrice: flags['min-price'],
      maxPrice: flags['max-price'],
      changedSince: flags['changed-since'],
      include: tokens(flags.include),
      activeOnly: flags.inactive ? false : undefined,
    }
    const columns = variantColumns(flags.currency !== undefined)
    return this.list(client, listVariants, {query}, flags, {columns, empty: 'No variant matches.'})
  }
}

/** The tokens of --include; an empty value leaves the parameter out. */
export function tokens(include: string): string[] | undefined {
  const given = include
    .split(',')
    .map((token) => token.trim())
    .filter((token) => token !== '')
    .map((token) => oneOf('--include', token, listVariants.query.include.values))
  return given.length === 0 ? undefined : given
}
