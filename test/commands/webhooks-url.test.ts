// A URL that the service does not deliver to, explained by the built program.
import {afterAll, beforeAll, expect, test} from 'vitest'
import {scentAmongMany as scent} from '../support/many.ts'
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
    /^The webhook URL "http:\/\/hooks\.example\.com\/x" begins with http:\/\/, and the service delivers over https only\.$/,
  ],
  [
    'ftp://hooks.example.com/x',
    'NOT_ABSOLUTE_HTTPS',
    /begins with ftp:\/\/, and the service delivers over https only\.$/,
  ],
  [
    'hooks.example.com',
    'NOT_ABSOLUTE_HTTPS',
    /^The webhook URL "hooks\.example\.com" is not absolute: it does not begin with https:\/\/ and a host\.$/,
  ],
  ['localhost:3000/hook', 'NOT_ABSOLUTE_HTTPS', /^The webhook URL "localhost:3000\/hook" is not absolute/],
  ['/hook', 'NOT_ABSOLUTE_HTTPS', /^The webhook URL "\/hook" is not absolute/],
  ['https://1.1.1.1/a b', 'NOT_ABSOLUTE_HTTPS', /holds a space or a backslash\.$/],
  ['https:\\\\1.1.1.1\\x', 'NOT_ABSOLUTE_HTTPS', /holds a space or a backslash\.$/],
  ['https://[::1', 'NOT_ABSOLUTE_HTTPS', /^The webhook URL "https:\/\/\[::1" is not a valid URL\.$/],
  ['https://ops:hunter2@1.1.1.1/', 'USERINFO_NOT_ALLOWED', /holds a user name or a password/],
  [
    'https://nobody.invalid/x',
    'UNRESOLVABLE',
    /^The host "nobody\.invalid" of the webhook URL does not resolve/,
  ],
  [
    'https://127.0.0.1/',
    'PRIVATE_ADDRESS',
    /^The webhook URL leads to 127\.0\.0\.1, an address at which each machine reaches itself/,
  ],
  ['https://10.0.0.1/', 'PRIVATE_ADDRESS', /^The webhook URL leads to 10\.0\.0\.1, a private address/],
  ['https://[fd00::1]/', 'PRIVATE_ADDRESS', /leads to fd00::1, a private address/],
  [
    'https://localhost:9/',
    'PRIVATE_ADDRESS',
    /^The host "localhost" of the webhook URL resolves to an address at which each machine reaches itself \(.*(127\.0\.0\.1|::1).*\)/,
  ],
]

test.each(cases)(
  '%s is refused at the create and at an update (%s), and it says why',
  async (url, reason, says) => {
    const {error} = await create(url)
    expect(error).toMatchObject({state: 'VALIDATION_WEBHOOK_URL_UNSAFE', details: {reason}})
    expect(error.message).toMatch(says)
    expect(error.message + error.hint).not.toContain('hunter2')
    // Of the field that was refused too a whole sentence.
    expect(error.details.errors.url).toEqual([expect.stringMatching(/^must (be|have|not) .+/)])
    expect(error.details.errors.url[0]).not.toBe('must not be delivered to')
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
  [{reason: 'UNRESOLVABLE'}, 'http://nobody.invalid/', /does not resolve/],
  [{reason: 'PRIVATE_ADDRESS'}, 'http://10.0.0.1/', /leads to 10\.0\.0\.1, a private address/],
  [null, 'http://example.com/', /begins with http:\/\/, and the service delivers over https only/],
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

test('the way out fits what is wrong: a host without its scheme is given whole, and a part behind # is not sent', async () => {
  expect((await create('hooks.example.com/x')).error.hint).toContain('https://hooks.example.com/x')
  expect((await create('http://hooks.example.com/x')).error.hint).toContain(
    'webhooks listen --public-url URL',
  )
  const line = ['webhooks', 'update', webhook, '--url', 'https://1.1.1.1/hook#part']
  expect((await scent(shop.env, line)).stderr).toContain(
    'behind the # of https://1.1.1.1/hook#part is never sent',
  )
  const long = await shop.json(
    ['webhooks', 'update', webhook, '--url', `https://1.1.1.1/${'x'.repeat(300)}`],
    {code: 6},
  )
  expect(long.error.details.errors.url).toEqual(['must not exceed 256 characters'])
})
