import type {Digits} from '../../contract/money.ts'
import type {Statement, StatementDocument, StatementLine} from '../../contract/statements.ts'
import {money, time} from '../cells.ts'
import type {Card} from '../output.ts'
import {rowsOf, type Table} from '../table.ts'

type Headed = Statement | StatementDocument

/** The head of a statement or of a provisional document. */
export function statementCard(head: Headed, document: StatementDocument): Card<Headed> {
  const unit = head.currency
  return {
    rows: [head],
    upright: true,
    columns: [
      {key: 'number', header: 'Statement', get: () => head.statementNumber ?? document.statementNumber},
      {key: 'provisional', header: 'Provisional', get: () => document.isProvisional},
      {key: 'from', header: 'From', get: () => time(head.periodFrom)},
      {key: 'to', header: 'To', get: () => time(head.periodTo)},
      {key: 'generated', header: 'Generated', get: () => time(head.generatedAt)},
      {key: 'debits', header: 'Debits', get: () => money(head.totalDebits, unit)},
      {key: 'credits', header: 'Credits', get: () => money(head.totalCredits, unit)},
      {key: 'net', header: 'Net position', get: () => money(head.netPosition, unit)},
      {key: 'currency', header: 'Currency', shown: 'plain', get: () => unit},
      {key: 'nature', header: 'Nature', get: () => document.documentNature},
      {key: 'email', header: 'E-mail', shown: 'asked', get: () => (head as Statement).emailStatus},
    ],
  }
}

export function statementLines(document: StatementDocument): Table<StatementLine> {
  const unit = document.currency
  return {
    rows: rowsOf(document.lines),
    empty: 'The period has no entries.',
    columns: [
      {key: 'transaction', header: 'Transaction', whole: true, get: ({transactionId}) => transactionId},
      {key: 'time', header: 'Time', get: ({timestamp}) => time(timestamp)},
      {key: 'type', header: 'Type', get: ({transactionType}) => transactionType},
      {key: 'for', header: 'For', get: ({referenceType}) => referenceType},
      {key: 'reference', header: 'Reference', get: ({referenceId}) => referenceId},
      {key: 'amount', header: 'Amount', get: ({amount}) => money(amount, unit)},
      {key: 'balance', header: 'Balance', get: ({balanceAfter}) => money(balanceAfter, unit)},
      {
        key: 'vat',
        header: 'Goods VAT',
        shown: 'asked',
        get: ({orderGoodsVatAmount}) => money(orderGoodsVatAmount, unit),
      },
      {key: 'notes', header: 'Notes', shown: 'asked', get: ({notes}) => notes},
    ],
  }
}

interface Mismatch {
  what: string
  stated: Digits
  computed: Digits
}

/** What does not add up, in words. */
export function mismatchText(mismatches: Mismatch[]): string {
  return mismatches
    .map(({what, stated, computed}) => `${what} is stated as ${stated}, and its lines add up to ${computed}.`)
    .join(' ')
}
