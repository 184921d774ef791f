import {describe, expect, test} from 'vitest'
import {digits} from '../../src/contract/money.ts'
import {listWalletTransactions, type WalletTransaction} from '../../src/contract/wallet.ts'
import {openChain, reconcile} from '../../src/flows/ledger.ts'
import {checkLedger} from '../../src/flows/wallet.ts'
import {openShop} from '../support/shop.ts'

const entry = (before: string, after: string, timestamp = '2026-01-01T00:00:00Z') =>
  ({balanceBefore: digits(before), balanceAfter: digits(after), amount: 1, timestamp}) as WalletTransaction

function checked(...entries: WalletTransaction[]) {
  const chain = openChain()
  for (const one of entries) chain.add(one)
  return chain.result()
}

describe('the chain of balances', () => {
  test('is unbroken where each entry begins with what the one before it left', () => {
    expect(checked(entry('20.10', '30'), entry('10', '20.1'))).toEqual({entries: 2, gaps: [], unbroken: true})
    expect(checked()).toEqual({entries: 0, gaps: [], unbroken: true})
  })

  test('names each gap by its two entries and balances, in the digits of the service', () => {
    const later = entry('20.10', '30', '2026-01-02T00:00:00Z')
    const {gaps, unbroken} = checked(later, entry('10', '20.09'), entry('0', '11'))
    expect(unbroken).toBe(false)
    expect(gaps.map((gap) => [gap.after, gap.before, String(gap.expected), String(gap.found)])).toEqual([
      ['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z', '20.10', '20.09'],
      ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', '10', '11'],
    ])
  })

  test('does not compare what is not a number', () => {
    const odd = {amount: 1, balanceBefore: null, balanceAfter: 'many'} as unknown as WalletTransaction
    expect(checked(entry('1', '2'), odd, entry('0', '1')).unbroken).toBe(true)
  })

  test('of the demo data is unbroken, and breaks where an entry is taken out', async () => {
    const shop = await openShop()
    try {
      const all = await shop.ledger()
      expect(await checkLedger(shop.client, {})).toEqual({entries: all.length, gaps: [], unbroken: true})
      const [first, , ...rest] = all
      if (!first) throw new Error('no entries')
      expect(checked(first, ...rest).gaps).toHaveLength(1)
    } finally {
      await shop.close()
    }
  })

  test('is followed over many pages, in as many requests as there are pages', async () => {
    const shop = await openShop()
    try {
      const {pagination} = await shop.client.call(listWalletTransactions, {query: {pageSize: 1}})
      expect((await checkLedger(shop.client, {})).entries).toBe(pagination?.totalCount)
    } finally {
      await shop.close()
    }
  })
})

describe('a statement', () => {
  const lines = [
    {transactionType: 'Debit', amount: digits('10.10')},
    {transactionType: 'Debit', amount: digits('0.20')},
    {transactionType: 'Credit', amount: digits('5.05')},
  ]

  test('reconciles if its totals are the sums of its lines, to the last digit', () => {
    const totals = {totalDebits: digits('10.30'), totalCredits: digits('5.050'), netPosition: digits('-5.25')}
    expect(reconcile({...totals, lines})).toEqual([])
  })

  test('names each total that differs', () => {
    const wrong = reconcile({
      totalDebits: digits('10.31'),
      totalCredits: digits('5.05'),
      netPosition: digits('-5.26'),
      lines,
    })
    expect(wrong?.map(({what, stated, computed}) => [what, String(stated), String(computed)])).toEqual([
      ['totalDebits', '10.31', '10.3'],
      ['netPosition', '-5.26', '-5.25'],
    ])
  })

  test('without totals is not compared', () => {
    expect(reconcile({lines})).toEqual([])
  })

  test.each([
    ['no lines', undefined],
    ['a text in their place', 'none'],
    ['a line that is null', [null]],
    ['a line that is a text', ['x']],
    ['an amount that is a text', [{transactionType: 'Debit', amount: 'ten'}]],
    ['a line that does not tell its side', [{amount: digits('10.10')}]],
  ])('with %s does not tell whether it adds up', (_, odd) => {
    expect(reconcile({totalDebits: 1, lines: odd} as never)).toBeUndefined()
  })
})
