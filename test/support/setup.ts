import {execFileSync} from 'node:child_process'
import {existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {noChromium} from './chromium.ts'
import {noKeyring} from './keyring.ts'
import {noTmux} from './tmux.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')

/** Variables of a developer's shell that a test must not see. */
const foreign =
  /^(SCENT_(?!TEST_)|XDG_|DBUS_SESSION_BUS_ADDRESS$|(https?|no|all)_proxy$|NODE_(EXTRA_CA_CERTS|OPTIONS)$|(NO|FORCE)_COLOR$)/i

/**
 * Runs once, before all tests: the program is built when its sources are newer, and every test process inherits an
 * empty home, so that none touches the user's own configuration, records or keychain. What will be skipped is said
 * here, once.
 */
export default function setup(): () => void {
  if (Math.max(newest('src'), newest('build.js'), newest('package.json')) > newest('oclif.manifest.json')) {
    execFileSync(process.execPath, ['build.js'], {cwd: root, stdio: 'inherit'})
  }
  for (const missing of [noKeyring(), noTmux(), noChromium()])
    if (missing) console.warn(`Some tests are skipped: ${missing}`)
  for (const name of Object.keys(process.env)) if (foreign.test(name)) delete process.env[name]
  const home = mkdtempSync(join(tmpdir(), 'scent-home-'))
  for (const folder of ['config', 'state', 'tmp']) mkdirSync(join(home, folder), {mode: 0o700})
  process.env.HOME = home
  process.env.SCENT_CONFIG_DIR = join(home, 'config')
  process.env.SCENT_STATE_DIR = join(home, 'state')
  // Compiled code is kept for one build, whoever runs it: most of a start would be spent on compiling it again.
  process.env.XDG_CACHE_HOME = join(home, 'cache')
  // So that the temporary folders of tests are removed as well.
  process.env.TMPDIR = join(home, 'tmp')
  return () => rmSync(home, {recursive: true, force: true})
}

/** The time of the newest file at or below a path of the project; 0 if there is none. */
function newest(path: string): number {
  const start = join(root, path)
  if (!existsSync(start)) return 0
  const stat = statSync(start)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(0, ...readdirSync(start).map((name) => newest(join(path, name))))
}
