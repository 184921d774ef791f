import {type ChildProcess, execFileSync, spawn} from 'node:child_process'
import {mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {folder} from './program.ts'

/** A session bus of its own that starts nothing by itself, so that no test can reach the user's real keyring. */
const busConfig = (folder: string) => `<busconfig><type>session</type><listen>unix:dir=${folder}</listen>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`

/** Why no real keyring can be had here, in one line; undefined if it can. */
export function noKeyring(): string | undefined {
  try {
    execFileSync('sh', [
      '-c',
      'command -v dbus-daemon && command -v dbus-send && command -v gnome-keyring-daemon',
    ])
    return undefined
  } catch {
    return 'no keyring daemon: apt-get install gnome-keyring dbus'
  }
}

export interface Keyring {
  /** For child processes: a bus with this keyring, and a home of its own. */
  env: NodeJS.ProcessEnv
  /** What the keyring keeps for an account, asked without our code. */
  lock(): void
  /** The daemon stops answering, and goes on at the second call. */
  freeze(): void
  thaw(): void
  /** The whole bus stops answering. Ends with the keyring. */
  freezeBus(): void
}

/** Environment of a user with a home of their own and nothing else: no bus, no display. */
export function bareHome(): NodeJS.ProcessEnv {
  const home = folder()
  const runtime = join(home, 'run')
  mkdirSync(runtime, {mode: 0o700})
  return {
    PATH: process.env.PATH,
    HOME: home,
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
    XDG_RUNTIME_DIR: runtime,
    SCENT_CONFIG_DIR: join(home, 'config'),
    SCENT_STATE_DIR: join(home, 'state'),
  }
}

/** Runs `work` with an unlocked gnome-keyring on a bus of its own; ends both afterwards. */
export async function withKeyring<T>(
  work: (env: NodeJS.ProcessEnv, keyring: Keyring) => Promise<T>,
  {daemon = true}: {daemon?: boolean} = {},
): Promise<T> {
  const env = bareHome()
  const started: ChildProcess[] = []
  try {
    const config = join(env.HOME ?? '', 'bus.conf')
    writeFileSync(config, busConfig(env.XDG_RUNTIME_DIR ?? ''))
    const bus = spawn(
      'dbus-daemon',
      ['--config-file', config, '--nofork', '--nopidfile', '--print-address=1'],
      {env},
    )
    started.push(bus)
    const address = await new Promise<string>((resolve) =>
      bus.stdout.once('data', (text) => resolve(String(text).trim())),
    )
    env.DBUS_SESSION_BUS_ADDRESS = address
    let keyring: ChildProcess | undefined
    if (daemon) {
      keyring = spawn('gnome-keyring-daemon', ['--foreground', '--unlock', '--components=secrets'], {
        env,
        stdio: ['pipe', 'ignore', 'ignore'],
      })
      started.push(keyring)
      keyring.stdin?.end('password')
      await appeared(env)
    }
    return await work(env, {
      env,
      lock: () =>
        void send(
          env,
          'org.freedesktop.secrets',
          '/org/freedesktop/secrets',
          'org.freedesktop.Secret.Service.Lock',
          'array:objpath:/org/freedesktop/secrets/collection/login',
        ),
      freeze: () => void keyring?.kill('SIGSTOP'),
      thaw: () => void keyring?.kill('SIGCONT'),
      freezeBus: () => void bus.kill('SIGSTOP'),
    })
  } finally {
    for (const child of started.reverse()) child.kill('SIGKILL')
  }
}

function send(env: NodeJS.ProcessEnv, to: string, path: string, method: string, ...args: string[]): string {
  return execFileSync('dbus-send', ['--session', '--print-reply', `--dest=${to}`, path, method, ...args], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

/** Waits until the login keyring is there and open. */
async function appeared(env: NodeJS.ProcessEnv): Promise<void> {
  const secrets = 'org.freedesktop.secrets'
  const login = '/org/freedesktop/secrets/collection/login'
  const isOpen = () => {
    const bus = 'org.freedesktop.DBus'
    // Asked before there is an owner, a bus that starts nothing would only refuse.
    if (!send(env, bus, '/', `${bus}.NameHasOwner`, `string:${secrets}`).includes('true')) return false
    const words = ['string:org.freedesktop.Secret.Collection', 'string:Locked']
    try {
      return send(env, secrets, login, `${bus}.Properties.Get`, ...words).includes('false')
    } catch {
      // It owns the name before it has read the password, and made the keyring of it.
      return false
    }
  }
  const end = Date.now() + 60_000
  while (!isOpen()) {
    if (Date.now() > end) throw new Error('gnome-keyring-daemon does not start')
    await new Promise((wake) => setTimeout(wake, 25))
  }
}
