// The built `webhooks listen`, and a sender that signs for it.
import {createHmac} from 'node:crypto'
import {type Agent, request} from 'node:http'
import {type AddressInfo, createServer} from 'node:net'
import {type Ended, start} from './scent.ts'

export const secret = 'a signing secret'

interface Letter {
  /** As it was signed, if that is not what arrives. */
  signed?: string
  secret?: string
  /** Seconds before now at which it was signed. */
  age?: number
  /** Instead of what fits. */
  signature?: string
  agent?: Agent
}

// biome-ignore lint/suspicious/noExplicitAny: a line of ndjson is anything
export type Told = any

export interface Listening {
  port: number
  /** Sends one delivery; the status of the answer, or 0 if none came. */
  send(body: string | Buffer, letter?: Letter): Promise<number>
  /** What it has told until now, a line each. */
  told(event?: string): Told[]
  /** Resolves with the first line of this kind that fits, also if it was told before. */
  saw(event: string, fits?: (line: Told) => boolean): Promise<Told>
  /** Ctrl-C. */
  stop(): Promise<Ended>
  kill(): Promise<Ended>
}

/** Starts a listener on a free port, with a secret unless `env` says otherwise, and waits until it is ready. */
export async function listening(env: NodeJS.ProcessEnv, ...argv: string[]): Promise<Listening> {
  const port = argv.includes('--port') ? [] : ['--port', '0']
  const line = ['webhooks', 'listen', ...port, '--output', 'ndjson', ...argv]
  const {child, ended} = start({SCENT_WEBHOOK_SECRET: secret, ...env}, line)
  const lines: Told[] = []
  const waiting = new Set<() => void>()
  let rest = ''
  child.stdout?.on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts.map((part) => JSON.parse(part)))
    for (const look of waiting) look()
  })
  const told = (event?: string) => lines.filter((one) => event === undefined || one.event === event)
  const saw = (event: string, fits: (line: Told) => boolean = () => true) =>
    new Promise<Told>((resolve, reject) => {
      const look = () => {
        const found = told(event).find(fits)
        if (found === undefined) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
      void ended.then(({code, stderr}) => reject(new Error(`it ended with ${code} before: ${stderr}`)))
    })
  const {url} = await saw('ready')
  const open = Number(new URL(url).port)
  return {
    ...{port: open, told, saw},
    send: (body, letter) => deliver(open, body, letter),
    async stop() {
      child.kill('SIGINT')
      return ended
    },
    async kill() {
      child.kill('SIGKILL')
      return ended
    },
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const {port} = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

const macOf = (text: string | Buffer, at: number, key = secret) =>
  `v1=${createHmac('sha256', key).update(`${at}.`).update(text).digest('hex')}`

export function deliver(port: number, body: string | Buffer, letter: Letter = {}): Promise<number> {
  const at = Math.floor(Date.now() / 1000) - (letter.age ?? 0)
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'X-Service-Timestamp': String(at),
    'X-Service-Signature': letter.signature ?? macOf(letter.signed ?? body, at, letter.secret),
  }
  return new Promise((resolve) => {
    const {agent} = letter
    const sent = request(
      {agent, port, host: '127.0.0.1', path: '/hook', method: 'POST', headers},
      (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode ?? 0))
        response.on('error', () => resolve(0))
      },
    )
    sent.on('error', () => resolve(0))
    sent.end(body)
  })
}
