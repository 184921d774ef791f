// Signs deliveries as other services document it, with nothing of the program.
import {createHmac} from 'node:crypto'
import type {Arrived} from '../../../src/desk/signature/judge.ts'

export const id = 'b1c7a9e0d2f34c55a6e78899aabbccdd'
export const at = 1_763_800_000
export const now = at * 1000 + 3_400

interface Letter {
  body: string | Buffer
  secret: string
  timestamp?: string
}

const hmac = (key: string | Buffer, text: string, body: string | Buffer) =>
  createHmac('sha256', key).update(text).update(body)

const senders: Record<string, (letter: Required<Letter>) => string> = {
  default: ({body, secret, timestamp}) => `v1=${hmac(secret, `${timestamp}.`, body).digest('hex')}`,
  standard: ({body, secret, timestamp}) => {
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
    return `v1,${hmac(key, `${id}.${timestamp}.`, body).digest('base64')}`
  },
  stripe: ({body, secret, timestamp}) =>
    `t=${timestamp},v1=${hmac(secret, `${timestamp}.`, body).digest('hex')},v0=6ffbb59b2300aae63f272406069a9788`,
  slack: ({body, secret, timestamp}) => `v0=${hmac(secret, `v0:${timestamp}:`, body).digest('hex')}`,
  github: ({body, secret}) => `sha256=${hmac(secret, '', body).digest('hex')}`,
}

export const names = Object.keys(senders)

export const headers = (signature: string, timestamp = String(at)): [string, string][] => [
  ['Content-Type', 'application/json'],
  ['X-Service-Timestamp', timestamp],
  ['x-service-signature', signature],
]

/** A delivery as this service would send it. */
export function sent(name: string, {timestamp = String(at), ...letter}: Letter): Arrived {
  const signature = senders[name]?.({timestamp, ...letter}) ?? ''
  return {headers: headers(signature, timestamp), body: Buffer.from(letter.body), id}
}

/** The same with other bytes, as if it was changed on the way. */
export const changed = (delivery: Arrived, body: string | Buffer): Arrived => ({
  ...delivery,
  body: Buffer.from(body),
})
