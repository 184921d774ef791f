import {spawn} from 'node:child_process'
import {Failure} from '../../contract/failure.ts'

const readyWithinMs = 20_000

/**
 * Starts this program again in the background with `args` and waits for the line in which it says how it is reached.
 * Fails with the error document that it prints instead.
 */
export async function startDetached(args: string[]): Promise<unknown> {
  const script = process.argv[1] ?? ''
  const child = spawn(process.execPath, [...process.execArgv, script, ...args], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let text = ''
  const line = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill()
      reject(new Failure('NO_ANSWER', {message: 'The sandbox did not become ready within 20 s.'}))
    }, readyWithinMs)
    child.stdout.on('data', (bytes: Buffer) => {
      text += bytes.toString('utf8')
      if (!text.includes('\n')) return
      clearTimeout(late)
      resolve(text)
    })
    child.once('exit', () => {
      clearTimeout(late)
      resolve(text)
    })
    child.once('error', ({code}: NodeJS.ErrnoException) => {
      clearTimeout(late)
      const message = `No process can be started for the sandbox (${code}).`
      reject(new Failure('FILE_FAILED', {message, hint: 'Try again, or run it without --detach.'}))
    })
  })
  child.stdout.destroy()
  child.unref()
  return readyOrFailure(line)
}

function readyOrFailure(line: string): unknown {
  const document = parsed(line)
  const error = (document as {error?: {state: string; message: string}} | null)?.error
  if (error) throw new Failure(error.state, {message: error.message})
  if (document === null) throw new Failure('NO_ANSWER', {message: 'The sandbox ended before it was ready.'})
  return document
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null // it said nothing, or half a line
  }
}
