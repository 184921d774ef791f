import {apiFlags, ScentCommand} from '../../command.ts'

const {profile, 'base-url': baseUrl, as, 'max-wait': maxWait, timeout, debug} = apiFlags

export default class AuthToken extends ScentCommand {
  static override summary = 'Print a bearer token.'
  static override description =
    'The token and a line end, nothing else, whatever SCENT_OUTPUT says. It lives up to 300 seconds, and whoever has it can order.'
  static override examples = ['curl -H "Authorization: Bearer $(<%= config.bin %> auth token)" …']
  static override flags = {profile, 'base-url': baseUrl, as, 'max-wait': maxWait, timeout, debug}

  async run(): Promise<void> {
    const {flags} = await this.parse(AuthToken)
    const {tokens} = await this.session(flags)
    process.stdout.write(`${await tokens.get()}\n`)
  }
}
