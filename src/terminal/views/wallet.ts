import {type WalletTransaction, walletTransaction} from '../../contract/wallet.ts'
import type {Gap} from '../../flows/ledger.ts'
import {money} from '../cells.ts'
import {type Column, columns, localColumns} from '../columns.ts'
import {type Card, card, type Table} from '../table.ts'

/** Columns of ledger entries; `display` adds those of the display currency. */
export function transactionColumns(display: boolean): Column<WalletTransaction>[] {
  const about = display ? '' : '?'
  const lines = `timestamp Time; transactionType Type; referenceType For; amount!; balanceBefore? Balance before;
    balanceAfter Balance; currency+; amountDisplay${about} Amount, about;
    balanceAfterDisplay${about} Balance, about`
  return columns(walletTransaction, lines)
}

/** The balance of the wallet after its newest entry. */
export function balanceCard(newest: WalletTransaction | null): Card<WalletTransaction | null> {
  const lines = 'balanceAfter Balance; currency+; timestamp As of; balanceAfterDisplay? About'
  return card(newest, columns(walletTransaction, lines))
}

/** Where neighbouring entries do not fit: what the later one began with, and what the earlier one had left. */
export function gapTable({entries, gaps}: {entries: number; gaps: Gap[]}): Table<Gap> {
  const lines = 'after Later entry; expected Began with; before Earlier entry; found Left'
  const columns = localColumns<Gap>(lines, {
    expected: ({expected}) => money(expected, 'SAR'),
    found: ({found}) => money(found, 'SAR'),
  })
  return {rows: gaps, empty: entries === 0 ? 'Nothing was checked.' : 'There is no gap.', columns}
}

export function chainText({entries, gaps}: {entries: number; gaps: Gap[]}): string {
  if (entries === 0) return 'There is no entry in this window, so there is nothing to check.'
  if (entries === 1) return 'There is one entry in this window, and no other to check its balance against.'
  if (gaps.length === 0) return `${entries} entries, and their balances follow from each other.`
  return `${entries} entries, with ${gaps.length} ${gaps.length === 1 ? 'gap' : 'gaps'} in their balances.`
}
