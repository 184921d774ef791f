import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {foldersOf} from '../../store/paths.ts'
import {requireSandbox} from '../../store/sandbox.ts'
import {outputFlags} from '../../terminal/flags.ts'
import {millisecondsFlag, secondsFlag} from '../../terminal/times.ts'
import {faultColumns} from '../../terminal/views/sandbox.ts'

const effects = [
  'status',
  'reset',
  'hang',
  'truncate',
  'malformed',
  'slow',
  'race',
  'additive-fields',
  'unknown-enum',
  'forbid-route',
] as const

const ways = ['lost', 'twice', 'late', 'reordered', 'reencoded', 'skewed', 'cut', 'unrecorded'] as const

export default class SandboxFaultCommand extends ScentCommand {
  static override summary = 'Set a fault, list those that are set, or clear them.'
  static override description =
    'A fault meets requests of an operation, a method or a path, or all. --when before answers instead of doing the work; --when after commits it first, then spoils the answer. `slow` before an order create keeps the order in progress for that long. `forbid-route` closes a route to every credential.'
  static override examples = [
    '<%= config.bin %> sandbox fault --operation createOrder --effect reset --when after --times 1',
    '<%= config.bin %> sandbox fault --effect status --status 503 --probability 0.1',
    '<%= config.bin %> sandbox fault --operation createOrder --effect slow --when before --delay 5000',
    '<%= config.bin %> sandbox fault --effect forbid-route --path /api/v1/scent/reports/*',
    '<%= config.bin %> sandbox fault --delivery reencoded --times 1',
    '<%= config.bin %> sandbox fault --list',
    '<%= config.bin %> sandbox fault --clear',
  ]
  static override flags = {
    ...outputFlags,
    list: Flags.boolean({summary: 'List the faults that are set.', exclusive: ['effect', 'clear']}),
    clear: Flags.boolean({summary: 'Clear them all, or the one of --id.', exclusive: ['effect']}),
    id: Flags.integer({summary: 'Which one to clear.', dependsOn: ['clear'], helpValue: 'N'}),
    effect: Flags.option({options: effects})({summary: 'What happens.'}),
    delivery: Flags.option({options: ways})({
      summary: 'What happens to deliveries on their way, or to the record of them.',
      exclusive: [
        'list',
        'clear',
        'effect',
        'operation',
        'method',
        'path',
        'when',
        'status',
        'state',
        'retry-after',
      ],
    }),
    operation: Flags.string({
      summary: 'Operation to meet, such as createOrder; a wrong one prints all.',
      helpValue: 'NAME',
    }),
    method: Flags.string({summary: 'Method to meet.', helpValue: 'METHOD'}),
    path: Flags.string({summary: 'Path to meet; may end in *.', helpValue: 'PATH'}),
    when: Flags.option({options: ['before', 'after'] as const})({
      summary: 'Before the work, or after its commit; the default depends on the effect.',
    }),
    times: Flags.integer({
      summary: 'How many requests or deliveries it meets; all by default.',
      min: 1,
      helpValue: 'N',
    }),
    probability: Flags.string({summary: 'Chance to meet one, 0 to 1; 1 by default.', helpValue: 'P'}),
    'random-seed': Flags.integer({summary: 'Seed of that chance.', helpValue: 'N'}),
    delay: millisecondsFlag({
      summary: 'For slow and late: milliseconds, or a span such as 2s; 1000 by default, 5000 for late.',
    }),
    status: Flags.integer({
      summary: 'HTTP status, for status; by default that of --state, or 503.',
      min: 400,
      max: 599,
      helpValue: 'CODE',
    }),
    state: Flags.string({summary: 'State of the answer, for status.', helpValue: 'STATE'}),
    'retry-after': secondsFlag({summary: 'Retry-After, for status: seconds, or a span such as 2m.'}),
  }

  async run(): Promise<object> {
    const {flags} = await this.parse(SandboxFaultCommand)
    const {callAdmin} = await import('../../sandbox/controls/remote.ts')
    const running = requireSandbox(foldersOf())
    if (flags.clear)
      await callAdmin(running, 'DELETE', flags.id === undefined ? 'faults' : `faults/${flags.id}`)
    if (flags.effect !== undefined || flags.delivery !== undefined) {
      const fault = await callAdmin<object>(running, 'POST', 'faults', orderOf(flags))
      this.show({columns: faultColumns, rows: [fault]})
      return fault
    }
    if (!flags.list && !flags.clear) {
      throw new Failure('MISSING_INPUT', {message: 'Say --effect, --delivery, --list or --clear.'})
    }
    const faults = await callAdmin<{items: object[]}>(running, 'GET', 'faults')
    this.show({columns: faultColumns, rows: faults.items, empty: 'No fault is set.'})
    return faults
  }
}

interface FaultFlags {
  effect: string | undefined
  delivery: string | undefined
  operation: string | undefined
  method: string | undefined
  path: string | undefined
  when: string | undefined
  times: number | undefined
  probability: string | undefined
  'random-seed': number | undefined
  delay: number | undefined
  status: number | undefined
  state: string | undefined
  'retry-after': number | undefined
}

/** The order as the controls take it; what was not said stays out (JSON drops undefined). */
function orderOf(flags: FaultFlags): object {
  const {operation, method, path, delivery, probability} = flags
  return {
    match: delivery === undefined ? {operation, method, path} : undefined,
    effect: delivery === undefined ? flags.effect : 'delivery',
    delivery,
    when: flags.when,
    times: flags.times,
    probability: probability === undefined ? undefined : Number(probability),
    seed: flags['random-seed'],
    delayMs: flags.delay,
    status: flags.status,
    state: flags.state,
    retryAfter: flags['retry-after'],
  }
}
