import {askLatest} from '../client/registry.ts'
import {ScentCommand} from '../command.ts'
import {isRelease, readUpdate, writeUpdate} from '../store/update.ts'

export default class UpdateCheck extends ScentCommand {
  static override hidden = true
  static override summary = 'Ask the registry of npm for the latest version, and keep the answer.'
  static override description =
    'Commands in a terminal start it in the background, at most once a day, unless SCENT_NO_UPDATE_CHECK is set. It prints nothing, and never fails.'
  static override examples = ['<%= config.bin %> update-check']
  static override flags = {}

  async run(): Promise<void> {
    await this.parse(UpdateCheck)
    if (process.env.SCENT_NO_UPDATE_CHECK) return
    try {
      // It knows proxies. What the session chooses from would become a file more for each start.
      const {openUndici} = await import('../client/undici.ts')
      const latest = await askLatest(openUndici(process.env), process.env, this.config.name)
      if (isRelease(latest)) writeUpdate({...readUpdate(), latest})
    } catch {
      // Nobody waits for the answer: it is asked for again tomorrow.
    }
  }
}
