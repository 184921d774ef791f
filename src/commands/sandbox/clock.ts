import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {foldersOf} from '../../store/paths.ts'
import {requireSandbox} from '../../store/sandbox.ts'
import {outputFlags} from '../../terminal/flags.ts'
import {clockCard, type SandboxClock} from '../../terminal/views/sandbox.ts'

export default class SandboxClockCommand extends ScentCommand {
  static override summary = "Show or move the sandbox's time."
  static override description =
    'Moving it forward expires tokens and price locks, and runs what falls due on the way. Rate limits keep to real time.'
  static override examples = [
    '<%= config.bin %> sandbox clock --advance 15m',
    '<%= config.bin %> sandbox clock --to 2027-01-01T00:00Z --freeze',
    '<%= config.bin %> sandbox clock --next',
  ]
  static override flags = {
    ...outputFlags,
    advance: Flags.string({summary: 'Forward by a span: 90s, 30m, 72h, 14d.', helpValue: 'SPAN'}),
    to: Flags.string({summary: 'Forward to this moment.', helpValue: 'TIME', exclusive: ['advance']}),
    next: Flags.boolean({summary: 'Forward to whatever falls due next.', exclusive: ['advance', 'to']}),
    freeze: Flags.boolean({summary: 'Stop it; --no-freeze lets it run on.', allowNo: true}),
  }

  async run(): Promise<SandboxClock> {
    const {flags} = await this.parse(SandboxClockCommand)
    const move = {
      ...(flags.advance === undefined ? {} : {advanceSeconds: secondsOf(flags.advance)}),
      ...(flags.to === undefined ? {} : {to: flags.to}),
      ...(flags.next ? {next: true} : {}),
      ...(flags.freeze === undefined ? {} : {freeze: flags.freeze}),
    }
    const {callAdmin} = await import('../../sandbox/controls/remote.ts')
    const asked = Object.keys(move).length === 0
    const running = requireSandbox(foldersOf())
    const clock = await callAdmin<SandboxClock>(
      running,
      asked ? 'GET' : 'POST',
      'clock',
      asked ? undefined : move,
    )
    this.show(clockCard(clock))
    return clock
  }
}

const units: Record<string, number> = {s: 1, m: 60, h: 3_600, d: 86_400}

function secondsOf(span: string): number {
  const [, count, unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(span) ?? []
  if (count !== undefined) return Number(count) * (units[unit] ?? 1)
  throw new Failure('INVALID_INPUT', {
    message: `--advance takes a span such as 90s, 30m, 72h or 14d, not ${span}.`,
  })
}
