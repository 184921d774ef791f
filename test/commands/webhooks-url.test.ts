// A URL that the service does not deliver to, explained by the built program.
import {afterAll, beforeAll, expect, test} from 'vitest'
import {scent} from '../support/scent.ts'
import {openShop, type Shop} from '../support/served-shop.ts'
import {page, service, userOf} from '../support/service.ts'

let shop: Shop
let webhook: string

beforeAll(async () => {
  shop = await openShop({strict: true})
  const {payload} = await create('https://1.1.1.1/hook', 0)
  webhook = payload
})
afterAll(() => shop.close())

async function create(url: string, code = 6) {
  const document = await shop.json(['webhooks', 'create', '--url', url, '--event', 'order.completed'], {code})
  return {payload: document.id, error: document.error}
}

const cases: [url: string, reason: string, says: RegExp][] = [
  [
    'http://hooks.example.com/x',
    'NOT_ABSOLUTE_HTTPS',
    /^The webhook URL "http:\/\/hooks\.example\.com\/x" is not an absolute https URL\.$/,
  ],
  ['hooks.example.com', 'NOT_ABSOLUTE_HTTPS', /is not an absolute https URL/],
  ['https://ops:hunter2@1.1.1.1/', 'USERINFO_NOT_ALLOWED', /holds a user name or a password/],
  [
    'https://nobody.invalid/x',
    'UNRESOLVABLE',
    /^The host "nobody\.invalid" of the webhook URL does not resolve/,
  ],
  ['https://10.0.0.1/', 'PRIVATE_ADDRESS', /^The webhook URL leads to 10\.0\.0\.1, a private address/],
  ['https://[fd00::1]/', 'PRIVATE_ADDRESS', /leads to fd00::1, a private address/],
  [
    'https://localhost:9/',
    'PRIVATE_ADDRESS',
    /^The host "localhost" of the webhook URL resolves to a private address \(.*(127\.0\.0\.1|::1).*\)/,
  ],
]

test.each(cases)(
  '%s is refused at the create and at an update (%s), and it says why',
  async (url, reason, says) => {
    const {error} = await create(url)
    expect(error).toMatchObject({state: 'VALIDATION_WEBHOOK_URL_UNSAFE', details: {reason}})
    expect(error.message).toMatch(says)
    expect(error.message + error.hint).not.toContain('hunter2')
    const changed = await shop.json(['webhooks', 'update', webhook, '--url', url], {code: 6})
    expect([changed.error.message, changed.error.hint]).toEqual([error.message, error.hint])
  },
)

// not shown: the values of details.reason.
test.each([
  [{reason: 'HOST_NOT_FOUND'}, 'https://nobody.invalid/', /does not resolve/],
  [
    {reason: 'host resolves to a non-routable range'},
    'https://10.0.0.1/',
    /leads to 10\.0\.0\.1, a private address/,
  ],
  [{}, 'https://nobody.invalid/', /does not resolve/],
  [null, 'http://example.com/', /is not an absolute https URL/],
  [
    {reason: 7},
    'https://10.0.0.1/',
    /is not absolute https, does not resolve, or resolves to a private address/,
  ],
  ['odd', 'https://10.0.0.1/', /is not absolute https, does not resolve, or resolves to a private address/],
])('another service that says %j of %s', async (details, url, says) => {
  const other = await service(({url: path = ''}) =>
    path.includes('webhooks') ? {status: 400, state: 'VALIDATION_WEBHOOK_URL_UNSAFE', details} : page([]),
  )
  const line = ['webhooks', 'create', '--url', url, '--event', 'order.completed', '--json']
  const {code, stdout} = await scent(userOf(other.url), line)
  expect([code, JSON.parse(stdout).error.message]).toEqual([6, expect.stringMatching(says)])
  await other.close()
})
