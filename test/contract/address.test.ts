import {expect, test} from 'vitest'
import {checkAddress} from '../../src/contract/address.ts'
import {address} from '../support/address.ts'

test.each(['x', '+', '1234', '+966 5', '٠١٢٣'])(
  'the phone %j is no number: it needs five digits',
  (phone) => {
    expect(() => checkAddress({...address, phone})).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        facts: expect.objectContaining({
          details: {errors: {phone: [`${JSON.stringify(phone)} needs at least 5 digits`]}},
        }),
      }),
    )
  },
)

test.each(['12345', '+966 50-123-4567', '٠١٢٣٤'])('the phone %j is one', (phone) => {
  expect(checkAddress({...address, phone}).phone).toBe(phone)
})

test('a national address has no length that is checked', () => {
  expect(checkAddress({...address, nationalAddress: 'R 1'}).nationalAddress).toBe('R 1')
})

test.each(['9.66501E+11', '9,66501e11'])('the phone %j is what a spreadsheet has left of one', (phone) => {
  expect(() => checkAddress({...address, phone})).toThrow(
    expect.objectContaining({
      facts: expect.objectContaining({
        details: {errors: {phone: [expect.stringContaining('format the column as text')]}},
      }),
    }),
  )
})
