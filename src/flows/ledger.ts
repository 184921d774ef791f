import {type Digits, digits, exact, isDigits} from '../contract/money.ts'
import type {StatementDocument} from '../contract/statements.ts'
import type {WalletTransaction} from '../contract/wallet.ts'

/** Two neighbouring ledger entries whose balances do not fit. Gaps are listed newest first, as the ledger is. */
export interface Gap {
  /** The later entry's time, and the earlier one's. */
  after: string | null
  before: string | null
  /** The balance before the later entry, and the balance after the earlier one. */
  expected: Digits
  found: Digits
}

/** Checks the chain of balances through entries given newest first. */
export function openChain() {
  const gaps: Gap[] = []
  let later: WalletTransaction | undefined
  let entries = 0
  return {
    add(entry: WalletTransaction): void {
      entries += 1
      const [expected, found] = [later?.balanceBefore, entry.balanceAfter]
      if (isDigits(expected) && isDigits(found) && !exact(expected).eq(exact(found))) {
        gaps.push({after: later?.timestamp ?? null, before: entry.timestamp ?? null, expected, found})
      }
      later = entry
    },
    result: () => ({entries, gaps, unbroken: gaps.length === 0}),
  }
}

export interface Mismatch {
  what: string
  stated: Digits
  computed: Digits
}

/** Nothing has checked yet that the lines of an answer are a list of objects. */
const linesOf = ({lines}: StatementDocument) =>
  (Array.isArray(lines) ? lines : []).filter((line) => typeof line === 'object' && line !== null)

/**
 * Lists the totals of a statement that are not the sums of its lines. Debits are the lines of type Debit, credits all
 * others (not shown: their types). A total that the document does not state is not compared.
 */
export function reconcile(document: StatementDocument): Mismatch[] {
  const lines = linesOf(document)
  const sumOf = (wanted: (type: unknown) => boolean) =>
    lines
      .filter((line) => wanted(line.transactionType) && isDigits(line.amount))
      .reduce((sum, line) => sum.plus(exact(line.amount as Digits)), exact('0'))
  const debits = sumOf((type) => type === 'Debit')
  const credits = sumOf((type) => type !== 'Debit')
  const compare = (what: string, stated: unknown, computed: ReturnType<typeof exact>): Mismatch[] =>
    isDigits(stated) && !exact(stated).abs().eq(computed.abs())
      ? [{what, stated, computed: digits(computed.toFixed())}]
      : []
  return [
    ...compare('totalDebits', document.totalDebits, debits),
    ...compare('totalCredits', document.totalCredits, credits),
    ...compare('netPosition', document.netPosition, credits.minus(debits)),
  ]
}
