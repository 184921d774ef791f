import type {Client} from '../client/client.ts'
import {isFailure} from '../contract/failure.ts'
import type {Payload} from '../contract/operation.ts'
import {readSalesReport, salesReports} from '../contract/reports.ts'
import {reworded} from './lost.ts'

/** Reads a sales report. If the service has no route for the name, the failure says that, and does not blame the host. */
export async function readSales(
  client: Client,
  report: string,
  window: {fromUtc: string; toUtc: string},
): Promise<Payload<typeof readSalesReport>> {
  try {
    return await client.call(readSalesReport, {params: {report}, query: window})
  } catch (error) {
    if (!isFailure(error, 'NOT_FOUND_ROUTE')) throw error
    throw reworded(error, {
      message: `The service has no sales report "${report}".`,
      hint: `The names are not documented; the sandbox knows ${salesReports.join(', ')}. If none of them works either, check the base URL: \`scent auth status\`.`,
    })
  }
}
