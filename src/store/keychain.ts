import {createRequire} from 'node:module'
import {Failure} from '../contract/failure.ts'
import {CALL} from './keychain-call.ts'

const SERVICE = 'scent'
const TIMEOUT_MS = 3000
/** A busy machine is not a keychain that hangs. */
const START_MS = 30_000

interface Call {
  action: 'read' | 'save' | 'remove' | 'list'
  account: string
  secret?: string
}

/** Returns the secret of an account; undefined if the keychain has none. Fails with KEYCHAIN_UNAVAILABLE. */
export async function readKeychain(account: string): Promise<string | undefined> {
  const value = await call({action: 'read', account})
  return typeof value === 'string' ? value : undefined
}

/** Saves a secret, and reads it back in another process before it returns. Fails with KEYCHAIN_UNAVAILABLE. */
export async function saveKeychain(account: string, secret: string): Promise<void> {
  await call({action: 'save', account, secret})
  if ((await readKeychain(account)) !== secret) throw unavailable('it took the secret and did not keep it')
}

/** Removes a secret. Returns false if there was none. Fails with KEYCHAIN_UNAVAILABLE. */
export async function removeKeychain(account: string): Promise<boolean> {
  return (await call({action: 'remove', account})) === true
}

/** Returns the accounts that the keychain has a secret of. Fails with KEYCHAIN_UNAVAILABLE. */
export async function listKeychain(): Promise<string[]> {
  // Entries have an account, so the child wants one too.
  return (await call({action: 'list', account: 'any'})) as string[]
}

async function call(request: Call): Promise<unknown> {
  const text = await inChild(JSON.stringify({...request, service: SERVICE}))
  const answer = text.trim() === '' ? {failed: 'the library of the keychain does not load'} : JSON.parse(text)
  if ('failed' in answer) throw unavailable(reasonOf(String(answer.failed)), answer.failed)
  return answer.value
}

async function inChild(request: string): Promise<string> {
  const {spawn} = await import('node:child_process')
  const module = createRequire(__filename).resolve('@napi-rs/keyring')
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--input-type=commonjs', '-e', CALL, '--', module], {
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    })
    const giveUp = () => {
      child.kill('SIGKILL')
      reject(unavailable(`it did not answer within ${TIMEOUT_MS / 1000} seconds`))
    }
    let timer = setTimeout(giveUp, START_MS)
    child.stdout.once('data', () => {
      clearTimeout(timer)
      timer = setTimeout(giveUp, TIMEOUT_MS)
    })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('error', (error) => {
      clearTimeout(timer)
      reject(unavailable('no process can be started for it', error.message))
    })
    child.on('close', () => {
      clearTimeout(timer)
      resolve(Buffer.concat(chunks).toString())
    })
    // A child that died early is noticed by its empty answer.
    child.stdin.on('error', () => {})
    child.stdin.end(request)
  })
}

function reasonOf(message: string): string {
  // Tested first: D-Bus lists possible causes of a timeout, with words that the next lines look for ("blocked").
  if (/NoReply|not receive a reply|time-?out|timed out/i.test(message)) return 'it did not answer in time'
  if (/\blocked\b|prompt/i.test(message)) return 'it is locked'
  if (/DBus|Secret Service/i.test(message)) return 'no Secret Service answers on the session bus'
  return 'it refused the call'
}

function unavailable(why: string, reason?: string): Failure {
  return new Failure('KEYCHAIN_UNAVAILABLE', {
    message: `The keychain can't be used: ${why}.`,
    details: reason && {reason},
    hint:
      'One of three: start or unlock a keyring (on Linux a Secret Service, such as gnome-keyring); set SCENT_CLIENT_ID ' +
      'and SCENT_CLIENT_SECRET; or `scent auth login --storage file`, which keeps the secret in a file of mode 0600.',
  })
}
