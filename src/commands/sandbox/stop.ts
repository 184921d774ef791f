import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {isAlive} from '../../store/lock.ts'
import {foldersOf} from '../../store/paths.ts'
import {requireSandbox} from '../../store/sandbox.ts'
import {outputFlags} from '../../terminal/flags.ts'
import {stoppedTable} from '../../terminal/views/sandbox.ts'

const patienceMs = 10_000

export default class SandboxStop extends ScentCommand {
  static override summary = 'Stop the running sandbox.'
  static override description = 'Requests that are running may end first. The data stays for the next start.'
  static override examples = ['<%= config.bin %> sandbox stop']
  static override flags = {...outputFlags}

  async run(): Promise<{stopped: number}> {
    await this.parse(SandboxStop)
    const running = requireSandbox(foldersOf())
    const {isAnswering} = await import('../../sandbox/controls/remote.ts')
    // A locator may outlive its sandbox, and its process number may be somebody else's by now.
    if (!(await isAnswering(running))) throw new Failure('SANDBOX_NOT_RUNNING')
    process.kill(running.pid, 'SIGTERM')
    const end = Date.now() + patienceMs
    while (isAlive(running.pid)) {
      if (Date.now() > end) {
        throw new Failure('NO_ANSWER', {message: `The sandbox (process ${running.pid}) does not end.`})
      }
      await new Promise((wake) => setTimeout(wake, 20))
    }
    const document = {stopped: running.pid}
    this.show(stoppedTable(document))
    return document
  }
}
