import type {Digits} from '../../contract/money.ts'
import type {WalletTransaction} from '../../contract/wallet.ts'
import {badge, money, time} from '../cells.ts'
import type {Card} from '../output.ts'
import type {Column, Table} from '../table.ts'

/** Columns of ledger entries; `display` adds those of the display currency. */
export function transactionColumns(display: boolean): Column<WalletTransaction>[] {
  const shown = display ? {} : ({shown: 'asked'} as const)
  return [
    {key: 'time', header: 'Time', get: ({timestamp}) => time(timestamp)},
    {key: 'type', header: 'Type', get: ({transactionType}) => badge(transactionType, {Debit: 'warn'})},
    {key: 'reference', header: 'For', get: ({referenceType}) => referenceType},
    {key: 'amount', header: 'Amount', get: (entry) => money(entry.amount, entry.currency)},
    {
      key: 'before',
      header: 'Balance before',
      shown: 'asked',
      get: (entry) => money(entry.balanceBefore, entry.currency),
    },
    {key: 'balance', header: 'Balance', get: (entry) => money(entry.balanceAfter, entry.currency)},
    {key: 'currency', header: 'Currency', shown: 'plain', get: ({currency}) => currency},
    {
      key: 'amount-display',
      header: 'Amount, about',
      ...shown,
      get: (entry) => money(entry.amountDisplay, entry.displayCurrency),
    },
    {
      key: 'balance-display',
      header: 'Balance, about',
      ...shown,
      get: (entry) => money(entry.balanceAfterDisplay, entry.displayCurrency),
    },
  ]
}

/** What the wallet holds after its newest entry. */
export function balanceCard(newest: WalletTransaction | null): Card<WalletTransaction | null> {
  const shown = newest?.displayCurrency ? {} : ({shown: 'asked'} as const)
  return {
    rows: [newest],
    upright: true,
    columns: [
      {key: 'balance', header: 'Balance', get: (entry) => money(entry?.balanceAfter, entry?.currency)},
      {key: 'currency', header: 'Currency', shown: 'plain', get: (entry) => entry?.currency},
      {key: 'as-of', header: 'As of', get: (entry) => time(entry?.timestamp)},
      {
        key: 'balance-display',
        header: 'About',
        ...shown,
        get: (entry) => money(entry?.balanceAfterDisplay, entry?.displayCurrency),
      },
    ],
  }
}

interface Gap {
  after: string | null
  before: string | null
  expected: Digits
  found: Digits
}

/** Where neighbouring entries do not fit: what the later one began with, and what the earlier one had left. */
export function gapTable({entries, gaps}: {entries: number; gaps: Gap[]}): Table<Gap> {
  return {
    rows: gaps,
    empty: entries === 0 ? 'Nothing was checked.' : 'There is no gap.',
    columns: [
      {key: 'later', header: 'Later entry', get: ({after}) => time(after)},
      {key: 'began', header: 'Began with', get: ({expected}) => expected},
      {key: 'earlier', header: 'Earlier entry', get: ({before}) => time(before)},
      {key: 'left', header: 'Left', get: ({found}) => found},
    ],
  }
}

export function chainText({entries, gaps}: {entries: number; gaps: Gap[]}): string {
  if (entries === 0) return 'There is no entry in this window, so there is nothing to check.'
  if (entries === 1) return 'There is one entry in this window, and no other to check its balance against.'
  if (gaps.length === 0) return `${entries} entries, and their balances follow from each other.`
  return `${entries} entries, with ${gaps.length} ${gaps.length === 1 ? 'gap' : 'gaps'} in their balances.`
}
