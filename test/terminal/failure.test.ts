import {expect, test} from 'vitest'
import {Failure} from '../../src/contract/failure.ts'
import {failureDocument} from '../../src/terminal/failure.ts'
import {inTerminal, oneLine} from '../support/pty.ts'
import {service, userOf} from '../support/service.ts'
import {failureText} from '../support/told.ts'

test('a message without its middle holds no half of a character, in either voice', async () => {
  for (const message of ['😀'.repeat(601), `x${'😀'.repeat(600)}`, `${'😀'.repeat(600)}x`]) {
    const failure = new Failure('INVALID_INPUT', {message})
    expect(failureDocument(failure).error.message).toMatch(/😀 … 😀/)
    expect(failureDocument(failure).error.message).not.toMatch(/\p{Surrogate}/u)
    expect(await failureText(failure)).not.toContain('\\u{d')
  }
})

test('a secret that is longer than a line is still found in a message that wraps', async () => {
  const secret = 'of-the-test-and-longer-than-a-line-of-this-terminal-0123456789'
  const indiscreet = await service(() => ({status: 422, state: 'ODD', details: {reason: `not ${secret}`}}))
  try {
    const env = userOf(indiscreet.url, {SCENT_CLIENT_SECRET: secret})
    const {code, text} = await inTerminal(env, ['catalog', 'brands'], {columns: 40})
    expect(code).toBe(7)
    expect(text).toContain('reason: not')
    expect(oneLine(text).replaceAll(' ', '')).not.toContain(secret)
  } finally {
    await indiscreet.close()
  }
})
