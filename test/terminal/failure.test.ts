import {expect, test} from 'vitest'
import {Failure} from '../../src/contract/failure.ts'
import {failureDocument} from '../../src/terminal/failure.ts'
import {failureText} from '../support/told.ts'

test('a message without its middle holds no half of a character, in either voice', async () => {
  for (const message of ['😀'.repeat(601), `x${'😀'.repeat(600)}`, `${'😀'.repeat(600)}x`]) {
    const failure = new Failure('INVALID_INPUT', {message})
    expect(failureDocument(failure).error.message).toMatch(/😀 … 😀/)
    expect(failureDocument(failure).error.message).not.toMatch(/\p{Surrogate}/u)
    expect(await failureText(failure)).not.toContain('\\u{d')
  }
})
