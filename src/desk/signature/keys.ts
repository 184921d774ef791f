import {createHash} from 'node:crypto'

/**
 * How a secret becomes the key of the HMAC: its text as it is; without blanks and quotes around it; without or with the
 * prefix `whsec_`; or as the bytes that base64 or hex stand for, without that prefix.
 */
export const keyReadings = ['text', 'trimmed', 'bare', 'prefixed', 'base64', 'hex'] as const
export type KeyReading = (typeof keyReadings)[number]

const PREFIX = 'whsec_'

/** The key that a secret is in this reading; undefined if it can't be read so. A key is never empty: anybody has that. */
export function keyOf(secret: string, reading: KeyReading): Buffer | undefined {
  const key = readings[reading](secret)
  return key && key.length > 0 ? key : undefined
}

const trimmed = (secret: string) => secret.trim().replace(/^(["'])(.*)\1$/, '$2')
const bare = (secret: string) => trimmed(secret).replace(/^whsec_/, '')

const readings: Record<KeyReading, (secret: string) => Buffer | undefined> = {
  text: (secret) => Buffer.from(secret),
  trimmed: (secret) => Buffer.from(trimmed(secret)),
  bare: (secret) => Buffer.from(bare(secret)),
  prefixed: (secret) => Buffer.from(PREFIX + bare(secret)),
  base64: (secret) => decoded(bare(secret).replace(/=+$/, ''), 'base64'),
  hex: (secret) => decoded(bare(secret).toLowerCase(), 'hex'),
}

/** Node skips what is not of the encoding: then the key would be another one, and a short one. */
function decoded(text: string, encoding: 'base64' | 'hex'): Buffer | undefined {
  const bytes = Buffer.from(text, encoding)
  const again = encoding === 'hex' ? [bytes.toString('hex')] : base64Of(bytes)
  return again.includes(text) ? bytes : undefined
}

const base64Of = (bytes: Buffer) => [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')]

/** The secrets of a text, one a line: during a rotation more than one is in force. */
export function secretsOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => trimmed(line) !== '')
}

/** Tells secrets apart without telling one. */
export function fingerprintOf(secret: string): string {
  return createHash('sha256').update(`webhook secret\0${secret}`).digest('hex').slice(0, 8)
}
