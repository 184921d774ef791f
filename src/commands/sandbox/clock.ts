import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {millis} from '../../contract/forms.ts'
import {noteClock} from '../../desk/desk.ts'
import {foldersOf} from '../../store/paths.ts'
import {requireSandbox} from '../../store/sandbox.ts'
import {outputFlags} from '../../terminal/flags.ts'
import {momentIn, secondsFlag, timeFlag} from '../../terminal/times.ts'
import {clockCard, type SandboxClock} from '../../terminal/views/sandbox.ts'

export default class SandboxClockCommand extends ScentCommand {
  static override summary = "Show or move the sandbox's time."
  static override description =
    'Moving it forward expires tokens and price locks, and runs what falls due on the way. Rate limits keep to real time.'
  static override examples = [
    '<%= config.bin %> sandbox clock --advance 14m55s',
    '<%= config.bin %> sandbox clock --to 2027-01-01T00:00Z --freeze',
    '<%= config.bin %> sandbox clock --next',
  ]
  static override flags = {
    ...outputFlags,
    advance: secondsFlag({summary: 'Forward by a span: 90s, 14m55s, 72h, 14d, or seconds.'}),
    to: timeFlag({
      summary: 'Forward to this moment; a span or a day counts from where it stands.',
      exclusive: ['advance'],
    }),
    next: Flags.boolean({summary: 'Forward to whatever falls due next.', exclusive: ['advance', 'to']}),
    freeze: Flags.boolean({summary: 'Stop it; --no-freeze lets it run on.', allowNo: true}),
  }

  async run(): Promise<SandboxClock> {
    const {flags} = await this.parse(SandboxClockCommand)
    const {callAdmin} = await import('../../sandbox/controls/remote.ts')
    const running = requireSandbox(foldersOf())
    const asked = Date.now()
    const before = await callAdmin<SandboxClock>(running, 'GET', 'clock')
    noteClock(running.baseUrl, millis(before.now))
    const move = {
      ...(flags.advance === undefined ? {} : {advanceSeconds: flags.advance}),
      ...(flags.to !== undefined && {to: momentIn(flags.to, millis(before.now), {isAhead: true})}),
      ...(flags.next ? {next: true} : {}),
      ...(flags.freeze === undefined ? {} : {freeze: flags.freeze}),
    }
    const isMove = Object.keys(move).length > 0
    const clock = isMove ? await callAdmin<SandboxClock>(running, 'POST', 'clock', move) : before
    noteClock(running.baseUrl, millis(clock.now), asked)
    this.show(clockCard(clock))
    return clock
  }
}
