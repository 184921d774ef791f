import {expect, it} from 'vitest'
import {exchangeEvent, redact} from '../../src/client/events.ts'

it('a secret is blotted out in every form it can take, wherever it stands', () => {
  const secret = 'p"a\\s/s w&rd'
  const text = [secret, encodeURIComponent(secret), JSON.stringify({x: secret}), `say "${secret}"!`].join(
    '\n',
  )
  const clean = redact(text, [secret, ''])
  for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) {
    expect(clean).not.toContain(form)
  }
  expect(clean).toContain('say "•••"!')
})

it('tokens, secrets and personal fields are blotted out by their names', () => {
  const text =
    '{"clientSecret":"a\\"b","accessToken" : "t","shippingAddress":{"recipient":"Sara","phone":"+966","city":"Riyadh"}}'
  const clean = redact(text, [])
  expect(clean).toBe(
    '{"clientSecret":"•••","accessToken" : "•••","shippingAddress":{"recipient":"•••","phone":"•••","city":"Riyadh"}}',
  )
})

it('an exchange is told without what nobody may see', () => {
  const request = {method: 'POST', url: 'https://a.test/x?t=tok', body: '{"a":"tok"}'}
  expect(exchangeEvent(request, {status: 200, responseBody: 'tok!', requestId: 'r'}, 12, ['tok'])).toEqual({
    kind: 'exchange',
    method: 'POST',
    url: 'https://a.test/x?t=•••',
    requestBody: '{"a":"•••"}',
    status: 200,
    responseBody: '•••!',
    requestId: 'r',
    ms: 12,
  })
})

it('a private field of many megabytes is blotted out as well', () => {
  const long = '\\"x'.repeat(6 * 1024 * 1024)
  expect(redact(`{"recipient":"${long}","city":"Riyadh"}`, [])).toBe('{"recipient":"•••","city":"Riyadh"}')
  expect(redact(`{"phone":"${long}`, [])).toBe('{"phone":"•••')
})

it('a secret of a few characters is blotted out where it stands alone, and in no word', () => {
  expect(redact('a map of Saba, a.', ['a'])).toBe('••• map of Saba, •••.')
  expect(redact('{"error":"token ab.c is wrong, tab.ca is not"}', ['ab.c'])).toBe(
    '{"error":"token ••• is wrong, tab.ca is not"}',
  )
  // One of usual length is found inside anything.
  expect(redact('xs3cr3t-of-8y', ['s3cr3t-of-8'])).toBe('x•••y')
})
