import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {foldersOf} from '../../store/paths.ts'
import {requireSandbox} from '../../store/sandbox.ts'
import {outputFlags} from '../../terminal/flags.ts'
import {daysFlag} from '../../terminal/times.ts'
import {partnerColumns} from '../../terminal/views/sandbox.ts'

const switches = ['on', 'off'] as const

export default class SandboxPartnerCommand extends ScentCommand {
  static override summary = "List the sandbox's partners, or change one."
  static override description =
    'Lists all partners without an argument. With flags it changes the one named, as an operator of the service would.'
  static override examples = [
    '<%= config.bin %> sandbox partner',
    '<%= config.bin %> sandbox partner rimal-retail --wallet 100',
    '<%= config.bin %> sandbox partner "Rimal Online" --access off',
  ]
  static override args = {partner: Args.string({description: 'Partner id, client id or name.'})}
  static override flags = {
    ...outputFlags,
    wallet: Flags.string({summary: 'Balance in SAR; none takes the wallet away.', helpValue: 'AMOUNT|none'}),
    access: Flags.option({options: switches})({summary: 'Access to start new Scent activity.'}),
    active: Flags.option({options: switches})({summary: 'Whether the account can log in.'}),
    marketing: Flags.option({options: switches})({summary: 'Whether variants show the marketing block.'}),
    notify: Flags.option({options: switches})({summary: 'Whether back-in-stock registrations are taken.'}),
    currency: Flags.string({summary: 'Its display currency; SAR for none.', helpValue: 'CODE'}),
    'return-window': daysFlag({summary: 'How long returns are taken: days, or a span such as 2w.'}),
    env: Flags.option({options: ['staging', 'production'] as const})({
      summary: 'Environment of its credential.',
    }),
  }

  async run(): Promise<object> {
    const {args, flags} = await this.parse(SandboxPartnerCommand)
    const on = (name: string, value: string | undefined) =>
      value === undefined ? {} : {[name]: value === 'on'}
    const change = {
      ...(flags.wallet === undefined
        ? {}
        : {wallet: flags.wallet === 'none' ? null : amountOf(flags.wallet)}),
      ...on('productAccess', flags.access),
      ...on('active', flags.active),
      ...on('marketing', flags.marketing),
      ...on('notifyEnabled', flags.notify),
      ...(flags.currency === undefined ? {} : {currency: flags.currency}),
      ...(flags['return-window'] === undefined ? {} : {returnWindowDays: flags['return-window']}),
      ...(flags.env === undefined ? {} : {environment: flags.env}),
    }
    const {callAdmin} = await import('../../sandbox/controls/remote.ts')
    const running = requireSandbox(foldersOf())
    if (args.partner === undefined) {
      if (Object.keys(change).length > 0)
        throw new Failure('MISSING_INPUT', {message: 'Name the partner to change.'})
      const {partners} = await callAdmin<{partners: object[]}>(running, 'GET', 'info')
      this.show({columns: partnerColumns, rows: partners})
      return {items: partners}
    }
    const path = `partners/${encodeURIComponent(args.partner)}`
    const partner = await callAdmin<object>(running, 'PATCH', path, change)
    this.show({columns: partnerColumns, rows: [partner]})
    return partner
  }
}

export function amountOf(text: string): number {
  if (/^\d{1,9}(\.\d{1,2})?$/.test(text)) return Number(text)
  throw new Failure('INVALID_INPUT', {message: `${text} is not a valid amount in SAR, such as 120.50.`})
}
