import {describe, expect, test} from 'vitest'
import {isPublic} from '../../src/sandbox/rules/addresses.ts'
import {eventTypes} from '../../src/sandbox/rules/events.ts'
import {judgeUrl} from '../../src/sandbox/rules/url-guard.ts'
import type {Sandbox} from '../support/types.ts'
import {type Caller, callerOf, control, origin, useSandbox} from './caller.ts'

let sandbox: Sandbox
let caller: Caller
const reopen = useSandbox((opened) => {
  sandbox = opened
  caller = callerOf(opened)
})

// Nobody listens there, and nothing is sent there in these tests.
const url = 'http://127.0.0.1:9/hook'
const create = (more: object = {}) =>
  caller.ask('POST', '/scent/webhooks', {body: {url, eventTypes: ['order.completed'], ...more}})
const put = (id: string, body: object) => caller.ask('PUT', `/scent/webhooks/${id}`, {body})
const activate = (id: string, body: object) => caller.ask('PATCH', `/webhooks/${id}/active`, {body})
const headersOf = async (id: string) => {
  const {payload} = await control(sandbox, 'GET', 'state')
  return payload.subscriptions.find((one: {id: string}) => one.id === id).headers
}

describe('a subscription', () => {
  test('is created active, tells its secret once and its headers never', async () => {
    const {status, state, payload, headers} = await create({headers: {'X-Key': 'k1'}})
    expect([status, state]).toEqual([201, 'CREATED'])
    expect(headers.location).toBe(`${origin}/api/v1/scent/webhooks/${payload.id}`)
    const {signingSecret, ...subscription} = payload
    expect(signingSecret).toMatch(/^whsec_[\w-]{43}$/)
    expect(subscription).toEqual({
      id: expect.any(String),
      url,
      eventTypes: ['order.completed'],
      isActive: true,
      lastDeliveryAt: null,
      lastDeliveryStatus: null,
      createdAt: expect.stringMatching(/Z$/),
    })
    expect((await put(payload.id, {})).payload).toEqual(subscription)
  })

  test('keeps what an update leaves out, and takes each event type once', async () => {
    const {payload} = await create({headers: {A: '1'}})
    const changed = await put(payload.id, {eventTypes: ['notice.raised', 'notice.raised', 'order.failed']})
    expect(changed).toMatchObject({status: 200, state: 'SUCCESS'})
    expect(changed.payload).toMatchObject({url, eventTypes: ['notice.raised', 'order.failed']})
    expect((await put(payload.id, {url: `${url}/2`})).payload).toMatchObject({
      url: `${url}/2`,
      eventTypes: ['notice.raised', 'order.failed'],
    })
    expect(await headersOf(payload.id)).toEqual({A: '1'})
  })

  test('has its headers replaced as a whole, kept by null, and cleared by an empty map', async () => {
    const {payload} = await create({headers: {A: '1', B: '2'}})
    await put(payload.id, {headers: null})
    expect(await headersOf(payload.id)).toEqual({A: '1', B: '2'})
    await put(payload.id, {headers: {C: '3'}})
    expect(await headersOf(payload.id)).toEqual({C: '3'})
    await put(payload.id, {headers: {}})
    expect(await headersOf(payload.id)).toEqual({})
  })

  const ten = Object.fromEntries(Array.from({length: 10}, (_, i) => [`X-${i}`, 'v']))
  test.each([
    ['ten of them, as long as they may be', {...ten, 'X-0': 'v'.repeat(2048)}],
    ['a name of 128 characters', {['n'.repeat(128)]: 'v'}],
    ['an empty value', {A: ''}],
    ['a name that objects have of themselves', JSON.parse('{"__proto__": "v", "constructor": "v"}')],
  ])('takes headers: %s', async (_, headers) => {
    const {payload} = await create()
    expect((await put(payload.id, {headers})).status).toBe(200)
    expect(Object.entries(await headersOf(payload.id))).toEqual(Object.entries(headers))
  })
  test.each([
    ['eleven of them', {...ten, Y: 'v'}],
    ['a name of 129 characters', {['n'.repeat(129)]: 'v'}],
    ['a value of 2049 characters', {A: 'v'.repeat(2049)}],
    ['a line break', {A: 'a\r\nX-Injected: 1'}],
    ['a control character', {A: 'a\u0000'}],
    ['text beyond ASCII', {A: 'ü'}],
    ['a name that is no token', {'a b': 'v'}],
    ['an empty name', {'': 'v'}],
    ['the same name in two cases', {'X-A': '1', 'x-a': '2'}],
    ['a value that is no string', {A: 1}],
    ['a list', ['A']],
    ['a name of objects, with a line break', JSON.parse('{"__proto__": "a\\nb"}')],
    ...['Content-Type', 'host', 'CONTENT-LENGTH', 'X-Service-Signature', 'x-service-timestamp'].map(
      (name) => [`the reserved ${name}`, {[name]: 'v'}] as [string, object],
    ),
  ])('refuses headers: %s', async (_, headers) => {
    const {payload} = await create({headers: {Kept: 'yes'}})
    const refused = await put(payload.id, {headers})
    expect(refused.state).toBe('VALIDATION_ERRORS')
    expect(Object.keys(refused.details.errors).join()).toMatch(/^headers/)
    expect(Object.keys(refused.details)).toEqual(['errors'])
    expect((await create({headers})).state).toBe('VALIDATION_ERRORS')
    expect(await headersOf(payload.id)).toEqual({Kept: 'yes'})
  })

  test.each([
    ['no type', {eventTypes: []}, 'eventTypes'],
    ['an unknown type', {eventTypes: ['order.completed', 'Order.Completed']}, 'eventTypes[1]'],
    ['a null list', {eventTypes: null}, 'eventTypes'],
    ['a null URL', {url: null}, 'url'],
    ['a blank URL', {url: ' '}, 'url'],
    ['a URL of 257 characters', {url: `${url}/`.padEnd(257, 'x')}, 'url'],
  ])('refuses %s', async (_, change, field) => {
    const {payload} = await create()
    for (const refused of [await put(payload.id, change), await create(change)]) {
      expect(refused.state).toBe('VALIDATION_ERRORS')
      expect(Object.keys(refused.details.errors)).toEqual([field])
    }
  })

  test('is one of five active ones at most, counted at create and at activation', async () => {
    const ids: string[] = []
    for (let i = 0; i < 5; i++) ids.push((await create()).payload.id)
    expect((await create()).state).toBe('BUSINESS_WEBHOOK_SUBSCRIPTION_LIMIT')
    expect((await activate(ids[0] ?? '', {isActive: true})).payload).toEqual({id: ids[0], isActive: true})
    expect((await activate(ids[0] ?? '', {isActive: false})).payload).toEqual({id: ids[0], isActive: false})
    expect((await create()).status).toBe(201)
    expect((await activate(ids[0] ?? '', {isActive: true})).state).toBe('BUSINESS_WEBHOOK_SUBSCRIPTION_LIMIT')
    caller = callerOf(sandbox, 'rimal-online')
    expect((await create()).status).toBe(201)
  })

  test('changes nothing when isActive is missing or is no boolean', async () => {
    const {payload} = await create()
    for (const body of [{}, {isActive: null}, {isActive: 'false'}]) {
      expect((await activate(payload.id, body)).state).toBe('VALIDATION_ERRORS')
    }
    expect((await put(payload.id, {})).payload.isActive).toBe(true)
  })

  test('of another partner does not exist', async () => {
    const {payload} = await create()
    caller = callerOf(sandbox, 'rimal-online')
    const {id} = payload
    const answers = [
      await put(id, {}),
      await activate(id, {isActive: false}),
      await caller.ask('GET', `/scent/webhooks/${id}/deliveries`),
      await caller.ask('POST', `/scent/webhooks/${id}/test-fire`, {body: {eventType: 'order.completed'}}),
    ]
    expect(answers.map(({state}) => state)).toEqual(Array(4).fill('NOT_FOUND_WEBHOOK_SUBSCRIPTION'))
  })

  test('is paused by the printed path alone', async () => {
    const {id} = (await create()).payload
    const body = {isActive: false}
    expect((await caller.ask('PATCH', `/scent/webhooks/${id}/active`, {body})).state).toBe('NOT_FOUND_ROUTE')
  })

  test('may have a URL of 256 characters', async () => {
    const longest = `${url}/`.padEnd(256, 'x')
    expect((await create({url: longest})).payload.url).toBe(longest)
  })

  test('may be of any of the event types', async () => {
    expect((await create({eventTypes})).payload.eventTypes).toEqual([...eventTypes])
  })
})

