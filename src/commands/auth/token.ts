import {ScentCommand} from '../../command.ts'
import {apiFlags} from '../../terminal/flags.ts'

const {profile, 'base-url': baseUrl, as, 'max-wait': maxWait, timeout, debug} = apiFlags

export default class AuthToken extends ScentCommand {
  static override summary = 'Print a bearer token.'
  static override description =
    'The token and a line end, nothing else, whatever SCENT_OUTPUT says. It lives up to 300 seconds, and whoever has it can order.'
  static override examples = [
    '<%= config.bin %> auth token',
    'curl -H "Authorization: Bearer $(<%= config.bin %> auth token)" http://127.0.0.1:4747/api/v1/scent/brands',
  ]
  static override flags = {profile, 'base-url': baseUrl, as, 'max-wait': maxWait, timeout, debug}

  async run(): Promise<void> {
    const {flags} = await this.parse(AuthToken)
    const {tokens} = await this.session(flags)
    this.put(`${await tokens.get()}\n`)
  }
}
