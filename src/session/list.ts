import type {Client} from '../client/client.ts'
import type {Item} from '../client/pages.ts'
import type {Input, Operation} from '../contract/operation.ts'
import {itemsOf} from '../contract/paging.ts'
import type {ListFlags} from '../terminal/flags.ts'
import type {Listing} from '../terminal/output.ts'
import type {ListView, Rows} from '../terminal/table.ts'

/**
 * Reads a paged list as the list flags ask for it: one page, or all rows, which are read while they are taken. `rows`
 * is undefined if the answer is not a list.
 */
export async function readList<O extends Operation>(
  client: Client,
  operation: O,
  input: Input<O>,
  flags: ListFlags,
  {through = (rows) => rows}: Pick<ListView<Item<O>>, 'through'>,
): Promise<{document: Listing; rows: Rows<Item<O>> | undefined}> {
  const {all, limit, page, 'page-size': pageSize} = flags
  const paged = {
    ...input,
    query: {...input.query, ...(!all && limit === undefined && {page}), pageSize},
  } as Input<O>
  if (all || limit !== undefined) {
    const rows = client.pages(operation, paged, {onlyShown: true, ...(limit !== undefined && {limit})})
    return {document: {items: rows}, rows: through(rows)}
  }
  const document: unknown = await client.call(operation, paged, {onlyShown: true})
  const rows = itemsOf(document) as Item<O>[] | undefined
  return {document: document as Listing, rows: rows && through(rows)}
}
