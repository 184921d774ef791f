import {expect, test} from 'vitest'
import {Failure} from '../../src/contract/failure.ts'
import {failureDocument, failureText} from '../../src/terminal/failure.ts'

test('a message without its middle holds no half of a character, in either voice', () => {
  for (const message of ['😀'.repeat(601), `x${'😀'.repeat(600)}`, `${'😀'.repeat(600)}x`]) {
    const failure = new Failure('INVALID_INPUT', {message})
    expect(failureDocument(failure).error.message).toMatch(/😀 … 😀/)
    expect(failureDocument(failure).error.message).not.toMatch(/\p{Surrogate}/u)
    expect(failureText(failure)).not.toContain('\\u{d')
  }
})
