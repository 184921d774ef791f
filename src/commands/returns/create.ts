import * as Flags from '@oclif/core/flags'
import {orderNames} from '../../bulk/orders/names.ts'
import type {Client} from '../../client/client.ts'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import type {ReturnBody, ReturnRequest} from '../../contract/returns.ts'
import {scentIdOf, withOrder} from '../../flows/order/named.ts'
import {readReturnable, requestReturn, typedReturn} from '../../flows/returns.ts'
import {apiFlags, orderArg, requireUuid} from '../../terminal/flags.ts'
import {nextText} from '../../terminal/next.ts'
import {card} from '../../terminal/table.ts'
import {counted} from '../../terminal/text.ts'
import {askLines, deliveredTable, returnableTable, returnColumns} from '../../terminal/views/returns.ts'

type Lines = ReturnBody['lines']

export default class ReturnsCreate extends ScentCommand {
  static override summary = 'Request the return of delivered lines.'
  static override description =
    `In a terminal, without --line, it shows what of the order can still be returned, asks for quantities and reasons, and asks once before it sends them; with --line it sends what was typed. Nothing is refunded before the service has decided. A line with a request that is still open takes no other one. The API does not show units that a notice cancelled: they count as returnable there, and the service refuses them.

The one documented reason is Damaged. After a lost answer the request is asked once more, and found in the list if it was made already.`
  static override examples = [
    '<%= config.bin %> returns create PO-118',
    '<%= config.bin %> returns create PO-118 --line NJD-LEA-050=1:Damaged',
    '<%= config.bin %> returns create 90bae10f-2603-42ed-9e88-4cb7a414536e --group b6c41220-c71d-401e-8033-a060b57915d7 --line 4350d60a-9c0b-4de2-93a4-b1e2348e8601=1:Damaged',
  ]
  static override args = {order: orderArg}
  static override flags = {
    ...apiFlags,
    group: Flags.string({
      summary: 'Delivered fulfillment group; needed only if there are several.',
      helpValue: 'UUID',
    }),
    line: Flags.string({
      summary: 'Line, by its SKU or id, quantity and reason, with an allocation if one is known; repeatable.',
      helpValue: 'LINE=QTY:REASON[:ALLOCATION]',
      multiple: true,
      multipleNonGreedy: true,
    }),
  }

  async run(): Promise<ReturnRequest> {
    const {args, flags} = await this.parse(ReturnsCreate)
    const given = linesOf(flags.line)
    if (flags.group !== undefined) requireUuid('--group', flags.group)
    if (!given && !(await this.ask()).interactive)
      throw new Failure('MISSING_INPUT', {
        message: 'Nobody can be asked for the lines to return.',
        hint: 'Give --line SKU=QTY:REASON, and --group UUID if several deliveries of the order arrived.',
      })
    const session = await this.session(flags)
    const {client} = session
    const names = orderNames(session, (text) => this.note(text))
    return withOrder(names, args.order, async (order) => {
      const orderId = await scentIdOf(client, order)
      const body = given
        ? await typedReturn(client, orderId, given, flags.group)
        : await this.asked(client, {id: orderId, name: args.order}, flags.group)
      const request = await requestReturn(client, orderId, body)
      this.show(card(request, returnColumns))
      this.aside(nextText('returns', 'list', '--order', args.order))
      return request
    })
  }

  private async asked(
    client: Client,
    order: {id: string; name: string},
    group: string | undefined,
  ): Promise<ReturnBody> {
    const ask = await this.ask()
    const {groups, lines} = await readReturnable(client, order.id)
    if (groups.length === 0)
      throw new Failure('BUSINESS_RETURN_REQUEST_GROUP_NOT_DELIVERED', {effect: 'none'})
    await this.screen(deliveredTable(groups))
    await this.screen(returnableTable(lines))
    this.note('Units that a notice cancelled count as returnable here: the API does not show them.')
    if (lines.every(({remaining}) => remaining === 0)) {
      const open = lines.find((line) => line.open !== null)?.open
      if (open)
        throw new Failure('BUSINESS_RETURN_REQUEST_DUPLICATE_LINE', {
          message: `Nothing of this order can be returned now: request ${open} is open.`,
          effect: 'none',
        })
      const message = 'Nothing of this order can be returned any more.'
      throw new Failure('BUSINESS_RETURN_REQUEST_EXCEEDS_REMAINING', {message, effect: 'none'})
    }
    const choices = groups.map(({id, status, deliveredAt}) => ({
      name: `${id}, ${status} ${deliveredAt ?? ''}`,
      value: id,
    }))
    const only = groups.length === 1 ? groups[0]?.id : undefined
    const fulfillmentGroupId =
      group ?? only ?? (await ask.choose({message: 'Which delivery?', flag: '--group', choices}))
    const asked = await askLines(ask, lines)
    if (asked.length === 0) throw new Failure('DECLINED', {message: 'No line was chosen. Nothing was sent.'})
    const units = asked.reduce((sum, {quantity}) => sum + quantity, 0)
    await this.confirm(`Request the return of ${counted(units, 'unit')} of order ${order.name}?`)
    const wanted = asked.map(({lineId, quantity, reason}) => ({
      scentOrderLineId: lineId,
      quantity,
      reasonCode: reason,
    }))
    return {fulfillmentGroupId, lines: wanted}
  }
}

/** The lines that the flags name. Fails with INVALID_INPUT, also if one is named twice. */
function linesOf(texts: string[] | undefined): Lines | undefined {
  const lines = texts?.map(lineOf)
  const seen = new Set<string>()
  for (const {scentOrderLineId, allocationId = ''} of lines ?? []) {
    const key = `${scentOrderLineId}:${allocationId}`.toLowerCase()
    if (seen.has(key))
      throw new Failure('INVALID_INPUT', {
        message: `--line ${scentOrderLineId} is given twice.`,
        hint: 'Give each line once, with all its units. The units of one line have one reason in a request.',
      })
    seen.add(key)
  }
  return lines
}

const LINE = /^([^=]+)=([1-9]\d{0,8}):([^:]+)(?::([^:]+))?$/

function lineOf(text: string): Lines[number] {
  const [, id, quantity, reasonCode, allocationId] = LINE.exec(text) ?? []
  if (id === undefined || reasonCode === undefined)
    throw new Failure('INVALID_INPUT', {
      message: `--line "${text}" is not LINE=QTY:REASON[:ALLOCATION].`,
      hint: 'Such as RML-SAF-050=1:Damaged.',
    })
  const line = {scentOrderLineId: id, quantity: Number(quantity), reasonCode}
  return allocationId === undefined ? line : {...line, allocationId}
}
