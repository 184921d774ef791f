import {type Digits, digits, exact, isDigits} from '../contract/money.ts'
import {documentOf, type Statement, type StatementDocument} from '../contract/statements.ts'
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
  let later: WalletTransaction | null | undefined
  let entries = 0
  return {
    /** Takes what a list holds in the place of an entry, too. */
    add(entry: WalletTransaction | null): void {
      entries += 1
      const [expected, found] = [later?.balanceBefore, entry?.balanceAfter]
      if (isDigits(expected) && isDigits(found) && !exact(expected).eq(exact(found))) {
        gaps.push({after: later?.timestamp ?? null, before: entry?.timestamp ?? null, expected, found})
      }
      later = entry
    },
    result: () => ({entries, gaps, unbroken: gaps.length === 0}),
  }
}

export interface Mismatch {
  /** The name of a total. */
  what: string
  stated: Digits
  computed: Digits
  currency: unknown
}

/** An entry whose amount and side are known; nothing has checked yet that a line is one. */
type Entry = {transactionType: string; amount: Digits}
const isEntry = (line: unknown): line is Entry =>
  isDigits((line as Partial<Entry> | null)?.amount) && typeof (line as Entry).transactionType === 'string'

/**
 * Lists the totals of a statement that are not the sums of its lines. Debits are the lines of type Debit, credits all
 * others (not shown: their types). A total that the document does not state is not compared. Returns undefined if the
 * lines don't tell their sums.
 */
export function reconcile(answer: Statement | StatementDocument | null): Mismatch[] | undefined {
  const document = answer && documentOf(answer)
  const lines: readonly unknown[] | null | undefined = document?.lines
  if (!document || !Array.isArray(lines) || !lines.every(isEntry)) return undefined
  const sumOf = (wanted: (type: string) => boolean) =>
    lines
      .filter((line) => wanted(line.transactionType))
      .reduce((sum, line) => sum.plus(exact(line.amount)), exact('0'))
  const debits = sumOf((type) => type === 'Debit')
  const credits = sumOf((type) => type !== 'Debit')
  const compare = (what: string, stated: unknown, computed: ReturnType<typeof exact>): Mismatch[] =>
    isDigits(stated) && !exact(stated).abs().eq(computed.abs())
      ? [{what, stated, computed: digits(computed.toFixed()), currency: document.currency}]
      : []
  return [
    ...compare('totalDebits', document.totalDebits, debits),
    ...compare('totalCredits', document.totalCredits, credits),
    ...compare('netPosition', document.netPosition, credits.minus(debits)),
  ]
}
