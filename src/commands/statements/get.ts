import * as Args from '@oclif/core/args'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {readStatement, type Statement} from '../../contract/statements.ts'
import {reconcile} from '../../flows/ledger.ts'
import {apiFlags, checkFlag} from '../../terminal/flags.ts'
import {mismatchText, statementViews} from '../../terminal/views/statements.ts'

export default class StatementsGet extends ScentCommand {
  static override summary = 'Show a billing statement, and whether its totals are the sums of its lines.'
  static override description =
    'The API has no list of statements: their ids come with the statement itself, by e-mail or webhook. It is a commercial billing document, not a tax invoice.\n\nIf its totals are not the sums of its lines, a warning on stderr says so.'
  static override examples = [
    '<%= config.bin %> statements get 2c271271-3523-4d0e-9c3a-9d538ae1b155',
    '<%= config.bin %> statements get 2c271271-3523-4d0e-9c3a-9d538ae1b155 --query document.lines',
  ]
  static override args = {
    id: Args.string({
      description: 'Statement id, a UUID that comes with the statement, by e-mail or webhook.',
      required: true,
    }),
  }
  static override flags = {...apiFlags, check: checkFlag}

  async run(): Promise<Statement> {
    const {args, flags} = await this.parse(StatementsGet)
    const {client} = await this.session(flags)
    const statement = await client.call(readStatement, {params: {statementId: args.id}}, {onlyShown: true})
    const mismatches = reconcile(statement)
    if (mismatches?.length === 0) this.said('Its totals are the sums of its lines.')
    else if (mismatches)
      this.finding(new Failure('STATEMENT_MISMATCH', {message: mismatchText(mismatches)}), !flags.check)
    await this.showAnswer(statement, statementViews)
    return statement
  }
}
