import * as Args from '@oclif/core/args'
import {ScentCommand} from '../../command.ts'
import {changeOf, type SettingRow, settingRow} from '../../session/config.ts'
import {foldersOf} from '../../store/paths.ts'
import {changeConfig, readConfig} from '../../store/profiles.ts'
import {outputFlags} from '../../terminal/flags.ts'
import {keptSettings} from '../../terminal/views/config.ts'
import {settingArg} from './get.ts'

export default class ConfigSet extends ScentCommand {
  static override summary = 'Keep a setting on this machine, for every command from now on.'
  static override description =
    `profile is the stored credential in use; rate-share the part of the quota, above 0 and up to 1, that this machine takes of it, for a profile that several machines share.

output, max-total and address are what --output, --max-total and --address are if they are left out. customer is that of --customer in the commands of carts, checkout and wishlists, and in \`orders create\`; lists and imports keep to what they are told. columns.TOPIC.COMMAND is what one command shows, such as columns.orders.list; JSON is never changed by it. alias.NAME is a name for a partner, which --as takes as well as its id.

accessible, on or off, is for people who have the screen read out: no line is drawn over another, no clock ticks, choices have numbers, and news are told below. It is the same as ACCESSIBLE=1.

A flag wins over a variable of the environment, and that over what is kept here.`
  static override examples = [
    '<%= config.bin %> config set output csv',
    '<%= config.bin %> config set customer C-1042',
    '<%= config.bin %> config set columns.orders.list externalReference,total,status',
    '<%= config.bin %> config set alias.warda 6f3c1f0e-4a55-4be4-9a77-0f5d7c1b2a31',
    '<%= config.bin %> config set rate-share 0.5',
    '<%= config.bin %> config set accessible on',
  ]
  static override args = {
    setting: settingArg,
    value: Args.string({description: 'Its new value.', required: true}),
  }
  static override flags = {...outputFlags}

  async run(): Promise<SettingRow> {
    const {args} = await this.parse(ConfigSet)
    const folders = foldersOf()
    await changeConfig(folders, await changeOf(args.setting, args.value, readConfig(folders)))
    const row = settingRow(args.setting, readConfig(folders), process.env)
    if (row.source.startsWith('SCENT_')) this.note(`${row.source} is set to "${row.value}", and wins.`)
    this.show(keptSettings([row]))
    return row
  }
}