describe('the URL guard', () => {
  const loopback = [
    'http://127.0.0.1:8080/x',
    'https://127.0.0.1/',
    'https://0x7f.1/',
    'https://2130706433/',
    'https://127.1/',
    'https://0177.0.0.1/',
    'https://１２７.０.０.１/',
    'https://127。0。0。1/',
    'https://LOCALHOST/',
    'https://[::1]/',
  ]
  const never = [
    'https://[::ffff:7f00:1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[fe80::1]/',
    'https://[fd00::1]/',
    'https://[::]/',
    'https://[2002:7f00:1::]/',
    'https://10.0.0.1/',
    'https://172.31.255.255/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://100.64.0.1/',
    'https://0.0.0.0/',
    'https://255.255.255.255/',
    'https://224.0.0.1/',
    'https://198.18.0.1/',
  ]
  const malformed = [
    '/hook',
    'hook.example',
    'ftp://1.1.1.1/',
    'https:1.1.1.1',
    'https:/1.1.1.1/',
    'https:\\\\1.1.1.1',
    'https://1.1.1.1/a b',
    'javascript:alert(1)',
    'https://',
    'https://[fe80::1%25eth0]/',
    'https://256.0.0.1/',
    ' https://1.1.1.1/',
  ]
  const reasonOf = async (text: string, strict: boolean) => {
    const verdict = await judgeUrl(text, {strict})
    return 'reason' in verdict ? verdict.reason : 'safe'
  }

  test.each(loopback)('%s is this machine: allowed here, refused when strict', async (text) => {
    expect(await reasonOf(text, false)).toBe('safe')
    expect(await reasonOf(text, true)).toBe(
      text.startsWith('http:') ? 'NOT_ABSOLUTE_HTTPS' : 'PRIVATE_ADDRESS',
    )
  })
  test.each(never)('%s is refused, strict or not', async (text) => {
    expect(await reasonOf(text, false)).toBe('PRIVATE_ADDRESS')
    expect(await reasonOf(text, true)).toBe('PRIVATE_ADDRESS')
  })
  test.each(malformed)('%j is no absolute URL', async (text) => {
    expect(await reasonOf(text, false)).toBe('NOT_ABSOLUTE_HTTPS')
  })

  test('lets public addresses through, of both families', async () => {
    expect(await reasonOf('https://1.1.1.1/hook', true)).toBe('safe')
    expect(await reasonOf('https://[2606:4700:4700::1111]:8443/hook', true)).toBe('safe')
    expect(await reasonOf('http://1.1.1.1/hook', true)).toBe('NOT_ABSOLUTE_HTTPS')
    // A list that holds ::ffff:0:0/96 matches every IPv4 address.
    for (const address of ['8.8.8.8', '93.184.216.34', '172.32.0.1', '11.0.0.1', '2a00:1450::1']) {
      expect([address, isPublic(address)]).toEqual([address, true])
    }
  })

  test('refuses names and passwords in a URL, and hosts that do not resolve', async () => {
    expect(await reasonOf('https://user:pass@1.1.1.1/', false)).toBe('USERINFO_NOT_ALLOWED')
    expect(await reasonOf('https://user@1.1.1.1/', false)).toBe('USERINFO_NOT_ALLOWED')
    expect(await reasonOf('https://nobody.invalid/', false)).toBe('UNRESOLVABLE')
  })

  test('stands at create and at a change of the URL, and names its reason', async () => {
    const refused = await create({url: 'https://10.0.0.1/'})
    expect(refused).toMatchObject({
      status: 400,
      state: 'VALIDATION_WEBHOOK_URL_UNSAFE',
      details: {reason: 'PRIVATE_ADDRESS'},
    })
    const {payload} = await create()
    const changed = await put(payload.id, {url: 'https://nobody.invalid/', eventTypes: ['order.failed']})
    expect(changed).toMatchObject({
      state: 'VALIDATION_WEBHOOK_URL_UNSAFE',
      details: {reason: 'UNRESOLVABLE'},
    })
    expect((await put(payload.id, {})).payload).toMatchObject({url, eventTypes: ['order.completed']})
  })

  test('is the service’s own when the sandbox is strict', async () => {
    await reopen({strict: true})
    expect((await create()).details.reason).toBe('NOT_ABSOLUTE_HTTPS')
    expect((await create({url: 'https://127.1/'})).details.reason).toBe('PRIVATE_ADDRESS')
    expect((await create({url: 'https://1.1.1.1/'})).status).toBe(201)
  })
})
