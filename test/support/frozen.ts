// A machine whose clock stands still until it is moved, for the built program.
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {folder} from './program.ts'

/** `to` moves the clock of every process that runs with `env`. */
export function frozenMachine(at: number): {env: NodeJS.ProcessEnv; to(at: number): void} {
  const place = folder()
  const [hook, file] = [join(place, 'hook.cjs'), join(place, 'now')]
  const to = (moment: number) => writeFileSync(file, String(moment))
  to(at)
  writeFileSync(
    hook,
    `const {readFileSync} = require('node:fs')
    const Real = Date
    const now = () => Number(readFileSync(${JSON.stringify(file)}, 'utf8'))
    globalThis.Date = class extends Real {
      constructor(...given) {
        super(...(given.length > 0 ? given : [now()]))
      }
      static now() {
        return now()
      }
    }`,
  )
  return {env: {NODE_OPTIONS: `--require ${hook}`}, to}
}
