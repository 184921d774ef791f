import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {Readable} from 'node:stream'
import {expect, test} from 'vitest'
import {checkOrderFile, type FileOrder, ordersIn} from '../../src/flows/order-file.ts'
import {openRows} from '../../src/store/rows.ts'
import {folder} from '../support/program.ts'

const header =
  'externalReference,customerRef,variantId,quantity,recipient,line1,line2,city,nationalAddress,region,postalCode,countryCode,phone,discountCode'
const rose = '6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43'
const oud = '7c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43'
const to = 'Noura,King Fahd Road 12,,Riyadh,RRRD2929,,,SAU,+966501234567,'

async function read(text: string) {
  const path = join(folder(), 'orders')
  writeFileSync(path, text)
  const file = await openRows(path, Readable.from([]))
  const checked = await checkOrderFile(file)
  const orders: FileOrder[] = []
  if (checked.problemCount === 0) for await (const order of ordersIn(file, checked)) orders.push(order)
  await file.close()
  return {checked, orders, problems: checked.problems.map((one) => Object.values(one).join(' | '))}
}

test('rows of one reference form one order, wherever they stand', async () => {
  const {orders} = await read(
    `${header}\nA,C-1,${rose},2,${to}\nB,C-2,${rose},1,${to}\nA,,${oud},3,,,,,,,,,,\n`,
  )
  expect(orders.map(({reference, rows}) => [reference, rows])).toEqual([
    ['B', [3]],
    ['A', [2, 4]],
  ])
  expect(orders[1]).toMatchObject({
    customerRef: 'C-1',
    lines: [
      {variantId: rose, quantity: 2},
      {variantId: oud, quantity: 3},
    ],
    address: {recipient: 'Noura', phone: '+966501234567'},
  })
})
