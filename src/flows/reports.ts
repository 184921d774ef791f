import type {Client} from '../client/client.ts'
import {Failure, isFailure} from '../contract/failure.ts'
import type {Payload} from '../contract/operation.ts'
import {readSalesReport, salesReports} from '../contract/reports.ts'

/** Reads a sales report. A name that the service has no route for is told as such, and not as a wrong host. */
export async function readSales(
  client: Client,
  report: string,
  window: {fromUtc: string; toUtc: string},
): Promise<Payload<typeof readSalesReport>> {
  try {
    return await client.call(readSalesReport, {params: {report}, query: window})
  } catch (error) {
    if (!isFailure(error, 'NOT_FOUND_ROUTE')) throw error
    throw new Failure(
      error.code,
      {
        ...error.facts,
        message: `The service has no sales report "${report}".`,
        hint: `The names are not documented; the sandbox knows ${salesReports.join(', ')}. Where none of them is known either, check the base URL: \`scent auth status\`.`,
      },
      {cause: error.cause},
    )
  }
}
