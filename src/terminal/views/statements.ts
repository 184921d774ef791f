import {
  type Statement,
  type StatementDocument,
  type StatementLine,
  statement,
  statementLine,
} from '../../contract/statements.ts'
import type {Mismatch} from '../../flows/ledger.ts'
import {columns} from '../columns.ts'
import {type Card, card, rowsOf, type Table} from '../table.ts'

/** The head of a statement or of a provisional document, which lacks the fields that only a statement has. */
export function statementCard(head: Statement | StatementDocument): Card<Statement> {
  const lines = `statementNumber|document.statementNumber Statement;
    document.isProvisional|isProvisional Provisional; periodFrom From; periodTo To;
    generatedAt Generated; totalDebits Debits; totalCredits Credits; netPosition; currency+;
    document.documentNature|documentNature Nature; emailStatus? E-mail`
  return card(head as Statement, columns(statement, lines))
}

export function statementLines(document: StatementDocument): Table<StatementLine> {
  const lines = `transactionId- Transaction; timestamp Time; transactionType Type; referenceType For;
    referenceId Reference; amount!; balanceAfter Balance; orderGoodsVatAmount? Goods VAT; notes?~`
  return {
    rows: rowsOf(document.lines),
    empty: 'The period has no entries.',
    columns: columns(statementLine, lines, {}, document.currency),
  }
}

/** Says in words what does not add up. */
export function mismatchText(mismatches: Mismatch[]): string {
  return mismatches
    .map(({what, stated, computed}) => `${what} is stated as ${stated}, and its lines add up to ${computed}.`)
    .join(' ')
}
