import {
  documentOf,
  type Statement,
  type StatementDocument,
  type StatementLine,
  statement,
  statementLine,
} from '../../contract/statements.ts'
import type {Mismatch} from '../../flows/ledger.ts'
import {moneyText, unitOr} from '../cells.ts'
import {columns} from '../columns.ts'
import {type Card, card, rowsOf, type Table, type View} from '../table.ts'

/** The head of a statement or of a provisional document, which lacks the fields that only a statement has. */
function statementCard(head: Statement | StatementDocument): Card<Statement> {
  const lines = `statementNumber|document.statementNumber Statement;
    document.isProvisional|isProvisional Provisional; periodFrom From; periodTo To;
    generatedAt Generated; totalDebits Debits; totalCredits Credits; netPosition; currency+;
    document.documentNature|documentNature Nature; emailStatus? E-mail`
  return card(head as Statement, columns(statement, lines))
}

function statementLines(document: StatementDocument): Table<StatementLine> {
  const lines = `transactionId- Transaction; timestamp Time; transactionType Type; referenceType For;
    referenceId Reference; amount!; balanceAfter Balance; orderGoodsVatAmount? Goods VAT; notes?~`
  return {
    rows: rowsOf(document.lines),
    empty: 'The period has no entries.',
    columns: columns(statementLine, lines, {}, document.currency),
  }
}

/** A statement or a provisional document: its entries, and below them what it says as a whole. */
export function statementViews(answer: Statement | StatementDocument): View[] {
  const document = documentOf(answer)
  return Array.isArray(document.lines)
    ? [statementLines(document), statementCard(answer)]
    : [statementCard(answer)]
}

/** Says in words what does not add up. */
export function mismatchText(mismatches: Mismatch[]): string {
  return mismatches
    .map(({what, stated, computed, currency}) => {
      const [said, sum] = [stated, computed].map((amount) => moneyText(amount, unitOr(currency)))
      return `${what} is stated as ${said}, and its lines add up to ${sum}.`
    })
    .join(' ')
}
