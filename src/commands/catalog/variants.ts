import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import type {Query} from '../../contract/operation.ts'
import {pageSizeLimit} from '../../contract/paging.ts'
import {listVariants} from '../../contract/variants.ts'
import {openNames, readInOrder, searchVariants} from '../../flows/names.ts'
import type {Session} from '../../session.ts'
import {apiFlags, type ListFlags, listFlags} from '../../terminal/flags.ts'
import type {Listing} from '../../terminal/output.ts'
import {oneOf} from '../../terminal/parsing.ts'
import {momentIn, timeFlag, timeHelp} from '../../terminal/times.ts'
import {variantColumns} from '../../terminal/views/variants.ts'

export const include = Flags.string({
  summary: 'Parts to read with it, by comma: pricing, availability, tax. VAT comes with pricing.',
  default: 'pricing,availability',
  helpValue: 'A,B',
})

export default class CatalogVariants extends ScentCommand {
  static override summary = 'List the variants of your assortment.'
  static override description =
    `--search finds by name, brand, note, SKU and size, in the local copy of the catalog, which it brings up to date; prices and stock are those of this moment. It goes with the other filters. Names come from that copy too.\n\nRepeatable filters match any of their values. ${timeHelp} --min-price and --max-price are inclusive, and look at the current catalog price, not at the price this account pays.`
  static override examples = [
    '<%= config.bin %> catalog variants --search "saffron 50"',
    '<%= config.bin %> catalog variants --note oud --note rose --max-price 500',
    '<%= config.bin %> catalog variants --all --output csv > variants.csv',
    '<%= config.bin %> catalog variants --changed-since 7d --all --output ndjson',
  ]
  static override flags = {
    ...apiFlags,
    ...listFlags,
    search: Flags.string({
      summary: 'Words of name, brand, notes or SKU, and the size.',
      helpValue: 'TEXT',
      exclusive: ['page', 'changed-since'],
    }),
    id: Flags.string({
      summary: 'Variant, by SKU or id; repeatable.',
      multiple: true,
      helpValue: 'VARIANT',
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
    'changed-since': timeFlag({summary: 'Only what changed after this time, oldest change first.'}),
    include,
    inactive: Flags.boolean({summary: 'Inactive ones too.'}),
  }

  async run(): Promise<Listing> {
    const {flags} = await this.parse(CatalogVariants)
    const session = await this.session(flags)
    const query = {
      id: flags.id && (await session.variants(flags.id)),
      scentId: flags.scent,
      note: flags.note,
      accord: flags.accord,
      minPrice: flags['min-price'],
      maxPrice: flags['max-price'],
      changedSince: momentIn(flags['changed-since'], session.lastNow()),
      include: tokens(flags.include),
      activeOnly: flags.inactive ? false : undefined,
    }
    const names = openNames(await session.catalogTools())
    const view = {
      columns: variantColumns(flags.currency !== undefined, names),
      empty: 'No variant matches.',
      through: names.through,
    }
    if (flags.search === undefined) return this.list(session.client, listVariants, {query}, flags, view)
    const items = await this.matching(session, flags.search, query, flags)
    this.show({...view, rows: names.through(items)})
    return {items}
  }

  /** The variants that fit a text, as many as the list flags ask for. */
  private async matching(
    session: Session,
    text: string,
    query: Query<typeof listVariants>,
    flags: ListFlags,
  ) {
    const tools = await session.catalogTools()
    const among = query.id?.map((id) => id.toLowerCase())
    const ids = (await searchVariants(tools, text)).filter((id) => among?.includes(id) ?? true)
    const most = flags.all ? ids.length : (flags.limit ?? flags['page-size'] ?? pageSizeLimit.default)
    if (ids.length > most && flags.limit === undefined)
      this.note(`The first ${most} of ${ids.length} variants that match; --all shows them.`)
    return readInOrder(tools, ids, query, most)
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
